package compute

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/everray/everray/bvh"
	"github.com/everray/everray/bvh/host"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// CmdBuildIndirect records one set of dispatches over the whole batch.
func (d *Driver) CmdBuildIndirect(cb *vk.CommandBuffer, builds []driver.IndirectBuild) error {
	list := make([]bvh.IndirectBuild, len(builds))
	for i, b := range builds {
		list[i] = bvh.IndirectBuild{
			Info: b.Info, MaxPrimitives: b.MaxPrimitives, Ranges: b.Address, Stride: b.Stride, Dst: b.Storage, Src: b.SrcStorage,
			Scratch: b.Scratch,
		}
	}
	return refused(d.builder.CmdBuildIndirect(cb, list))
}

// HostBuild is one build or update by the host. All storage is in its memory. SrcStorage is that of the structure to update
// from, nil for Storage itself.
type HostBuild struct {
	Info         vk.BuildInfo
	Ranges       []vk.BuildRange
	Data         []host.Geometry
	Storage      *vk.Buffer
	SrcStorage   *vk.Buffer
	BottomLevels []*vk.Buffer
}

// HostBuild lets bvh write to the structures' memory.
func (d *Driver) HostBuild(builds []HostBuild) (*host.Operation, error) {
	list := make([]host.BuildInput, len(builds))
	for i, b := range builds {
		headers := make(map[vk.DeviceAddress][]byte, len(b.BottomLevels))
		for _, s := range b.BottomLevels {
			headers[s.Address()] = s.Mapped()
		}
		list[i] = host.BuildInput{
			Info: b.Info, Ranges: b.Ranges, Data: b.Data, BottomLevel: func(a vk.DeviceAddress) []byte { return headers[a] },
			WideNodes: bvh.WideNodes(d.device), Dst: b.Storage.Mapped(), Address: b.Storage.Address(),
		}
		if b.SrcStorage != nil && b.SrcStorage != b.Storage {
			list[i].Src = b.SrcStorage.Mapped()
		}
	}
	o, err := host.Build(list)
	return o, refused(err)
}

// HostCopy lets bvh write to the structures' memory.
func (d *Driver) HostCopy(copies []host.Copy) (*host.Operation, error) {
	o, err := host.Copies(copies)
	return o, refused(err)
}

// HostProperty asks bvh.
func (d *Driver) HostProperty(structure []byte, p driver.Property) (uint64, error) {
	v, err := host.Property(structure, bvh.Property(p))
	return v, refused(err)
}

// CmdCopy records one set of dispatches over the whole batch.
func (d *Driver) CmdCopy(cb *vk.CommandBuffer, copies []driver.Copy) error {
	list := make([]bvh.Copy, len(copies))
	for i, c := range copies {
		b := bvh.Copy{Mode: c.Mode, Src: rangeOf(c.Blob), Dst: rangeOf(c.Blob), BottomLevelsReady: c.BottomLevelsReady}
		if c.Src != nil {
			b.Src = bvh.Range{Buffer: c.SrcStorage}
		}
		if c.Dst != nil {
			b.Dst = bvh.Range{Buffer: c.DstStorage}
		}
		if c.Status.Buffer != nil {
			b.Status = c.Status.Address()
		}
		list[i] = b
	}
	return refused(d.builder.CmdCopy(cb, list))
}

func rangeOf(r vk.Range) bvh.Range {
	return bvh.Range{Buffer: r.Buffer, Offset: r.Offset, Size: r.Size}
}

// CmdWriteProperties records dispatches that write to dst.
func (d *Driver) CmdWriteProperties(cb *vk.CommandBuffer, list []driver.Subject, p driver.Property, dst *vk.Buffer,
	offset uint64) error {
	ranges := make([]bvh.Range, len(list))
	for i, s := range list {
		ranges[i] = bvh.Range{Buffer: s.Storage}
	}
	return refused(d.builder.CmdWriteProperties(cb, ranges, bvh.Property(p), dst, offset))
}

// CheckSerialized knows the blobs of this version of package bvh.
func (d *Driver) CheckSerialized(header [driver.SerializedVersionSize]byte) error {
	if inspect.CheckSerialized(header[:]) {
		return nil
	}
	return fmt.Errorf("%w: compatibility UUID %s is not that of the compute way (what a driver has serialised natively is read by "+
		"BackendNative on that driver)",
		driver.ErrIncompatible, uuid.UUID(header[16:]))
}

// CheckBlob looks at the header of the structure inside; everything else is checked by the device.
func (d *Driver) CheckBlob(t vk.AccelerationStructureType, blob []byte) error {
	h, err := inspect.ReadSerializedHeader(blob)
	if err != nil {
		return err
	}
	if h.SerializedSize > uint64(len(blob)) || h.DeserializedSize > h.SerializedSize {
		return fmt.Errorf("%w: a structure of %d bytes in a blob of %d, of which %d are there", driver.ErrInvalidBlob, h.DeserializedSize,
			h.SerializedSize, len(blob))
	}
	s, err := inspect.Decode(blob[h.SerializedSize-h.DeserializedSize : h.SerializedSize])
	if err != nil {
		return fmt.Errorf("%w: %w", driver.ErrInvalidBlob, err)
	}
	if s.Type != t {
		return fmt.Errorf("%w: the blob holds a %v, Type says %v", driver.ErrInvalid, s.Type, t)
	}
	return nil
}

// Decode reads the structure and its primitives.
func (d *Driver) Decode(ctx context.Context, storage *vk.Buffer) (*inspect.Structure, error) {
	return inspect.Read(ctx, d.device, storage, 0)
}
