package engine

import (
	"errors"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/vk"
)

var (
	// ErrNoDriver is returned by Open and List when there is no Vulkan loader, or a loader without any device.
	ErrNoDriver = errors.New("no vulkan driver")
	// ErrUnknownDevice is returned by Open when Options.Device names none, or more than one, of the devices; the text lists them.
	ErrUnknownDevice = errors.New("unknown device")
	// ErrUnsupportedDevice is returned by Open when the device lacks what either way needs; it wraps the reason of package vk.
	ErrUnsupportedDevice = errors.New("unsupported device")
	// ErrNativeUnavailable is returned by Open when the native way was asked for and the device lacks extensions, which the text
	// names.
	ErrNativeUnavailable = errors.New("native ray tracing unavailable")
	// ErrInvalid is wrapped by every error about an argument; its text names the field. Blobs have ErrIncompatible and
	// ErrInvalidBlob.
	ErrInvalid = driver.ErrInvalid
	// ErrUnsupported is wrapped by errors about what is valid, and beyond the way in use, the device, or what was enabled on it:
	// its text names the feature. The other way, or Options.Features, may help.
	ErrUnsupported = driver.ErrUnsupported
	// ErrClosed is wrapped by what methods return after Device.Close, or of a nil Device.
	ErrClosed = vk.ErrClosed
	// ErrInternal is wrapped by errors that are Everray's own fault. They are worth a report.
	ErrInternal = driver.ErrInternal
	// ErrIncompatible is wrapped by errors about serialised structures that another driver, another version or the other way has
	// written.
	ErrIncompatible = driver.ErrIncompatible
	// ErrInvalidBlob is wrapped by errors about serialised structures that are truncated or corrupt.
	ErrInvalidBlob = driver.ErrInvalidBlob
	// ErrBusy is wrapped by what Run and others return while the device works on something whose context has ended, see Run.
	ErrBusy = vk.ErrBusy
	// ErrFault is wrapped by FaultError.
	ErrFault = fallback.ErrFault
)
