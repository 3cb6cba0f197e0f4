package vk

// #include <stdlib.h>
// #include "evk.h"
import "C"

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/cgo"
	"slices"
	"sync"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"
)

// ValidationLayer is the name of the layer that InstanceOptions.Validation turns on.
const ValidationLayer = "VK_LAYER_KHRONOS_validation"

const (
	extDebugUtils         = "VK_EXT_debug_utils"
	extValidationFeatures = "VK_EXT_validation_features"
	apiVersion13          = 1<<22 | 3<<12
)

// InstanceOptions says what NewInstance makes. The zero value is a plain instance.
type InstanceOptions struct {
	AppName string
	// Validation turns the Khronos layer on; SyncValidation (which implies it) also its synchronisation checks.
	Validation, SyncValidation bool
	Extensions                 []string
	// OnMessage receives warnings and errors; nil logs them. See the package comment for what it may do.
	OnMessage func(Message)
	Logger    *slog.Logger // nil = slog.Default()
	// Restrict, if not nil, sees each physical device before anybody else does. It may take away features and lower limits,
	// so that a program can be tried as on a lesser device: what it takes away is not enabled, and nobody is told of it.
	Restrict func(*PhysicalDevice)
	// Intercept, if not nil, is asked before every call of the instance and its devices that can fail, by the call's name. A
	// result other than vulkan.Success is returned in place of the call, which is not made. It is for tests of what happens
	// when Vulkan fails, may be called on any thread, and must not call this package.
	Intercept func(call string) vulkan.Result
}

// Instance is a VkInstance.
type Instance struct {
	c         *C.evk_instance
	message   cgo.Handle
	logger    *slog.Logger
	layer     uint32     // spec version of the validation layer in use, 0 without
	labels    sync.Mutex // see Device.lockLabels
	intercept cgo.Handle // 0 without
	restrict  func(*PhysicalDevice)
	once      sync.Once
}

// library is what the process knows of libvulkan: it is opened at most once and never closed.
var library struct {
	sync.Mutex
	gipa   unsafe.Pointer
	err    error
	opened bool
}

// openLibrary opens libvulkan.so.1, by the name that is there without development packages.
func openLibrary() (unsafe.Pointer, error) {
	library.Lock()
	defer library.Unlock()
	if library.opened {
		return library.gipa, library.err
	}
	library.opened = true
	var text *C.char
	library.gipa = C.evk_load(&text)
	if library.gipa == nil {
		library.err = fmt.Errorf("%w: %s (install libvulkan1)", ErrNoVulkan, C.GoString(text))
		C.free(unsafe.Pointer(text))
		return nil, library.err
	}
	return library.gipa, library.err
}

// NewInstance opens the Vulkan loader.
func NewInstance(o InstanceOptions) (*Instance, error) {
	gipa, err := openLibrary()
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	extensions, layer, features, err := instanceExtensions(gipa, o)
	if err != nil {
		return nil, err
	}
	app, freeApp := cstring(o.AppName)
	defer freeApp()
	names, freeNames := cstrings(extensions)
	defer freeNames()
	var layerName *C.char
	if layer != 0 {
		var freeLayer func()
		layerName, freeLayer = cstring(ValidationLayer)
		defer freeLayer()
	}
	i := &Instance{logger: o.Logger, layer: layer, restrict: o.Restrict}
	if slices.Contains(extensions, extDebugUtils) {
		i.message = cgo.NewHandle(&sink{on: o.OnMessage, logger: o.Logger})
	}
	if o.Intercept != nil {
		i.intercept = cgo.NewHandle(o.Intercept)
	}
	var text *C.char
	r := C.evk_create_instance(gipa, app, apiVersion13, layerName, names, C.uint32_t(len(extensions)),
		cbool(o.SyncValidation), cbool(features), C.uintptr_t(i.message), C.uintptr_t(i.intercept), &i.c, &text)
	if err := check("vkCreateInstance", r); err != nil {
		i.dropHandle()
		if text != nil {
			err = fmt.Errorf("%w: %s", err, C.GoString(text))
			C.free(unsafe.Pointer(text))
		}
		if errors.Is(err, ErrInitialization) {
			return nil, fmt.Errorf("%w: %w (install a Vulkan driver, such as mesa-vulkan-drivers)", ErrNoVulkan, err)
		}
		return nil, err
	}
	return i, nil
}

// instanceExtensions decides which extensions and layers to ask for.
// layer is the validation layer's version, 0 for none.
func instanceExtensions(gipa unsafe.Pointer, o InstanceOptions) (list []string, layer uint32, features bool, err error) {
	have, err := enumerateInstanceExtensions(gipa, "")
	if err != nil {
		return nil, 0, false, err
	}
	list = slices.Clone(o.Extensions)
	slices.Sort(list)
	list = slices.Compact(list)
	for _, e := range list {
		if !have[e] {
			return nil, 0, false, fmt.Errorf("instance extension %s: %w", e, ErrMissingExtension)
		}
	}
	if o.Validation || o.SyncValidation {
		if layer, err = layerVersion(gipa, ValidationLayer); err != nil {
			return nil, 0, false, err
		}
		if layer == 0 {
			return nil, 0, false, fmt.Errorf("%w: no %s (install vulkan-validationlayers)", ErrNoValidationLayer, ValidationLayer)
		}
		ofLayer, err := enumerateInstanceExtensions(gipa, ValidationLayer)
		if err != nil {
			return nil, 0, false, err
		}
		if features = o.SyncValidation && ofLayer[extValidationFeatures]; features {
			list = append(list, extValidationFeatures)
		} else if o.SyncValidation {
			return nil, 0, false, fmt.Errorf("%w: it has no synchronisation checks (install a newer vulkan-validationlayers)",
				ErrNoValidationLayer)
		}
		have[extDebugUtils] = have[extDebugUtils] || ofLayer[extDebugUtils]
	}
	if have[extDebugUtils] && !slices.Contains(list, extDebugUtils) {
		list = append(list, extDebugUtils)
	}
	return list, layer, features, nil
}

func enumerateInstanceExtensions(gipa unsafe.Pointer, layer string) (map[string]bool, error) {
	var name *C.char
	if layer != "" {
		var free func()
		name, free = cstring(layer)
		defer free()
	}
	var n C.uint32_t
	if err := check("vkEnumerateInstanceExtensionProperties", C.evk_instance_extensions(gipa, name, &n, nil)); err != nil {
		return nil, err
	}
	list := make([]C.VkExtensionProperties, n+8)
	n += 8 // one more may appear between the calls
	if err := check("vkEnumerateInstanceExtensionProperties", C.evk_instance_extensions(gipa, name, &n, &list[0])); err != nil {
		return nil, err
	}
	return extensionSet(list[:n]), nil
}

func extensionSet(list []C.VkExtensionProperties) map[string]bool {
	m := make(map[string]bool, len(list))
	for k := range list {
		m[fixedString(&list[k].extensionName[0], len(list[k].extensionName))] = true
	}
	return m
}

// layerVersion is the spec version that a layer was made for, 0 if it is not installed.
func layerVersion(gipa unsafe.Pointer, name string) (uint32, error) {
	var n C.uint32_t
	if err := check("vkEnumerateInstanceLayerProperties", C.evk_layers(gipa, &n, nil)); err != nil {
		return 0, err
	}
	list := make([]C.VkLayerProperties, n+8)
	n += 8
	if err := check("vkEnumerateInstanceLayerProperties", C.evk_layers(gipa, &n, &list[0])); err != nil {
		return 0, err
	}
	for k := range list[:n] {
		if fixedString(&list[k].layerName[0], len(list[k].layerName)) == name {
			return max(uint32(list[k].specVersion), 1), nil
		}
	}
	return 0, nil
}

// Handle is the VkInstance.
func (i *Instance) Handle() vulkan.Instance {
	return fromRaw[vulkan.Instance](raw(i.c.instance))
}

// GetInstanceProcAddr is the loader's vkGetInstanceProcAddr, for other bindings to be used beside: vulkan.SetGetInstanceProcAddr.
func (i *Instance) GetInstanceProcAddr() unsafe.Pointer { return unsafe.Pointer(i.c.gipa) }

// Destroy ends the instance; its devices and surfaces must be gone.
func (i *Instance) Destroy() {
	if i == nil {
		return
	}
	i.once.Do(func() {
		if i.c != nil {
			C.evk_destroy_instance(i.c)
			i.c = nil
		}
		i.dropHandle()
	})
}

func (i *Instance) dropHandle() {
	if i.message != 0 {
		i.message.Delete()
		i.message = 0
	}
	if i.intercept != 0 {
		i.intercept.Delete()
		i.intercept = 0
	}
}

// DestroySurface destroys a surface that the windowing library made for this instance.
func (i *Instance) DestroySurface(s vulkan.Surface) {
	// Not vulkan-go's: its table is the first instance's, which may lack VK_KHR_surface.
	C.evk_destroy_surface(i.c, raw(s))
}
