package engine

import (
	"fmt"

	"github.com/everray/everray/bvh/host"
	"github.com/everray/everray/vk"
)

// HostCopy is one copy by the host, as vkCopyAccelerationStructureKHR and its likes for memory have it. Structures are in
// memory of the host: see NewHostAccelerationStructure.
type HostCopy struct {
	Mode CopyMode
	// Src and Dst are those of Copy.
	Src, Dst *AccelerationStructure
	// Blob is what CopySerialize writes, in PropertySerializedSize bytes, and CopyDeserialize reads.
	Blob []byte
	// BottomLevels, if there are any, are all that a top level's blob has handles of, finished, as with BottomLevelsReady of
	// Copy. Without, bottom levels may come later.
	BottomLevels []*AccelerationStructure
}

// HostCopy checks copies that do not depend on each other, and returns an operation that does them when it is joined, under
// the rules of HostBuild. What is wrong with a blob, or too small for a copy, its Result says: ErrIncompatible, ErrInvalidBlob,
// or bvh.ErrInvalidCopy; then nothing is written.
func (d *Device) HostCopy(copies []HostCopy) (*HostOperation, error) {
	if err := d.checkHostCommands("copy acceleration structures"); err != nil {
		return nil, err
	}
	list := make([]host.Copy, len(copies))
	pairs := make([]Copy, len(copies))
	for i, c := range copies {
		if err := c.check(d); err != nil {
			return nil, fmt.Errorf("host copy %d of %d: %w", i, len(copies), err)
		}
		list[i] = c.translate()
		list[i].Driver = d.device.Physical().DriverUUID
		pairs[i] = Copy{Mode: c.Mode, Src: c.Src, Dst: c.Dst}
	}
	if err := checkIndependent(pairs); err != nil {
		return nil, err
	}
	o, err := d.host().HostCopy(list)
	if err != nil {
		return nil, err
	}
	for _, c := range copies {
		switch c.Mode {
		case CopyClone, CopyCompact:
			c.Dst.history.take(&c.Src.history)
		case CopyDeserialize:
			c.Dst.history.forget()
		}
	}
	return o, nil
}

// HostProperty is Properties of one structure in memory of the host, which is finished.
func (d *Device) HostProperty(a *AccelerationStructure, p Property) (uint64, error) {
	if err := d.checkHostCommands("ask an acceleration structure"); err != nil {
		return 0, err
	}
	if err := a.checkHosted(d, "structure"); err != nil {
		return 0, err
	}
	if p == PropertyCompactedSize {
		if err := a.checkCompactable("structure"); err != nil {
			return 0, err
		}
	}
	return d.host().HostProperty(a.storage.Mapped(), p)
}

// checkHostCommands refuses what the host shall do where the way has no such commands.
func (d *Device) checkHostCommands(what string) error {
	if err := d.enter(); err != nil {
		return fmt.Errorf("%s on the host: %w", what, err)
	}
	defer d.leave()
	if _, can := d.driver.(hostWay); can && d.Limits().HostCommands {
		return nil
	}
	return fmt.Errorf("%s on the host: %w", what,
		lacking("accelerationStructureHostCommands, see Limits.HostCommands (the compute way can)"))
}

// checkHosted wants a structure in memory of the host.
func (a *AccelerationStructure) checkHosted(d *Device, field string) error {
	if err := a.check(d, field); err != nil {
		return err
	}
	if !a.host {
		return invalid("%s %q is not in memory of the host (NewHostAccelerationStructure)", field, a.name)
	}
	return nil
}

func (c *HostCopy) check(d *Device) error {
	if c.Mode > CopyDeserialize {
		return invalid("Mode is %d, want CopyClone, CopyCompact, CopySerialize or CopyDeserialize", c.Mode)
	}
	if c.Mode != CopyDeserialize {
		if err := c.Src.checkHosted(d, "Src"); err != nil {
			return err
		}
	}
	if c.Mode != CopySerialize {
		if err := c.Dst.checkHosted(d, "Dst"); err != nil {
			return err
		}
	}
	for i, a := range c.BottomLevels {
		if err := a.checkHosted(d, fmt.Sprintf("BottomLevels[%d]", i)); err != nil {
			return err
		}
	}
	if c.Mode == CopySerialize || c.Mode == CopyDeserialize {
		return nil
	}
	return (&Copy{Mode: c.Mode, Src: c.Src, Dst: c.Dst}).checkPair()
}

// translate turns a checked copy into that of package bvh.
func (c *HostCopy) translate() host.Copy {
	t := host.Copy{Mode: c.Mode, Src: c.Blob, Dst: c.Blob}
	if c.Mode != CopyDeserialize {
		t.Src = c.Src.storage.Mapped()
	}
	if c.Mode != CopySerialize {
		t.Dst, t.Address = c.Dst.storage.Mapped(), c.Dst.Address()
	}
	if len(c.BottomLevels) > 0 {
		headers := make(map[vk.DeviceAddress][]byte, len(c.BottomLevels))
		for _, a := range c.BottomLevels {
			headers[a.Address()] = a.storage.Mapped()
		}
		t.BottomLevel = func(a vk.DeviceAddress) []byte { return headers[a] }
	}
	return t
}
