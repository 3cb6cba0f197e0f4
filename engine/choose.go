package engine

import (
	"fmt"
	"strings"

	"github.com/everray/everray/vk"
)

const (
	// driverLavapipe is VK_DRIVER_ID_MESA_LLVMPIPE, driverNVIDIA VK_DRIVER_ID_NVIDIA_PROPRIETARY.
	driverLavapipe = 13
	driverNVIDIA   = 4
)

// traits is what the choice of a way depends on.
type traits struct {
	name   string
	driver uint32
	// missing names what native ray tracing lacks.
	missing []string
	// queries is whether the driver has ray queries.
	queries bool
	// hitObjects is whether shaders have hit objects that the driver does not know.
	hitObjects bool
	// clusters is whether the program has clusters.
	clusters bool
}

func traitsOf(p *vk.PhysicalDevice, o Options) traits {
	f := p.Features
	return traits{
		name: p.Name, driver: p.DriverID, missing: nativeMissing(p), queries: p.Extensions["VK_KHR_ray_query"],
		clusters:   o.Clusters,
		hitObjects: o.HitObjects.NV && !f.InvocationReorderNV || o.HitObjects.EXT && !f.InvocationReorderEXT,
	}
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

// emulates tells whether the driver traces rays in software, on a chip without ray tracing units: NVIDIA's has pipelines but no
// ray queries there.
func (t traits) emulates() bool { return t.driver == driverNVIDIA && !t.queries }

// choose returns the way for a device and a sentence that says why. Native it is, but where it is known to be slower: on
// lavapipe, and where the driver emulates. On the H200 compute traces bare rays 1.6 to 2.7 times and paths 1.2 times as fast
// (README.md).
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
		if t.clusters {
			return 0, "", fmt.Errorf("Options.Clusters: %w", lacking("clusters natively (BackendCompute and BackendAuto have them)"))
		}
		return BackendNative, "native was asked for", nil
	case BackendAuto:
	default:
		return 0, "", fmt.Errorf("Options.Backend is %v: %w: want auto, native or compute", want, ErrInvalid)
	}
	if !native {
		return BackendCompute, "the device has no native ray tracing: it lacks " + strings.Join(t.missing, ", "), nil
	}
	if t.hitObjects {
		return BackendCompute, "the driver lacks the extension of the hit objects in Options.HitObjects", nil
	}
	if t.clusters {
		return BackendCompute, "clusters, which Options.Clusters asks for, are by compute on every device", nil
	}
	if t.driver == driverLavapipe {
		return BackendCompute, "lavapipe's own ray tracing is slower than compute, by hundreds of times on large meshes", nil
	}
	if t.emulates() {
		return BackendCompute, "the driver has no ray queries, so it emulates ray tracing, which is slower than compute", nil
	}
	return BackendNative, "the device has native ray tracing", nil
}
