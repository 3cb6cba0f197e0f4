package bvh

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// nativeRig traces through the driver's own structures with ray queries.
type nativeRig struct {
	*rig
	layout *vk.PipelineLayout
	sets   *vk.DescriptorSetLayout
	kernel *vk.Pipeline
}

func newNativeRig(t testing.TB) *nativeRig {
	t.Helper()
	n := &nativeRig{rig: openRig(t, vktest.Native())}
	if !n.dev.Features().RayQuery {
		t.Skip("the driver has no ray queries")
	}
	code, err := shaders.Load("bvh/trace/native_query.comp")
	if err != nil {
		t.Fatal(err)
	}
	n.sets, err = n.dev.NewDescriptorSetLayout("scene",
		[]vk.DescriptorBinding{{Type: vk.DescriptorTypeAccelerationStructure, Count: 1, Stages: vk.StageCompute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.sets.Destroy)
	n.layout, err = n.dev.NewPipelineLayout("query", []*vk.DescriptorSetLayout{n.sets},
		[]vk.PushRange{{Stages: vk.StageCompute, Size: tracerPushSize}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.layout.Destroy)
	n.kernel, err = n.dev.NewComputePipeline(vk.ComputePipelineOptions{Name: "query", Code: code, Layout: n.layout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.kernel.Destroy)
	return n
}

// buildNative builds the same input with the driver.
func (n *nativeRig) buildNative(in input) *vk.NativeAccelerationStructure {
	n.Helper()
	counts := make([]uint32, len(in.ranges))
	for i, r := range in.ranges {
		counts[i] = r.PrimitiveCount
	}
	sizes, err := n.dev.NativeBuildSizes(in.info, counts)
	if err != nil {
		n.Fatal(err)
	}
	mem, err := n.dev.NewBuffer(vk.BufferOptions{Name: "native", Size: sizes.AccelerationStructureSize,
		AccelerationStructureStorage: true})
	if err != nil {
		n.Fatal(err)
	}
	n.Cleanup(mem.Destroy)
	as, err := n.dev.NewNativeAccelerationStructure(in.info.Type, mem, 0, sizes.AccelerationStructureSize, "native")
	if err != nil {
		n.Fatal(err)
	}
	n.Cleanup(as.Destroy)
	scratch := n.buffer("native scratch", sizes.BuildScratchSize+256)
	err = n.dev.Run(n.Context(), "native build", func(cb *vk.CommandBuffer) error {
		cb.BuildAccelerationStructures(
			[]vk.AccelerationStructureBuild{{Info: in.info, Ranges: in.ranges, Dst: as, Scratch: scratch.Address()}})
		return nil
	})
	if err != nil {
		n.Fatal(err)
	}
	return as
}

func (n *nativeRig) query(tlas *vk.NativeAccelerationStructure, rays []inspect.Ray, flags uint32) []Hit {
	n.Helper()
	set, err := n.dev.NewDescriptorSet(n.sets)
	if err != nil {
		n.Fatal(err)
	}
	defer set.Destroy()
	set.WriteAccelerationStructure(0, 0, tlas.Handle())
	in, out := n.upload("rays", EncodeRays(rays)), n.buffer("hits", uint64(len(rays))*HitSize)
	var push [tracerPushSize]byte
	binary.LittleEndian.PutUint64(push[8:], in)
	binary.LittleEndian.PutUint64(push[16:], out.Address())
	binary.LittleEndian.PutUint32(push[32:], uint32(len(rays)))
	binary.LittleEndian.PutUint32(push[36:], flags)
	binary.LittleEndian.PutUint32(push[40:], 0xff)
	err = n.dev.Run(n.Context(), "query", func(cb *vk.CommandBuffer) error {
		cb.BindComputePipeline(n.kernel)
		cb.BindDescriptorSets(vulkan.PipelineBindPointCompute, n.layout, 0, set)
		cb.PushConstants(n.layout, vk.StageCompute, 0, push[:])
		cb.Dispatch(uint32(len(rays)+63)/64, 1, 1)
		return nil
	})
	if err != nil {
		n.Fatal(err)
	}
	data := make([]byte, len(rays)*HitSize)
	if err := n.dev.ReadBuffer(n.Context(), out, 0, data); err != nil {
		n.Fatal(err)
	}
	return DecodeHits(data)
}

// ulps is the distance of two floats in units of the last place.
func ulps(a, b float32) int64 {
	order := func(f float32) int64 {
		i := int64(int32(math.Float32bits(f)))
		if i < 0 {
			return math.MinInt32 - i
		}
		return i
	}
	d := order(a) - order(b)
	return max(d, -d)
}

// differences counts rays with another answer and how far t is apart in the others.
func (n *nativeRig) differences(what string, rays []inspect.Ray, ours, theirs []Hit) (differ int, worst int64) {
	n.Helper()
	hits, close := 0, 0
	var worstWeight float64
	for i := range rays {
		x, y := ours[i], theirs[i]
		if y.Instance == inspect.NoInstance && x.Instance == inspect.NoInstance {
			continue
		}
		hits++
		x.T, x.U, x.V = y.T, y.U, y.V
		if x != y {
			if differ++; differ < 4 {
				n.Logf("%s: ray %d %v: compute %+v, native %+v", what, i, rays[i], ours[i], theirs[i])
			}
			continue
		}
		x = ours[i]
		u := ulps(x.T, y.T)
		if y.T > 0.02 { // close to the origin the vertices' distances cancel
			worst = max(worst, u)
		}
		worstWeight = max(worstWeight, math.Abs(float64(x.U)-float64(y.U)), math.Abs(float64(x.V)-float64(y.V)))
		if u <= 1 {
			close++
		}
	}
	n.Logf("%s: %d hits, %d differ, t within 1 ulp for %d, at worst %d ulp; weights within %.2g", what, hits, differ, close, worst,
		worstWeight)
	return differ, worst
}

// TestAgainstNativeIdentity has one instance without a transform: traversal and intersection alone. t agrees to the
// last places, on grazing rays too.
func TestAgainstNativeIdentity(t *testing.T) {
	n := newNativeRig(t)
	rng := rand.New(rand.NewPCG(51, 52))
	in := n.soupInput(randomSoup(rng, 5000, 0.1), 0, vk.GeometryOpaque)
	blas, native := n.build(in)[0], n.buildNative(in)
	top := n.buildNative(n.topInput(0, vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xff, 0, 0, native.Address())))
	rays := randomRays(rng, 20000)
	differ, worst := n.differences("identity", rays, n.trace(n.single(blas), rays, TraceOptions{}), n.query(top, rays, 0))
	if differ > 0 || worst > 4 {
		t.Errorf("%d rays differ, t by %d ulp", differ, worst)
	}
}

// TestAgainstNative holds compute traversal against the driver's: instances with all flags, mirrored and scaled,
// under many ray flags. Facing and identifiers agree; t within the last places.
func TestAgainstNative(t *testing.T) {
	n := newNativeRig(t)
	rng := rand.New(rand.NewPCG(41, 42))
	meshes := []soup{randomSoup(rng, 60, 0.3), randomSoup(rng, 200, 0.2)}
	inputs := []input{n.soupInput(meshes[0], 0, vk.GeometryOpaque), n.soupInput(meshes[1], 0, 0)}
	blas := n.build(inputs...)
	native := []*vk.NativeAccelerationStructure{n.buildNative(inputs[0]), n.buildNative(inputs[1])}
	var ours, theirs []vk.AccelerationStructureInstance
	for i := range 32 {
		flags := vk.InstanceFlags(i % 4)
		if i%5 == 1 {
			flags |= vk.InstanceForceOpaque
		} else if i%5 == 2 {
			flags |= vk.InstanceForceNoOpaque
		}
		make := func(a vk.DeviceAddress, tr [12]float32) vk.AccelerationStructureInstance {
			return vk.NewAccelerationStructureInstance(tr, uint32(i*3), 0xff, uint32(i*5), flags, a)
		}
		tr := randomTransform(rng, i%3 == 0)
		ours = append(ours, make(blas[i%2].Address(), tr))
		theirs = append(theirs, make(native[i%2].Address(), tr))
	}
	tlas := n.build(n.topInput(0, ours...))[0]
	nativeTop := n.buildNative(n.topInput(0, theirs...))
	rays := randomRays(rng, 4000)
	for _, flags := range []uint32{0, inspect.RayOpaque, inspect.RayNoOpaque, inspect.RayCullBackFacing,
		inspect.RayCullFrontFacing, inspect.RayCullOpaque, inspect.RayCullNoOpaque} {
		a := n.trace(tlas, rays, TraceOptions{Flags: flags, Candidates: IgnoreOddPrimitives})
		b := n.query(nativeTop, rays, flags)
		differ, _ := n.differences(fmt.Sprintf("flags %#x", flags), rays, a, b)
		if differ > 2 {
			t.Errorf("flags %#x: %d of %d rays differ", flags, differ, len(rays))
		}
	}
}
