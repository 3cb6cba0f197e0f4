package render

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/cmd/viewer/internal/camera"
)

// Motion tells for each pixel how far what it sees has moved in the picture since it was seen from another camera: pixels to
// the right and down. What lies at infinity moves as its direction does; what was behind that camera has not moved.
func (a *AOV) Motion(now, before camera.Camera) [][2]float32 {
	aspect := float32(a.Width) / float32(a.Height)
	from, to := before.Basis(aspect), now.Basis(aspect)
	motion := make([][2]float32, a.Width*a.Height)
	for i := range motion {
		p := mgl32.Vec3(a.Position[i])
		if a.Object[i] == 0 {
			_, direction := to.Ray(i%a.Width, i/a.Width, a.Width, a.Height)
			if to.Orthographic || from.Orthographic {
				continue // there, directions are no places
			}
			p = from.Eye.Add(direction)
		}
		was, ok := from.Project(p, a.Width, a.Height)
		if !ok {
			continue
		}
		is := mgl32.Vec2{float32(i%a.Width) + 0.5, float32(i/a.Width) + 0.5}
		motion[i] = is.Sub(was)
	}
	return motion
}
