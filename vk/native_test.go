package vk_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// buildNative builds one acceleration structure and returns it when it is ready.
func buildNative(t *testing.T, d *vk.Device, info vk.BuildInfo, ranges []vk.BuildRange) *vk.NativeAccelerationStructure {
	t.Helper()
	var counts []uint32
	for _, r := range ranges {
		counts = append(counts, r.PrimitiveCount)
	}
	sizes, err := d.NativeBuildSizes(info, counts)
	if err != nil {
		t.Fatal(err)
	}
	store := newBuffer(t, d, vk.BufferOptions{Name: info.Type.String(), Size: sizes.AccelerationStructureSize,
		AccelerationStructureStorage: true})
	a, err := d.NewNativeAccelerationStructure(info.Type, store, 0, sizes.AccelerationStructureSize, info.Type.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Destroy)
	err = d.Run(t.Context(), "build "+info.Type.String(), func(cb *vk.CommandBuffer) error {
		scratch, err := cb.TransientDevice(sizes.BuildScratchSize, uint64(d.Physical().RT.MinScratchOffsetAlignment))
		if err != nil {
			return err
		}
		return cb.BuildAccelerationStructures([]vk.AccelerationStructureBuild{{Info: info, Ranges: ranges, Dst: a, Scratch: scratch}})
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// smokeScene is a triangle, instanced at x = 0 and x = 2 with custom indices 5 and 6.
func smokeScene(t *testing.T, d *vk.Device) *vk.NativeAccelerationStructure {
	t.Helper()
	corners := []float32{0, 0, 0, 1, 0, 0, 0, 1, 0}
	vertices := newBuffer(t, d, vk.BufferOptions{Name: "vertices", Size: 36, Memory: vk.Upload, AccelerationStructureInput: true})
	copy(vertices.Mapped(), words(9, func(i int) uint32 { return math.Float32bits(corners[i]) }))
	blas := buildNative(t, d, vk.BuildInfo{Type: vk.BottomLevel, Flags: vk.PreferFastTrace, Geometries: []vk.Geometry{{
		Type: vk.GeometryTriangles, Flags: vk.GeometryOpaque,
		Triangles: vk.Triangles{VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: vertices.Address(), VertexStride: 12,
			MaxVertex: 2, IndexType: vk.IndexNone},
	}}}, []vk.BuildRange{{PrimitiveCount: 1}})

	var b []byte
	for i := range 2 {
		m := vk.IdentityTransform()
		m[3] = float32(2 * i)
		b = vk.NewAccelerationStructureInstance(m, uint32(5+i), 0xff, 0, 0, blas.Address()).AppendTo(b)
	}
	instances := newBuffer(t, d, vk.BufferOptions{Name: "instances", Size: uint64(len(b)), Memory: vk.Upload,
		AccelerationStructureInput: true})
	copy(instances.Mapped(), b)
	return buildNative(t, d, vk.BuildInfo{Type: vk.TopLevel, Geometries: []vk.Geometry{{
		Type: vk.GeometryInstances, Instances: vk.Instances{Data: instances.Address()},
	}}}, []vk.BuildRange{{PrimitiveCount: 2}})
}

// smokeTable puts one handle per table; lavapipe's stride is the handle's size aligned to the base.
func smokeTable(t *testing.T, d *vk.Device, p *vk.Pipeline) [3]vk.StridedRegion {
	t.Helper()
	rt := d.Physical().RT
	handles, err := p.GroupHandles(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	stride := uint64(max(rt.ShaderGroupBaseAlignment, rt.ShaderGroupHandleSize))
	table := newBuffer(t, d, vk.BufferOptions{Name: "table", Size: 3 * stride, Memory: vk.Upload, ShaderBindingTable: true,
		Alignment: uint64(rt.ShaderGroupBaseAlignment)})
	var out [3]vk.StridedRegion
	for i := range uint64(3) {
		size := uint64(rt.ShaderGroupHandleSize)
		copy(table.Mapped()[i*stride:], handles[i*size:(i+1)*size])
		out[i] = vk.StridedRegion{Address: table.Address() + i*stride, Stride: stride, Size: stride}
	}
	return out
}

func TestNativeRayTracing(t *testing.T) {
	d := vktest.Device(t, vktest.Native())
	scene := smokeScene(t, d)
	stages := vk.StageRaygen | vk.StageClosestHit | vk.StageMiss
	setLayout, err := d.NewDescriptorSetLayout("smoke", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Stages: stages},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Stages: stages},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(setLayout.Destroy)
	layout, err := d.NewPipelineLayout("smoke", []*vk.DescriptorSetLayout{setLayout}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(layout.Destroy)
	options := vk.RayTracingPipelineOptions{
		Name: "smoke", Layout: layout, MaxRecursionDepth: 1,
		Stages: []rt.Stage{
			{Kind: rt.Raygen, Name: "rgen", Code: fixture(t, "smoke.rgen")},
			{Kind: rt.Miss, Name: "rmiss", Code: fixture(t, "smoke.rmiss")},
			{Kind: rt.ClosestHit, Name: "rchit", Code: fixture(t, "smoke.rchit")},
		},
		Groups: []rt.Group{rt.GeneralGroup(0), rt.GeneralGroup(1), rt.TrianglesGroup(2, rt.Unused)},
	}
	p, err := d.NewRayTracingPipeline(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Destroy)
	if _, err := p.StackSize(0, vk.GroupGeneral); err != nil {
		t.Error(err)
	}
	if _, err := p.GroupHandles(2, 2); !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("handles past the last group: %v", err)
	}
	result := newBuffer(t, d, vk.BufferOptions{Name: "result", Size: 16, Memory: vk.Readback})
	set, err := d.NewDescriptorSet(setLayout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(set.Destroy)
	set.WriteAccelerationStructure(0, 0, scene.Handle())
	set.WriteBuffer(1, 0, vulkan.DescriptorTypeStorageBuffer, result, 0, 0)
	table := smokeTable(t, d, p)
	err = d.Run(t.Context(), "trace", func(cb *vk.CommandBuffer) error {
		cb.BindRayTracingPipeline(p)
		cb.BindDescriptorSets(vk.BindPointRayTracing, layout, 0, set)
		cb.TraceRays(table[0], table[1], table[2], vk.StridedRegion{}, 4, 1, 1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{105, 7, 106, 7} {
		if got := binary.LittleEndian.Uint32(result.Mapped()[4*i:]); got != want {
			t.Errorf("ray %d: %d, want %d", i, got, want)
		}
	}
}

func TestNativeCompaction(t *testing.T) {
	d := vktest.Device(t, vktest.Native())
	scene := smokeScene(t, d)
	store := newBuffer(t, d, vk.BufferOptions{Name: "clone", Size: 1 << 16, AccelerationStructureStorage: true})
	clone, err := d.NewNativeAccelerationStructure(vk.TopLevel, store, 0, 1<<16, "clone")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(clone.Destroy)
	err = d.Run(t.Context(), "clone", func(cb *vk.CommandBuffer) error {
		cb.CopyAccelerationStructure(scene, clone, vk.CopyClone)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNativeSerialisation writes a structure to memory and makes another one of it.
func TestNativeSerialisation(t *testing.T) {
	d := vktest.Device(t, vktest.Native())
	scene := smokeScene(t, d)
	answers := newBuffer(t, d, vk.BufferOptions{Name: "answers", Size: 64, Memory: vk.Readback})
	ask := func(kind uint32) uint64 {
		t.Helper()
		err := d.Run(t.Context(), "ask", func(cb *vk.CommandBuffer) error {
			pool, err := cb.TransientQueries(kind, 1)
			if err != nil {
				return err
			}
			if err := cb.WriteAccelerationStructureProperties([]*vk.NativeAccelerationStructure{scene, scene}, pool, 0); !errors.Is(err,
				vk.ErrInvalid) {
				t.Errorf("two answers in a pool of one: %v", err)
			}
			if err := cb.WriteAccelerationStructureProperties([]*vk.NativeAccelerationStructure{scene}, pool, 0); err != nil {
				return err
			}
			for _, off := range []uint64{4, 64} {
				if err := cb.CopyQueries(pool, 0, 1, answers, off); !errors.Is(err, vk.ErrInvalid) {
					t.Errorf("answers at offset %d of 64: %v", off, err)
				}
			}
			return cb.CopyQueries(pool, 0, 1, answers, 8)
		})
		if err != nil {
			t.Fatal(err)
		}
		return binary.LittleEndian.Uint64(answers.Mapped()[8:])
	}
	size := ask(vk.QuerySerialSize)
	blob := newBuffer(t, d, vk.BufferOptions{Name: "blob", Size: size + 256, Memory: vk.Readback})
	err := d.Run(t.Context(), "serialise", func(cb *vk.CommandBuffer) error {
		cb.SerializeAccelerationStructure(scene, blob.Address())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint64(blob.Mapped()[32:]); got != size {
		t.Errorf("the header says %d bytes, the query %d", got, size)
	}
	if ok, err := d.CompatibleAccelerationStructure([32]byte(blob.Mapped())); err != nil || !ok {
		t.Errorf("the driver reads its own blob: %v, %v", ok, err)
	}
	structure := binary.LittleEndian.Uint64(blob.Mapped()[40:])
	store := newBuffer(t, d, vk.BufferOptions{Name: "loaded", Size: structure, AccelerationStructureStorage: true})
	loaded, err := d.NewNativeAccelerationStructure(vk.TopLevel, store, 0, structure, "loaded")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(loaded.Destroy)
	err = d.Run(t.Context(), "deserialise", func(cb *vk.CommandBuffer) error {
		cb.DeserializeAccelerationStructure(blob.Address(), loaded)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = d.Run(t.Context(), "misaligned", func(cb *vk.CommandBuffer) error {
		cb.SerializeAccelerationStructure(scene, blob.Address()+64)
		return nil
	})
	if !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("a misaligned address: %v", err)
	}
	if !d.Features().IndirectBuild {
		err = d.Run(t.Context(), "indirect", func(cb *vk.CommandBuffer) error { return cb.BuildAccelerationStructuresIndirect(nil) })
		if !errors.Is(err, vk.ErrMissingFeature) {
			t.Errorf("indirect builds without the feature: %v", err)
		}
	}
}

func TestNativeIsRefusedWithoutTheOption(t *testing.T) {
	d := vktest.Device(t)
	if _, err := d.NewRayTracingPipeline(vk.RayTracingPipelineOptions{Name: "x"}); !errors.Is(err, vk.ErrMissingExtension) {
		t.Errorf("pipeline: %v", err)
	}
	if _, err := d.NativeBuildSizes(vk.BuildInfo{}, nil); !errors.Is(err, vk.ErrMissingExtension) {
		t.Errorf("sizes: %v", err)
	}
	if f := d.Features(); f.AccelerationStructure || f.RayTracingPipeline || f.RayQuery {
		t.Errorf("ray tracing features are enabled: %v", f.Names())
	}
}
