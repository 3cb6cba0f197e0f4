package engine

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// candidate is what the choice among devices depends on.
type candidate struct {
	name   string
	kind   vulkan.PhysicalDeviceType
	refuse error // why the device cannot be used
}

// openPhysical chooses a physical device and its way, and opens it. With a surface, devices that cannot present to it are
// passed over.
func (d *Device) openPhysical(o Options) error {
	all, err := d.instance.PhysicalDevices()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoDriver, err)
	}
	candidates := make([]candidate, len(all))
	for i, p := range all {
		candidates[i] = candidate{name: p.Name, kind: p.Type, refuse: p.Supported()}
	}
	for {
		index, err := pick(candidates, o.Device)
		if err != nil {
			return err
		}
		err = d.openAs(all[index], index, o)
		if err == nil || d.surface == vulkan.NullSurface {
			return err
		}
		candidates[index].refuse = err
	}
}

// openAs opens one physical device in the way that suits it.
func (d *Device) openAs(p *vk.PhysicalDevice, index int, o Options) error {
	backend, reason, err := choose(traitsOf(p, o), o.Backend)
	if err != nil {
		return err
	}
	d.device, err = vk.NewDevice(p, vk.DeviceOptions{
		Native: backend == BackendNative, Extensions: o.DeviceExtensions, Features: o.Features, PresentSurface: d.surface,
		Logger: o.Logger,
	})
	if err != nil {
		if errors.Is(err, vk.ErrMissingFeature) || errors.Is(err, vk.ErrMissingExtension) {
			err = driver.Mark(err, ErrUnsupported)
		}
		return fmt.Errorf("open %q: %w", p.Name, err)
	}
	d.info = describe(p, index)
	d.info.Backend, d.info.Reason = backend, reason
	return nil
}

// pick returns the index of the device that text names by index or by a part of its name; among several, and for the empty
// text, the best usable one.
func pick(all []candidate, text string) (int, error) {
	if len(all) == 0 {
		return 0, fmt.Errorf("%w: the loader knows no device; install a driver such as mesa-vulkan-drivers", ErrNoDriver)
	}
	named := func(i int) bool { return strings.Contains(strings.ToLower(all[i].name), strings.ToLower(text)) }
	if index, err := strconv.Atoi(text); err == nil && index >= 0 && index < len(all) {
		named = func(i int) bool { return i == index }
	}
	best, refused := -1, error(nil)
	for i, c := range all {
		switch {
		case !named(i):
		case c.refuse != nil:
			refused = errors.Join(refused, c.refuse)
		case best < 0 || typeRank(c.kind) < typeRank(all[best].kind):
			best = i
		}
	}
	if best >= 0 {
		return best, nil
	}
	if refused != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnsupportedDevice, refused)
	}
	return 0, fmt.Errorf("%w %q; there are %s", ErrUnknownDevice, text, names(all))
}

func names(all []candidate) string {
	list := make([]string, len(all))
	for i, c := range all {
		list[i] = fmt.Sprintf("%d: %s (%s)", i, c.name, typeName(c.kind))
	}
	return strings.Join(list, ", ")
}

// typeRank orders device types, best first.
func typeRank(t vulkan.PhysicalDeviceType) int {
	switch t {
	case vulkan.PhysicalDeviceTypeDiscreteGpu:
		return 0
	case vulkan.PhysicalDeviceTypeIntegratedGpu:
		return 1
	case vulkan.PhysicalDeviceTypeVirtualGpu:
		return 2
	case vulkan.PhysicalDeviceTypeCpu:
		return 3
	}
	return 4
}

func typeName(t vulkan.PhysicalDeviceType) string {
	return [...]string{"discrete", "integrated", "virtual", "cpu", "other"}[typeRank(t)]
}
