package compute

import (
	"context"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/shaders"
)

// LowerShader replaces the shader's ray queries.
func (d *Driver) LowerShader(ctx context.Context, s driver.Shader) ([]uint32, error) {
	code, err := fallback.LowerShader(ctx, fallback.Shader{
		Name: s.Name, Stage: s.Stage, Code: s.Code, Entry: s.Entry, Driver: d.device.Physical().DriverID,
		Target: d.target(), Clusters: s.AllowClusters,
	})
	return code, refused(err)
}

// target is what shaders with traversal are chosen for.
func (d *Driver) target() shaders.Target {
	return shaders.TargetOf(d.device.SIMD(), d.device.Features().Int64)
}
