package bvh

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// rangeBytes are the ranges as the device reads them, stride bytes apart.
func rangeBytes(ranges []vk.BuildRange, stride int) []byte {
	data := make([]byte, max(16, stride*len(ranges)))
	for i, g := range ranges {
		copy(data[stride*i:], uintBytes([]uint32{g.PrimitiveCount, g.PrimitiveOffset, g.FirstVertex, g.TransformOffset}))
	}
	return data
}

// indirectCase is a build with its true ranges and the most that the host knows.
type indirectCase struct {
	name string
	input
	most   []uint32
	stride int
}

func (r *rig) indirectCases(rng *rand.Rand) []indirectCase {
	s := randomSoup(rng, 5000, 0.05)
	two := func(flags vk.BuildFlags, a, b vk.BuildRange) input {
		g, _ := r.soupGeometry(s, vk.GeometryOpaque)
		h, _ := r.soupGeometry(s, 0)
		tr := randomTransform(rng, false)
		h.Triangles.TransformData = r.upload("transforms", append(make([]byte, 48), floatBytes(tr[:])...))
		return bottom(flags, []vk.Geometry{g, h}, []vk.BuildRange{a, b})
	}
	some := vk.BuildRange{PrimitiveCount: 300, PrimitiveOffset: 36}
	more := vk.BuildRange{PrimitiveCount: 2100, FirstVertex: 30, TransformOffset: 48}
	boxes := r.movingBoxes(500, 0, true)
	r.fill(boxes.data, boxes.make(rng))
	boxes.ranges[0] = vk.BuildRange{PrimitiveCount: 200, PrimitiveOffset: 64}
	blas := r.build(r.soupInput(s[:900], 0, 0))
	top := r.movingInstances(90, 0, blas)
	r.fill(top.data, top.make(rng))
	top.ranges[0] = vk.BuildRange{PrimitiveCount: 33, PrimitiveOffset: 128}
	index := r.indexedInput(s[:900], []uint32{9, 8, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 20, 21, 23}, 0)
	index.ranges[0] = vk.BuildRange{PrimitiveCount: 3, PrimitiveOffset: 12, FirstVertex: 5}
	sphere, corners := icosphere(4, 1)
	shared := r.indexedInput(sphere, corners, vk.AllowUpdate|vk.AllowCompaction)
	shared.ranges[0] = vk.BuildRange{PrimitiveCount: 1500, PrimitiveOffset: 120}
	many := two(0, some, more)
	for k := range 150 {
		many.info.Geometries = append(many.info.Geometries, many.info.Geometries[k%2])
		many.ranges = append(many.ranges, vk.BuildRange{PrimitiveCount: uint32(k % 5)})
	}
	mostOfMany := []uint32{300, 2500}
	for range 150 {
		mostOfMany = append(mostOfMany, 5)
	}
	long := r.soupInput(beams(rng, 50, 300), vk.PreferFastTrace, vk.GeometryOpaque)
	short := long
	short.ranges = []vk.BuildRange{{PrimitiveCount: layout.SplitLeast}}
	return []indirectCase{
		{"equal", two(0, some, more), []uint32{300, 2100}, 16},
		{"fewer", two(0, some, more), []uint32{4000, 4000}, 16},
		{"fewer, linear", two(vk.PreferFastBuild, some, more), []uint32{2000, 4500}, 24},
		{"one block of several", two(0, some, vk.BuildRange{}), []uint32{1500, 3000}, 16},
		{"none of several", two(0, vk.BuildRange{}, vk.BuildRange{}), []uint32{1500, 3000}, 16},
		{"small", two(0, vk.BuildRange{PrimitiveCount: 1}, vk.BuildRange{PrimitiveCount: 7}), []uint32{9, 9}, 20},
		{"none of one", two(0, vk.BuildRange{}, vk.BuildRange{}), []uint32{0, 1}, 16},
		{"no geometry", bottom(0, nil, nil), nil, 16},
		{"indices", index, []uint32{4}, 16},
		{"corners of one source", shared, []uint32{1900}, 16},
		{"boxes", boxes.input, []uint32{480}, 16},
		{"instances", top.input, []uint32{80}, 16},
		{"many geometries", many, mostOfMany, 16},
		{"splits", long, []uint32{9000}, 16},
		{"too few for splits", short, []uint32{9000}, 16},
	}
}

// TestBuildIndirect builds with ranges that the device wrote: the structures are those of a direct build, bit for bit.
func TestBuildIndirect(t *testing.T) {
	r := newRig(t)
	cases := r.indirectCases(rand.New(rand.NewPCG(101, 102)))
	var direct []input
	var list []IndirectBuild
	var buffers []*vk.Buffer
	for _, c := range cases {
		direct = append(direct, c.input)
		most := c.input
		most.ranges = make([]vk.BuildRange, len(c.most))
		for k, n := range c.most {
			most.ranges[k].PrimitiveCount = n
		}
		bd := r.prepare(most)[0]
		bd.Dst = r.poison(c.name, bd.Dst.Size())
		ranges := r.buffer("ranges", uint64(len(rangeBytes(c.ranges, c.stride))))
		buffers = append(buffers, ranges)
		list = append(list, IndirectBuild{Info: c.info, MaxPrimitives: c.most, Ranges: ranges.Address(), Stride: uint32(c.stride),
			Dst: bd.Dst, Scratch: bd.Scratch})
	}
	cb, err := r.dev.NewCommandBuffer("indirect builds")
	if err != nil {
		t.Fatal(err)
	}
	defer cb.Destroy()
	if err := cb.Begin(); err != nil {
		t.Fatal(err)
	}
	if err := r.builder.CmdBuildIndirect(cb, list); err != nil {
		t.Fatal(err)
	}
	if err := cb.End(); err != nil {
		t.Fatal(err)
	}
	want := r.build(direct...)
	// The second time the same commands find other ranges, the third time the first ones.
	for pass := range 3 {
		err := r.dev.Run(t.Context(), "ranges", func(up *vk.CommandBuffer) error {
			for i, c := range cases {
				ranges := c.ranges
				if pass == 1 {
					ranges = make([]vk.BuildRange, len(c.ranges))
				}
				up.UpdateBuffer(buffers[i], 0, rangeBytes(ranges, c.stride))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.dev.Submit(t.Context(), cb); err != nil {
			t.Fatal(err)
		}
		for i, c := range cases {
			s, _ := r.read(bufferOf(list[i].Dst))
			if pass == 1 {
				if s.Active != 0 {
					t.Errorf("%s: ranges of nothing give %d primitives", c.name, s.Active)
				}
				continue
			}
			if r.builder.wide && layout.Widened(c.info) {
				r.wantWide(c.name, r.memoryOf(whole(bufferOf(list[i].Dst))))
			}
			if s.Active <= s.Primitives { // boxes of parts are tighter
				checkTight(t, c.name, s)
			}
			if !bytes.Equal(r.used(bufferOf(list[i].Dst)), r.used(want[i])) {
				t.Errorf("%s: the structure is not that of a direct build", c.name)
			}
		}
	}
}

// TestBuildIndirectClamps has ranges with more primitives than the host allowed for.
func TestBuildIndirectClamps(t *testing.T) {
	r := newRig(t)
	s := randomSoup(rand.New(rand.NewPCG(5, 5)), 3000, 0.1)
	in := r.soupInput(s, 0, 0)
	in.ranges[0].PrimitiveCount = 1100
	bd := r.prepare(in)[0]
	for _, count := range []uint32{1101, 3000, 1<<32 - 1} {
		ranges := r.upload("ranges", uintBytes([]uint32{count, 0, 0, 0}))
		err := r.dev.Run(t.Context(), "clamped", func(cb *vk.CommandBuffer) error {
			return r.builder.CmdBuildIndirect(cb,
				[]IndirectBuild{{Info: in.info, MaxPrimitives: []uint32{1100}, Ranges: ranges, Stride: 16, Dst: bd.Dst, Scratch: bd.Scratch}})
		})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(r.used(bufferOf(bd.Dst)), r.used(r.build(in)[0])) {
			t.Errorf("%d primitives of at most 1100 are not built as 1100", count)
		}
	}
}

// TestUpdateIndirect updates with ranges that the device reads, next to a build.
func TestUpdateIndirect(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(7, 5))
	m := r.movingSoup(2000, 0, true)
	r.fill(m.data, m.make(rng))
	list := r.prepare(m.input, m.input, r.soupInput(randomSoup(rng, 40, 0.1), 0, 0))
	r.run(list[:2])
	r.fill(m.data, m.make(rng))
	direct, indirect := r.updateOf(list[0]), r.updateOf(list[1])
	ranges := r.upload("ranges", append(rangeBytes(indirect.Ranges, 16), rangeBytes(list[2].Ranges, 16)...))
	err := r.dev.Run(t.Context(), "indirect update", func(cb *vk.CommandBuffer) error {
		return r.builder.CmdBuildIndirect(cb, []IndirectBuild{
			{Info: indirect.Info, MaxPrimitives: []uint32{2000}, Ranges: ranges, Stride: 16, Dst: indirect.Dst, Scratch: indirect.Scratch},
			{Info: list[2].Info, MaxPrimitives: []uint32{40}, Ranges: ranges + 16, Stride: 16, Dst: list[2].Dst, Scratch: list[2].Scratch},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	r.run([]Build{direct})
	if !bytes.Equal(r.used(bufferOf(direct.Dst)), r.used(bufferOf(indirect.Dst))) {
		t.Error("direct and indirect updates differ")
	}
	if s, _ := r.read(bufferOf(list[2].Dst)); s.Active != 40 {
		t.Errorf("the build has %d of 40 primitives", s.Active)
	}
}

func TestBuildIndirectRefuses(t *testing.T) {
	r := newRig(t)
	in := r.soupInput(randomSoup(rand.New(rand.NewPCG(1, 1)), 10, 0.1), 0, 0)
	bd := r.prepare(in)[0]
	good := IndirectBuild{Info: in.info, MaxPrimitives: []uint32{10}, Ranges: r.upload("ranges", rangeBytes(in.ranges, 16)),
		Stride: 16, Dst: bd.Dst, Scratch: bd.Scratch}
	tests := []struct {
		name string
		edit func(b *IndirectBuild)
		want string
	}{
		{"null ranges", func(b *IndirectBuild) { b.Ranges = 0 }, "Ranges address 0x0 is null"},
		{"ranges", func(b *IndirectBuild) { b.Ranges += 2 }, "Ranges address"},
		{"stride", func(b *IndirectBuild) { b.Stride = 18 }, "Stride 18"},
		{"counts", func(b *IndirectBuild) { b.MaxPrimitives = nil }, "0 primitive counts for 1"},
		{"destination", func(b *IndirectBuild) { b.MaxPrimitives = []uint32{100} }, "the structure takes"},
	}
	err := r.dev.Run(t.Context(), "refused", func(cb *vk.CommandBuffer) error {
		for _, tt := range tests {
			b := good
			tt.edit(&b)
			if err := r.builder.CmdBuildIndirect(cb, []IndirectBuild{b}); !errors.Is(err, ErrInvalidBuild) ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got %v, want ErrInvalidBuild with %q", tt.name, err, tt.want)
			}
		}
		return r.builder.CmdBuildIndirect(cb, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
}
