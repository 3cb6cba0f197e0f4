package vk

import "unsafe"

// Bytes are those of a structure of numbers, as the device reads it: in the host's order, which is the device's (specification,
// 3.1). Its layout has to be that of the block in GLSL; internal/house holds those with a //glsl: directive against the shaders.
func Bytes[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// BytesOf are those of several such structures.
func BytesOf[T any](list []T) []byte {
	if len(list) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), uintptr(len(list))*unsafe.Sizeof(list[0]))
}
