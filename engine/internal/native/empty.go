package native

import (
	"context"

	"github.com/everray/everray/vk"
)

// emptyStructure is a top level structure without instances.
type emptyStructure struct {
	storage, scratch, instances *vk.Buffer
	impl                        *vk.NativeAccelerationStructure
}

func (e *emptyStructure) destroy() {
	if e == nil {
		return
	}
	if e.impl != nil {
		e.impl.Destroy()
	}
	for _, b := range []*vk.Buffer{e.storage, e.scratch, e.instances} {
		if b != nil {
			b.Destroy()
		}
	}
}

// emptyStructure builds it the first time.
func (d *Driver) emptyStructure() (*vk.NativeAccelerationStructure, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.empty != nil {
		return d.empty.impl, nil
	}
	e := &emptyStructure{}
	if err := e.build(d); err != nil {
		e.destroy()
		return nil, err
	}
	d.empty = e
	return e.impl, nil
}

func (e *emptyStructure) build(d *Driver) error {
	var err error
	e.instances, err = d.device.NewBuffer(vk.BufferOptions{
		Name: "no instances", Size: vk.AccelerationStructureInstanceSize, Memory: vk.DeviceLocal, AccelerationStructureInput: true,
		Alignment: 16,
	})
	if err != nil {
		return err
	}
	info := vk.BuildInfo{Type: vk.TopLevel, Geometries: []vk.Geometry{
		{Type: vk.GeometryInstances, Instances: vk.Instances{Data: e.instances.Address()}},
	}}
	sizes, err := d.device.NativeBuildSizes(info, []uint32{0})
	if err != nil {
		return err
	}
	const structureAlignment = 256
	e.storage, err = d.device.NewBuffer(vk.BufferOptions{
		Name: "empty scene", Size: max(sizes.AccelerationStructureSize, structureAlignment), Memory: vk.DeviceLocal,
		AccelerationStructureStorage: true, Alignment: structureAlignment,
	})
	if err != nil {
		return err
	}
	e.scratch, err = d.device.NewBuffer(vk.BufferOptions{
		Name: "empty scene's scratch", Size: max(sizes.BuildScratchSize, 1), Memory: vk.DeviceLocal, Alignment: d.limits.ScratchAlignment,
	})
	if err != nil {
		return err
	}
	if e.impl, err = d.device.NewNativeAccelerationStructure(vk.TopLevel, e.storage, 0, e.storage.Size(), "empty scene"); err != nil {
		return err
	}
	// A descriptor is written without a context, and one empty build cannot take long.
	return d.device.Run(context.Background(), "build empty scene", func(cb *vk.CommandBuffer) error {
		defer cb.MemoryBarrier(vk.StageAllCommands, vk.AccessMemoryWrite, vk.StageAllCommands, vk.AccessMemoryRead)
		return cb.BuildAccelerationStructures([]vk.AccelerationStructureBuild{
			{Info: info, Ranges: []vk.BuildRange{{}}, Dst: e.impl, Scratch: e.scratch.Address()},
		})
	})
}
