package accel

import (
	"slices"
	"testing"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/devtest"
	"github.com/everray/everray/cmd/viewer/internal/measure"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

func TestBatch(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute)
	scene, err := assets.Builtin("field:3")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Upload(t.Context(), dev, scene, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Destroy()
	inputs := slices.Repeat(s.BottomBuilds(), 2)
	for i := range inputs {
		inputs[i].Dst, inputs[i].Info.Flags = nil, vk.AllowUpdate|vk.AllowCompaction
	}
	b, err := NewBatch(dev, "two", inputs)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Destroy()
	if b.Primitives != 2*1280 || b.Bytes == 0 || b.ScratchBytes == 0 {
		t.Errorf("batch %+v", b)
	}
	if l, err := b.Build(t.Context(), 2); len(l) != 2 || err != nil {
		t.Errorf("builds: %v, %v", l, err)
	}
	passes, err := b.Passes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dispatches := map[string]int{}
	for _, p := range passes {
		if dispatches[p.Kernel] += p.Dispatches; p.Time < 0 {
			t.Errorf("%+v", p)
		}
	}
	if dispatches["bvh build/init"] != 1 || dispatches["bvh build/leaves"] != 1 || dispatches["bvh build/header"] != 1 ||
		len(dispatches) != len(passes) {
		t.Errorf("passes %+v", passes)
	}
	for _, n := range []int{-1, 0, measure.MaxRepeats + 1} {
		if l, err := b.Build(t.Context(), n); l != nil || err == nil {
			t.Errorf("%d builds: %v, %v", n, l, err)
		}
	}
	if l, err := b.Refit(t.Context(), 3); len(l) != 3 || err != nil {
		t.Errorf("refits: %v, %v", l, err)
	}
	c, err := b.NewCompaction(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Destroy()
	if l, err := c.Copy(t.Context(), 2); len(l) != 2 || l[0] <= 0 || err != nil {
		t.Errorf("copies: %v, %v", l, err)
	}
	if c.Bytes == 0 || c.Bytes >= b.Bytes {
		t.Errorf("%d bytes of %d", c.Bytes, b.Bytes)
	}
}

func TestBatchRefusesAndReleases(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute) // closing it finds leaks
	scene, err := assets.Builtin("field:1")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Upload(t.Context(), dev, scene, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Destroy()
	bad := s.BottomBuilds()[0]
	bad.Dst, bad.Ranges = nil, nil
	good := s.BottomBuilds()[0]
	good.Dst = nil
	if b, err := NewBatch(dev, "bad", []engine.BuildInput{good, bad}); err == nil || b != nil {
		t.Errorf("got %v, %v", b, err)
	}
}

func TestRebuild(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute)
	scene, err := assets.Builtin("field:3")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Upload(t.Context(), dev, scene, Options{Flags: vk.PreferFastTrace})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Destroy()
	bytes, bottom := s.Bytes, s.BottomReport.Bytes
	if err := s.Rebuild(t.Context(), dev, vk.PreferFastBuild, vk.PreferFastBuild|vk.AllowUpdate); err != nil {
		t.Fatal(err)
	}
	if s.BottomReport.Bytes >= bottom || s.Bytes >= bytes {
		t.Errorf("%d bytes of bottom levels were %d, %d of all were %d", s.BottomReport.Bytes, bottom, s.Bytes, bytes)
	}
	if f := s.TopBuilds()[0]; f.Info.Flags != vk.PreferFastBuild|vk.AllowUpdate || f.Dst != s.TopLevel {
		t.Errorf("top level %+v", f)
	}
	if f := s.BottomBuilds()[0]; f.Info.Flags != vk.PreferFastBuild || f.Dst != s.Bottom(0) {
		t.Errorf("bottom level %+v", f)
	}
}
