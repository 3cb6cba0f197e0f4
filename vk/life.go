package vk

import (
	"fmt"
	"sync/atomic"
)

// life is the part of an object that tells whether it still exists.
type life struct{ over atomic.Bool }

// Alive says whether the object was not destroyed yet.
func (l *life) Alive() bool { return l != nil && !l.over.Load() }

func (l *life) end() { l.over.Store(true) }

// Object is what a Device makes and what commands use: a Buffer, an Image, a Sampler, a CommandBuffer, a DescriptorSet or a
// DescriptorSetLayout.
type Object interface {
	// Device is the one that made the object.
	Device() *Device
	// Alive says whether the object was not destroyed yet.
	Alive() bool
	// Name as given.
	Name() string
}

// Owns says by ErrInvalid why commands of d must not use an object: it was destroyed, or another device made it. The object is
// not nil.
func (d *Device) Owns(o Object) error {
	switch {
	case o.Device() != d:
		return fmt.Errorf("%w: %q belongs to another device", ErrInvalid, o.Name())
	case !o.Alive():
		return fmt.Errorf("%w: %q is destroyed", ErrInvalid, o.Name())
	}
	return nil
}

// usable is ErrClosed after Destroy.
func (d *Device) usable() error {
	if d == nil || d.closed.Load() {
		return ErrClosed
	}
	return nil
}

// Device is the buffer's device.
func (b *Buffer) Device() *Device { return b.d }

// Device is the image's device.
func (i *Image) Device() *Device { return i.d }

// Name as given.
func (i *Image) Name() string { return i.o.Name }

// Device is the sampler's device.
func (s *Sampler) Device() *Device { return s.d }

// Name as given.
func (s *Sampler) Name() string { return s.name }

// Device is the set's device.
func (s *DescriptorSet) Device() *Device { return s.d }

// Name is that of the set's layout.
func (s *DescriptorSet) Name() string { return s.layout.name }

// Device is the layout's device.
func (l *DescriptorSetLayout) Device() *Device { return l.d }
