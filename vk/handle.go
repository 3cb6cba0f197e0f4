package vk

// #cgo CFLAGS: -std=gnu11 -O2 -Wall
// #cgo linux LDFLAGS: -ldl
// #include <stdlib.h>
// #include "evk.h"
import "C"

import (
	"strings"
	"unsafe"
)

// raw is the integer value of a handle. vulkan-go's handles are pointers to incomplete C types, which the garbage
// collector ignores; going through the variable's address keeps a handle from ever being an unsafe.Pointer, which
// the collector would look at.
func raw[T any](h T) C.uint64_t { return *(*C.uint64_t)(unsafe.Pointer(&h)) }

// fromRaw is the inverse of raw.
func fromRaw[T any](u C.uint64_t) T { return *(*T)(unsafe.Pointer(&u)) }

// cstring copies s to C memory; the result must be freed.
func cstring(s string) (*C.char, func()) {
	c := C.CString(s)
	return c, func() { C.free(unsafe.Pointer(c)) }
}

// cstrings packs strings one after the other, each with its zero.
func cstrings(list []string) (*C.char, func()) {
	return cstring(strings.Join(list, "\x00") + "\x00")
}

// fixedString reads a zero-terminated C array.
func fixedString(p *C.char, max int) string {
	b := unsafe.Slice((*byte)(unsafe.Pointer(p)), max)
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}

// first is a pointer to the first element, nil for an empty slice.
func first[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

func cbool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}
