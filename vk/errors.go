package vk

// #include <stdlib.h>
// #include "evk.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"
)

// Sentinels for errors.Is.
var (
	ErrNoVulkan          = errors.New("no usable vulkan library")
	ErrNoValidationLayer = errors.New("the validation layer is not installed")
	ErrLavapipeTooOld    = errors.New("this lavapipe is too old")
	ErrMissingFeature    = errors.New("the device lacks a required feature")
	ErrMissingExtension  = errors.New("the device or loader lacks a required extension")
	ErrOutOfDeviceMemory = errors.New("out of device memory")
	ErrOutOfHostMemory   = errors.New("out of host memory")
	ErrDeviceLost        = errors.New("the device is lost")
	ErrInitialization    = errors.New("initialisation failed")
	ErrOutOfDate         = errors.New("the swapchain is out of date")
	ErrSuboptimal        = errors.New("the swapchain is suboptimal")
	ErrSurfaceLost       = errors.New("the surface is lost")
	ErrTimeout           = errors.New("timeout")
	ErrIncomplete        = errors.New("there is more than was asked for")
	ErrLeaked            = errors.New("vulkan objects were not destroyed")
	ErrNoSpace           = errors.New("no space")
	ErrInvalid           = errors.New("invalid argument")
	ErrClosed            = errors.New("the device is closed")
	// ErrIncompatible and ErrInvalidBlob are about serialised acceleration structures, whoever reads them.
	ErrIncompatible = errors.New("serialised acceleration structure of another implementation or version")
	ErrInvalidBlob  = errors.New("invalid serialised acceleration structure")
	ErrBusy         = errors.New("the device is busy with work that nobody waits for, and that cannot be stopped")
)

// ResultError is a failed Vulkan call.
type ResultError struct {
	Op     string // the function, such as "vkCreateBuffer"
	Result vulkan.Result
	// Said is what the driver, the loader or a layer said in the call, if anything.
	Said string
}

// resultUnknown is VK_ERROR_UNKNOWN, which the binding's headers lack.
const resultUnknown = vulkan.Result(-13)

func (e *ResultError) Error() string {
	text := fmt.Sprintf("%s: VkResult %d", e.Op, int32(e.Result))
	if s := e.sentinel(); s != nil {
		text = fmt.Sprintf("%s: %v (VkResult %d)", e.Op, s, int32(e.Result))
	}
	if e.Said != "" {
		text += ": the driver says: " + e.Said
	}
	return text
}

// Unwrap makes errors.Is find the sentinel that belongs to the result.
func (e *ResultError) Unwrap() error { return e.sentinel() }

func (e *ResultError) sentinel() error {
	switch e.Result {
	case vulkan.ErrorOutOfDeviceMemory, vulkan.ErrorTooManyObjects:
		return ErrOutOfDeviceMemory
	case vulkan.ErrorOutOfHostMemory, vulkan.ErrorMemoryMapFailed:
		return ErrOutOfHostMemory
	case vulkan.ErrorOutOfPoolMemory, vulkan.ErrorFragmentedPool, vulkan.ErrorFragmentation:
		return ErrNoSpace
	case vulkan.ErrorDeviceLost:
		return ErrDeviceLost
	case vulkan.ErrorInitializationFailed, vulkan.ErrorIncompatibleDriver:
		return ErrInitialization
	case vulkan.ErrorFeatureNotPresent:
		return ErrMissingFeature
	case vulkan.ErrorExtensionNotPresent:
		return ErrMissingExtension
	case vulkan.ErrorLayerNotPresent:
		return ErrNoValidationLayer
	case vulkan.ErrorOutOfDate:
		return ErrOutOfDate
	case vulkan.Suboptimal:
		return ErrSuboptimal
	case vulkan.ErrorSurfaceLost:
		return ErrSurfaceLost
	case vulkan.Timeout, vulkan.NotReady:
		return ErrTimeout
	case vulkan.Incomplete:
		return ErrIncomplete
	case resultUnknown:
		return errors.New("unknown error")
	}
	return nil
}

// check makes an error of a result that is not VK_SUCCESS.
func check[R ~int32](op string, r R) error {
	if r == 0 {
		return nil
	}
	return &ResultError{Op: op, Result: vulkan.Result(r)}
}

// listen runs a call and keeps what is said in it on this thread, for the error.
func listen(call func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.evk_listen()
	err := call()
	text := C.evk_heard()
	if text == nil {
		return err
	}
	defer C.free(unsafe.Pointer(text))
	var failed *ResultError
	if errors.As(err, &failed) && failed.Said == "" {
		failed.Said = C.GoString(text)
	}
	return err
}
