package vktest

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// Injector makes the Vulkan calls of a test fail in turn: one call of each place in the code at a time, with each of the results
// that the specification lists for it. Its Intercept method is for vk.InstanceOptions.Intercept or the option of that name.
type Injector struct {
	mu    sync.Mutex
	sites []site // seen while none is armed, without repetitions
	armed site
	fail  vulkan.Result
	fired bool
}

// site is a call and the lines of this module that led to it.
type site struct{ call, stack string }

// Intercept lets a call through, or fails it.
func (x *Injector) Intercept(call string) vulkan.Result {
	s := site{call, stack()}
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.armed == site{}:
		if !slices.Contains(x.sites, s) {
			x.sites = append(x.sites, s)
		}
	case x.armed == s && !x.fired:
		x.fired = true
		return x.fail
	}
	return vulkan.Success
}

// stack is where this module calls Vulkan, innermost first.
func stack() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var b strings.Builder
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "everray/") && !strings.Contains(f.Function,
			"_Cfunc_") && !strings.Contains(f.Function, "vktest.") {
			b.WriteString(f.Function[strings.LastIndexByte(f.Function, '/')+1:])
			b.WriteByte(' ')
		}
		if !more {
			return b.String()
		}
	}
}

// results are what a call is made to return: failures of its list in the specification.
func results(call string) []vulkan.Result {
	switch call {
	case "vkQueueSubmit2", "vkWaitSemaphores", "vkDeviceWaitIdle", "vkGetSemaphoreCounterValue", "vkGetQueryPoolResults":
		return []vulkan.Result{vulkan.ErrorOutOfHostMemory, vulkan.ErrorDeviceLost}
	case "vkAcquireNextImageKHR", "vkQueuePresentKHR":
		return []vulkan.Result{vulkan.ErrorOutOfDate, vulkan.ErrorOutOfHostMemory, vulkan.ErrorSurfaceLost, vulkan.ErrorDeviceLost}
	case "vkCreateSwapchainKHR", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "vkGetPhysicalDeviceSurfaceFormatsKHR",
		"vkGetPhysicalDeviceSurfacePresentModesKHR":
		return []vulkan.Result{vulkan.ErrorOutOfHostMemory, vulkan.ErrorSurfaceLost}
	case "vkAllocateDescriptorSets":
		return []vulkan.Result{vulkan.ErrorOutOfPoolMemory, vulkan.ErrorOutOfDeviceMemory}
	case "vkCreateDescriptorPool":
		return []vulkan.Result{vulkan.ErrorFragmentation, vulkan.ErrorOutOfHostMemory}
	case "vkMapMemory":
		return []vulkan.Result{vulkan.ErrorMemoryMapFailed}
	case "vkCreateInstance", "vkEnumeratePhysicalDevices", "vkCreateDevice":
		return []vulkan.Result{vulkan.ErrorOutOfHostMemory, vulkan.ErrorInitializationFailed}
	}
	return []vulkan.Result{vulkan.ErrorOutOfHostMemory, vulkan.ErrorOutOfDeviceMemory}
}

// Each runs a step once as it is, then with every failure of every call that it makes, and after each failure once more as it is.
// A step that fails must wrap the failure in an error that quotes a name; one that does not has got over it and checked what it
// made. After each run settled is called, to compare what is alive.
func (x *Injector) Each(t *testing.T, name string, step func() error, settled func() error) {
	t.Helper()
	x.arm(site{}, 0)
	x.sites = nil
	run := func(what string) bool {
		if err := errors.Join(step(), settled()); err != nil {
			t.Errorf("%s: %s: %v", name, what, err)
			return false
		}
		return true
	}
	if !run("without a failure") {
		return
	}
	sites, failures, overcome := slices.Clone(x.sites), 0, 0
	for _, s := range sites {
		for _, r := range results(s.call) {
			x.arm(s, r)
			err := step()
			fired := x.arm(site{}, 0)
			what := s.call + " (" + s.stack + ")"
			if !fired {
				continue // what was made once stays, such as kernels
			}
			failures++
			if err == nil {
				overcome++
			} else if why := judge(err, s.call, r); why != "" {
				t.Errorf("%s: %s returns %d: %v: %s", name, what, r, err, why)
			}
			if err := settled(); err != nil {
				t.Errorf("%s: after %s returned %d: %v", name, what, r, err)
			}
			if !run("the next after " + what) {
				return
			}
		}
	}
	t.Logf("%s: %d places, %d failures, %d of them got over", name, len(sites), failures, overcome)
}

// arm chooses what fails next, and says whether the last choice did.
func (x *Injector) arm(s site, r vulkan.Result) (fired bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	fired = x.fired
	x.armed, x.fail, x.fired = s, r, false
	return fired
}

// partOf are calls whose failure is reported as that of a larger step: a pipeline's or an instance's.
var partOf = map[string]bool{"vkCreateShaderModule": true, "vkCreateDebugUtilsMessengerEXT": true}

// judge says what an error about a failure lacks.
func judge(err error, call string, r vulkan.Result) string {
	var result *vk.ResultError
	switch {
	case !errors.As(err, &result) || result.Op != call && !partOf[call] || result.Result != r:
		return "it does not wrap the call's result"
	case result.Unwrap() == nil || !errors.Is(err, result.Unwrap()):
		return "no sentinel stands for it"
	case !strings.Contains(err.Error(), `"`):
		return "it names no object"
	}
	return ""
}
