package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine/internal/compute"
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/engine/internal/native"
	"github.com/everray/everray/vk"
)

// Options chooses and configures a device. The zero value opens the best device in the way that suits it.
type Options struct {
	// Backend forces a way; BackendAuto chooses.
	Backend Backend
	// Device is the index of a device in List's order, or a part of its name in any case.
	// Empty is the best: discrete before integrated before virtual before CPU.
	Device string
	// AppName is told to the driver.
	AppName string
	// Validation and SyncValidation switch the validation layer on; its messages go to OnMessage, or to Logger without one.
	Validation, SyncValidation bool
	OnMessage                  func(vk.Message)
	// Logger receives what the engine decides and does; nil uses slog.Default.
	Logger *slog.Logger
	// CacheDir is a directory that keeps linked and compiled pipelines from one run to the next; it is made where there is
	// none, and Open fails if it cannot be used. Empty keeps nothing. Several processes may share one.
	CacheDir string
	// Form is the form of linking of pipelines that leave theirs at FormAuto (compute way).
	Form LinkForm
	// Dump is a directory for finding defects, which is made where there is none. Each pipeline, library and shader of LowerShader
	// gets a directory in it: stages, options and specialisation as a reproducer for `viewer link`, what the driver says of the
	// compiled code, and by compute the module after each pass as text, and the linked code. Empty is the environment's
	// EVERRAY_DUMP; if that is empty, too, nothing is written.
	Dump string
	// Features are those of Vulkan that shaders or the program's own pipelines need beside what is always enabled, by their
	// names in the specification: "shaderStorageImageExtendedFormats", say. vk.ExtraFeatures lists them. Where the device
	// lacks one, Open fails with an error that wraps ErrUnsupported.
	Features []string
	// HitObjects says that shaders have hit objects, of which extensions: BackendAuto then takes the compute way, which has both,
	// where the driver lacks one of them. Natively a pipeline that has some is refused there, with ErrUnsupported.
	HitObjects HitObjects
	// Clusters says that the program has clusters (CmdBuildClusters). They are by compute on every device: BackendAuto takes that
	// way then, and with BackendNative Open fails with ErrUnsupported. VK_NV_cluster_acceleration_structure is not used where a
	// driver has it, as none was at hand to try that with.
	Clusters bool
	// InstanceExtensions and DeviceExtensions are enabled besides what the engine needs.
	InstanceExtensions, DeviceExtensions []string
	// Restrict, if not nil, sees each physical device first and may take away features and lower limits: for trying a program as
	// on a lesser device. Nothing that it takes away is enabled.
	Restrict func(*vk.PhysicalDevice)
	// CreateSurface is called once with the instance, before a device is chosen; the device can then present to the surface.
	// Close destroys the surface, and so does Open when it fails.
	CreateSurface func(vulkan.Instance) (vulkan.Surface, error)
	// intercept is for tests, see vk.InstanceOptions.
	intercept func(call string) vulkan.Result
}

// HitObjects are the extensions of hit objects that shaders may use: SPV_NV_ and SPV_EXT_shader_invocation_reorder.
type HitObjects struct{ NV, EXT bool }

// Limits of a device in the chosen way.
type Limits = driver.Limits

// Device is an open device with one way of ray tracing.
type Device struct {
	instance *vk.Instance
	device   *vk.Device
	driver   driver.Driver
	info     DeviceInfo
	logger   *slog.Logger
	surface  vulkan.Surface
	form     LinkForm
	dump     string
	gate     gate
	closing  sync.Mutex // one Close at a time
}

// Open opens a device and chooses the way of ray tracing.
func Open(ctx context.Context, o Options) (*Device, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	instance, err := newInstance(o)
	if err != nil {
		return nil, err
	}
	d := &Device{instance: instance, logger: o.Logger, form: o.Form, dump: cmp.Or(o.Dump, os.Getenv(dumpVariable))}
	d.gate.empty.L = &d.gate.mu
	if d.logger == nil {
		d.logger = slog.Default()
	}
	if err := d.open(ctx, o); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.logger.Debug("ray tracing device opened", "device", d.info.Name, "backend", d.info.Backend, "reason", d.info.Reason)
	return d, nil
}

func newInstance(o Options) (*vk.Instance, error) {
	instance, err := vk.NewInstance(vk.InstanceOptions{
		AppName: o.AppName, Validation: o.Validation, SyncValidation: o.SyncValidation,
		Extensions: o.InstanceExtensions, OnMessage: o.OnMessage, Logger: o.Logger, Restrict: o.Restrict,
		Intercept: o.intercept,
	})
	if errors.Is(err, vk.ErrNoVulkan) {
		return nil, fmt.Errorf("%w: %w", ErrNoDriver, err)
	}
	return instance, err
}

func (d *Device) open(ctx context.Context, o Options) error {
	if o.CreateSurface != nil {
		surface, err := o.CreateSurface(d.instance.Handle())
		if err != nil {
			return fmt.Errorf("create the surface: %w", err)
		}
		d.surface = surface
	}
	if err := d.openPhysical(o); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var err error
	if d.driver, err = newDriver(d.device, d.info.Backend, o.CacheDir, d.dump); err != nil {
		return fmt.Errorf("open %q for %v ray tracing: %w", d.info.Name, d.info.Backend, err)
	}
	d.info.Limits = d.driver.Limits()
	if d.info.Backend == BackendCompute {
		d.info.Limits.Reorders = o.Form.InRounds() // of pipelines that leave theirs open
	}
	return nil
}

// dumpVariable is the environment variable that stands in for Options.Dump, for programs that cannot be changed.
const dumpVariable = "EVERRAY_DUMP"

func newDriver(dev *vk.Device, b Backend, cacheDir, dump string) (driver.Driver, error) {
	if b == BackendNative {
		return native.New(dev, cacheDir)
	}
	return compute.New(dev, cacheDir, dump)
}

// VK returns the Vulkan device for everything that is not ray tracing: buffers, images, command buffers, submission. After Close
// it is nil, whose constructors return ErrClosed.
func (d *Device) VK() *vk.Device {
	if d == nil {
		return nil
	}
	d.gate.mu.Lock()
	defer d.gate.mu.Unlock()
	return d.device
}

// Backend returns the way in use, BackendNative or BackendCompute.
func (d *Device) Backend() Backend { return d.info.Backend }

// Reason says in a sentence why this way is in use.
func (d *Device) Reason() string { return d.info.Reason }

// Info describes the device; Backend and Reason are those in use.
func (d *Device) Info() DeviceInfo { return d.info }

// Limits returns what the chosen way can do on this device.
func (d *Device) Limits() Limits {
	if d == nil {
		return Limits{}
	}
	return d.info.Limits
}

// Surface returns what Options.CreateSurface made, or the null handle.
func (d *Device) Surface() vulkan.Surface { return d.surface }

// Close refuses new work with ErrClosed, waits for methods that other goroutines are in and for the device, destroys it with its
// surface and instance, and reports objects that were not destroyed. It may be called twice.
//
// Work that does not end, such as an endless loop in a shader whose Run returned with its context, keeps Close waiting only for a
// while: then the error wraps ErrBusy and nothing was freed, since the device may still use it. Close may be called again later; a
// program that ends need not, as the operating system stops the work of a process. Run explains what else can be done.
//
// It must not be called from a function that a method of the device calls.
func (d *Device) Close() error {
	if d == nil {
		return nil
	}
	d.closing.Lock()
	defer d.closing.Unlock()
	d.shut()
	var errs []error
	if d.device != nil {
		err := d.device.Drain()
		if errors.Is(err, ErrBusy) {
			return fmt.Errorf("close %q: %w", d.info.Name, err)
		}
		errs = append(errs, err)
	}
	if d.driver != nil {
		d.driver.Destroy()
		d.driver = nil
	}
	if device := d.device; device != nil {
		errs = append(errs, device.Destroy())
		d.gate.mu.Lock()
		d.device = nil
		d.gate.mu.Unlock()
	}
	if d.surface != vulkan.NullSurface {
		d.instance.DestroySurface(d.surface)
		d.surface = vulkan.NullSurface
	}
	if d.instance != nil {
		d.instance.Destroy()
		d.instance = nil
	}
	return errors.Join(errs...)
}

// Run records a command buffer, submits it, waits for it, and then reports the faults of its launches as a FaultError.
//
// If ctx ends while the device works, Run waits a tenth of a second more and returns the context's error. Vulkan cannot stop work:
// if the device works on even then, such as in an endless loop, the error wraps ErrBusy, too. What was recorded may still be in
// use, so it must not be written; it may be destroyed, and is freed when the device is done. Everything that waits for the
// device first
// waits for that work (vk.Device.Settle does nothing else), and fails with ErrBusy if its own context ends before. Drivers with a
// watchdog end such work by themselves, and the device is lost (vk.ErrDeviceLost); without one, only the end of the process does.
// A shader whose loops may not end is best given a bound, or a flag in a mapped buffer that the host sets.
func (d *Device) Run(ctx context.Context, name string, record func(cb *vk.CommandBuffer) error) error {
	if err := d.enter(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer d.leave()
	if record == nil {
		return fmt.Errorf("%s: %w", name, invalid("record is nil"))
	}
	return d.device.RunAndRead(ctx, name, record, func(cb *vk.CommandBuffer) error { return d.Faults(ctx, cb) })
}
