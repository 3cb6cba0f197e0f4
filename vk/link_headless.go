//go:build headless

package vk

// The binding vulkan-go knows a tag "headless" too: under it, its linux build compiles two files that define the same table of
// function pointers (vk_wrapper_desktop.c and vk_wrapper_compute.c), which does not link. Both definitions are alike; the
// linker is told to take the first.

// #cgo LDFLAGS: -Wl,--allow-multiple-definition
import "C"
