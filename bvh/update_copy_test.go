package bvh

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

func (r *rig) copyTo(mode vk.CopyMode, src, dst *vk.Buffer) *vk.Buffer {
	r.Helper()
	err := r.dev.Run(r.Context(), "copy", func(cb *vk.CommandBuffer) error {
		return r.builder.CmdCopy(cb, []Copy{{Mode: mode, Src: Range{Buffer: src}, Dst: Range{Buffer: dst}}})
	})
	if err != nil {
		r.Fatal(err)
	}
	return dst
}

// compact makes a compacted copy, in memory of just its size.
func (r *rig) compact(b *vk.Buffer) *vk.Buffer {
	r.Helper()
	roomy := r.copyTo(vk.CopyCompact, b, r.buffer("compact", b.Size()))
	return r.copyTo(vk.CopyClone, roomy, r.poison("exact", uint64(len(r.bytes(roomy))+8)))
}

// TestUpdateCompacted updates compacted copies, in place and into memory of the same size: they are what compacted
// copies of updated structures are.
func TestUpdateCompacted(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(121, 122))
	for _, m := range r.movings() {
		r.fill(m.data, m.make(rng))
		bd := r.prepare(m.input)[0]
		r.run([]Build{bd})
		small := r.compact(bufferOf(bd.Dst))
		r.fill(m.data, m.make(rng))
		update := func(dst, src *vk.Buffer) []byte {
			r.run([]Build{r.updateOf(Build{Info: bd.Info, Ranges: bd.Ranges, Dst: dst, Src: src})})
			r.read(dst)
			return r.bytes(dst)
		}
		update(bufferOf(bd.Dst), nil)
		want := r.bytes(r.compact(bufferOf(bd.Dst)))
		if got := update(r.poison("other", small.Size()), small); !bytes.Equal(got, want) {
			t.Errorf("%s: updated out of place, a compacted copy is not that of the updated structure", m.name)
		}
		if got := update(small, nil); !bytes.Equal(got, want) {
			t.Errorf("%s: updated in place, a compacted copy is not that of the updated structure", m.name)
		}
	}
}

// bytes is all of a structure but its own address.
func (r *rig) bytes(b *vk.Buffer) []byte {
	r.Helper()
	s, err := inspect.Read(r.Context(), r.dev, b, 0)
	if err != nil {
		r.Fatal(err)
	}
	return s.Data[8:]
}
