package bvh

import (
	"math"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// Run with: go test ./bvh -run '^$' -bench . -benchtime 5x

func BenchmarkBuild(b *testing.B) {
	for _, name := range []string{"bunny", "sponza"} {
		for _, kind := range buildKinds {
			b.Run(name+"/"+kind.name, func(b *testing.B) {
				m := loadModel(b, name)
				r := newRig(b)
				builds := r.prepare(r.indexedInput(m.positions, m.indices, kind.flags))
				r.run(builds)
				for b.Loop() {
					r.run(builds)
				}
				n := float64(len(m.indices)/3) * float64(b.N)
				b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Mtri/s")
			})
		}
	}
}

// BenchmarkBuildKernels reports the milliseconds of every kernel, by timestamps.
func BenchmarkBuildKernels(b *testing.B) {
	for _, name := range []string{"bunny", "sponza"} {
		for _, kind := range buildKinds {
			b.Run(name+"/"+kind.name, func(b *testing.B) {
				m := loadModel(b, name)
				r := newRig(b)
				builds := r.prepare(r.indexedInput(m.positions, m.indices, kind.flags))
				r.run(builds)
				b.ResetTimer()
				r.timeKernels(b, builds)
			})
		}
	}
}

func (r *rig) timeKernels(b *testing.B, builds []Build) {
	const most = 128
	pool, err := r.dev.NewQueryPool(most)
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Destroy()
	sum := map[string]float64{}
	for range b.N {
		var names []string
		r.builder.mark = func(rec Recorder, kernel string) {
			names = append(names, kernel)
			rec.(*vk.CommandBuffer).WriteTimestamp(pool, uint32(len(names)))
		}
		err := r.dev.Run(b.Context(), "timed build", func(cb *vk.CommandBuffer) error {
			cb.ResetQueries(pool, 0, most)
			cb.WriteTimestamp(pool, 0)
			return r.builder.CmdBuild(cb, builds)
		})
		r.builder.mark = nil
		if err != nil {
			b.Fatal(err)
		}
		times, err := pool.Range(0, uint32(len(names)+1))
		if err != nil {
			b.Fatal(err)
		}
		for i, n := range names {
			sum[n] += float64(times[i+1]-times[i]) / 1e6
		}
	}
	for n, ms := range sum {
		b.ReportMetric(ms/float64(b.N), "ms-"+n)
	}
}

// BenchmarkBuildBatch builds a thousand meshes of 128 triangles in one command.
func BenchmarkBuildBatch(b *testing.B) {
	r := newRig(b)
	rng := rand.New(rand.NewPCG(1, 1))
	s := randomSoup(rng, 128, 0.1)
	in := r.soupInput(s, 0, vk.GeometryOpaque)
	sizes, err := r.builder.BuildSizes(in.info, []uint32{128})
	if err != nil {
		b.Fatal(err)
	}
	const n = 1000
	stride := layout.AlignUp(sizes.AccelerationStructureSize, Alignment)
	dst, scratch := r.buffer("structures", n*stride), r.buffer("scratch", n*sizes.BuildScratchSize)
	builds := make([]Build, n)
	for i := range builds {
		builds[i] = Build{Info: in.info, Ranges: in.ranges, Dst: dst, DstOffset: uint64(i) * stride,
			Scratch: scratch.Address() + uint64(i)*sizes.BuildScratchSize}
	}
	r.run(builds)
	for b.Loop() {
		r.run(builds)
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e3, "kBLAS/s")
}

// benchTrace times the bare dispatch.
func benchTrace(b *testing.B, r *rig, tlas *vk.Buffer, rays []inspect.Ray) {
	b.Helper()
	benchTraceWith(b, r, tlas, rays, TraceOptions{Flags: inspect.RayOpaque, CullMask: 0xff})
}

func benchTraceWith(b *testing.B, r *rig, tlas *vk.Buffer, rays []inspect.Ray, o TraceOptions) {
	b.Helper()
	n := uint64(len(rays))
	in := r.upload("rays", EncodeRays(rays))
	out := r.upload("hits", make([]byte, n*HitSize+16))
	cb, err := r.dev.NewCommandBuffer("bench trace")
	if err != nil {
		b.Fatal(err)
	}
	defer cb.Destroy()
	if err := cb.Begin(); err != nil {
		b.Fatal(err)
	}
	pool, err := r.dev.NewQueryPool(2)
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Destroy()
	cb.ResetQueries(pool, 0, 2)
	cb.WriteTimestamp(pool, 0)
	r.tracer.CmdTrace(cb, tlas.Address(), in, out, out+n*HitSize, uint32(n), o)
	cb.WriteTimestamp(pool, 1)
	if err := cb.End(); err != nil {
		b.Fatal(err)
	}
	submit := func() {
		if err := r.dev.Submit(b.Context(), cb); err != nil {
			b.Fatal(err)
		}
	}
	submit()
	best, cpu := uint64(math.MaxUint64), cpuTime()
	for b.Loop() {
		submit()
		times, err := pool.Results()
		if err != nil {
			b.Fatal(err)
		}
		best = min(best, times[1]-times[0])
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrays/s")
	b.ReportMetric(float64(n)/float64(best)*1e3, "best-Mrays/s")
	// For a CPU driver on a busy machine.
	b.ReportMetric(float64(n)*float64(b.N)/(cpuTime()-cpu).Seconds()/1e6, "Mrays/cpu-s")
}

// cpuTime is what the process has used of all cores.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// diffuseRays leave the primary hits in random directions of the hemisphere, cosine distributed. As in the baseline
// there are as many as primary rays: where those miss, further rays start at other hits.
func diffuseRays(m model, primary []inspect.Ray, hits []Hit) []inspect.Ray {
	rng := rand.New(rand.NewPCG(9, 9))
	tris := m.triangles()
	if !slices.ContainsFunc(hits, func(h Hit) bool { return h.Instance != inspect.NoInstance }) {
		return nil
	}
	var rays []inspect.Ray
	for k := 0; len(rays) < len(primary); k++ {
		i := k % len(hits)
		h := hits[i]
		if h.Instance == inspect.NoInstance {
			continue
		}
		v := tris[h.Primitive].V
		n := cross(sub(to64(v[1]), to64(v[0])), sub(to64(v[2]), to64(v[0])))
		l := math.Sqrt(dot(n, n))
		d := to64(primary[i].Direction)
		if dot(n, d) > 0 {
			l = -l
		}
		var r inspect.Ray
		r.TMax = 1e30
		z := rng.Float64()*2 - 1
		phi := rng.Float64() * 2 * math.Pi
		s := math.Sqrt(1 - z*z)
		u := [3]float64{s * math.Cos(phi), s * math.Sin(phi), z}
		for k := range 3 {
			r.Direction[k] = float32(u[k] + n[k]/l)
			r.Origin[k] = float32(float64(primary[i].Origin[k]) + d[k]*float64(h.T) + n[k]/l*1e-4*math.Sqrt(dot(d, d))*float64(h.T))
		}
		rays = append(rays, r)
	}
	return rays
}

// benchSize is the image that the baseline has on GPUs, and a smaller one on the CPU.
func benchSize(r *rig) (width, height int) {
	if r.dev.Physical().Type == vulkan.PhysicalDeviceTypeCpu {
		return 1024, 1024
	}
	return 1920, 1080
}

func BenchmarkTrace(b *testing.B) {
	for _, name := range []string{"bunny", "dragon", "sponza", "house"} {
		for _, kind := range append(slices.Clone(buildKinds), lowMemoryKind) {
			m := loadModel(b, name)
			b.Run(name+"/"+kind.name+"/primary", func(b *testing.B) {
				r := newRig(b)
				tlas := r.single(r.build(r.indexedInput(m.positions, m.indices, kind.flags))[0])
				benchTrace(b, r, tlas, m.primaryRays(benchSize(r)))
			})
			b.Run(name+"/"+kind.name+"/diffuse", func(b *testing.B) {
				r := newRig(b)
				tlas := r.single(r.build(r.indexedInput(m.positions, m.indices, kind.flags))[0])
				primary := m.primaryRays(benchSize(r))
				benchTrace(b, r, tlas, diffuseRays(m, primary, r.trace(tlas, primary, TraceOptions{})))
			})
		}
	}
}

// BenchmarkUpdate holds updates of 100,000 triangles against builds.
func BenchmarkUpdate(b *testing.B) {
	const n = 100000
	for _, kind := range buildKinds {
		if kind.flags == vk.PreferFastTrace {
			continue
		}
		r := newRig(b)
		builds := r.prepare(r.soupInput(randomSoup(rand.New(rand.NewPCG(1, 2)), n, 0.02), kind.flags|vk.AllowUpdate, vk.GeometryOpaque))
		r.run(builds)
		for name, list := range map[string][]Build{"build": builds, "update": {r.updateOf(builds[0])}} {
			b.Run(kind.name+"/"+name, func(b *testing.B) {
				r.run(list)
				cpu := cpuTime()
				for b.Loop() {
					r.run(list)
				}
				b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtri/s")
				b.ReportMetric((cpuTime()-cpu).Seconds()*1e3/float64(b.N), "cpu-ms/op")
				r.timeKernels(b, list)
			})
		}
	}
}
