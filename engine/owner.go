package engine

import (
	"fmt"
	"sync"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// gate counts who is inside of a device's methods, so that Close can wait for them.
type gate struct {
	mu     sync.Mutex
	inside int
	empty  sync.Cond // nobody is inside; L is &mu
	closed bool
}

// enter is usable, and has Close wait until leave is called.
func (d *Device) enter() error {
	if d == nil {
		return ErrClosed
	}
	d.gate.mu.Lock()
	defer d.gate.mu.Unlock()
	if d.gate.closed {
		return ErrClosed
	}
	d.gate.inside++
	return nil
}

func (d *Device) leave() {
	d.gate.mu.Lock()
	defer d.gate.mu.Unlock()
	if d.gate.inside--; d.gate.inside == 0 {
		d.gate.empty.Broadcast()
	}
}

// shut refuses whoever enters from now on, and waits for those inside.
func (d *Device) shut() {
	d.gate.mu.Lock()
	defer d.gate.mu.Unlock()
	d.gate.closed = true
	for d.gate.inside > 0 {
		d.gate.empty.Wait()
	}
}

// usable returns ErrClosed after Close, and of a nil Device.
func (d *Device) usable() error {
	if d == nil {
		return ErrClosed
	}
	d.gate.mu.Lock()
	defer d.gate.mu.Unlock()
	if d.gate.closed {
		return ErrClosed
	}
	return nil
}

// lacking is the error about a feature that the device lacks in the way in use.
func lacking(format string, args ...any) error {
	return driver.Mark(fmt.Errorf("%w: %s", vk.ErrMissingFeature, fmt.Sprintf(format, args...)), ErrUnsupported)
}

// checkOwner wants an open device, and one of its command buffers.
func (d *Device) checkOwner(cb *vk.CommandBuffer) error {
	if err := d.usable(); err != nil {
		return err
	}
	if cb == nil {
		return invalid("the command buffer is nil")
	}
	if err := d.device.Owns(cb); err != nil {
		return fmt.Errorf("command buffer: %w", err)
	}
	return nil
}

// checkCommands wants an open device, and one of its command buffers that records.
func (d *Device) checkCommands(cb *vk.CommandBuffer) error {
	if err := d.checkOwner(cb); err != nil {
		return err
	}
	if !cb.Recording() {
		return invalid("command buffer %q does not record (call Begin)", cb.Name())
	}
	return nil
}

// checkBuffer wants a living buffer of the device that was made for a use; usage 0 asks for none. field names it.
func (d *Device) checkBuffer(field string, b *vk.Buffer, usage vulkanUsage) error {
	if b == nil {
		return invalid("%s is nil", field)
	}
	if err := d.device.Owns(b); err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	if missing := usage &^ vulkanUsage(b.Usage()); missing != 0 {
		return invalid("%s %q was made without the usage %v (vk.BufferOptions.Usage)", field, b.Name(), missing)
	}
	return nil
}

// vulkanUsage are VkBufferUsageFlagBits, of which engine asks for these.
type vulkanUsage uint32

const (
	usageTransferDst  vulkanUsage = 0x2
	usageUniformTexel vulkanUsage = 0x4
	usageStorageTexel vulkanUsage = 0x8
	usageUniform      vulkanUsage = 0x10
	usageStorage      vulkanUsage = 0x20
	usageIndirect     vulkanUsage = 0x100
)

var usageNames = map[vulkanUsage]string{
	usageTransferDst: "TRANSFER_DST", usageUniformTexel: "UNIFORM_TEXEL_BUFFER", usageStorageTexel: "STORAGE_TEXEL_BUFFER",
	usageUniform: "UNIFORM_BUFFER", usageStorage: "STORAGE_BUFFER", usageIndirect: "INDIRECT_BUFFER",
}

// String names one bit as the specification does.
func (u vulkanUsage) String() string {
	if s, ok := usageNames[u]; ok {
		return s
	}
	return fmt.Sprintf("%#x", uint32(u))
}

// living wants something that is there, and is the device's; field names it in errors.
func (d *Device) living(there bool, owner *Device, field, name string) error {
	switch {
	case !there:
		return invalid("%s is nil or destroyed", field)
	case owner != d:
		return invalid("%s %q belongs to another device", field, name)
	}
	return nil
}

// check wants a living structure of the device.
func (a *AccelerationStructure) check(d *Device, field string) error {
	if !a.alive() {
		return d.living(false, nil, field, "")
	}
	return d.living(true, a.device, field, a.name)
}

// check wants a living layout of the device.
func (l *DescriptorSetLayout) check(d *Device, field string) error {
	if l == nil || l.impl == nil {
		return d.living(false, nil, field, "")
	}
	return d.living(true, l.device, field, l.name)
}

// check wants a living pipeline of the device.
func (p *Pipeline) check(d *Device, field string) error {
	if p == nil || p.impl == nil {
		return d.living(false, nil, field, "")
	}
	return d.living(true, p.device, field, p.name)
}
