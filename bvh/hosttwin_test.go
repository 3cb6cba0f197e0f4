package bvh

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// hostFlags are the kinds of trees of the host.
var hostFlags = []vk.BuildFlags{0, vk.PreferFastTrace, vk.PreferFastBuild, vk.LowMemory, vk.LowMemory | vk.PreferFastBuild}

// sameAsDevice builds an input by host and device with all flags, and holds contents and bounds against each other. It
// returns the structures of the last flags.
func (r *rig) sameAsDevice(what string, in input, bottom func(vk.DeviceAddress) []byte) (host, device *vk.Buffer) {
	r.Helper()
	for _, flags := range hostFlags {
		in.info.Flags = flags
		device = r.build(in)[0]
		h := r.hostOf(in)
		h.BottomLevel = bottom
		host = r.hostBuild(h)
		d, _ := r.read(device)
		s, m := r.read(host)
		if s.Active != d.Active || s.Primitives != d.Primitives || s.Geometries != d.Geometries || s.Bounds != d.Bounds {
			r.Errorf("%s, flags %#x: %d of %d primitives, %d geometries, bounds %v; the device has %d of %d, %d, %v", what, flags,
				s.Active, s.Primitives, s.Geometries, s.Bounds, d.Active, d.Primitives, d.Geometries, d.Bounds)
		}
		if most := map[vk.AccelerationStructureType]int{vk.TopLevel: layout.MostHeightTop,
			vk.BottomLevel: layout.MostHeightBottom}[s.Type]; m.Height > most {
			r.Errorf("%s, flags %#x: height %d, at most %d", what, flags, m.Height, most)
		}
		got, err := s.Contents()
		if err != nil {
			r.Fatal(err)
		}
		want, err := d.Contents()
		if err != nil {
			r.Fatal(err)
		}
		for i := range min(len(got.Instances), len(want.Instances)) {
			alike(r, &got.Instances[i], want.Instances[i])
		}
		if !reflect.DeepEqual(got, want) {
			r.Errorf("%s, flags %#x: the contents are not what the device makes of the input", what, flags)
		}
	}
	return host, device
}

// alike makes inverses equal that are so but for rounding: divisions of devices need not be exact.
func alike(t testing.TB, got *inspect.Instance, want inspect.Instance) {
	t.Helper()
	for k, x := range want.WorldToObject {
		if d := math.Abs(float64(got.WorldToObject[k]) - float64(x)); d > 1e-5*math.Max(1, math.Abs(float64(x))) {
			t.Errorf("instance %d: the inverse is %v, want %v", got.Index, got.WorldToObject, want.WorldToObject)
		}
	}
	got.WorldToObject = want.WorldToObject
}

// TestHostFormats builds from all formats and index types, with transforms and without.
func TestHostFormats(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(181, 182))
	for i, f := range formatCases {
		var geometries []vk.Geometry
		var ranges []vk.BuildRange
		for k, ix := range indexCases {
			g, rg, _ := r.formatGeometry(rng, f, ix, 3*(k%2), (i+k)%2 == 0)
			geometries, ranges = append(geometries, g), append(ranges, rg)
		}
		r.sameAsDevice(f.name, bottom(0, geometries, ranges), nil)
	}
}

// TestHostTriangles has nothing, little, much, the same many times, and what is no triangle.
func TestHostTriangles(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(183, 184))
	for _, n := range []int{0, 1, 4, 5, 6, 11, 12000} {
		s := randomSoup(rng, n, 0.05)
		for i := range n {
			switch i % 11 {
			case 3:
				s[9*i+i%9] = float32(math.NaN())
			case 5:
				s[9*i+i%9] = 3e38
			case 7:
				copy(s[9*i:9*i+9], s[:9])
			case 8:
				copy(s[9*i+3:9*i+6], s[9*i:])
			}
		}
		r.sameAsDevice(fmt.Sprintf("%d triangles", n), r.soupInput(s, 0, vk.GeometryOpaque), nil)
	}
	r.sameAsDevice("equal triangles", r.soupInput(slices.Repeat(soup{0, 0, 0, 1, 0, 0, 0, 1, 0}, 10000), 0, 0), nil)
	r.sameAsDevice("no geometry", bottom(0, nil, nil), nil)
	r.sameAsDevice("a deep tree", r.soupInput(deepSoup(), 0, 0), nil)
}

// deepSoup has cells at powers of two, whose codes have a single bit, each of which is one level of a linear tree, and
// many equal ones below. With SAH the far ones split off one by one.
func deepSoup() soup {
	point := func(x, y, z float32) []float32 { return []float32{x, y, z, x, y, z, x, y, z} }
	s := soup(point(1, 1, 1))
	for range 1000 {
		s = append(s, point(0, 0, 0)...)
	}
	for i := range 21 {
		x := float32(math.Ldexp(1, i)) / 2097151
		s = append(s, point(x, 0, 0)...)
		s = append(s, point(0, x, 0)...)
		s = append(s, point(0, 0, x)...)
	}
	for i := range 120 { // a row that doubles
		x := float32(math.Ldexp(1, i-60))
		s = append(s, x, 0, 0, x, x, 0, x, 0, x)
	}
	return s
}

// TestHostBoxes has flat, inverted, infinite boxes and such that are not a number.
func TestHostBoxes(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(185, 186))
	l := newBoxLister(r)
	for _, n := range []int{1, 3, 200, 9000} {
		var m boxMesh
		r.addBoxes(&m, oddBoxes(rng, n), 32, 8, vk.GeometryOpaque)
		r.addBoxes(&m, randomBoxes(rng, 20, 0.1), 24, 0, 0)
		host, device := r.sameAsDevice(fmt.Sprintf("%d boxes", n), m.input(0), nil)
		rays := boxRays(rng, m.boxes, 200)
		if got, want := l.list(r.single(host), rays, 0, 0xff), l.list(r.single(device), rays, 0, 0xff); !reflect.DeepEqual(got, want) {
			t.Errorf("%d boxes: rays meet others than with the device's structure", n)
		}
	}
}

// TestHostInstances has instances in an array and by pointers, of structures by host and device, some inactive.
func TestHostInstances(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(187, 188))
	var m boxMesh
	r.addBoxes(&m, randomBoxes(rng, 50, 0.1), 24, 0, 0)
	meshes := []*vk.Buffer{
		r.hostBuild(hostSoup(randomSoup(rng, 300, 0.2), 0, vk.GeometryOpaque)),
		r.hostBuild(hostSoup(randomSoup(rng, 40, 0.4), vk.PreferFastBuild, vk.GeometryOpaque)),
		r.build(r.soupInput(randomSoup(rng, 100, 0.3), 0, vk.GeometryOpaque))[0],
		r.hostBuild(hostSoup(nil, 0, 0)),
		r.build(m.input(0))[0],
	}
	for _, n := range []int{0, 1, 2, 70, 5000} {
		var instances []vk.AccelerationStructureInstance
		for i := range n {
			a := vk.NewAccelerationStructureInstance(randomTransform(rng, i%3 == 0), uint32(i), uint8(1+i%255), uint32(7*i), 0,
				meshes[i%len(meshes)].Address())
			switch i % 10 {
			case 4:
				a.Reference = 0
			case 7:
				a.Transform[5] = float32(math.NaN())
			}
			instances = append(instances, a)
		}
		in := r.topInput(0, instances...)
		host, device := r.sameAsDevice(fmt.Sprintf("%d instances", n), in, r.headers(meshes...))
		rays := randomRays(rng, 500)
		want := r.trace(device, rays, TraceOptions{})
		for i, h := range r.trace(host, rays, TraceOptions{}) {
			h.U, h.V, want[i].U, want[i].V = 0, 0, 0, 0 // inverses differ in their last bits
			if d := math.Abs(float64(h.T - want[i].T)); d > 1e-5*math.Max(1, float64(h.T)) {
				t.Errorf("%d instances: ray %d hits at %g, at %g with the device's structure", n, i, h.T, want[i].T)
			}
			if h.T = want[i].T; h != want[i] {
				t.Errorf("%d instances: ray %d hits %+v, %+v with the device's structure", n, i, h, want[i])
			}
		}
		pointers := []byte(nil)
		for i := range n {
			pointers = appendWords(pointers, uint32(in.info.Geometries[0].Instances.Data+uint64(64*i)),
				uint32((in.info.Geometries[0].Instances.Data+uint64(64*i))>>32))
		}
		in.info.Geometries = []vk.Geometry{
			{Type: vk.GeometryInstances, Instances: vk.Instances{ArrayOfPointers: true, Data: r.upload("pointers", pointers)}}}
		r.sameAsDevice(fmt.Sprintf("%d pointers", n), in, r.headers(meshes...))
	}
}

// TestHostThenDevice has the device copy, compact and update what the host built.
func TestHostThenDevice(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(189, 190))
	before, after := randomSoup(rng, 3000, 0.05), randomSoup(rng, 3000, 0.05)
	copy(before[9*17:], []float32{float32(math.NaN())})
	rays := randomRays(rng, 500)
	in := r.soupInput(after, 0, vk.GeometryOpaque)
	for _, flags := range hostFlags {
		in.info.Flags = flags | vk.AllowUpdate | vk.AllowCompaction
		h := hostSoup(before, in.info.Flags, vk.GeometryOpaque)
		built := r.hostBuild(h)
		want := r.trace(r.single(built), rays, TraceOptions{})
		for _, mode := range []vk.CopyMode{vk.CopyClone, vk.CopyCompact} {
			b := r.copyTo(mode, built, r.buffer("copy", built.Size()))
			r.read(b)
			if got := r.trace(r.single(b), rays, TraceOptions{}); !slices.Equal(got, want) {
				t.Errorf("flags %#x: hits of copy %d differ", flags, mode)
			}
		}
		blob := r.copied(vk.CopySerialize, whole(built))[0]
		if err := inspect.ValidateSerialized(r.bytesOf(blob)); err != nil {
			t.Errorf("flags %#x: %v", flags, err)
		}
		bd := r.prepare(in)[0]
		bd.Info.Update, bd.Dst = true, built
		r.run([]Build{bd})
		r.read(built)
		scene := inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff}}
		for i, tri := range after.triangles(0, true) {
			if i != 17 { // was inactive, and stays so
				scene[0].Triangles = append(scene[0].Triangles, tri)
			}
		}
		r.compareHits(r.trace(r.single(built), rays, TraceOptions{}), traceAll(scene, rays, 0, 0xff, nil), rays)
	}
}
