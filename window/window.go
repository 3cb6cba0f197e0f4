//go:build !headless

package window

import (
	"errors"
	"fmt"
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
	glfw  *glfw.Window
	input Input
	drag  button
	x, y  float64
}

type button int

const (
	none button = iota
	orbit
	pan
)

// Input is what happened since the last Poll or Wait, and which keys are down now.
type Input struct {
	// Closed is set by Escape, Q and the window's close button, and stays set.
	Closed bool
	// OrbitX and OrbitY are the pixels dragged with the left button, PanX and PanY those with another one; down is positive.
	OrbitX, OrbitY, PanX, PanY float64
	// Wheel is in notches, up is positive.
	Wheel float64
	// Right, Up and Forward are -1, 0 or 1 while the keys A and D, F and R, S and W are held.
	Right, Up, Forward int
}

// Moved reports whether the input moves a camera.
func (i Input) Moved() bool {
	return i.OrbitX != 0 || i.OrbitY != 0 || i.PanX != 0 || i.PanY != 0 || i.Wheel != 0 || i.Right != 0 || i.Up != 0 || i.Forward != 0
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

func (w *Window) take() Input {
	in := w.input
	in.Closed = in.Closed || w.glfw.ShouldClose()
	in.Right = w.axis(glfw.KeyA, glfw.KeyD)
	in.Up = w.axis(glfw.KeyF, glfw.KeyR)
	in.Forward = w.axis(glfw.KeyS, glfw.KeyW)
	w.input = Input{Closed: in.Closed}
	return in
}

// axis returns -1, 0 or 1 for two opposite keys.
func (w *Window) axis(negative, positive glfw.Key) int {
	value := 0
	if w.glfw.GetKey(negative) == glfw.Press {
		value--
	}
	if w.glfw.GetKey(positive) == glfw.Press {
		value++
	}
	return value
}

// listen collects events into w.input. GLFW calls back from within Poll and Wait.
func (w *Window) listen() {
	w.glfw.SetKeyCallback(func(_ *glfw.Window, key glfw.Key, _ int, action glfw.Action, _ glfw.ModifierKey) {
		if action == glfw.Press && (key == glfw.KeyEscape || key == glfw.KeyQ) {
			w.input.Closed = true
		}
	})
	w.glfw.SetScrollCallback(func(_ *glfw.Window, _, y float64) { w.input.Wheel += y })
	w.glfw.SetMouseButtonCallback(func(g *glfw.Window, b glfw.MouseButton, action glfw.Action, _ glfw.ModifierKey) {
		w.x, w.y = g.GetCursorPos()
		switch {
		case action == glfw.Release:
			w.drag = none
		case b == glfw.MouseButtonLeft:
			w.drag = orbit
		default:
			w.drag = pan
		}
	})
	w.glfw.SetCursorPosCallback(func(_ *glfw.Window, x, y float64) {
		dx, dy := x-w.x, y-w.y
		w.x, w.y = x, y
		switch w.drag {
		case orbit:
			w.input.OrbitX += dx
			w.input.OrbitY += dy
		case pan:
			w.input.PanX += dx
			w.input.PanY += dy
		}
	})
}
