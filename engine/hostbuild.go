package engine

import (
	"fmt"

	"github.com/everray/everray/bvh/host"
	"github.com/everray/everray/engine/internal/compute"
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// HostGeometry is the memory of one geometry of a HostBuild.
type HostGeometry = host.Geometry

// HostOperation is deferred work of the host, as VkDeferredOperationKHR is: nothing happens until goroutines join it. Run
// joins with as many as are of use, and waits.
type HostOperation = host.Operation

// JoinStatus is what HostOperation.Join did.
type JoinStatus = host.JoinStatus

// Values of JoinStatus.
const (
	JoinDone    = host.JoinDone
	JoinIdle    = host.JoinIdle
	JoinStopped = host.JoinStopped
)

// HostBuild is one build or update by the host, as vkBuildAccelerationStructuresKHR has it.
type HostBuild struct {
	// Info and Ranges are those of a build by the device; the addresses in Info's geometries are not read.
	Info   vk.BuildInfo
	Ranges []vk.BuildRange
	// Data is the input's memory, of every geometry of Info. Instances refer to structures by their Address.
	Data []HostGeometry
	// BottomLevels are those that the instances of a top level refer to, in memory of the host, finished.
	BottomLevels []*AccelerationStructure
	// Dst and Src are those of Build, in memory of the host: see NewHostAccelerationStructure.
	Dst, Src *AccelerationStructure
}

// hostWay is what a way with host commands has beside driver.Driver.
type hostWay interface {
	// HostBuild checks builds by the host and returns the operation that does them.
	HostBuild(builds []compute.HostBuild) (*host.Operation, error)
	// HostCopy checks copies by the host and returns the operation that does them.
	HostCopy(copies []host.Copy) (*host.Operation, error)
	// HostProperty is what CmdWriteProperties writes of a structure.
	HostProperty(structure []byte, p driver.Property) (uint64, error)
}

// host is the way in use, where checkHostCommands has let the caller through.
func (d *Device) host() hostWay { return d.driver.(hostWay) }

// NewHostAccelerationStructure is NewAccelerationStructure in memory that the host sees, for HostBuild. The device builds,
// copies and traces it as any other, more slowly where its own memory is elsewhere: clone what is traced often.
func (d *Device) NewHostAccelerationStructure(t vk.AccelerationStructureType, size uint64, name string) (*AccelerationStructure,
	error) {
	return d.newAccelerationStructure(t, size, name, vk.Readback)
}

// HostBuild checks builds and updates that do not depend on each other, and returns an operation that does them when it is
// joined. All that they read and write stays as it is, untouched by others, until then; what the device has written before
// is finished, and made visible to the host. What is submitted afterwards sees the structures.
//
// Indices and references are looked at by the operation, whose Result refuses them (bvh.ErrInvalidBuild). The native way, whose
// drivers mostly have no accelerationStructureHostCommands, needs Limits.HostCommands.
func (d *Device) HostBuild(builds []HostBuild) (*HostOperation, error) {
	if err := d.checkHostCommands("build acceleration structures"); err != nil {
		return nil, err
	}
	list := make([]compute.HostBuild, len(builds))
	for i, b := range builds {
		if err := d.checkHostBuild(b); err != nil {
			return nil, fmt.Errorf("host build %d of %d: %w", i, len(builds), err)
		}
		list[i] = b.translate()
	}
	o, err := d.host().HostBuild(list)
	if err != nil {
		return nil, err
	}
	for _, b := range builds {
		b.Dst.history.note(b.Info, counts(b.Ranges))
	}
	return o, nil
}

func (d *Device) checkHostBuild(b HostBuild) error {
	limits := d.Limits()
	if err := checkInfo(b.Info, limits); err != nil {
		return err
	}
	most := counts(b.Ranges)
	if err := checkCounts(b.Info, most, limits); err != nil {
		return err
	}
	if err := d.checkStorage(Build{Info: b.Info, Ranges: b.Ranges, Dst: b.Dst, Src: b.Src}, most); err != nil {
		return err
	}
	if err := b.Dst.checkHosted(d, "Dst"); err != nil {
		return err
	}
	if b.Src != nil {
		if err := b.Src.checkHosted(d, "Src"); err != nil {
			return err
		}
	}
	for i, a := range b.BottomLevels {
		if err := a.checkHosted(d, fmt.Sprintf("BottomLevels[%d]", i)); err != nil {
			return err
		}
		if a.kind != vk.BottomLevel {
			return invalid("BottomLevels[%d] %q is a %v", i, a.name, a.kind)
		}
	}
	return nil
}

// translate turns a checked build into the driver's.
func (b HostBuild) translate() compute.HostBuild {
	t := compute.HostBuild{Info: b.Info, Ranges: b.Ranges, Data: b.Data, Storage: b.Dst.storage}
	if b.Src != nil {
		t.SrcStorage = b.Src.storage
	}
	for _, a := range b.BottomLevels {
		t.BottomLevels = append(t.BottomLevels, a.storage)
	}
	return t
}
