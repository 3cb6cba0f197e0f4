package native

import (
	"errors"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// refused puts the driver's error about a pipeline under the contract's: what was checked and is refused nevertheless, for
// another reason than memory, is beyond the driver.
func refused(err error) error {
	var failed *vk.ResultError
	switch {
	case err == nil, errors.Is(err, vk.ErrOutOfDeviceMemory), errors.Is(err, vk.ErrOutOfHostMemory), errors.Is(err, vk.ErrDeviceLost):
		return err
	case errors.As(err, &failed), errors.Is(err, vk.ErrMissingFeature), errors.Is(err, vk.ErrMissingExtension):
		return driver.Mark(err, driver.ErrUnsupported)
	}
	return err
}
