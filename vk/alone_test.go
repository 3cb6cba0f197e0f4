package vk_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// TestAlone gives large structures memory of their own, which is theirs alone, is aligned, and goes with them; others share.
func TestAlone(t *testing.T) {
	d := vktest.Device(t)
	d.GiveAlone(1 << 20)
	before := d.MemoryUse()
	for _, c := range []struct {
		name string
		o    vk.BufferOptions
		want bool
	}{
		{"large structure", vk.BufferOptions{Size: 3<<20 + 4, AccelerationStructureStorage: true, Alignment: 256}, true},
		{"small structure", vk.BufferOptions{Size: 1 << 20, AccelerationStructureStorage: true}, false},
		{"other", vk.BufferOptions{Size: 3 << 20}, false},
		{"for the host", vk.BufferOptions{Size: 3 << 20, AccelerationStructureStorage: true, Memory: vk.Readback}, false},
		{"aligned to more than a page", vk.BufferOptions{Size: 3 << 20, AccelerationStructureStorage: true, Alignment: 1 << 20}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Name = c.name
			b, err := d.NewBuffer(c.o)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Destroy()
			if b.Alone() != c.want {
				t.Errorf("alone: %v", b.Alone())
			}
			if align := max(c.o.Alignment, 256); b.Address()%align != 0 {
				t.Errorf("address %#x is no multiple of %d", b.Address(), align)
			}
			data, got := make([]byte, c.o.Size), make([]byte, c.o.Size)
			rng := rand.NewChaCha8([32]byte{1})
			_, _ = rng.Read(data)
			if err := d.UploadBuffer(t.Context(), b, 0, data); err != nil {
				t.Fatal(err)
			}
			if err := d.ReadBuffer(t.Context(), b, 0, got); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, data) {
				t.Error("what was written does not come back")
			}
		})
	}
	if now := d.MemoryUse(); now.Used != before.Used {
		t.Errorf("%d bytes in use, %d before", now.Used, before.Used)
	}
}
