package bvh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/host"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// hosted is an input for builds by the host, without its destination.
type hosted = host.BuildInput

// hostSoup is a soup without indices.
func hostSoup(s soup, flags vk.BuildFlags, geometry vk.GeometryFlags) hosted {
	return hosted{
		Info: vk.BuildInfo{Type: vk.BottomLevel, Flags: flags, Geometries: []vk.Geometry{{
			Type: vk.GeometryTriangles, Flags: geometry,
			Triangles: vk.Triangles{VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexStride: 12, IndexType: vk.IndexNone},
		}}},
		Ranges: []vk.BuildRange{{PrimitiveCount: s.count()}},
		Data:   []host.Geometry{{Vertices: floatBytes(s)}},
	}
}

func hostMesh(positions []float32, indices []uint32, flags vk.BuildFlags) hosted {
	h := hostSoup(soup(positions), flags, vk.GeometryOpaque)
	h.Info.Geometries[0].Triangles.IndexType = vk.IndexUint32
	h.Ranges[0].PrimitiveCount = uint32(len(indices) / 3)
	h.Data[0].Indices = uintBytes(indices)
	return h
}

// destination gives a build as much memory as BuildSizes says, full of ones.
func place(h *hosted, t testing.TB, address vk.DeviceAddress) {
	t.Helper()
	counts := make([]uint32, len(h.Ranges))
	for i, r := range h.Ranges {
		counts[i] = r.PrimitiveCount
	}
	sizes, err := layout.BuildSizes(h.Info, counts, h.WideNodes)
	if err != nil {
		t.Fatal(err)
	}
	h.Dst, h.Address = bytes.Repeat([]byte{0xff}, int(sizes.AccelerationStructureSize)), address
}

// runHost joins an operation several times.
func runHost(t testing.TB, o *host.Operation, joiners int) {
	t.Helper()
	var wg sync.WaitGroup
	for range joiners {
		wg.Go(func() {
			if _, err := o.Join(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := o.Result(); err != nil {
		t.Fatal(err)
	}
}

// decodeHost validates what a host build wrote.
func decodeHost(t testing.TB, h hosted) (*inspect.Structure, inspect.Metrics) {
	t.Helper()
	s, err := inspect.Decode(h.Dst)
	return validated(t, s, err)
}

// hostBuild builds on the host and uploads the result.
func (r *rig) hostBuild(h hosted) *vk.Buffer {
	r.Helper()
	place(&h, r, 1<<20)
	dst := r.buffer("host built", uint64(len(h.Dst)))
	h.Address = dst.Address()
	o, err := host.Build([]host.BuildInput{h})
	if err != nil {
		r.Fatal(err)
	}
	runHost(r, o, 2)
	decodeHost(r, h)
	if err := r.dev.UploadBuffer(r.Context(), dst, 0, h.Dst); err != nil {
		r.Fatal(err)
	}
	return dst
}

// hostOf is the host's twin of an input whose memory was made by upload.
func (r *rig) hostOf(in input) hosted {
	r.Helper()
	memory := func(at vk.DeviceAddress) []byte {
		if at == 0 {
			return nil
		}
		for address, data := range r.uploads {
			if at >= address && at < address+max(uint64(len(data)), 1) {
				return data[at-address:]
			}
		}
		r.Fatalf("address %#x was not uploaded", at)
		return nil
	}
	h := hosted{Info: in.info, Ranges: in.ranges}
	for i, g := range in.info.Geometries {
		var d host.Geometry
		switch g.Type {
		case vk.GeometryTriangles:
			d = host.Geometry{Vertices: memory(g.Triangles.VertexData), Indices: memory(g.Triangles.IndexData),
				Transform: memory(g.Triangles.TransformData)}
		case vk.GeometryAABBs:
			d.AABBs = memory(g.AABBs.Data)
		case vk.GeometryInstances:
			d.Instances = memory(g.Instances.Data)
			if g.Instances.ArrayOfPointers {
				for k := range uint64(in.ranges[i].PrimitiveCount) {
					a := layout.ReadInstance(memory(binary.LittleEndian.Uint64(d.Instances[8*k:])))
					d.Pointers = append(d.Pointers, &a)
				}
			}
		}
		h.Data = append(h.Data, d)
	}
	return h
}

// headers is BottomLevel for structures on the device, by their bytes.
func (r *rig) headers(structures ...*vk.Buffer) func(vk.DeviceAddress) []byte {
	all := map[vk.DeviceAddress][]byte{}
	for _, b := range structures {
		s, _ := r.read(b)
		all[b.Address()] = s.Data
	}
	return func(a vk.DeviceAddress) []byte { return all[a] }
}

// TestHostSAH holds the trees of the host against those of the device.
func TestHostSAH(t *testing.T) {
	for _, m := range closedMeshes(rand.New(rand.NewPCG(173, 174))) {
		t.Run(m.name, func(t *testing.T) { newRig(t).compareSAH(m.positions, m.indices) })
	}
	for _, name := range []string{"bunny", "sponza"} {
		t.Run(name, func(t *testing.T) {
			m := loadModel(t, name)
			newRig(t).compareSAH(m.positions, m.indices)
		})
	}
}

func (r *rig) compareSAH(positions []float32, indices []uint32) {
	r.Helper()
	cost := map[vk.BuildFlags]float64{}
	for _, flags := range hostFlags {
		_, device := r.read(r.build(r.indexedInput(positions, indices, flags))[0])
		h := hostMesh(positions, indices, flags)
		place(&h, r, 256)
		o, err := host.Build([]host.BuildInput{h})
		if err != nil {
			r.Fatal(err)
		}
		if err := o.Run(r.Context()); err != nil {
			r.Fatal(err)
		}
		_, host := decodeHost(r, h)
		cost[flags] = host.SAH
		r.Logf("flags %#2x: SAH %6.2f, height %d; of the device %6.2f, height %d", flags, host.SAH, host.Height, device.SAH,
			device.Height)
		// Of linear trees either may be better, and of those whose nodes move on the device, too, by less.
		most := 1.0
		switch {
		case flags&vk.PreferFastBuild != 0:
			most = 1.2
		case flags == vk.PreferFastTrace:
			most = 1.02
		}
		if host.SAH > most*device.SAH {
			r.Errorf("flags %#x: the host's tree costs %.2f, the device's %.2f", flags, host.SAH, device.SAH)
		}
	}
	if cost[vk.PreferFastTrace] > 1.001*cost[0] || cost[0] > cost[vk.PreferFastBuild] {
		r.Errorf("trees to trace fast cost %.2f, others %.2f, those to build fast %.2f", cost[vk.PreferFastTrace], cost[0],
			cost[vk.PreferFastBuild])
	}
}

// TestHostRandom traces through structures of the host and of the device, which hold the same triangles.
func TestHostRandom(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(171, 172))
	for _, n := range []int{0, 1, 2, 3, 5, 17, 100, 5000, 30000} {
		s := randomSoup(rng, n, 0.05)
		rays := randomRays(rng, 300)
		answers := traceAll(inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff, Triangles: s.triangles(0, true)}}, rays,
			0, 0xff, nil)
		for _, kind := range buildKinds {
			b := r.hostBuild(hostSoup(s, kind.flags, vk.GeometryOpaque))
			r.compareHits(r.trace(r.single(b), rays, TraceOptions{}), answers, rays)
		}
	}
}

// BenchmarkHostBuild reports millions of triangles a second, by joiners.
func BenchmarkHostBuild(b *testing.B) {
	for _, name := range []string{"bunny", "sponza"} {
		m := loadModel(b, name)
		for _, kind := range buildKinds {
			for _, joiners := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/%d", name, kind.name, joiners), func(b *testing.B) {
					h := hostMesh(m.positions, m.indices, kind.flags)
					place(&h, b, 256)
					before := cpuTime()
					for b.Loop() {
						o, err := host.Build([]host.BuildInput{h})
						if err != nil {
							b.Fatal(err)
						}
						runHost(b, o, joiners)
					}
					triangles := float64(b.N) * float64(len(m.indices)/3) / 1e6
					b.ReportMetric(triangles/b.Elapsed().Seconds(), "Mtri/s")
					b.ReportMetric(triangles/(cpuTime()-before).Seconds(), "Mtri/cpu-s")
					_, metrics := decodeHost(b, h)
					b.ReportMetric(metrics.SAH, "SAH")
				})
			}
		}
	}
}
