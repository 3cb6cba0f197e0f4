package compute

import (
	"context"
	"errors"
	"fmt"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/fallback/link"
)

// LowerShader replaces the shader's ray queries.
func (d *Driver) LowerShader(ctx context.Context, s driver.Shader) ([]uint32, error) {
	code, err := fallback.LowerShader(ctx, fallback.Shader{
		Name: s.Name, Stage: s.Stage, Code: s.Code, Entry: s.Entry, Driver: d.device.Physical().DriverID,
	})
	if errors.Is(err, fallback.ErrInvalid) || errors.Is(err, link.ErrInvalid) {
		err = fmt.Errorf("%w: %w", driver.ErrInvalid, err)
	}
	return code, err
}
