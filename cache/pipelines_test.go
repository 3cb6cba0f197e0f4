package cache

import (
	"testing"

	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

func TestPipelines(t *testing.T) {
	dev := vktest.Device(t)
	s := openStore(t, ownDir(t), Options{})
	code, err := shaders.Load("fallback/indirect.comp")
	if err != nil {
		t.Fatal(err)
	}
	layout, err := dev.NewPipelineLayout("test", nil, []vk.PushRange{{Stages: vk.StageCompute, Size: 64}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(layout.Destroy)
	for run := range 3 {
		p, err := OpenPipelines(dev, s)
		if err != nil {
			t.Fatal(err)
		}
		if has := p.saved > 0; has != (run > 0) {
			t.Errorf("run %d: loaded %d bytes", run, p.saved)
		}
		pipeline, err := dev.NewComputePipeline(vk.ComputePipelineOptions{Name: "test", Code: code, Layout: layout, Cache: p.Cache()})
		if err != nil {
			t.Fatal(err)
		}
		pipeline.Destroy()
		for range 2 {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
		data, ok := s.Get(deviceKey(dev.Physical()))
		if err := dev.Physical().CheckPipelineCacheData(data); !ok || err != nil {
			t.Errorf("run %d: saved %d bytes, %v: %v", run, len(data), ok, err)
		}
	}
	if (*Pipelines)(nil).Cache() != nil || (*Pipelines)(nil).Close() != nil {
		t.Error("a nil Pipelines is no empty one")
	}
}

// TestForeignPipelines: data that is whole and another driver's is not handed to this one.
func TestForeignPipelines(t *testing.T) {
	dev := vktest.Device(t)
	s := openStore(t, ownDir(t), Options{})
	put(t, s, deviceKey(dev.Physical()), make([]byte, 64))
	p, err := OpenPipelines(dev, s)
	if err != nil {
		t.Fatal(err)
	}
	if p.saved != 0 {
		t.Errorf("loaded %d bytes", p.saved)
	}
	if _, ok := s.Get(deviceKey(dev.Physical())); ok {
		t.Error("the data is still there")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestDeviceKey(t *testing.T) {
	base := vk.PhysicalDevice{VendorID: 1, DeviceID: 2, DriverVersion: 3, DriverID: 4, DriverInfo: "x"}
	seen := map[Key]string{deviceKey(&base): "base"}
	for name, edit := range map[string]func(p *vk.PhysicalDevice){
		"vendor": func(p *vk.PhysicalDevice) { p.VendorID++ }, "device": func(p *vk.PhysicalDevice) { p.DeviceID++ },
		"version": func(p *vk.PhysicalDevice) { p.DriverVersion++ }, "driver": func(p *vk.PhysicalDevice) { p.DriverID++ },
		"info": func(p *vk.PhysicalDevice) { p.DriverInfo = "y" }, "uuid": func(p *vk.PhysicalDevice) { p.UUID[3]++ },
		"driver uuid": func(p *vk.PhysicalDevice) { p.DriverUUID[3]++ },
		"cache uuid":  func(p *vk.PhysicalDevice) { p.PipelineCacheUUID[3]++ },
	} {
		p := base
		edit(&p)
		k := deviceKey(&p)
		if other, ok := seen[k]; ok {
			t.Errorf("%s has the key of %s", name, other)
		}
		seen[k] = name
	}
}
