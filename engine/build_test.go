package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// manyTriangles returns builds of n structures with one to three triangles each, out of one buffer.
func manyTriangles(t *testing.T, d *engine.Device, n int) []engine.BuildInput {
	t.Helper()
	vertices, err := d.NewBuildInput(t.Context(), "vertices", floats(
		0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 3, 0, 0, 2, 1, 0, 4, 0, 0, 5, 0, 0, 4, 1, 0))
	check(t, err)
	t.Cleanup(vertices.Destroy)
	in := make([]engine.BuildInput, n)
	for i := range in {
		in[i] = engine.BuildInput{
			Name: "mesh",
			Info: vk.BuildInfo{Type: vk.BottomLevel, Flags: vk.AllowUpdate, Geometries: []vk.Geometry{{Triangles: vk.Triangles{
				VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: vertices.Address(), VertexStride: 12, MaxVertex: 8,
				IndexType: vk.IndexNone,
			}}}},
			Ranges: []vk.BuildRange{{PrimitiveCount: uint32(i%3 + 1)}},
		}
	}
	return in
}

func TestBuildManyAndUpdate(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		in := manyTriangles(t, d, 100)
		list, report, err := d.BuildAccelerationStructures(t.Context(), in)
		check(t, err)
		for _, a := range list {
			defer a.Destroy()
		}
		t.Logf("%+v", report)
		if len(list) != 100 || report.Primitives != 199 || report.Batches != 1 || report.GPUTime <= 0 || report.Bytes == 0 {
			t.Errorf("report %+v", report)
		}
		seen := map[uint64]bool{}
		for _, a := range list {
			if a.Address() == 0 || a.Address()%256 != 0 || seen[a.Address()] {
				t.Errorf("address %#x is null, misaligned or there twice", a.Address())
			}
			seen[a.Address()] = true
		}
		for i := range in {
			in[i].Info.Update, in[i].Dst = true, list[i]
		}
		updated, _, err := d.BuildAccelerationStructures(t.Context(), in)
		check(t, err)
		if updated[7] != list[7] {
			t.Error("an update returned another structure")
		}
	})
}

func TestBuildRefuses(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		tests := []struct {
			name string
			edit func(*engine.BuildInput)
			want string
		}{
			{"update of nothing", func(in *engine.BuildInput) { in.Info.Update = true }, "without a Dst"},
			{"stride", func(in *engine.BuildInput) { in.Info.Geometries[0].Triangles.VertexStride = 5 }, "VertexStride is 5"},
			{"ranges", func(in *engine.BuildInput) { in.Ranges = nil }, "0 primitive counts or ranges for 1"},
			{"null vertices", func(in *engine.BuildInput) { in.Info.Geometries[0].Triangles.VertexData = 0 }, "VertexData is null"},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				in := manyTriangles(t, d, 2)
				tt.edit(&in[1])
				_, _, err := d.BuildAccelerationStructures(t.Context(), in)
				if !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want ErrInvalid with %q", err, tt.want)
				}
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := d.BuildAccelerationStructures(ctx, manyTriangles(t, d, 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: got %v", err)
		}
		if list, _, err := d.BuildAccelerationStructures(t.Context(), nil); len(list) != 0 || err != nil {
			t.Errorf("nothing to build: %v, %v", list, err)
		}
	})
}

// TestBuildEmpty builds structures without primitives and without instances, which are valid and miss.
func TestBuildEmpty(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		in := manyTriangles(t, d, 1)
		in[0].Ranges[0].PrimitiveCount = 0
		instances, err := d.NewInstances(t.Context(), "no instances", nil)
		check(t, err)
		defer instances.Destroy()
		info, ranges := engine.InstancesInfo(instances.Address(), 0, 0)
		list, _, err := d.BuildAccelerationStructures(t.Context(),
			append(in, engine.BuildInput{Name: "empty scene", Info: info, Ranges: ranges}))
		check(t, err)
		defer list[0].Destroy()
		defer list[1].Destroy()
		r := newRig(t, d, imageSize)
		compare(t, d, r.trace(t, list[1], 0, 0), 0, 0)
	})
}

func TestCmdBuildRefuses(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		in := manyTriangles(t, d, 1)[0]
		sizes, err := d.BuildSizes(in.Info, []uint32{1})
		check(t, err)
		blas, err := d.NewAccelerationStructure(vk.BottomLevel, sizes.AccelerationStructureSize, "mesh")
		check(t, err)
		defer blas.Destroy()
		tlas, err := d.NewAccelerationStructure(vk.TopLevel, 4096, "scene")
		check(t, err)
		defer tlas.Destroy()
		cb := recording(t, d.VK())
		good := engine.Build{Info: in.Info, Ranges: in.Ranges, Dst: blas, Scratch: 1 << 20}
		tests := []struct {
			name string
			edit func(*engine.Build)
			want string
		}{
			{"nil", func(b *engine.Build) { b.Dst = nil }, "Dst is nil"},
			{"type", func(b *engine.Build) { b.Dst = tlas }, `Dst "scene" is a TLAS`},
			{"null scratch", func(b *engine.Build) { b.Scratch = 0 }, "Scratch 0x0"},
			{"scratch alignment", func(b *engine.Build) { b.Scratch++ }, "Scratch 0x100001"},
			{"too small", func(b *engine.Build) {
				b.Ranges = []vk.BuildRange{{PrimitiveCount: 5000}}
				b.Info.Geometries[0].Triangles.MaxVertex = 15000
			}, "the build needs"},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				b := good
				tt.edit(&b)
				err := d.CmdBuildAccelerationStructures(cb, []engine.Build{b})
				if !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want ErrInvalid with %q", err, tt.want)
				}
			})
		}
		if _, err := d.NewAccelerationStructure(vk.Generic, 256, "x"); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("generic structure: got %v", err)
		}
		if _, err := d.NewAccelerationStructure(vk.TopLevel, 0, "x"); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("size 0: got %v", err)
		}
	})
}

// TestBuildBoxes builds boxes both ways.
func TestBuildBoxes(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		boxes, err := d.NewBuildInput(t.Context(), "boxes", floats(0, 0, 0, 1, 1, 1))
		check(t, err)
		defer boxes.Destroy()
		list, _, err := d.BuildAccelerationStructures(t.Context(), []engine.BuildInput{{
			Name: "boxes",
			Info: vk.BuildInfo{Type: vk.BottomLevel, Geometries: []vk.Geometry{
				{Type: vk.GeometryAABBs, AABBs: vk.AABBs{Data: boxes.Address(), Stride: 24}},
			}},
			Ranges: []vk.BuildRange{{PrimitiveCount: 1}},
		}})
		check(t, err)
		list[0].Destroy()
	})
}

// TestBuildConcurrently builds from several goroutines on one device.
func TestBuildConcurrently(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		in := manyTriangles(t, d, 10)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				list, _, err := d.BuildAccelerationStructures(t.Context(), in)
				if err != nil {
					t.Error(err)
				}
				for _, a := range list {
					a.Destroy()
				}
			})
		}
		wait.Wait()
	})
}
