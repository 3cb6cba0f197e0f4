package native

import (
	"context"
	"fmt"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
)

// LowerShader returns the shader as it is, if the device has what it needs.
func (d *Driver) LowerShader(_ context.Context, s driver.Shader) ([]uint32, error) {
	queries, err := fallback.UsesRayQuery(s.Code)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", driver.ErrInvalid, err)
	}
	if queries && !d.device.Features().RayQuery {
		return nil, fmt.Errorf("ray queries on %q, which has no VK_KHR_ray_query (open the device with BackendCompute): %w",
			d.device.Physical().Name, driver.ErrUnsupported)
	}
	return s.Code, nil
}
