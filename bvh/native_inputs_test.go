package bvh

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// listNative lists the boxes that the driver's traversal meets.
func (n *nativeRig) listNative(tlas *vk.NativeAccelerationStructure, rays []inspect.Ray, flags uint32,
	mask uint8) [][]inspect.BoxCandidate {
	n.Helper()
	code, err := shaders.Load("bvh/trace/native_boxes.comp")
	if err != nil {
		n.Fatal(err)
	}
	kernel, err := n.dev.NewComputePipeline(vk.ComputePipelineOptions{Name: "native boxes", Code: code, Layout: n.layout})
	if err != nil {
		n.Fatal(err)
	}
	defer kernel.Destroy()
	set, err := n.dev.NewDescriptorSet(n.sets)
	if err != nil {
		n.Fatal(err)
	}
	defer set.Destroy()
	set.WriteAccelerationStructure(0, 0, tlas.Handle())
	return n.listWith(0, rays, flags, mask, func(cb *vk.CommandBuffer, push []byte, groups uint32) {
		cb.BindComputePipeline(kernel)
		cb.BindDescriptorSets(vulkan.PipelineBindPointCompute, n.layout, 0, set)
		cb.PushConstants(n.layout, vk.StageCompute, 0, push)
		cb.Dispatch(groups, 1, 1)
	})
}

// TestBoxesAgainstNative holds the boxes that rays meet against the driver's: strides, offsets, several geometries,
// inactive boxes, instances with all flags, ray flags. Both see all that the reference is certain of, and differ only
// where it is not.
func TestBoxesAgainstNative(t *testing.T) {
	n := newNativeRig(t)
	l := newBoxLister(n.rig)
	rng := rand.New(rand.NewPCG(181, 182))
	meshes := make([]boxMesh, 2)
	n.addBoxes(&meshes[0], randomBoxes(rng, 100, 0.2), 24, 0, vk.GeometryOpaque)
	n.addBoxes(&meshes[0], randomBoxes(rng, 50, 0.2), 40, 16, 0)
	n.addBoxes(&meshes[1], randomBoxes(rng, 40, 0.4), 24, 0, 0)
	n.addBoxes(&meshes[1], n.inactiveBoxes(rng, 20), 24, 0, 0)
	soup := n.soupInput(randomSoup(rng, 50, 0.2), 0, vk.GeometryOpaque)
	ours := n.build(meshes[0].input(0), meshes[1].input(vk.PreferFastBuild), soup)
	theirs := []*vk.NativeAccelerationStructure{n.buildNative(meshes[0].input(0)), n.buildNative(meshes[1].input(0)),
		n.buildNative(soup)}
	scene, instances := n.boxInstances(rand.New(rand.NewPCG(183, 184)), meshes,
		func(i int) vk.DeviceAddress { return ours[i].Address() })
	_, nativeInstances := n.boxInstances(rand.New(rand.NewPCG(183, 184)), meshes,
		func(i int) vk.DeviceAddress { return theirs[i].Address() })
	tlas, nativeTop := n.build(n.topInput(0, instances...))[0], n.buildNative(n.topInput(0, nativeInstances...))
	rays := randomRays(rng, 1000)
	for _, flags := range boxRayFlags {
		flags |= inspect.RaySkipTriangles // a triangle would end the ray natively
		name := fmt.Sprintf("flags %#x", flags)
		a, b := l.list(tlas, rays, flags, 0xff), n.listNative(nativeTop, rays, flags, 0xff)
		ca := n.compareLists(name+", compute", scene, rays, flags, 0xff, a, false)
		cb := n.compareLists(name+", native", scene, rays, flags, 0xff, b, true)
		differ := 0
		for i := range rays {
			if len(a[i]) != len(b[i]) {
				differ++
			}
		}
		t.Logf("%s: %d candidates by compute, %d native; %d rays differ", name, ca, cb, differ)
		if n.dev.Physical().DriverID == vk.DriverLavapipe && differ > 0 { // others may enlarge boxes
			t.Errorf("%s: %d rays meet other boxes", name, differ)
		}
	}
}

// inactiveBoxes is boxes of which every other one begins with a NaN, but on lavapipe, where those make it lose others.
// (Vulkan leaves inverted ones open.)
func (n *nativeRig) inactiveBoxes(rng *rand.Rand, count int) []inspect.Box {
	boxes := randomBoxes(rng, count, 0.2)
	for i := 0; i < count && n.dev.Physical().DriverID != vk.DriverLavapipe; i += 2 {
		boxes[i].Min[0] = float32(math.NaN())
	}
	return boxes
}

// TestFormatsAgainstNative builds from every format that the driver has, with every index type but uint8, which Vulkan
// refuses, and holds hits against the driver's. Lavapipe (25.0.7) ignores firstVertex, and takes the fourth component for
// the homogeneous one in transforms.
func TestFormatsAgainstNative(t *testing.T) {
	n := newNativeRig(t)
	rng := rand.New(rand.NewPCG(191, 192))
	rays := randomRays(rng, 3000)
	for i := range rays {
		rays[i].Origin[2] += 3 // outside of what the transform makes
	}
	lavapipe := n.dev.Physical().DriverID == vk.DriverLavapipe
	for i, f := range formatCases {
		if !n.dev.Physical().AccelerationStructureVertexFormat(f.format) {
			t.Logf("%s: not the driver's", f.name)
			continue
		}
		firstVertex, transform := 5, i%2 == 0
		if lavapipe {
			firstVertex, transform = 0, transform && f.components < 4
		}
		for _, ix := range indexCases {
			if ix.kind == vk.IndexUint8 {
				continue
			}
			g, rg, _ := n.formatGeometry(rng, f, ix, firstVertex, transform)
			in := bottom(0, []vk.Geometry{g}, []vk.BuildRange{rg})
			top := n.buildNative(n.topInput(0,
				vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xff, 0, 0, n.buildNative(in).Address())))
			ours, theirs := n.trace(n.single(n.build(in)[0]), rays, TraceOptions{}), n.query(top, rays, 0)
			if f.components == 2 { // all in one plane: which of them is hit is open
				for k := range ours {
					ours[k], theirs[k] = Hit{T: ours[k].T, Instance: ours[k].Instance}, Hit{T: theirs[k].T, Instance: theirs[k].Instance}
				}
			}
			differ, worst := n.differences(fmt.Sprintf("%s, index type %d", f.name, ix.kind), rays, ours, theirs)
			if differ > 0 || worst > 16 {
				t.Errorf("%s, index type %d: %d rays differ, t by %d ulp", f.name, ix.kind, differ, worst)
			}
		}
	}
}
