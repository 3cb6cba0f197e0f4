package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/everray/everray/cmd/viewer/internal/render"
)

// followed reads --pixel.
func (f *renderFlags) followed() (*[2]int, error) {
	if f.pixel == "" {
		return nil, nil
	}
	var p [2]int
	x, y, ok := strings.Cut(f.pixel, ",")
	var errX, errY error
	p[0], errX = strconv.Atoi(x)
	p[1], errY = strconv.Atoi(y)
	if !ok || errX != nil || errY != nil || p[0] < 0 || p[1] < 0 || p[0] >= f.width || p[1] >= f.height {
		return nil, fmt.Errorf("%w: --pixel %q: want X,Y within %d x %d", errUsage, f.pixel, f.width, f.height)
	}
	if f.integrator == string(render.Heat) {
		return nil, fmt.Errorf("%w: --pixel with --integrator heat, which has no ray tracing shaders", errUsage)
	}
	return &p, nil
}

// steps lists what the pixel that is followed did; nothing if there is none.
func (a *app) steps(ctx context.Context, f *renderFlags, r *render.Renderer) (lines []string, err error) {
	if f.pixel == "" {
		return nil, nil
	}
	list, lost, err := r.Steps(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		lines = append(lines, p.Shader+": "+p.Text)
	}
	if lost > 0 {
		a.warn(fmt.Sprintf("%d words of steps had no room; fewer samples (--spp) have fewer", lost))
	}
	return lines, nil
}
