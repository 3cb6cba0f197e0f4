package vk_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

func TestPipelineCache(t *testing.T) {
	d := vktest.Device(t)
	newCache := func(data []byte) *vk.PipelineCache {
		t.Helper()
		c, err := d.NewPipelineCache("test", data)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Destroy)
		return c
	}
	c := newCache(nil)
	newDoubler(t, d, vk.ComputePipelineOptions{Cache: c})
	data, err := c.Data()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Physical().CheckPipelineCacheData(data); err != nil {
		t.Errorf("%d bytes of the driver's own: %v", len(data), err)
	}
	again := newCache(data)
	newDoubler(t, d, vk.ComputePipelineOptions{Cache: again})
	if err := again.Merge(c); err != nil {
		t.Error(err)
	}
	if merged, err := again.Data(); err != nil || len(merged) < len(data) {
		t.Errorf("merged: %d bytes of at least %d: %v", len(merged), len(data), err)
	}
}

func TestPipelineCacheRefuses(t *testing.T) {
	d := vktest.Device(t)
	p := d.Physical()
	e := binary.LittleEndian
	good := e.AppendUint32(nil, 32)
	good = e.AppendUint32(good, 1)
	good = e.AppendUint32(good, p.VendorID)
	good = e.AppendUint32(good, p.DeviceID)
	good = append(good, p.PipelineCacheUUID[:]...)
	if err := p.CheckPipelineCacheData(good); err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(b []byte) []byte{
		"short":   func(b []byte) []byte { return b[:31] },
		"header":  func(b []byte) []byte { b[0]++; return b },
		"version": func(b []byte) []byte { b[4]++; return b },
		"vendor":  func(b []byte) []byte { b[8]++; return b },
		"device":  func(b []byte) []byte { b[12]++; return b },
		"driver":  func(b []byte) []byte { b[31]++; return b },
	} {
		bad := edit(append([]byte(nil), good...))
		if _, err := d.NewPipelineCache("test", bad); !errors.Is(err, vk.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
