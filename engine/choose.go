package engine

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/everray/everray/vk"
)

const (
	vendorNVIDIA = 0x10DE
	// driverLavapipe is VK_DRIVER_ID_MESA_LLVMPIPE.
	driverLavapipe = 13
)

// traits is what the choice of a way depends on.
type traits struct {
	name           string
	vendor, driver uint32
	// missing names what native ray tracing lacks.
	missing []string
}

func traitsOf(p *vk.PhysicalDevice) traits {
	return traits{name: p.Name, vendor: p.VendorID, driver: p.DriverID, missing: nativeMissing(p)}
}

// nativeMissing names the extensions and features that native ray tracing needs and the device lacks.
func nativeMissing(p *vk.PhysicalDevice) []string {
	var missing []string
	for _, name := range []string{"VK_KHR_acceleration_structure", "VK_KHR_ray_tracing_pipeline", "VK_KHR_deferred_host_operations"} {
		if !p.Extensions[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return missing
	}
	if !p.Features.AccelerationStructure {
		missing = append(missing, "feature accelerationStructure")
	}
	if !p.Features.RayTracingPipeline {
		missing = append(missing, "feature rayTracingPipeline")
	}
	return missing
}

// choose returns the way for a device and a sentence that says why.
func choose(t traits, want Backend) (Backend, string, error) {
	native := len(t.missing) == 0
	switch want {
	case BackendCompute:
		return BackendCompute, "compute was asked for", nil
	case BackendNative:
		if !native {
			return 0, "", fmt.Errorf("%w on %q: it lacks %s; use the compute or auto backend",
				ErrNativeUnavailable, t.name, strings.Join(t.missing, ", "))
		}
		return BackendNative, "native was asked for", nil
	case BackendAuto:
	default:
		return 0, "", fmt.Errorf("Options.Backend is %v: %w: want auto, native or compute", want, ErrInvalid)
	}
	if !native {
		return BackendCompute, "the device has no native ray tracing: it lacks " + strings.Join(t.missing, ", "), nil
	}
	if t.driver == driverLavapipe {
		return BackendCompute, "lavapipe's own ray tracing is hundreds of times slower than compute", nil
	}
	if t.vendor == vendorNVIDIA {
		if chip, ok := chipWithoutRTCores(t.name); ok {
			return BackendCompute, chip + " has no ray tracing units; its driver emulates them more slowly than compute", nil
		}
	}
	return BackendNative, "the device has native ray tracing", nil
}

// nvidiaWithoutRTCores lists, as words of the device's name, NVIDIA chips whose driver exposes the ray tracing extensions but
// emulates them with its own shaders. Nothing in Vulkan tells them apart from chips with RT cores. On the H200 compute
// traversal was measured at 1.7 to 2.7 times the driver (design/baseline-h200.md); the others are the same kind of chip.
//
//	GH100, GH200        Hopper: H100, H200, H800, H20, GH200
//	GB100, GB200, GB300 Blackwell for data centres: B100, B200, B300
//	GA100               Ampere for data centres: A100, A800, A30 (but not A2, A10, A16, A40, which have RT cores)
//	GV100, GP100        Volta and Pascal for data centres
//	GTX 10 and 16       see chipWithoutRTCores
var nvidiaWithoutRTCores = []string{
	"H100", "H200", "H800", "H20", "GH200",
	"B100", "B200", "B300", "GB200", "GB300",
	"A100", "A100X", "A800", "A30", "A30X",
	"V100", "V100S", "GV100", "P100", "GP100", "P40", "P4", "P6",
}

// chipWithoutRTCores looks an NVIDIA device's name up in the table and returns the word that matched.
func chipWithoutRTCores(name string) (string, bool) {
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		for _, chip := range nvidiaWithoutRTCores {
			if w == chip {
				return chip, true
			}
		}
		// GeForce GTX 1060 to 1080 Ti and 1630 to 1660 Ti.
		if w == "GTX" && i+1 < len(words) && len(words[i+1]) == 4 &&
			(strings.HasPrefix(words[i+1], "10") || strings.HasPrefix(words[i+1], "16")) {
			return "GTX " + words[i+1], true
		}
	}
	return "", false
}
