//go:build !headless

package window

import (
	"errors"
	"fmt"
	"image"
	"log"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
	vulkan "github.com/vulkan-go/vulkan"
)

var (
	// ErrNoDisplay is returned by Open where no window system can be reached.
	ErrNoDisplay = errors.New("no display")
	// ErrNoVulkanSurface is returned by Open where GLFW finds no Vulkan loader or no way to present to the display.
	ErrNoVulkanSurface = errors.New("vulkan cannot present to this display")
)

// Options describes a window. The zero value is 1280 x 720.
type Options struct {
	Title         string
	Width, Height int
}

// Window is an open window.
type Window struct {
	glfw    *glfw.Window
	input   Input
	buttons [3]bool // left, right, middle are down
	x, y    float64
	tracked bool // x and y are those of events
	// Where and when the left button went down, to tell clicks from drags and one from two.
	downX, downY float64
	clicked      time.Time
}

// Open opens a window. The calling goroutine must be locked to its thread.
func Open(o Options) (w *Window, err error) {
	if o.Width <= 0 {
		o.Width = 1280
	}
	if o.Height <= 0 {
		o.Height = 720
	}
	// The binding panics on errors of GLFW that it does not expect.
	defer func() {
		if p := recover(); p != nil {
			w, err = nil, fmt.Errorf("open a window: glfw: %v", p)
		}
	}()
	if err := start(); err != nil {
		return nil, fmt.Errorf("open a window: %w", err)
	}
	if !glfw.VulkanSupported() {
		glfw.Terminate()
		return nil, fmt.Errorf("open a window: %w: no vulkan loader (libvulkan.so.1) found", ErrNoVulkanSurface)
	}
	glfw.WindowHint(glfw.ClientAPI, glfw.NoAPI)
	g, err := glfw.CreateWindow(o.Width, o.Height, o.Title, nil, nil)
	if err != nil {
		glfw.Terminate()
		return nil, fmt.Errorf("open a window of %d x %d: %w", o.Width, o.Height, err)
	}
	w = &Window{glfw: g}
	g.SetIcon([]image.Image{icon(16), icon(32), icon(48)})
	if len(w.InstanceExtensions()) == 0 {
		w.Close()
		return nil, fmt.Errorf("open a window: %w", ErrNoVulkanSurface)
	}
	w.listen()
	return w, nil
}

// start initialises GLFW. The binding does not return a failure to reach the display: it logs it, and what it logs is caught here.
func start() error {
	var said strings.Builder
	output, flags := log.Writer(), log.Flags()
	log.SetOutput(&said)
	log.SetFlags(0)
	err := glfw.Init()
	log.SetOutput(output)
	log.SetFlags(flags)
	if text := strings.TrimSpace(said.String()); err != nil || text != "" {
		if err != nil {
			text = err.Error()
		}
		return fmt.Errorf("%w: %s (is DISPLAY set?)", ErrNoDisplay, text)
	}
	return nil
}

// Close closes the window and ends GLFW. It may be called twice and on nil.
func (w *Window) Close() {
	if w == nil || w.glfw == nil {
		return
	}
	w.glfw.Destroy()
	w.glfw = nil
	glfw.Terminate()
}

// InstanceExtensions returns the Vulkan instance extensions that presenting needs.
func (w *Window) InstanceExtensions() []string { return w.glfw.GetRequiredInstanceExtensions() }

// CreateSurface creates the window's surface, for engine.Options.CreateSurface. The device's Close destroys it.
func (w *Window) CreateSurface(instance vulkan.Instance) (vulkan.Surface, error) {
	// The binding returns a pointer to a variable of its own as a plain number, which the garbage collector does not see:
	// no collection may begin before the surface is read from it.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	pointer, err := w.glfw.CreateWindowSurface(instance, nil)
	if err != nil {
		return vulkan.NullSurface, fmt.Errorf("create a surface: %w", err)
	}
	return vulkan.SurfaceFromPointer(pointer), nil
}

// Size returns the window's size in pixels; both are 0 while it is minimised.
func (w *Window) Size() (width, height int) { return w.glfw.GetFramebufferSize() }

// Hide takes the window from the screen: for a program that still has something to end before Close.
func (w *Window) Hide() { w.glfw.Hide() }

// SetTitle changes the title.
func (w *Window) SetTitle(title string) { w.glfw.SetTitle(title) }

// Poll handles pending events and returns the input since the last call.
func (w *Window) Poll() Input {
	glfw.PollEvents()
	return w.take()
}

// Wait is Poll, but waits for an event for at most the timeout.
func (w *Window) Wait(timeout time.Duration) Input {
	glfw.WaitEventsTimeout(max(timeout.Seconds(), 1e-3))
	return w.take()
}

// Wake ends a Wait. Unlike the rest it may be called from any goroutine, until Close.
func (w *Window) Wake() { glfw.PostEmptyEvent() }

// Scale is how many pixels the display wants for what has one on a usual one.
func (w *Window) Scale() float64 {
	x, _ := w.glfw.GetContentScale()
	return max(float64(x), 1)
}
