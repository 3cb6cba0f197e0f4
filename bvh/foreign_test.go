package bvh

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// foreignMemory is memory that nobody here has a handle of.
type foreignMemory struct {
	address vk.DeviceAddress
	size    uint64
}

func (m foreignMemory) Address() vk.DeviceAddress { return m.address }
func (m foreignMemory) Size() uint64              { return m.size }
func (m foreignMemory) Name() string              { return "foreign" }

// TestForeignRecorder plans builds, a copy and a query for a device and memory that are not package vk's, plays the plans,
// and wants
// the bytes that command buffers give.
func TestForeignRecorder(t *testing.T) {
	r := newRig(t)
	device := &vktest.ForeignDevice{Properties: *r.dev.Physical(), Vectors: r.dev.SIMD()}
	planner, err := NewBuilder(device)
	if err != nil {
		t.Fatal(err)
	}
	upload, own := r.buffer("uploads", 1<<20), r.buffer("transient", 1<<20)
	record := func(f func(rec Recorder) error) {
		t.Helper()
		rec := vktest.NewForeignRecorder(t.Context())
		rec.Uploads, rec.Device, rec.Size = upload.Address(), own.Address(), own.Size()
		// Commands and memory may be two, of different owners.
		if err := f(struct {
			vk.Recorder
			Memory
		}{rec, rec}); err != nil {
			t.Fatal(err)
		}
		rec.Play(t, r.dev, upload, own)
	}
	s := randomSoup(rand.New(rand.NewPCG(91, 92)), 3000, 0.1)
	builds := r.prepare(r.soupInput(s, vk.AllowUpdate, 0), r.soupInput(s[:900], vk.PreferFastBuild, 0))
	r.run(builds)
	var want [][]byte
	for _, b := range builds {
		want = append(want, r.used(bufferOf(b.Dst)))
		r.fill(bufferOf(b.Dst), make([]byte, b.Dst.Size()))
	}
	plans := slices.Clone(builds)
	for i, b := range plans {
		plans[i].Dst = foreignMemory{b.Dst.Address(), b.Dst.Size()}
	}
	record(func(rec Recorder) error { return planner.CmdBuild(rec, plans) })
	for i, b := range builds {
		if got := r.used(bufferOf(b.Dst)); !bytes.Equal(got, want[i]) {
			t.Errorf("build %d differs from that of a command buffer", i)
		}
	}
	src := Range{Buffer: builds[0].Dst}
	clone, compacted := r.copied(vk.CopyCompact, src)[0], r.properties(CompactedSize, src)[0]
	room, answer := r.room("copied", compacted), r.buffer("answer", 256)
	record(func(rec Recorder) error {
		from := Range{Buffer: foreignMemory{src.Address(), src.Buffer.Size()}}
		to := Range{Buffer: foreignMemory{room.Address(), room.Size}}
		if err := planner.CmdCopy(rec, []Copy{{Mode: vk.CopyCompact, Src: from, Dst: to}}); err != nil {
			return err
		}
		rec.Barrier(vk.WaitCompute)
		return planner.CmdWriteProperties(rec, []Range{from}, CompactedSize, foreignMemory{answer.Address(), answer.Size()}, 0)
	})
	if a, b := r.decoded(room), r.decoded(clone); a.Bytes != b.Bytes ||
		!bytes.Equal(a.Data[layout.HeaderMagic:], b.Data[layout.HeaderMagic:]) {
		t.Errorf("a compacted copy differs from that of a command buffer")
	}
	size := make([]byte, PropertySize)
	if err := r.dev.ReadBuffer(t.Context(), answer, 0, size); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(size, appendWords(nil, uint32(compacted), uint32(compacted>>32))) {
		t.Errorf("compacted size %x, want %x", size, compacted)
	}
	planner.Destroy()
	if left := device.Alive(); len(left) > 0 {
		t.Errorf("kernels are left: %v", left)
	}
}
