package bvh

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// watertightRays is the environment variable that says how many rays TestWatertightAtScale shoots.
const watertightRays = "EVERRAY_WATERTIGHT_RAYS"

// Sizes of watertight.comp's records.
const (
	shooterCaseSize   = 96
	shooterHeadSize   = 32
	shooterReportSize = 48
	shooterReports    = 16
	shooterPushSize   = 28
)

// shooterPush are the push constants of watertight.comp.
//
//glsl:bvh/trace/watertight.comp Push
type shooterPush struct {
	cases, counts        vk.DeviceAddress
	count, perCase, seed uint32
}

// shooter runs watertight.comp over cases: meshes, each with several transforms.
type shooter struct {
	*rig
	layout  *vk.PipelineLayout
	kernel  *vk.Pipeline
	meshes  []shotMesh
	builds  []Build    // of the top levels, a mesh after the other
	inputs  *vk.Buffer // their instances
	cases   *vk.Buffer
	counts  *vk.Buffer
	perMesh int
}

// shotMesh is a mesh on the device.
type shotMesh struct {
	closedMesh
	what                       string
	scale                      float64
	blas                       *vk.Buffer
	positions, indices, inside vk.DeviceAddress
}

// shotCounts are what the kernel counts, added up over dispatches.
type shotCounts struct {
	rays, leaks, unpaired, extra, closest, faults, crossings uint64
}

func newShooter(r *rig, meshes []shotMesh, perMesh int) *shooter {
	r.Helper()
	s := &shooter{rig: r, meshes: meshes, perMesh: perMesh}
	code, err := shaders.Load(shaders.Variant("bvh/trace/watertight.comp", shaders.TargetOf(r.dev.SIMD(), false)))
	if err != nil {
		r.Fatal(err)
	}
	s.layout, err = r.dev.NewPipelineLayout("watertight", nil, []vk.PushRange{{Stages: vk.StageCompute, Size: shooterPushSize}})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(s.layout.Destroy)
	s.kernel, err = r.dev.NewComputePipeline(vk.ComputePipelineOptions{Name: "watertight", Code: code, Layout: s.layout})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(s.kernel.Destroy)
	s.prepareTops()
	return s
}

// prepareTops makes room for a top level of every case: the mesh, and something far away that no ray may see, so that
// there is a tree with boxes to go through.
func (s *shooter) prepareTops() {
	cases := len(s.meshes) * s.perMesh
	const instances = 2 * vk.AccelerationStructureInstanceSize
	s.inputs = s.buffer("instances", uint64(cases)*instances)
	s.cases = s.buffer("cases", uint64(cases)*shooterCaseSize)
	s.counts = s.buffer("counts", shooterHeadSize+shooterReports*shooterReportSize)
	geometry := func(i int) []vk.Geometry {
		return []vk.Geometry{{Type: vk.GeometryInstances, Instances: vk.Instances{Data: s.inputs.Address() + uint64(i)*instances}}}
	}
	sizes, err := s.builder.BuildSizes(vk.BuildInfo{Type: vk.TopLevel, Geometries: geometry(0)}, []uint32{2})
	if err != nil {
		s.Fatal(err)
	}
	tops := s.buffer("top levels", uint64(cases)*sizes.AccelerationStructureSize)
	each := layout.AlignUp(sizes.BuildScratchSize, ScratchAlignment)
	scratch := s.buffer("scratch", uint64(cases)*each)
	for i := range cases {
		s.builds = append(s.builds, Build{
			Info: vk.BuildInfo{Type: vk.TopLevel, Geometries: geometry(i)}, Ranges: []vk.BuildRange{{PrimitiveCount: 2}},
			Dst: tops, DstOffset: uint64(i) * sizes.AccelerationStructureSize, Scratch: scratch.Address() + uint64(i)*each,
		})
	}
}

// shotTransform is the identity for the first case of a mesh. Others have any rotations, scales that differ by a factor
// of up to a hundred between axes and mirror half the time; every other one moves the mesh to another scale.
func shotTransform(rng *rand.Rand, m shotMesh, k int) [12]float32 {
	if k == 0 {
		return vk.IdentityTransform()
	}
	factor := 1.0
	if k%2 == 0 {
		switch factor = math.Pow(10, rng.Float64()*12-6); {
		case m.scale > 1e20: // or the transformed mesh, with what is around it, would reach beyond 1e37
			factor = math.Pow(factor, 0.5)
		case m.scale >= 1e-20:
			factor /= m.scale
		}
	}
	a, b := randomRotation(rng), randomRotation(rng)
	var scale [3]float64
	var largest float64
	for c := range 3 {
		scale[c] = factor * math.Pow(10, rng.Float64()*2-1)
		largest = max(largest, scale[c])
	}
	if rng.IntN(2) == 0 {
		scale[rng.IntN(3)] *= -1
	}
	var t [12]float32
	for i := range 3 {
		for j := range 3 {
			sum := 0.0
			for c := range 3 {
				sum += a[i][c] * scale[c] * b[c][j]
			}
			t[4*i+j] = float32(sum)
		}
		t[4*i+3] = float32((rng.Float64()*2 - 1) * 4 * largest * m.radius())
	}
	return t
}

// randomRotation is that of a random unit quaternion.
func randomRotation(rng *rand.Rand) [3][3]float64 {
	q := [4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	l := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
	w, x, y, z := q[0]/l, q[1]/l, q[2]/l, q[3]/l
	return [3][3]float64{
		{1 - 2*(y*y+z*z), 2 * (x*y - w*z), 2 * (x*z + w*y)},
		{2 * (x*y + w*z), 1 - 2*(x*x+z*z), 2 * (y*z - w*x)},
		{2 * (x*z - w*y), 2 * (y*z + w*x), 1 - 2*(x*x+y*y)},
	}
}

// arrange gives every case a new transform.
func (s *shooter) arrange(rng *rand.Rand) {
	var instances, cases []byte
	for i, m := range s.meshes {
		for k := range s.perMesh {
			t := shotTransform(rng, m, k)
			away := t
			for c := range 3 {
				away[4*c+3] += float32(20 * m.radius() * math.Abs(float64(t[4*c])+float64(t[4*c+1])+float64(t[4*c+2])))
			}
			instances = vk.NewAccelerationStructureInstance(t, 0, 1, 0, 0, m.blas.Address()).AppendTo(instances)
			instances = vk.NewAccelerationStructureInstance(away, 0, 2, 0, 0, m.blas.Address()).AppendTo(instances)
			b := s.builds[i*s.perMesh+k]
			for _, a := range []vk.DeviceAddress{b.Dst.Address() + b.DstOffset, m.positions, m.indices, m.inside} {
				cases = binary.LittleEndian.AppendUint64(cases, a)
			}
			cases = append(cases, floatBytes(t[:])...)
			flags := uint32(0)
			if m.convex {
				flags = 1
			}
			cases = appendWords(cases, uint32(len(m.closedMesh.indices)/3), uint32(len(m.insides)/3), flags,
				math.Float32bits(float32(m.radius())))
		}
	}
	for _, u := range []struct {
		to   *vk.Buffer
		data []byte
	}{{s.inputs, instances}, {s.cases, cases}} {
		if err := s.dev.UploadBuffer(s.Context(), u.to, 0, u.data); err != nil {
			s.Fatal(err)
		}
	}
	s.run(s.builds)
}

// shoot traces perCase rays at every case.
func (s *shooter) shoot(perCase int, seed uint32, total *shotCounts) {
	s.Helper()
	data := make([]byte, shooterHeadSize+shooterReports*shooterReportSize)
	if err := s.dev.UploadBuffer(s.Context(), s.counts, 0, data); err != nil {
		s.Fatal(err)
	}
	n := uint32(perCase * len(s.builds))
	push := vk.Bytes(&shooterPush{s.cases.Address(), s.counts.Address(), n, uint32(perCase), seed})[:shooterPushSize]
	err := s.dev.Run(s.Context(), "watertight", func(cb *vk.CommandBuffer) error {
		cb.BindComputePipeline(s.kernel)
		cb.PushConstants(s.layout, vk.StageCompute, 0, push)
		x, y := foldGroups((n + 63) / 64)
		cb.Dispatch(x, y, 1)
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	if err := s.dev.ReadBuffer(s.Context(), s.counts, 0, data); err != nil {
		s.Fatal(err)
	}
	word := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(data[4*i:])) }
	total.rays += uint64(n)
	for i, c := range []*uint64{&total.leaks, &total.unpaired, &total.extra, &total.closest, &total.faults, &total.crossings} {
		*c += word(i)
	}
	s.explain(data[shooterHeadSize:], int(min(word(6), shooterReports)), perCase)
}

// explain logs rays that went wrong.
func (s *shooter) explain(reports []byte, n, perCase int) {
	for i := range n {
		r := reports[i*shooterReportSize:]
		f := func(k int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(r[4*k:])) }
		u := func(k int) uint32 { return binary.LittleEndian.Uint32(r[4*k:]) }
		c := int(u(8)) / perCase
		m := s.meshes[c/s.perMesh]
		s.Logf("%s, transform %d: ray of kind %d from (%g, %g, %g) towards (%g, %g, %g) crosses %d fronts and %d backs", m.what,
			c%s.perMesh, u(9),
			f(0), f(1), f(2), f(4), f(5), f(6), u(10), u(11))
	}
}

// shotMeshes builds every closed mesh at scales of powers of ten, in turn with every kind of structure.
func (r *rig) shotMeshes(rng *rand.Rand, exponents ...int) []shotMesh {
	kinds := []struct {
		name  string
		build func(m closedMesh) *vk.Buffer
	}{
		{"default", func(m closedMesh) *vk.Buffer { return r.build(r.indexedInput(m.positions, m.indices, 0))[0] }},
		{"fast build", func(m closedMesh) *vk.Buffer {
			return r.build(r.indexedInput(m.positions, m.indices, vk.PreferFastBuild))[0]
		}},
		{"fast trace", func(m closedMesh) *vk.Buffer {
			return r.build(r.indexedInput(m.positions, m.indices, vk.PreferFastTrace))[0]
		}},
		{"compacted", func(m closedMesh) *vk.Buffer {
			return r.compact(r.build(r.indexedInput(m.positions, m.indices, vk.AllowCompaction))[0])
		}},
		{"fast build, compacted", func(m closedMesh) *vk.Buffer {
			return r.compact(r.build(r.indexedInput(m.positions, m.indices, vk.AllowCompaction|vk.PreferFastBuild))[0])
		}},
		{"host", func(m closedMesh) *vk.Buffer { return r.hostBuild(hostMesh(m.positions, m.indices, 0)) }},
		{"host, fast build", func(m closedMesh) *vk.Buffer {
			return r.hostBuild(hostMesh(m.positions, m.indices, vk.PreferFastBuild))
		}},
	}
	var out []shotMesh
	for _, base := range closedMeshes(rng) {
		for _, e := range exponents {
			scale := math.Pow(10, float64(e))
			kind := kinds[len(out)%len(kinds)]
			m := base.scaled(scale)
			out = append(out, shotMesh{
				closedMesh: m, what: fmt.Sprintf("%s at 1e%d, %s", m.name, e, kind.name), scale: scale, blas: kind.build(m),
				positions: r.upload("positions", floatBytes(m.positions)), indices: r.upload("indices", uintBytes(m.indices)),
				inside: r.upload("insides", floatBytes(m.insides)),
			})
		}
	}
	return out
}

// TestWatertightAtScale shoots at edges and vertices of closed meshes of sizes from 1e-6 to 1e6, through random
// transforms: no ray gets out or in without being seen, and none is seen twice. EVERRAY_WATERTIGHT_RAYS sets how many.
func TestWatertightAtScale(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(71, 72))
	newShooter(r, r.shotMeshes(rng, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6), 4).wantTight(rng, raysToShoot(t, 2_000_000))
}

// TestWatertightAtExtremes does the same at each of some scales, down to where coordinates are hardly normal numbers and up to
// where their products are far beyond any. EVERRAY_WATERTIGHT_RAYS sets how many rays each.
func TestWatertightAtExtremes(t *testing.T) {
	most := 300_000
	if testing.Short() {
		most = 50_000
	}
	r := newRig(t)
	for _, e := range []int{-30, -20, -10, 0, 10, 20, 30} {
		rng := rand.New(rand.NewPCG(73, uint64(100+e)))
		t.Logf("scale 1e%d", e)
		newShooter(r, r.shotMeshes(rng, e), 7).wantTight(rng, raysToShoot(t, most))
	}
}

// raysToShoot is the number from the environment, or another.
func raysToShoot(t *testing.T, otherwise int) int {
	v := os.Getenv(watertightRays)
	if v == "" {
		return otherwise
	}
	rays, err := strconv.Atoi(v)
	if err != nil || rays < 1 {
		t.Fatalf("%s=%q is not a number of rays", watertightRays, v)
	}
	return rays
}

// wantTight shoots at all meshes, and wants every ray to cross them as often as it should.
func (s *shooter) wantTight(rng *rand.Rand, rays int) {
	s.Helper()
	perCase := min(4_000_000, rays)/len(s.builds) + 1
	var total shotCounts
	start := time.Now()
	for round := uint32(0); total.rays < uint64(rays); round++ {
		s.arrange(rng)
		s.shoot(perCase, 1000+round, &total)
	}
	took := time.Since(start)
	s.Logf("%d rays in %v, %.1f million a second, %.2f crossings a ray", total.rays, took.Round(time.Millisecond),
		float64(total.rays)/took.Seconds()/1e6, float64(total.crossings)/float64(total.rays))
	if total.leaks+total.unpaired+total.extra+total.closest+total.faults > 0 {
		s.Errorf("of %d rays %d leak, %d leave not as often as they should, %d cross a convex mesh too often, %d have candidates but "+
			"no closest hit; %d faults",
			total.rays, total.leaks, total.unpaired, total.extra, total.closest, total.faults)
	}
	if total.crossings < total.rays {
		s.Errorf("%d rays cross %d triangles: the test does not hit its meshes", total.rays, total.crossings)
	}
}
