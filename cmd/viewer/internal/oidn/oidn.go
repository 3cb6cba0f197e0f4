package oidn

// #cgo CFLAGS: -std=gnu11 -O2 -Wall
// #cgo linux LDFLAGS: -ldl
// #include <stdlib.h>
// #include "oidn.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

var (
	// ErrMissing is returned by Open where there is no Open Image Denoise.
	ErrMissing = errors.New("libOpenImageDenoise is not installed")
	// ErrFailed is wrapped by errors of the library itself.
	ErrFailed = errors.New("open image denoise failed")
	// ErrInvalid is returned for pictures whose sizes do not fit together.
	ErrInvalid = errors.New("invalid picture")
)

// names are those of the library's versions, the newest first.
func names() []string {
	return []string{"libOpenImageDenoise.so.2", "libOpenImageDenoise.so.1", "libOpenImageDenoise.so.0"}
}

// Device is an open library.
type Device struct{ c *C.oidn_library }

// Open opens the library.
func Open() (*Device, error) { return open(names()...) }

func open(names ...string) (*Device, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	why := ErrMissing
	for _, name := range names {
		d := &Device{}
		text := C.CString(name)
		status := C.oidn_open(text, &d.c)
		C.free(unsafe.Pointer(text))
		switch status {
		case C.OIDN_OK:
			return d, nil
		case C.OIDN_NO_FUNCTION:
			why = fmt.Errorf("%w: %s lacks functions", ErrMissing, name)
		case C.OIDN_NO_DEVICE:
			why = fmt.Errorf("%w: %s finds no device", ErrFailed, name)
		}
	}
	return nil, why
}

// Close releases the library. It may be called twice and on nil.
func (d *Device) Close() {
	if d != nil && d.c != nil {
		C.oidn_close(d.c)
		d.c = nil
	}
}

// Picture is what is filtered: three floats per pixel, radiance, albedo 0 to 1 and normals -1 to 1. Albedo and Normal may both
// be nil.
type Picture struct {
	Width, Height         int
	Color, Albedo, Normal []float32
}

// Denoise returns the picture without its noise.
func (d *Device) Denoise(ctx context.Context, p Picture) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := 3 * p.Width * p.Height
	guided := p.Albedo != nil && p.Normal != nil
	if n <= 0 || len(p.Color) != n || guided && (len(p.Albedo) != n || len(p.Normal) != n) {
		return nil, fmt.Errorf("%w: %d x %d pixels with %d, %d and %d numbers", ErrInvalid, p.Width, p.Height, len(p.Color),
			len(p.Albedo), len(p.Normal))
	}
	// The library's errors are the thread's.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	out := make([]float32, n)
	var albedo, normal *C.float
	if guided {
		albedo, normal = (*C.float)(&p.Albedo[0]), (*C.float)(&p.Normal[0])
	}
	var message [256]C.char
	text := C.oidn_denoise(d.c, (*C.float)(&p.Color[0]), albedo, normal, (*C.float)(&out[0]), C.size_t(p.Width), C.size_t(p.Height),
		&message[0], C.size_t(len(message)))
	if text != nil {
		return nil, fmt.Errorf("%w: %s", ErrFailed, C.GoString(text))
	}
	return out, nil
}
