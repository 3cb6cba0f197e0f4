package bvh

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// variant is a kind of structure of TestBatchMixed. An update begins with older input.
type variant struct {
	name   string
	now    input
	old    input
	update bool
}

func (r *rig) variants(rng *rand.Rand) []variant {
	geometries := func() []vk.Geometry {
		g, _ := r.soupGeometry(randomSoup(rng, 2100, 0.05), vk.GeometryOpaque)
		boxes := vk.AABBs{Data: r.upload("boxes", boxBytes(rng, 2100, 24, false)), Stride: 24}
		return []vk.Geometry{g, {Type: vk.GeometryAABBs, AABBs: boxes}}
	}
	now, before := geometries(), geometries()
	flags := []vk.BuildFlags{vk.AllowUpdate, vk.AllowUpdate | vk.PreferFastBuild}
	var list []variant
	for _, n := range []uint32{0, 1, 2, 6, 130, 1024, 1025, 2100} {
		for kind := range 2 {
			for k, update := range []bool{false, true} {
				ranges := []vk.BuildRange{{PrimitiveCount: n}}
				list = append(list, variant{
					name:   fmt.Sprintf("%d of kind %d, update %v", n, kind, update),
					now:    bottom(flags[(k+kind)%2], now[kind:kind+1], ranges),
					old:    bottom(flags[(k+kind)%2], before[kind:kind+1], ranges),
					update: update,
				})
			}
		}
	}
	return list
}

// TestBatchMixed makes a thousand structures in one command: triangles and boxes, from none to more than a block, builds
// and updates. Each is what it is alone.
func TestBatchMixed(t *testing.T) {
	r := newRig(t)
	list := r.variants(rand.New(rand.NewPCG(111, 112)))
	want := make([][]byte, len(list))
	var dstSize, scratchSize uint64
	for i, v := range list {
		in := v.now
		if v.update {
			in = v.old
		}
		bd := r.prepare(in)[0]
		r.run([]Build{bd})
		if v.update {
			bd.Info = v.now.info
			r.run([]Build{r.updateOf(bd)})
		}
		want[i] = r.used(bufferOf(bd.Dst))
		sizes, err := r.builder.BuildSizes(in.info, []uint32{in.ranges[0].PrimitiveCount})
		if err != nil {
			t.Fatal(err)
		}
		dstSize, scratchSize = max(dstSize, sizes.AccelerationStructureSize), max(scratchSize, sizes.BuildScratchSize)
	}
	const n = 1000
	dst, scratch := r.poison("structures", n*dstSize), r.poison("scratch", n*scratchSize)
	rng := rand.New(rand.NewPCG(113, 114))
	var first, second []Build
	var kinds []int
	for i := range n {
		k := rng.IntN(len(list))
		v := list[k]
		bd := Build{Info: v.now.info, Ranges: v.now.ranges, Dst: dst, DstOffset: uint64(i) * dstSize,
			Scratch: scratch.Address() + uint64(i)*scratchSize}
		if v.update {
			old := bd
			old.Info = v.old.info
			first = append(first, old)
			bd.Info.Update = true
		}
		second, kinds = append(second, bd), append(kinds, k)
	}
	r.run(first)
	r.run(second)
	data := make([]byte, dst.Size())
	if err := r.dev.ReadBuffer(t.Context(), dst, 0, data); err != nil {
		t.Fatal(err)
	}
	updates := 0
	for i, k := range kinds {
		s, err := inspect.Decode(data[uint64(i)*dstSize:][:dstSize])
		if err != nil {
			t.Fatalf("structure %d (%s): %v", i, list[k].name, err)
		}
		if !bytes.Equal(used(s), want[k]) {
			t.Errorf("structure %d (%s) is not what it is alone", i, list[k].name)
		}
		if list[k].update {
			updates++
		}
	}
	t.Logf("%d builds and %d updates", n-updates, updates)
}
