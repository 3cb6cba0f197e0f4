package compute

import (
	"errors"

	"github.com/everray/everray/bvh"
	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/vk"
)

// kinds says under which of the contract's errors those of the packages below fall. The first that an error wraps counts.
var kinds = []struct{ below, contract error }{
	{link.ErrInternal, driver.ErrInternal},
	{fallback.ErrUnsupported, driver.ErrUnsupported},
	{vk.ErrMissingFeature, driver.ErrUnsupported},
	{spirv.ErrUnknownInstruction, driver.ErrUnsupported},
	{fallback.ErrInvalid, driver.ErrInvalid},
	{link.ErrInvalid, driver.ErrInvalid},
	{spirv.ErrInvalid, driver.ErrInvalid},
	{spirv.ErrNotSPIRV, driver.ErrInvalid},
	{spirv.ErrTruncated, driver.ErrInvalid},
	{spirv.ErrMalformed, driver.ErrInvalid},
	{spirv.ErrLayout, driver.ErrInvalid},
	{spirv.ErrSpecialization, driver.ErrInvalid},
	{cluster.ErrUnsupported, driver.ErrUnsupported},
	{bvh.ErrInvalidCopy, driver.ErrInvalid},
	{bvh.ErrInvalidBuild, driver.ErrInvalid},
}

// refused puts an error of the packages below under the contract's: ErrInvalid, ErrUnsupported or ErrInternal.
func refused(err error) error {
	if err == nil {
		return nil
	}
	for _, k := range kinds {
		if errors.Is(err, k.below) {
			return driver.Mark(err, k.contract)
		}
	}
	return err
}
