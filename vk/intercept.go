package vk

// #include "evk.h"
import "C"

import (
	"runtime/cgo"

	vulkan "github.com/vulkan-go/vulkan"
)

//export evkGoIntercept
func evkGoIntercept(handle C.uintptr_t, call *C.char) C.int32_t {
	f, ok := cgo.Handle(handle).Value().(func(string) vulkan.Result)
	if !ok {
		return 0
	}
	return C.int32_t(f(C.GoString(call)))
}
