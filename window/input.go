//go:build !headless

package window

import (
	"image"
	"image/color"
	"math"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
)

// A press is a click where the cursor has moved at most so many pixels; two within this time are a double click.
const (
	clickSlack  = 4
	doubleClick = 300 * time.Millisecond
)

// Input is what happened since the last Poll or Wait, and which keys are down now.
type Input struct {
	// Closed is set by Escape, Q and the window's close button, and stays set.
	Closed bool
	// OrbitX and OrbitY are the pixels dragged with the left button, PanX and PanY those with another one; down is positive.
	OrbitX, OrbitY, PanX, PanY float64
	// Wheel is in notches, up is positive.
	Wheel float64
	// Right, Up and Forward are -1, 0 or 1 while arrow keys and page up and down are held, and, while the right button is, A and
	// D, Q and E, W and S.
	Right, Up, Forward int
	// Keys are letters and digits that were pressed, upper case, '[' and ']', and '\t' for Tab.
	Keys []rune
	// Clicks are where the left button was pressed and released, in pixels of the picture.
	Clicks []Click
	// Dropped are files that were dropped on the window.
	Dropped []string
}

// Click is a click, or the second of a double click.
type Click struct {
	X, Y   int
	Double bool
}

// Moved reports whether the input moves a camera.
func (i Input) Moved() bool {
	return i.OrbitX != 0 || i.OrbitY != 0 || i.PanX != 0 || i.PanY != 0 || i.Wheel != 0 || i.Right != 0 || i.Up != 0 || i.Forward != 0
}

func (w *Window) take() Input {
	in := w.input
	in.Closed = in.Closed || w.glfw.ShouldClose()
	in.Right = w.axis(glfw.KeyLeft, glfw.KeyRight)
	in.Up = w.axis(glfw.KeyPageDown, glfw.KeyPageUp)
	in.Forward = w.axis(glfw.KeyDown, glfw.KeyUp)
	if w.buttons[glfw.MouseButtonRight] {
		in.Right = either(in.Right, w.axis(glfw.KeyA, glfw.KeyD))
		in.Up = either(in.Up, w.axis(glfw.KeyQ, glfw.KeyE))
		in.Forward = either(in.Forward, w.axis(glfw.KeyS, glfw.KeyW))
	}
	w.input = Input{Closed: in.Closed}
	return in
}

func either(a, b int) int {
	if a != 0 {
		return a
	}
	return b
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
		if action == glfw.Press {
			w.key(key)
		}
	})
	w.glfw.SetScrollCallback(func(_ *glfw.Window, _, y float64) { w.input.Wheel += y })
	w.glfw.SetDropCallback(func(_ *glfw.Window, names []string) { w.input.Dropped = append(w.input.Dropped, names...) })
	w.glfw.SetMouseButtonCallback(func(g *glfw.Window, b glfw.MouseButton, action glfw.Action, _ glfw.ModifierKey) {
		if !w.tracked { // later events say where, in their order; asking tells where it is by now
			w.x, w.y = g.GetCursorPos()
		}
		if int(b) < len(w.buttons) {
			w.buttons[b] = action != glfw.Release
		}
		if b == glfw.MouseButtonLeft {
			w.leftButton(action)
		}
	})
	w.glfw.SetCursorPosCallback(func(_ *glfw.Window, x, y float64) {
		dx, dy := x-w.x, y-w.y
		w.x, w.y, w.tracked = x, y, true
		switch {
		case w.buttons[glfw.MouseButtonLeft]:
			w.input.OrbitX += dx
			w.input.OrbitY += dy
		case w.buttons[glfw.MouseButtonRight], w.buttons[glfw.MouseButtonMiddle]:
			w.input.PanX += dx
			w.input.PanY += dy
		}
	})
}

func (w *Window) key(key glfw.Key) {
	flying := w.buttons[glfw.MouseButtonRight]
	switch {
	case key == glfw.KeyEscape, key == glfw.KeyQ && !flying:
		w.input.Closed = true
	case key == glfw.KeyTab:
		w.input.Keys = append(w.input.Keys, '\t')
	case key >= glfw.KeyA && key <= glfw.KeyZ && !flying, key >= glfw.Key0 && key <= glfw.Key9, key == glfw.KeyLeftBracket,
		key == glfw.KeyRightBracket: // GLFW numbers them by their ASCII characters
		w.input.Keys = append(w.input.Keys, rune(key))
	case key >= glfw.KeyKP0 && key <= glfw.KeyKP9:
		w.input.Keys = append(w.input.Keys, rune('0'+key-glfw.KeyKP0))
	}
}

// leftButton tells clicks from drags.
func (w *Window) leftButton(action glfw.Action) {
	if action == glfw.Press {
		w.downX, w.downY = w.x, w.y
		return
	}
	if math.Abs(w.x-w.downX) > clickSlack || math.Abs(w.y-w.downY) > clickSlack {
		w.clicked = time.Time{}
		return
	}
	c := Click{Double: time.Since(w.clicked) < doubleClick}
	if w.clicked = time.Now(); c.Double {
		w.clicked = time.Time{}
	}
	// The cursor is in the window's units, the picture in pixels.
	width, height := w.glfw.GetSize()
	pixelsX, pixelsY := w.glfw.GetFramebufferSize()
	if width > 0 && height > 0 {
		c.X, c.Y = int(w.x*float64(pixelsX)/float64(width)), int(w.y*float64(pixelsY)/float64(height))
		w.input.Clicks = append(w.input.Clicks, c)
	}
}

// icon is the window's icon: a triangle under its light.
func icon(side int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			u, v := (float64(x)+0.5)/float64(side), (float64(y)+0.5)/float64(side)
			c := color.NRGBA{R: 18, G: 22, B: 34, A: 255}
			if v > 0.15 && v < 0.85 && math.Abs(u-0.5) < (v-0.15)*0.55 {
				c = color.NRGBA{R: uint8(255 - 120*v), G: uint8(120 + 120*u), B: uint8(60 + 180*v), A: 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}
