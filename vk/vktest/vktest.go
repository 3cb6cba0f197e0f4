package vktest

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// Environment variables that this package reads.
const (
	// RequireVariable set to 1 makes a missing driver or layer a failure.
	RequireVariable = "EVERRAY_REQUIRE_VULKAN"
	// DeviceVariable chooses a device by a part of its name.
	DeviceVariable = "EVERRAY_TEST_DEVICE"
	// NoNativeVariable set to 1 skips tests of the driver's own ray tracing, even where RequireVariable forbids skipping: for
	// drivers that have none.
	NoNativeVariable = "EVERRAY_NO_NATIVE"
	// NoValidationVariable set to 1 leaves the layer out, for measuring.
	NoValidationVariable = "EVERRAY_NO_VALIDATION"
)

type options struct {
	native       bool
	noValidation bool
	expected     func(vk.Message) bool
	extensions   []string
	intercept    func(call string) vulkan.Result
}

// Option changes what Device opens.
type Option func(*options)

// Native enables the driver's own ray tracing; without it on the device the test is skipped (or fails, see above).
func Native() Option { return func(o *options) { o.native = true } }

// NoValidation leaves the layer out, for benchmarks.
func NoValidation() Option { return func(o *options) { o.noValidation = true } }

// InstanceExtensions adds instance extensions.
func InstanceExtensions(names ...string) Option {
	return func(o *options) { o.extensions = append(o.extensions, names...) }
}

// Intercept is vk.InstanceOptions.Intercept.
func Intercept(f func(call string) vulkan.Result) Option { return func(o *options) { o.intercept = f } }

// Expect lets through the messages for which f is true.
func Expect(f func(vk.Message) bool) Option { return func(o *options) { o.expected = f } }

// Device opens a device that lives as long as the test.
func Device(t testing.TB, opts ...Option) *vk.Device {
	t.Helper()
	var o options
	for _, f := range opts {
		f(&o)
	}
	if os.Getenv(NoValidationVariable) == "1" {
		o.noValidation = true
	}
	seen := &messages{t: t, expected: o.expected}
	instance, err := vk.NewInstance(vk.InstanceOptions{
		AppName: t.Name(), Validation: !o.noValidation, SyncValidation: !o.noValidation, OnMessage: seen.add, Extensions: o.extensions,
		Restrict: Restrict(t), Intercept: o.intercept,
	})
	if err != nil {
		unavailable(t, err)
	}
	t.Cleanup(func() {
		instance.Destroy()
		seen.stop()
	})
	p := choose(t, instance)
	if o.native && p.RT == nil {
		MissingNative(t, p.Name+" has no ray tracing of its own (install mesa-vulkan-drivers 24.2 or newer: scripts/setup.sh)")
	}
	d, err := vk.NewDevice(p, vk.DeviceOptions{Name: t.Name(), Native: o.native})
	if err != nil {
		unavailable(t, err)
	}
	t.Cleanup(func() {
		if err := d.Destroy(); err != nil {
			t.Errorf("vktest: %v", err)
		}
	})
	return d
}

// choose takes the named device, else the CPU driver, else the first.
func choose(t testing.TB, i *vk.Instance) *vk.PhysicalDevice {
	t.Helper()
	all, err := i.PhysicalDevices()
	if err != nil {
		unavailable(t, err)
	}
	if want := os.Getenv(DeviceVariable); want != "" {
		for _, p := range all {
			if strings.Contains(strings.ToLower(p.Name), strings.ToLower(want)) {
				return p
			}
		}
		t.Fatalf("vktest: no Vulkan device has %q (%s) in its name", want, DeviceVariable)
	}
	for _, p := range all {
		if p.Type == vulkan.PhysicalDeviceTypeCpu {
			return p
		}
	}
	if len(all) == 0 {
		Missing(t, "no Vulkan device (install mesa-vulkan-drivers: scripts/setup.sh)")
	}
	return all[0]
}

// unavailable skips for what is not installed, and fails for everything else.
func unavailable(t testing.TB, err error) {
	t.Helper()
	for _, e := range []error{vk.ErrNoVulkan, vk.ErrNoValidationLayer, vk.ErrLavapipeTooOld, vk.ErrMissingFeature,
		vk.ErrMissingExtension} {
		if errors.Is(err, e) {
			Missing(t, err.Error())
		}
	}
	t.Fatalf("vktest: %v", err)
}

// Missing skips a test for want of something, or fails it where RequireVariable forbids skipping.
func Missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv(RequireVariable) == "1" {
		t.Fatalf("vktest: %s; %s=1 forbids skipping", why, RequireVariable)
	}
	t.Skipf("vktest: %s", why)
}

// MissingNative is Missing for want of the driver's own ray tracing.
func MissingNative(t testing.TB, why string) {
	t.Helper()
	if os.Getenv(NoNativeVariable) == "1" {
		t.Skipf("vktest: %s; %s=1", why, NoNativeVariable)
	}
	Missing(t, why)
}

// messages turns messages into failures of the test.
type messages struct {
	mu       sync.Mutex
	t        testing.TB // nil after the test
	expected func(vk.Message) bool
}

func (m *messages) add(msg vk.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.t == nil || !msg.Validation {
		return // the loader reports every driver file that it cannot use: none of a test's business
	}
	if m.expected != nil && m.expected(msg) {
		return
	}
	const most = 1500 // some messages list every structure of Vulkan
	msg.Text = msg.Text[:min(len(msg.Text), most)]
	m.t.Errorf("vulkan validation: %v", msg)
}

func (m *messages) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.t = nil
}
