package bvh

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// BenchmarkAgainstNative times builds and updates of both ways in one process, each as the median of 15 by GPU
// timestamps, and says where ours spends its time. Run with -benchtime 1x; scenes that are not there are skipped.
func BenchmarkAgainstNative(b *testing.B) {
	if testing.Short() {
		b.Skip("short")
	}
	small := bumpyTorus(32, 20)
	for _, s := range []struct {
		name   string
		copies int
		load   func(b *testing.B) model
	}{
		{"one-1280", 1, func(*testing.B) model { return small }},
		{"batch-1000x1280", 1000, func(*testing.B) model { return small }},
		{"bunny", 1, func(b *testing.B) model { return loadModel(b, "bunny") }},
		{"dragon", 1, func(b *testing.B) model { return loadModel(b, "dragon") }},
		{"sponza", 1, func(b *testing.B) model { return loadModel(b, "sponza") }},
		{"house", 1, func(b *testing.B) model { return loadModel(b, "house") }},
		{"terrain", 1, func(b *testing.B) model { return terrainModel(b, 4193408) }},
	} {
		b.Run(s.name, func(b *testing.B) {
			n := &nativeRig{rig: openRig(b, vktest.Native())}
			m := s.load(b)
			mesh := n.indexedInput(m.positions, m.indices, 0)
			for _, kind := range flagSets {
				in := mesh
				in.info.Flags = kind.flags
				n.compare(b, kind.name, slices.Repeat([]input{in}, s.copies))
			}
		})
	}
	for _, count := range []int{1000, 100000} {
		b.Run(fmt.Sprintf("instances-%d", count), func(b *testing.B) {
			n := &nativeRig{rig: openRig(b, vktest.Native())}
			in := n.indexedInput(small.positions, small.indices, vk.PreferFastTrace)
			n.compareTops(b, n.build(in)[0].Address(), n.buildNative(in).Address(), count)
		})
	}
}

// flagSets are what builds are timed with.
var flagSets = []struct {
	name  string
	flags vk.BuildFlags
}{
	{"default", 0}, {"fast-trace", vk.PreferFastTrace}, {"fast-build", vk.PreferFastBuild}, {"low-memory", vk.LowMemory},
	{"default+update", vk.AllowUpdate}, {"fast-trace+update", vk.PreferFastTrace | vk.AllowUpdate},
	{"fast-build+update", vk.PreferFastBuild | vk.AllowUpdate},
	{"low-memory+update", vk.LowMemory | vk.AllowUpdate},
}

// bumpyTorus is a closed mesh of 2uv triangles.
func bumpyTorus(u, v int) model {
	m := model{name: "torus"}
	for i := range u {
		for j := range v {
			a, c := 2*math.Pi*float64(i)/float64(u), 2*math.Pi*float64(j)/float64(v)
			r := 0.35 + 0.05*math.Sin(5*a+3*c)
			m.positions = append(m.positions, float32((1+r*math.Cos(c))*math.Cos(a)), float32((1+r*math.Cos(c))*math.Sin(a)),
				float32(r*math.Sin(c)))
			p := func(i, j int) uint32 { return uint32(i%u*v + j%v) }
			m.indices = append(m.indices, p(i, j), p(i+1, j), p(i+1, j+1), p(i, j), p(i+1, j+1), p(i, j+1))
		}
	}
	return m
}

func terrainModel(b *testing.B, triangles int) model {
	b.Helper()
	s, err := assets.Builtin(fmt.Sprintf("terrain:%d", triangles))
	if err != nil {
		b.Fatal(err)
	}
	p := s.Meshes[0].Primitives[0]
	return model{name: "terrain", positions: p.Positions, indices: p.Indices}
}

// compare times both ways with copies of an input, as one command.
func (n *nativeRig) compare(b *testing.B, name string, inputs []input) {
	b.Run(name, func(b *testing.B) {
		r := *n
		rg := *n.rig
		r.rig = &rg
		r.TB = b
		ours, theirs, bytes := r.prepareBoth(inputs)
		count := 0.0
		for _, bd := range ours {
			for _, g := range bd.Ranges {
				count += float64(g.PrimitiveCount)
			}
		}
		b.ReportMetric(bytes[0]/count, "B/prim")
		b.ReportMetric(bytes[1]/count, "native-B/prim")
		r.report(b, "", count, ours, theirs)
		if inputs[0].info.Flags&vk.AllowUpdate != 0 {
			for i := range ours {
				ours[i].Info.Update, theirs[i].Info.Update = true, true
			}
			r.report(b, "update-", count, ours, theirs)
		}
	})
}

func (n *nativeRig) compareTops(b *testing.B, ours, theirs vk.DeviceAddress, count int) {
	rng := rand.New(rand.NewPCG(81, 82))
	var list [2][]vk.AccelerationStructureInstance
	for range count {
		tr := randomTransform(rng, false)
		for k := range 3 {
			tr[4*k+3] = (rng.Float32()*2 - 1) * 150
		}
		list[0] = append(list[0], vk.NewAccelerationStructureInstance(tr, 0, 0xff, 0, 0, ours))
		list[1] = append(list[1], vk.NewAccelerationStructureInstance(tr, 0, 0xff, 0, 0, theirs))
	}
	tops := []input{n.topInput(0, list[0]...), n.topInput(0, list[1]...)}
	for _, kind := range flagSets {
		tops[0].info.Flags, tops[1].info.Flags = kind.flags, kind.flags
		b.Run(kind.name, func(b *testing.B) {
			r := *n
			rg := *n.rig
			r.rig = &rg
			r.TB = b
			ourBuilds, _, bytes := r.prepareBoth(tops[:1])
			_, theirBuilds, nativeBytes := r.prepareBoth(tops[1:])
			b.ReportMetric(bytes[0]/float64(count), "B/prim")
			b.ReportMetric(nativeBytes[1]/float64(count), "native-B/prim")
			r.report(b, "", float64(count), ourBuilds, theirBuilds)
			if kind.flags&vk.AllowUpdate != 0 {
				ourBuilds[0].Info.Update, theirBuilds[0].Info.Update = true, true
				r.report(b, "update-", float64(count), ourBuilds, theirBuilds)
			}
		})
	}
}

// prepareBoth makes memory for builds of both ways, and says how many bytes the structures take.
func (n *nativeRig) prepareBoth(inputs []input) (ours []Build, theirs []vk.AccelerationStructureBuild, bytes [2]float64) {
	n.Helper()
	counts := make([]uint32, len(inputs[0].ranges))
	for i, g := range inputs[0].ranges {
		counts[i] = g.PrimitiveCount
	}
	sizes, err := n.builder.BuildSizes(inputs[0].info, counts)
	if err != nil {
		n.Fatal(err)
	}
	native, err := n.dev.NativeBuildSizes(inputs[0].info, counts)
	if err != nil {
		n.Fatal(err)
	}
	many := uint64(len(inputs))
	slot := func(s vk.BuildSizes) (dst, scratch uint64) {
		return layout.AlignUp(s.AccelerationStructureSize, 256), layout.AlignUp(max(s.BuildScratchSize, s.UpdateScratchSize), 256)
	}
	dstSize, scratchSize := slot(sizes)
	nativeDst, nativeScratch := slot(native)
	dst, scratch, scratch2 := n.buffer("structures", many*dstSize), n.buffer("scratch", many*scratchSize),
		n.buffer("native scratch", many*nativeScratch+256)
	mem, err := n.dev.NewBuffer(vk.BufferOptions{Name: "native", Size: many * nativeDst, AccelerationStructureStorage: true})
	if err != nil {
		n.Fatal(err)
	}
	n.Cleanup(mem.Destroy)
	for i, in := range inputs {
		at := uint64(i)
		ours = append(ours, Build{Info: in.info, Ranges: in.ranges, Dst: dst, DstOffset: at * dstSize,
			Scratch: scratch.Address() + at*scratchSize})
		as, err := n.dev.NewNativeAccelerationStructure(in.info.Type, mem, at*nativeDst, native.AccelerationStructureSize, "native")
		if err != nil {
			n.Fatal(err)
		}
		n.Cleanup(as.Destroy)
		theirs = append(theirs, vk.AccelerationStructureBuild{Info: in.info, Ranges: in.ranges, Dst: as,
			Scratch: layout.AlignUp(scratch2.Address(), 256) + at*nativeScratch})
	}
	return ours, theirs, [2]float64{float64(many * dstSize), float64(many * nativeDst)}
}

func (n *nativeRig) report(b *testing.B, what string, count float64, ours []Build, theirs []vk.AccelerationStructureBuild) {
	b.Helper()
	for start := time.Now(); time.Since(start) < 200*time.Millisecond; { // until the clocks are up
		n.medianTime(func(cb *vk.CommandBuffer) error { return n.builder.CmdBuild(cb, ours) })
	}
	own := n.medianTime(func(cb *vk.CommandBuffer) error { return n.builder.CmdBuild(cb, ours) })
	native := n.medianTime(func(cb *vk.CommandBuffer) error { return cb.BuildAccelerationStructures(theirs) })
	b.ReportMetric(own, what+"ms")
	b.ReportMetric(native, what+"native-ms")
	b.ReportMetric(count/own/1e3, what+"Mprim/s")
	b.ReportMetric(native/own, what+"x-native")
	b.Logf("%s%.3f ms, native %.3f: %s", what, own, native, n.profile(ours))
}

// medianTime is the median over 15 runs in milliseconds, after two that do not count.
func (n *nativeRig) medianTime(record func(cb *vk.CommandBuffer) error) float64 {
	n.Helper()
	const runs, warm = 17, 2
	pool, err := n.dev.NewQueryPool(2 * runs)
	if err != nil {
		n.Fatal(err)
	}
	defer pool.Destroy()
	err = n.dev.Run(n.Context(), "timed", func(cb *vk.CommandBuffer) error {
		cb.ResetQueries(pool, 0, 2*runs)
		for k := range uint32(runs) {
			cb.MemoryBarrier(vk.StageAllCommands, vk.AccessMemoryWrite, vk.StageAllCommands, vk.AccessMemoryRead|vk.AccessMemoryWrite)
			cb.WriteTimestamp(pool, 2*k)
			if err := record(cb); err != nil {
				return err
			}
			cb.WriteTimestamp(pool, 2*k+1)
		}
		return nil
	})
	if err != nil {
		n.Fatal(err)
	}
	t, err := pool.Range(0, 2*runs)
	if err != nil {
		n.Fatal(err)
	}
	var ms []float64
	for k := warm; k < runs; k++ {
		ms = append(ms, float64(t[2*k+1]-t[2*k])/1e6)
	}
	slices.Sort(ms)
	return ms[len(ms)/2]
}

// profile is the time of every kernel of one run, the longest first.
func (r *rig) profile(builds []Build) string {
	r.Helper()
	const most = 128
	pool, err := r.dev.NewQueryPool(most)
	if err != nil {
		r.Fatal(err)
	}
	defer pool.Destroy()
	var names []string
	r.builder.mark = func(rec Recorder, kernel string) {
		names = append(names, kernel)
		rec.(*vk.CommandBuffer).WriteTimestamp(pool, uint32(len(names)))
	}
	err = r.dev.Run(r.Context(), "profile", func(cb *vk.CommandBuffer) error {
		cb.ResetQueries(pool, 0, most)
		cb.WriteTimestamp(pool, 0)
		return r.builder.CmdBuild(cb, builds)
	})
	r.builder.mark = nil
	if err != nil {
		r.Fatal(err)
	}
	t, err := pool.Range(0, uint32(len(names)+1))
	if err != nil {
		r.Fatal(err)
	}
	ms := map[string]float64{}
	for i, name := range names {
		ms[name] += float64(t[i+1]-t[i]) / 1e6
	}
	order := slices.SortedFunc(maps.Keys(ms), func(a, b string) int { return cmp.Compare(ms[b], ms[a]) })
	for i, name := range order {
		order[i] = fmt.Sprintf("%s %.3f", name, ms[name])
	}
	return strings.Join(order, ", ")
}
