//go:build !headless

package cli

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"

	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/overlay"
	"github.com/everray/everray/engine"
)

var wireColor = color.RGBA{120, 235, 160, 255}

// wiresName says which level is shown.
func wiresName(wires int) string {
	if wires == 0 {
		return "off"
	}
	return fmt.Sprintf("level %d", wires-1)
}

// mostWires bounds the boxes of a tree that are shown at once: more are a fog.
const mostWires = 1 << 14

// wire makes the boxes that are wanted. Behind the deepest level of the tree, or that of mostWires, it shows none again.
func (p *painter) wire(ctx context.Context, s *side, level int) {
	if s.wired == level {
		return
	}
	s.wired = level
	var wires []accel.Wire
	var err error
	if level > 0 {
		wires, err = s.renderer.Wires(ctx, level-1, mostWires)
	}
	switch {
	case errors.Is(err, engine.ErrUnsupported):
		p.note("the driver's structures cannot be read: use --backend compute to see the tree")
	case err != nil && ctx.Err() == nil:
		p.note(explain(err))
	}
	p.mu.Lock()
	if err != nil || len(wires) == len(p.wires) {
		wires, s.wired, p.want.wires = nil, 0, 0
	}
	p.wires = wires
	p.mu.Unlock()
	p.wake()
}

// drawWires draws boxes of the tree over a picture, whatever hides them.
func drawWires(img *image.RGBA, c camera.Camera, wires []accel.Wire) {
	if len(wires) == 0 {
		return
	}
	width, height := img.Rect.Dx(), img.Rect.Dy()
	basis := c.Basis(float32(width) / float32(height))
	edges := accel.Edges()
	for i := range wires {
		for _, e := range edges {
			a, b, ok := basis.Segment(wires[i][e[0]], wires[i][e[1]], width, height)
			if ok {
				overlay.Line(img, a, b, wireColor)
			}
		}
	}
}
