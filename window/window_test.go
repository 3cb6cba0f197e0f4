//go:build !headless

package window

import (
	"errors"
	"runtime"
	"testing"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/window/windowtest"
)

// quadrants fills a buffer with red, green, blue and white quarters.
func quadrants(t *testing.T, dev *vk.Device, width, height int, blueFirst bool) *vk.Buffer {
	t.Helper()
	b, err := dev.NewBuffer(vk.BufferOptions{Name: "pixels", Size: uint64(4 * width * height), Memory: vk.DeviceLocal})
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 0, b.Size())
	for y := range height {
		for x := range width {
			c := [][4]byte{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}}[2*(2*y/height)+2*x/width]
			if blueFirst {
				c[0], c[2] = c[2], c[0]
			}
			data = append(data, c[:]...)
		}
	}
	if err := dev.UploadBuffer(t.Context(), b, 0, data); err != nil {
		t.Fatal(err)
	}
	return b
}

// openFor opens a device that presents to a window, with the validation layer.
func openFor(t *testing.T, w *Window) (*vk.Device, vulkan.Surface) {
	t.Helper()
	var said []string
	instance, err := vk.NewInstance(vk.InstanceOptions{Extensions: w.InstanceExtensions(), Validation: true,
		OnMessage: func(m vk.Message) { said = append(said, m.String()) }})
	if err != nil {
		t.Skipf("no instance: %v", err)
	}
	t.Cleanup(func() {
		instance.Destroy()
		for _, m := range said {
			t.Error(m)
		}
	})
	surface, err := w.CreateSurface(instance.Handle())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { instance.DestroySurface(surface) })
	all, err := instance.PhysicalDevices()
	if err != nil {
		t.Skipf("no device: %v", err)
	}
	for _, p := range all {
		var dev *vk.Device
		if dev, err = vk.NewDevice(p, vk.DeviceOptions{PresentSurface: surface}); err == nil {
			t.Cleanup(func() {
				if err := dev.Destroy(); err != nil {
					t.Error(err)
				}
			})
			return dev, surface
		}
	}
	t.Skipf("no device: %v", err)
	return nil, surface
}

// Pixels arrive on the screen upright, with the right colours, and again after the window has changed its size.
func TestPresentAndResize(t *testing.T) {
	windowtest.StartDisplay(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w, err := Open(Options{Title: "test", Width: 200, Height: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	dev, surface := openFor(t, w)
	p, err := NewPresenter(dev, surface)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Destroy()
	if err := p.Present(t.Context(), nil); !errors.Is(err, ErrOutdated) {
		t.Errorf("present before the first size: %v", err)
	}
	for _, size := range [][2]int{{200, 100}, {320, 240}, {90, 150}} {
		w.glfw.SetSize(size[0], size[1])
		for deadline := time.Now().Add(5 * time.Second); ; {
			w.Wait(20 * time.Millisecond)
			if x, y := w.Size(); [2]int{x, y} == size {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("the window does not take the size %v", size)
			}
		}
		show(t, w, p, dev, size)
	}
}

func show(t *testing.T, w *Window, p *Presenter, dev *vk.Device, size [2]int) {
	t.Helper()
	if err := p.Resize(t.Context(), size[0], size[1]); err != nil {
		t.Fatal(err)
	}
	if x, y := p.Size(); [2]int{x, y} != size {
		t.Fatalf("the swapchain has %d x %d, want %v", x, y, size)
	}
	pixels := quadrants(t, dev, size[0], size[1], p.BlueFirst())
	defer pixels.Destroy()
	for range 5 { // every image of the swapchain
		w.Poll()
		if err := p.Present(t.Context(), pixels); err != nil {
			t.Fatal(err)
		}
	}
	if err := dev.WaitIdle(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond) // presenting goes through the X server
	x, y := w.glfw.GetPos()
	img := windowtest.Screenshot(t)
	for i, want := range [][3]uint32{{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}} {
		r, g, b, _ := img.At(x+size[0]*(1+2*(i%2))/4, y+size[1]*(1+2*(i/2))/4).RGBA()
		if got := [3]uint32{r >> 8, g >> 8, b >> 8}; got != want {
			t.Errorf("size %v, quarter %d: colour %v, want %v", size, i, got, want)
		}
	}
}

func TestOpenWithoutDisplay(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if _, err := Open(Options{}); !errors.Is(err, ErrNoDisplay) {
		t.Errorf("got %v", err)
	}
}
