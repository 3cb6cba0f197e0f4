package bvh

import (
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/host"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// tracers are the two variants of traversal, that for CPUs last.
func (r *rig) tracers() (out [2]*Tracer) {
	r.Helper()
	if !r.dev.Features().Int64 {
		r.Skip("the variant for CPUs needs 64-bit integers")
	}
	for i, target := range []shaders.Target{shaders.Long, shaders.SIMD} {
		var err error
		if out[i], err = newTracer(r.dev, target); err != nil {
			r.Fatal(err)
		}
		r.Cleanup(out[i].Destroy)
	}
	return out
}

// sameByBoth traces by both variants, of which that for GPUs knows no wide nodes. Where the first hit ends a ray it may be another.
func (r *rig) sameByBoth(what string, tracers [2]*Tracer, top vk.DeviceAddress, rays []inspect.Ray) {
	r.Helper()
	met := 0
	r.Helper()
	for _, o := range []TraceOptions{
		{CullMask: 0xff}, {CullMask: 0x0f, Flags: inspect.RayCullBackFacing},
		{CullMask: 0xff, Flags: inspect.RayNoOpaque, Candidates: IgnoreOddPrimitives},
		{CullMask: 0xff, Flags: inspect.RayTerminateOnFirstHit},
		{CullMask: 0xf3, Flags: inspect.RayNoOpaque | inspect.RayTerminateOnFirstHit, Candidates: IgnoreOddPrimitives},
		{CullMask: 0xff, Candidates: TerminateAtFirst, Flags: inspect.RayNoOpaque},
	} {
		var hits [2][]Hit
		for i, v := range tracers {
			var err error
			if hits[i], _, err = v.Trace(r.Context(), top, rays, o); err != nil {
				r.Fatal(what, err)
			}
		}
		first := o.Flags&inspect.RayTerminateOnFirstHit != 0 || o.Candidates == TerminateAtFirst
		for i, h := range hits[0] {
			if h.Instance != inspect.NoInstance {
				met++
			}
			got := hits[1][i]
			if h != got && (!first || (h.Instance == inspect.NoInstance) != (got.Instance == inspect.NoInstance)) {
				r.Fatalf("%s, %+v: ray %d: %+v, by wide nodes %+v", what, o, i, h, got)
			}
		}
	}
	if met == 0 {
		r.Errorf("%s: nothing is hit", what)
	}
}

// TestWideHits traces bottom levels with wide nodes and without below top levels of both sorts, as they were built, updated,
// copied and built by the host.
func TestWideHits(t *testing.T) {
	r := newRig(t)
	tracers := r.tracers()
	rng := rand.New(rand.NewPCG(511, 512))
	var bottoms []Range
	for _, wide := range []bool{true, false} {
		r.builder.wide = wide
		for _, in := range []input{r.soupInput(randomSoup(rng, 300, 0.2), vk.PreferFastTrace, vk.GeometryOpaque),
			r.soupInput(randomSoup(rng, 5000, 0.1), vk.PreferFastTrace|vk.AllowCompaction, 0), r.soupInput(randomSoup(rng, 40, 0.3), 0, 0),
			r.soupInput(randomSoup(rng, 2, 0.5), vk.PreferFastTrace, vk.GeometryOpaque),
			r.soupInput(randomSoup(rng, 1, 0.9), vk.PreferFastTrace, 0)} {
			bottoms = append(bottoms, whole(r.build(in)[0]))
		}
	}
	r.builder.wide = true
	moving := r.movingSoup(2500, vk.PreferFastTrace, true)
	r.fill(moving.data, moving.make(rng))
	bd := r.prepare(moving.input)[0]
	r.run([]Build{bd})
	r.fill(moving.data, moving.make(rng))
	r.run([]Build{r.updateOf(bd)})
	h := r.hostOf(r.soupInput(randomSoup(rng, 700, 0.2), vk.PreferFastTrace, 0))
	h.WideNodes = true
	bottoms = append(bottoms, whole(bufferOf(bd.Dst)), whole(r.hostBuild(h)), r.copied(vk.CopyCompact, bottoms[1])[0],
		r.copied(vk.CopyClone, bottoms[0])[0],
		r.copied(vk.CopyDeserialize, r.copied(vk.CopySerialize, bottoms[1])...)[0])
	rays := randomRays(rng, 1500)
	for i := range rays { // some along axes, and some that start in the middle
		if i%5 == 0 {
			rays[i].Direction[i%3] = 0
		}
		if i%7 == 0 {
			rays[i].Origin = [3]float32{}
		}
	}
	for _, n := range []int{1, 3, 200} {
		for _, flags := range []vk.BuildFlags{0, vk.PreferFastTrace} {
			r.sameByBoth("a scene", tracers, r.wideTop(rng, n, flags, bottoms).Address(), rays)
		}
	}
	for i, b := range bottoms {
		r.sameByBoth("bottom level", tracers, r.single(bufferOf(b.Buffer)).Address(), rays)
		if i == 0 {
			r.sameByBoth("two of it", tracers, r.wideTop(rng, 2, vk.PreferFastTrace, bottoms[:1]).Address(), rays)
		}
	}
}

// wideTop has instances of some bottom levels, turned, with masks and flags.
func (r *rig) wideTop(rng *rand.Rand, n int, flags vk.BuildFlags, bottoms []Range) *vk.Buffer {
	r.Helper()
	var instances []vk.AccelerationStructureInstance
	for i := range n {
		flags := []vk.InstanceFlags{0, inspect.InstanceCullDisable, inspect.InstanceFlipFacing, inspect.InstanceForceOpaque,
			inspect.InstanceForceNoOpaque}[i%5]
		instances = append(instances, vk.NewAccelerationStructureInstance(randomTransform(rng, false), uint32(i), uint8(0xff-i%16),
			uint32(2*i), flags,
			bottoms[i%len(bottoms)].Address()))
	}
	return r.build(r.topInput(flags, instances...))[0]
}

// deepChain is a structure of the greatest height whose wide nodes need as many entries of the stack as can be: every node of a
// chain has the rest of it, which all rays come to first, and a subtree of three leaves with larger boxes, so that all of those
// become children of one wide node. The tree of the source is another.
func deepChain(memory []byte, height uint32) {
	put := func(node uint32, child int, box inspect.Box, ref, leaves uint32) {
		at := memory[layout.HeaderSize+int(node)*layout.NodeSize:]
		xy, depth := layout.NodeXY0+child*(layout.NodeXY1-layout.NodeXY0), layout.NodeZ+8*child
		for k, offset := range [3]int{xy, xy + 8, depth} {
			layout.PutFloats(at[offset:], box.Min[k], box.Max[k])
		}
		layout.PutWord(at, layout.NodeChild0+4*child, ref)
		layout.PutWord(at, layout.NodeLeaves0+4*child, leaves)
	}
	const length = layout.MostHeightBottom - 2 // and two nodes below its last one
	for k := range uint32(length) {
		left := 3*(length-k) + 1 - 3
		w := 10 - float32(k)/8
		v, z := w-1.0/8, (float32(k)-64)/256
		large := inspect.Box{Min: [3]float32{-w, -w, 0}, Max: [3]float32{w, w, 10}}
		rest := inspect.Box{Min: [3]float32{-v, -v, z}, Max: [3]float32{v, v, 10}}
		next := 3 * (k + 1)
		if k == length-1 {
			next = layout.LeafRef(3*length, 1, 0)
		}
		put(3*k, 0, rest, next, left)
		put(3*k, 1, large, 3*k+1, 3)
		put(3*k+1, 0, large, layout.LeafRef(3*k, 1, 0), 1)
		put(3*k+1, 1, large, 3*k+2, 2)
		put(3*k+2, 0, large, layout.LeafRef(3*k+1, 1, 0), 1)
		put(3*k+2, 1, large, layout.LeafRef(3*k+2, 1, 0), 1)
	}
	layout.PutFloats(memory[layout.HeaderBoundsMin:], -10, -10, -1)
	layout.PutFloats(memory[layout.HeaderBoundsMax:], 10, 10, 10)
	layout.PutWord(memory, layout.HeaderRoot, 0)
	layout.PutWord(memory, layout.HeaderHeight, height)
}

// TestWideStack fills the traversal stack as far as wide nodes can, below a top level that does as well.
func TestWideStack(t *testing.T) {
	r := newRig(t)
	tracers := r.tracers()
	r.builder.wide = true
	rng := rand.New(rand.NewPCG(513, 514))
	const leaves = 3*(layout.MostHeightBottom-2) + 1
	s := make(soup, 9*leaves)
	for i, k := range rng.Perm(leaves) { // one behind the other
		z := 0.1 + 0.01*float32(k)
		copy(s[9*i:], []float32{-0.9, -0.9, z, 0.9, -0.9, z, 0, 0.9, z})
	}
	var rays []inspect.Ray
	for range 300 {
		o := [3]float32{rng.Float32()*0.4 - 0.2, rng.Float32()*0.4 - 0.2, -50}
		rays = append(rays, inspect.Ray{Origin: o, Direction: [3]float32{0.001 * rng.Float32(), 0, 1}, TMax: 1000})
	}
	for _, height := range []uint32{layout.MostHeightBottom, 100} { // with the latter they do not fit and are not used
		blas := r.build(r.soupInput(s, vk.PreferFastTrace, vk.GeometryOpaque))[0]
		memory := r.memoryOf(whole(blas))
		deepChain(memory, layout.MostHeightBottom)
		chain, err := inspect.Decode(memory)
		if _, m := validated(r, chain, err); m.Height != layout.MostHeightBottom {
			t.Fatalf("the chain is of height %d", m.Height)
		}
		deepChain(memory, height)
		host.Widen(memory)
		if k := deepest(memory, wideOf(t, memory), 0); k < 3*(layout.MostHeightBottom-2) {
			t.Fatalf("its wide nodes take %d entries", k)
		}
		r.fill(blas, memory)
		var instances []vk.AccelerationStructureInstance
		for i := range 40 {
			to := vk.IdentityTransform()
			to[11] = float32(i) * 0.37
			instances = append(instances, vk.NewAccelerationStructureInstance(to, uint32(i), 0xff, 0, 0, blas.Address()))
		}
		for _, n := range []int{1, len(instances)} {
			for _, flags := range []vk.BuildFlags{0, vk.PreferFastTrace} {
				top := r.build(r.topInput(flags, instances[:n]...))[0]
				if height > layout.MostHeightBottom { // what the variant for GPUs has no stack for
					if _, _, err := tracers[1].Trace(t.Context(), top.Address(), rays, TraceOptions{CullMask: 0xff}); err != nil {
						t.Error(err)
					}
					continue
				}
				r.sameByBoth("a chain", tracers, top.Address(), rays)
			}
		}
	}
}

// deepest is the most entries that a ray through all first children pushes from a wide node on.
func deepest(memory, wide []byte, node uint32) int {
	most := 0
	at := wide[int(node)*layout.WideSize:]
	children := 0
	for k := range layout.WideChildren {
		ref := (&inspect.Structure{Data: at}).Word(uint64(layout.WideRefs + 4*k))
		if ref == layout.RefEmpty {
			continue
		}
		children++
		if ref&layout.RefLeaf == 0 {
			most = max(most, deepest(memory, wide, ref))
		}
	}
	return most + children - 1
}
