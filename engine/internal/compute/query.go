package compute

import (
	"context"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
)

// LowerShader replaces the shader's ray queries.
func (d *Driver) LowerShader(ctx context.Context, s driver.Shader) ([]uint32, error) {
	code, err := fallback.LowerShader(ctx, fallback.Shader{
		Name: s.Name, Stage: s.Stage, Code: s.Code, Entry: s.Entry, Driver: d.device.Physical().DriverID,
		SIMD: d.device.SIMD(), Clusters: s.AllowClusters,
	})
	return code, refused(err)
}
