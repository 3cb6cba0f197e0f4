package accel

import (
	"context"
	"errors"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/cmd/viewer/internal/devtest"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// What the host builds on a CPU is over the same boxes as what the device builds, and rebuilds and compacts like it. A mesh of
// nothing and one of shared vertices are there, too.
func TestHostBuildsTheSameScene(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute)
	if dev.Info().Type != vulkan.PhysicalDeviceTypeCpu {
		t.Skip("the device is no CPU: it builds itself")
	}
	scene, err := assets.Builtin("cornell")
	if err != nil {
		t.Fatal(err)
	}
	scene.Meshes = append(scene.Meshes, assets.Mesh{Name: "nothing"}, assets.Mesh{Primitives: []assets.Primitive{{
		Positions: []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0}, Indices: []uint32{0, 1, 2, 3, 4, 5},
		Shared: &assets.Surface{Positions: []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, Indices: []uint32{0, 1, 2, 2, 1, 3}},
	}}})
	scene.Instances = append(scene.Instances, assets.Instance{Mesh: len(scene.Meshes) - 1, Transform: mgl32.Ident4()})
	upload := func(host bool) *Scene {
		t.Helper()
		s, err := Upload(t.Context(), dev, scene, Options{Host: host, Flags: vk.AllowCompaction})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Destroy)
		return s
	}
	mine, theirs := upload(true), upload(false)
	if mine.BottomReport.GPUTime != 0 || mine.BottomReport.Wall <= 0 || theirs.BottomReport.GPUTime <= 0 {
		t.Errorf("%+v by the host, %+v by the device", mine.BottomReport, theirs.BottomReport)
	}
	if mine.BottomReport.Primitives != theirs.BottomReport.Primitives || mine.TopReport.Primitives != theirs.TopReport.Primitives {
		t.Errorf("%+v by the host, %+v by the device", mine.BottomReport, theirs.BottomReport)
	}
	same := func() {
		t.Helper()
		for m := range scene.Meshes {
			if a, b := root(t, dev, mine.Bottom(m)), root(t, dev, theirs.Bottom(m)); a != b {
				t.Errorf("mesh %d: box %v by the host, %v by the device", m, a, b)
			} else if len(scene.Meshes[m].Primitives) > 0 && a == (inspect.Box{}) {
				t.Errorf("mesh %d has no box", m)
			}
		}
		if a, b := root(t, dev, mine.TopLevel), root(t, dev, theirs.TopLevel); a != b {
			t.Errorf("box %v by the host, %v by the device", a, b)
		}
	}
	same()
	if _, err := mine.Compact(t.Context(), dev); err != nil {
		t.Fatal(err)
	}
	same()
	if err := mine.Rebuild(t.Context(), dev, vk.PreferFastBuild, 0); err != nil {
		t.Fatal(err)
	}
	same()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Upload(ended, dev, scene, Options{Host: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// root is the box around a structure.
func root(t *testing.T, dev *engine.Device, a *engine.AccelerationStructure) (all inspect.Box) {
	t.Helper()
	if a == nil {
		t.Fatal("there is no structure")
	}
	read, err := dev.Decode(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range read.Level(0, 1<<20) {
		if i == 0 {
			all = b
		}
		for k := range 3 {
			all.Min[k], all.Max[k] = min(all.Min[k], b.Min[k]), max(all.Max[k], b.Max[k])
		}
	}
	return all
}
