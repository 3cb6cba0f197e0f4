package bvh

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// foreignDevice knows kernels by their options alone, as a layer would that has the owner of the device compile them.
type foreignDevice struct {
	physical vk.PhysicalDevice
	simd     bool
}

type foreignKernel struct {
	options vk.KernelOptions
	gone    bool
}

func (k *foreignKernel) Destroy() { k.gone = true }

func (d *foreignDevice) Physical() *vk.PhysicalDevice { return &d.physical }
func (d *foreignDevice) SIMD() bool                   { return d.simd }
func (d *foreignDevice) NewKernel(o vk.KernelOptions) (vk.Kernel, error) {
	return &foreignKernel{options: o}, nil
}

// foreignMemory is memory that nobody here has a handle of.
type foreignMemory struct {
	address vk.DeviceAddress
	size    uint64
}

func (m foreignMemory) Address() vk.DeviceAddress { return m.address }
func (m foreignMemory) Size() uint64              { return m.size }
func (m foreignMemory) Name() string              { return "foreign" }

// foreignCommand is a kernel to run, or a barrier.
type foreignCommand struct {
	kernel  *foreignKernel
	push    []byte
	x, y, z uint32
}

// foreignRecorder plans commands in memory of a fixed size. Somebody else plays them later.
type foreignRecorder struct {
	commands []foreignCommand
	labels   int
	ctx      context.Context
	upload   []byte
	uploads  vk.DeviceAddress // where upload will be
	used     uint64
	device   vk.Range // for TransientDevice
	taken    uint64
}

func (r *foreignRecorder) RunKernel(k vk.Kernel, push []byte, x, y, z uint32) {
	r.commands = append(r.commands, foreignCommand{k.(*foreignKernel), bytes.Clone(push), x, y, z})
}
func (r *foreignRecorder) Context() context.Context { return r.ctx }
func (r *foreignRecorder) ComputeBarrier()          { r.commands = append(r.commands, foreignCommand{}) }
func (r *foreignRecorder) BeginLabel(string)        { r.labels++ }
func (r *foreignRecorder) EndLabel()                { r.labels-- }

func (r *foreignRecorder) TransientUpload(size, align uint64) (vk.DeviceAddress, []byte, error) {
	at := layout.AlignUp(r.used, align)
	if r.used = at + size; r.used > uint64(len(r.upload)) {
		return 0, nil, fmt.Errorf("no room for %d bytes", size)
	}
	return r.uploads + at, r.upload[at:r.used:r.used], nil
}

func (r *foreignRecorder) TransientDevice(size, align uint64) (vk.DeviceAddress, error) {
	at := layout.AlignUp(r.taken, align)
	if r.taken = at + size; r.taken > r.device.Size {
		return 0, fmt.Errorf("no room for %d bytes", size)
	}
	return r.device.Address() + at, nil
}

// play uploads what was written and records the commands, with kernels made from the plan's.
func (r *foreignRecorder) play(g *rig, to *vk.Buffer) {
	g.Helper()
	if r.labels != 0 {
		g.Fatalf("%d labels are open", r.labels)
	}
	if err := g.dev.UploadBuffer(g.Context(), to, 0, r.upload); err != nil {
		g.Fatal(err)
	}
	kernels := map[*foreignKernel]vk.Kernel{}
	err := g.dev.Run(g.Context(), "played", func(cb *vk.CommandBuffer) error {
		for _, c := range r.commands {
			if c.kernel == nil {
				cb.ComputeBarrier()
				continue
			}
			if kernels[c.kernel] == nil {
				k, err := g.dev.NewKernel(c.kernel.options)
				if err != nil {
					return err
				}
				kernels[c.kernel] = k
			}
			cb.RunKernel(kernels[c.kernel], c.push, c.x, c.y, c.z)
		}
		return nil
	})
	for _, k := range kernels {
		k.Destroy()
	}
	if err != nil {
		g.Fatal(err)
	}
}

// TestForeignRecorder plans builds, a copy and a query for a device and memory that are not package vk's, plays the plans,
// and wants
// the bytes that command buffers give.
func TestForeignRecorder(t *testing.T) {
	r := newRig(t)
	device := &foreignDevice{physical: *r.dev.Physical(), simd: r.dev.SIMD()}
	planner, err := NewBuilder(device)
	if err != nil {
		t.Fatal(err)
	}
	upload, own := r.buffer("uploads", 1<<20), r.buffer("transient", 1<<20)
	record := func(f func(rec vk.Recorder) error) {
		t.Helper()
		rec := &foreignRecorder{ctx: t.Context(), upload: make([]byte, 1<<20), uploads: upload.Address(),
			device: vk.Range{Buffer: own, Size: own.Size()}}
		if err := f(rec); err != nil {
			t.Fatal(err)
		}
		rec.play(r, upload)
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
	record(func(rec vk.Recorder) error { return planner.CmdBuild(rec, plans) })
	for i, b := range builds {
		if got := r.used(bufferOf(b.Dst)); !bytes.Equal(got, want[i]) {
			t.Errorf("build %d differs from that of a command buffer", i)
		}
	}
	src := Range{Buffer: builds[0].Dst}
	clone, compacted := r.copied(vk.CopyCompact, src)[0], r.properties(CompactedSize, src)[0]
	room, answer := r.room("copied", compacted), r.buffer("answer", 256)
	record(func(rec vk.Recorder) error {
		from := Range{Buffer: foreignMemory{src.Address(), src.Buffer.Size()}}
		to := Range{Buffer: foreignMemory{room.Address(), room.Size}}
		if err := planner.CmdCopy(rec, []Copy{{Mode: vk.CopyCompact, Src: from, Dst: to}}); err != nil {
			return err
		}
		rec.ComputeBarrier()
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
	for k := range planner.kernels {
		if planner.kernels[k].made.Load() != nil {
			t.Errorf("kernel %d is left", k)
		}
	}
}
