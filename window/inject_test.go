//go:build !headless

package window

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
	"github.com/everray/everray/window/windowtest"
)

// TestFailures makes every call fail that a presenter makes, its swapchain's among them.
func TestFailures(t *testing.T) {
	windowtest.StartDisplay(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w, err := Open(Options{Title: "failures", Width: 64, Height: 48})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var x vktest.Injector
	i, err := vk.NewInstance(vk.InstanceOptions{AppName: "failures", Extensions: w.InstanceExtensions(), Intercept: x.Intercept})
	if err != nil {
		t.Skipf("no instance: %v", err)
	}
	defer i.Destroy()
	surface, err := w.CreateSurface(i.Handle())
	if err != nil {
		t.Fatal(err)
	}
	defer i.DestroySurface(surface)
	all, err := i.PhysicalDevices()
	if err != nil || len(all) == 0 {
		t.Skipf("no device: %v", err)
	}
	d, err := vk.NewDevice(all[0], vk.DeviceOptions{Name: "failures", PresentSurface: surface})
	if err != nil {
		t.Skipf("no device: %v", err)
	}
	defer func() {
		if err := d.Destroy(); err != nil {
			t.Error(err)
		}
	}()
	x.Each(t, "device", func() error {
		d, err := vk.NewDevice(all[0], vk.DeviceOptions{Name: "presents", PresentSurface: surface})
		if err != nil {
			return err
		}
		return d.Destroy()
	}, func() error { return nil })
	pixels := quadrants(t, d, 64, 48, true)
	defer pixels.Destroy()
	used, alive := d.MemoryUse().Used, d.Leaks()
	x.Each(t, "present", func() error { return showTwice(t, d, surface, pixels) }, func() error {
		if err := d.Settle(t.Context()); err != nil {
			return err
		}
		if now := d.Leaks(); !slices.Equal(now, alive) {
			return fmt.Errorf("alive: %q, before: %q", now, alive)
		}
		if now := d.MemoryUse().Used; now != used {
			return fmt.Errorf("%d bytes in use, %d before", now, used)
		}
		return nil
	})
}

// showTwice shows pixels in a new swapchain, and in one made anew. What fails is tried again in a third.
func showTwice(t *testing.T, d *vk.Device, surface vulkan.Surface, pixels *vk.Buffer) error {
	p, err := NewPresenter(d, surface)
	if err != nil {
		return err
	}
	defer p.Destroy()
	for range 2 {
		err := p.Resize(t.Context(), 64, 48)
		if err == nil {
			err = p.Present(t.Context(), pixels)
		}
		if err == nil {
			continue
		}
		// Whatever it was, a presenter that failed says so again, or shows the next frame.
		if again := p.Resize(t.Context(), 64, 48); again == nil {
			if again = p.Present(t.Context(), pixels); again != nil {
				return fmt.Errorf("after %w: the next frame: %w", err, again)
			}
		}
		return err
	}
	return nil
}
