package engine

import vulkan "github.com/vulkan-go/vulkan"

// Intercepted returns options whose device asks f before every Vulkan call that can fail.
func Intercepted(o Options, f func(call string) vulkan.Result) Options {
	o.intercept = f
	return o
}
