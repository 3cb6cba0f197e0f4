package bvh

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// TestUpdateSmall updates small structures, plain and compacted, in a workgroup each: alone, as one of many, and next to a
// large one. They become what the kernels for large ones make of them.
func TestUpdateSmall(t *testing.T) {
	r := newRig(t)
	if r.builder.refitSmall == 0 {
		t.Skip("workgroups of this device are too small")
	}
	small := r.builder.refitSmall
	rng := rand.New(rand.NewPCG(131, 132))
	list := r.movings()
	add := func(name string, m moving) {
		m.name = name
		list = append(list, m)
	}
	add("at the limit", r.movingSoup(int(small), 0, false))
	add("linear at the limit", r.movingBoxes(int(small), vk.PreferFastBuild, true))
	add("above the limit", r.movingSoup(int(small)+1, 0, false))
	add("shared vertices", r.movingSoup(int(small), vk.AllowCompaction, true))
	var updates []Build
	var want [][]byte
	for _, m := range list {
		r.fill(m.data, m.make(rng))
		built := r.prepare(m.input)[0]
		r.run([]Build{built})
		compacted := r.compact(bufferOf(built.Dst))
		r.fill(m.data, m.make(rng))
		for _, src := range []*vk.Buffer{bufferOf(built.Dst), compacted} {
			update := r.updateOf(Build{Info: built.Info, Ranges: built.Ranges, Dst: r.poison("by dispatches", src.Size()), Src: src})
			r.builder.refitSmall = 0
			r.run([]Build{update})
			r.builder.refitSmall = small
			large := r.inUse(bufferOf(update.Dst))
			update.Dst = r.poison("by a workgroup", src.Size())
			r.run([]Build{update})
			if !bytes.Equal(r.inUse(bufferOf(update.Dst)), large) {
				t.Errorf("%s: a workgroup makes something else than several dispatches", m.name)
			}
			update.Dst, update.Src = src, nil
			updates, want = append(updates, update), append(want, large)
		}
	}
	r.run(updates)
	for i, u := range updates {
		if !bytes.Equal(r.inUse(bufferOf(u.Dst)), want[i]) {
			t.Errorf("%s: updated in place with %d others, it is something else", list[i/2].name, len(updates)-1)
		}
	}
}

// inUse is what of a structure of any form means something, but for its own address.
func (r *rig) inUse(b *vk.Buffer) []byte {
	r.Helper()
	if s, _ := r.read(b); layout.IsCompacted(s.LeafKind()) {
		return r.bytes(b)
	}
	return r.used(b)
}
