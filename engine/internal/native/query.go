package native

import (
	"context"

	"github.com/everray/everray/engine/internal/driver"
)

// LowerShader returns the shader as it is: engine has refused what the driver lacks.
func (d *Driver) LowerShader(_ context.Context, s driver.Shader) ([]uint32, error) {
	return s.Code, nil
}
