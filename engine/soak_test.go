package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// Environment variables of what takes too long, or too much, for every run.
const (
	soakFrames  = "EVERRAY_SOAK_FRAMES"  // frames of TestSoak
	soakSeconds = "EVERRAY_SOAK_SECONDS" // ends TestSoak earlier
	longKernels = "EVERRAY_LONG_KERNELS" // 1: TestLongKernel
	fillMemory  = "EVERRAY_FILL_MEMORY"  // 1: TestMemoryFilled, on a machine of one's own
)

// number reads a variable, 0 where it is not set.
func number(t *testing.T, name string) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

const (
	soakSide   = 24 // vertices along a side of the mesh
	soakMeshes = 4
	soakImage  = 32
)

// soak is an application that runs for long: meshes that move, are updated, rebuilt and compacted, and pipelines that come and go.
type soak struct {
	t       *testing.T
	d       *engine.Device
	rig     *rig
	indices *vk.Buffer
	meshes  [soakMeshes]soakMesh
	tlas    *engine.AccelerationStructure
}

type soakMesh struct {
	vertices *vk.Buffer
	input    engine.BuildInput
	blas     *engine.AccelerationStructure
}

func newSoak(t *testing.T, d *engine.Device) *soak {
	t.Helper()
	s := &soak{t: t, d: d, rig: newRig(t, d, soakImage)}
	var data []byte
	for y := range uint32(soakSide - 1) {
		for x := range uint32(soakSide - 1) {
			i := y*soakSide + x
			for _, k := range []uint32{i, i + 1, i + soakSide + 1, i, i + soakSide + 1, i + soakSide} {
				data = binary.LittleEndian.AppendUint32(data, k)
			}
		}
	}
	var err error
	s.indices, err = d.NewBuildInput(t.Context(), "indices", data)
	check(t, err)
	for i := range s.meshes {
		m := &s.meshes[i]
		m.vertices, err = d.NewBuildInput(t.Context(), "vertices", soakVertices(i, 0))
		check(t, err)
		m.input = engine.BuildInput{Name: "mesh", Ranges: []vk.BuildRange{{PrimitiveCount: uint32(len(data) / 12)}}, Info: vk.BuildInfo{
			Type: vk.BottomLevel, Flags: vk.AllowUpdate | vk.AllowCompaction | []vk.BuildFlags{0, vk.PreferFastTrace,
				vk.PreferFastBuild, 0}[i],
			Geometries: []vk.Geometry{{Flags: vk.GeometryOpaque, Triangles: vk.Triangles{
				VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: m.vertices.Address(), VertexStride: 12,
				MaxVertex: soakSide*soakSide - 1,
				IndexType: vk.IndexUint32, IndexData: s.indices.Address(),
			}}},
		}}
	}
	return s
}

// soakVertices are those of a sheet that waves and fills the picture.
func soakVertices(mesh, frame int) []byte {
	var b []byte
	for i := range soakSide * soakSide {
		x, y := float64(i%soakSide)/(soakSide-1)-0.5, float64(i/soakSide)/(soakSide-1)-0.5
		z := 0.1 * math.Sin(9*x+0.1*float64(frame)+float64(mesh))
		for _, v := range []float64{4 * x, 4 * y, z} {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		}
	}
	return b
}

// frame animates, updates or rebuilds one mesh, now and then compacts it, builds the top level and renders.
func (s *soak) frame(n int) {
	s.t.Helper()
	ctx := s.t.Context()
	for i := range s.meshes {
		m := &s.meshes[i]
		if m.blas != nil && n%soakMeshes != i {
			continue
		}
		check(s.t, s.d.VK().UploadBuffer(ctx, m.vertices, 0, soakVertices(i, n)))
		if turn := n / soakMeshes; m.blas != nil && turn%8 != 0 { // an update in place, also of what was compacted
			in := m.input
			in.Info.Update, in.Dst = true, m.blas
			_, _, err := s.d.BuildAccelerationStructures(ctx, []engine.BuildInput{in})
			check(s.t, err)
			continue
		}
		old := m.blas
		list, _, err := s.d.BuildAccelerationStructures(ctx, []engine.BuildInput{m.input})
		check(s.t, err)
		if n/soakMeshes%16 == 0 {
			_, err := s.d.Compact(ctx, list)
			check(s.t, err)
		}
		m.blas = list[0]
		old.Destroy()
	}
	s.top()
	if n%512 == 511 {
		s.newPipeline()
	}
	for i, p := range s.rig.trace(s.t, s.tlas, 0, 0xFF) {
		if p[3] == 0 {
			s.t.Fatalf("frame %d: nothing wrote pixel %d", n, i)
		}
	}
	check(s.t, s.d.Run(ctx, "clear", func(cb *vk.CommandBuffer) error {
		cb.FillBuffer(s.rig.image, 0, s.rig.image.Size(), 0)
		return nil
	}))
}

func (s *soak) top() {
	s.t.Helper()
	var list []vk.AccelerationStructureInstance
	for i := range s.meshes {
		tr := vk.IdentityTransform()
		tr[11] = -0.3 * float32(i)
		list = append(list, vk.NewAccelerationStructureInstance(tr, uint32(i), 0xff, 0, 0, s.meshes[i].blas.Address()))
	}
	instances, err := s.d.NewInstances(s.t.Context(), "instances", list)
	check(s.t, err)
	defer instances.Destroy()
	info, ranges := engine.InstancesInfo(instances.Address(), uint32(len(list)), 0)
	out, _, err := s.d.BuildAccelerationStructures(s.t.Context(), []engine.BuildInput{{Name: "top", Info: info, Ranges: ranges}})
	check(s.t, err)
	s.tlas.Destroy()
	s.tlas = out[0]
}

// newPipeline replaces the pipeline with its table and descriptors.
func (s *soak) newPipeline() {
	s.t.Helper()
	r := s.rig
	r.set.Destroy()
	r.table.Destroy()
	r.pipeline.Destroy()
	var err error
	r.pipeline, err = s.d.NewRayTracingPipeline(s.t.Context(), pipelineOptions(s.t, r.layout))
	check(s.t, err)
	r.table, err = s.d.NewTable(s.t.Context(), r.pipeline, tableLayout())
	check(s.t, err)
	r.set, err = s.d.NewDescriptorSet(r.layout)
	check(s.t, err)
	r.set.WriteBuffer(1, 0, r.image, 0, 0)
}

func (s *soak) destroy() {
	s.tlas.Destroy()
	for i := range s.meshes {
		s.meshes[i].blas.Destroy()
		s.meshes[i].vertices.Destroy()
	}
	s.indices.Destroy()
	s.rig.set.Destroy()
	s.rig.table.Destroy()
	s.rig.pipeline.Destroy()
}

// use is what a process holds.
type use struct {
	rssMB, heapMB, files, goroutines, objects int
	device                                    vk.MemoryUse
}

func measure(t *testing.T, d *engine.Device) use {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := use{heapMB: int(m.HeapAlloc >> 20), goroutines: runtime.NumGoroutine(), objects: len(d.VK().Leaks()),
		device: d.VK().MemoryUse()}
	statm, err := os.ReadFile("/proc/self/statm")
	check(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	check(t, err)
	u.rssMB = pages * os.Getpagesize() >> 20
	files, err := os.ReadDir("/proc/self/fd")
	check(t, err)
	u.files = len(files)
	return u
}

// TestSoak runs frames for long and prints what the process holds on the way: it must not grow.
func TestSoak(t *testing.T) {
	frames, seconds := number(t, soakFrames), number(t, soakSeconds)
	if frames == 0 {
		t.Skipf("set %s to a number of frames, and %s to end earlier", soakFrames, soakSeconds)
	}
	d := open(t, engine.BackendCompute)
	s := newSoak(t, d)
	defer s.destroy()
	start := time.Now()
	over := func(n int) bool {
		return n >= frames || seconds > 0 && time.Since(start) > time.Duration(seconds)*time.Second
	}
	const warm = 1024 // by then everything has come and gone once
	next := start
	var first, last use
	var rss []int
	n := 0
	for ; !over(n); n++ {
		s.frame(n)
		if n != warm && time.Since(next) < 0 {
			continue
		}
		last = measure(t, d)
		rss = append(rss, last.rssMB)
		if n == warm {
			first = last
		}
		t.Logf("frame %d, %.0f s: %+v", n, time.Since(start).Seconds(), last)
		next = time.Now().Add(10 * time.Second)
	}
	last = measure(t, d)
	t.Logf("%d frames in %.0f s: %+v", n, time.Since(start).Seconds(), last)
	if n <= warm {
		t.Skipf("%d frames are too few to compare", n)
	}
	t.Logf("after %d frames: %+v", warm, first)
	if last.objects != first.objects || last.goroutines > first.goroutines || last.files > first.files {
		t.Error("objects, goroutines or files have grown")
	}
	if last.device.Used > first.device.Used+1<<20 || last.device.Allocated > first.device.Allocated+64<<20 {
		t.Error("the device's memory has grown")
	}
	// What C's allocator and the driver keep grows for a while: the second half of the run tells.
	if half := rss[len(rss)/2]; n > 20*warm && last.rssMB > half+32 {
		t.Errorf("memory has grown in the second half of the run, from %d MB", half)
	}
}

// TestLongKernel runs a kernel of ten seconds, waited for and given up, and closes the device while it runs.
func TestLongKernel(t *testing.T) {
	if number(t, longKernels) == 0 {
		t.Skipf("set %s to 1", longKernels)
	}
	const length = 10 * time.Second
	d := open(t, engine.BackendCompute)
	device := d.VK()
	e := newEndless(t, d, 1)
	timed := func(ctx context.Context, turns uint32) (time.Duration, error) {
		binary.LittleEndian.PutUint32(e.flag.Mapped()[4:], turns)
		start := time.Now()
		err := e.run(ctx, d)
		return time.Since(start), err
	}
	turns, took := uint32(1000), time.Duration(0)
	for took < time.Second && turns < 1<<30 {
		turns *= 4
		var err error
		took, err = timed(t.Context(), turns)
		check(t, err)
	}
	turns = uint32(min(float64(turns)*float64(length)/float64(took), math.MaxUint32-1))
	took, err := timed(t.Context(), turns)
	t.Logf("%d turns, waited for: Run took %.3f s: %v", turns, took.Seconds(), err)
	check(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	start := time.Now()
	took, err = timed(ctx, turns)
	t.Logf("given up after 1 s: Run took %.3f s: %v", took.Seconds(), err)
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, engine.ErrBusy) {
		t.Errorf("Run returns %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err = e.run(short, d)
	t.Logf("a launch behind it: %.3f s after the start: %v", time.Since(start).Seconds(), err)
	if !errors.Is(err, engine.ErrBusy) {
		t.Errorf("a launch behind it returns %v", err)
	}
	e.destroy()
	err = d.Close()
	t.Logf("Close %.3f s after the start: %v", time.Since(start).Seconds(), err)
	if !errors.Is(err, engine.ErrBusy) {
		t.Errorf("Close returns %v", err)
	}
	check(t, device.Settle(t.Context()))
	t.Logf("the device was done %.3f s after the start", time.Since(start).Seconds())
	check(t, d.Close())
}

// TestMemoryFilled fills the device's memory to the last MiB, and goes on when some is free again.
func TestMemoryFilled(t *testing.T) {
	if number(t, fillMemory) == 0 {
		t.Skipf("set %s to 1, on a machine that nobody else uses", fillMemory)
	}
	d := open(t, engine.BackendCompute)
	var held []*vk.Buffer
	free := func() {
		for _, b := range held {
			b.Destroy()
		}
		held = nil
	}
	defer free()
	total := uint64(0)
	for size := uint64(2 << 30); size >= 1<<20; {
		b, err := d.VK().NewBuffer(vk.BufferOptions{Name: "fill", Size: size})
		if err != nil {
			if !errors.Is(err, vk.ErrOutOfDeviceMemory) {
				t.Fatalf("%d bytes: %v, want ErrOutOfDeviceMemory", size, err)
			}
			t.Logf("%d MiB in use; %v", total>>20, err)
			size /= 2
			continue
		}
		held = append(held, b)
		total += size
	}
	x, err := engine.NewIntersector(t.Context(), d, soakTriangles(200000))
	t.Logf("an Intersector in full memory: %v", err)
	if err == nil {
		x.Destroy()
	} else if !errors.Is(err, vk.ErrOutOfDeviceMemory) && !errors.Is(err, vk.ErrOutOfHostMemory) {
		t.Errorf("it fails with %v, want out of memory", err)
	}
	free()
	x, err = engine.NewIntersector(t.Context(), d, soakTriangles(200000))
	check(t, err)
	defer x.Destroy()
	hits, err := x.Trace(t.Context(), []engine.Ray{{Origin: [3]float32{0.2, 0.2, 1}, Direction: [3]float32{0, 0, -1}}})
	check(t, err)
	if len(hits) != 1 || !hits[0].OK {
		t.Errorf("after the memory was freed: %+v", hits)
	}
	t.Logf("after it was freed: %+v, %+v", hits, d.VK().MemoryUse())
}

// soakTriangles are n triangles one behind the other.
func soakTriangles(n int) (m engine.Mesh) {
	for i := range n {
		z := -float32(i) / float32(n)
		m.Positions = append(m.Positions, [3]float32{0, 0, z}, [3]float32{1, 0, z}, [3]float32{0, 1, z})
	}
	return m
}
