package clusters

import (
	"context"
	"errors"
	"fmt"
	"image"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/camera"
)

// Shown is what of a demo a window shows. Levels of detail come behind the statues, when there are some.
type Shown int

// Values of Shown: the mesh by one of the ways, or the statues.
const (
	ShowTemplates Shown = iota
	ShowRefit
	ShowRebuild
	ShowStatues
)

// crowd is a square of statues, which share a way's bottom level.
type crowd struct {
	side    int
	way     *way
	top     *accel.Batch
	picture *painter
}

// newCrowd places statues. Each of them is a new one for Destroy.
func (d *Demo) newCrowd(ctx context.Context, side int) (*crowd, error) {
	c := &crowd{side: side, way: d.ways[0]}
	var at []mgl32.Vec3
	for i := range side * side {
		at = append(at, mgl32.Vec3{(float32(i%side) - float32(side-1)/2) * d.Apart(), 0, -float32(i/side) * d.Apart()})
	}
	var err error
	c.top, c.picture, err = d.scene(ctx, at, c.way.bottom, true)
	return c, err
}

// step is what the statues take besides the clusters that they share.
func (c *crowd) step() Step {
	return Step{Way: fmt.Sprintf("%d statues", c.side*c.side), Bytes: c.way.bytes + c.top.Bytes}
}

// AddStatues makes a square of so many statues on each side, for ShowStatues.
func (d *Demo) AddStatues(ctx context.Context, side int) (err error) {
	d.crowd, err = d.newCrowd(ctx, side)
	return err
}

// Resize changes the size of pictures.
func (d *Demo) Resize(width, height int) error {
	d.Width, d.Height = width, height
	var err error
	for _, w := range d.ways {
		err = errors.Join(err, w.picture.resize(width, height))
	}
	if d.crowd != nil {
		err = errors.Join(err, d.crowd.picture.resize(width, height))
	}
	return err
}

// Live animates the mesh to an angle in all ways, once each, and paints what is shown. It returns what each way took, and the
// statues where there are some: of what is not shown without a picture, of statues that are not without a top level.
func (d *Demo) Live(ctx context.Context, c camera.Camera, angle float64, shown Shown) (img *image.NRGBA, steps []Step, err error) {
	for k, w := range d.ways {
		s := Step{Way: w.name, Bytes: w.bytes}
		parts := d.parts(w, c, angle, 1, &s)
		if Shown(k) != shown {
			parts = parts[:len(parts)-1]
		}
		if err := do(ctx, w.name, &s, parts); err != nil {
			return nil, nil, err
		}
		steps = append(steps, s)
		if Shown(k) == shown {
			if img, _, err = w.picture.read(ctx); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", w.name, err)
			}
		}
	}
	if d.crowd == nil {
		return img, steps, nil
	}
	s := d.crowd.step()
	if shown == ShowStatues {
		if img, err = d.paintCrowd(ctx, d.crowd, c, 1, &s); err != nil {
			return nil, nil, err
		}
	}
	return img, append(steps, s), nil
}
