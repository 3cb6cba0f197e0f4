package vk

// #include "evk.h"
import "C"

import (
	"fmt"
	"slices"
)

// requiredFeatures are those that every device has to have, see PhysicalDevice.Supported.
var requiredFeatures = []string{"bufferDeviceAddress", "scalarBlockLayout", "timelineSemaphore", "synchronization2"}

// OptionalFeatures lists, by their Vulkan names, the features that a device may lack, those of its own ray tracing
// and those that are enabled on request left out.
func OptionalFeatures() []string {
	var f Features
	var out, extra []string
	for _, l := range f.ExtraFeatures.links(new(C.evk_features)) {
		extra = append(extra, l.name)
	}
	for _, l := range f.links(nil) {
		if !l.rt && !slices.Contains(extra, l.name) && !slices.Contains(requiredFeatures, l.name) {
			out = append(out, l.name)
		}
	}
	return out
}

// Without returns the features less those of the given Vulkan names. An unknown name is an error that wraps ErrInvalid.
func (f Features) Without(names ...string) (Features, error) {
	links := f.links(nil)
	for _, name := range names {
		k := slices.IndexFunc(links, func(l link) bool { return l.name == name })
		if k < 0 {
			return Features{}, fmt.Errorf("feature %q: %w: this package knows no such feature", name, ErrInvalid)
		}
		*links[k].f = false
	}
	return f, nil
}
