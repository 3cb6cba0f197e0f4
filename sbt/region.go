package sbt

import "fmt"

// Region is a strided range of device memory (VkStridedDeviceAddressRegionKHR).
type Region struct {
	Address, Stride, Size uint64
}

// Regions are the four regions of a launch. An empty section is the zero Region.
type Regions struct {
	Raygen, Miss, Hit, Callable Region
}

// Regions returns the regions of a launch with one of the raygen records, for a table whose first byte is at base.
func (p *Plan) Regions(base uint64, raygen int) (Regions, error) {
	if base == 0 || base%p.limits.BaseAlignment != 0 {
		return Regions{}, fmt.Errorf("%w: table address %#x is not a multiple of %d", ErrInvalid, base, p.limits.BaseAlignment)
	}
	first, err := p.Offset(Raygen, raygen)
	if err != nil {
		return Regions{}, err
	}
	stride := p.extent[Raygen].stride
	return Regions{
		// Vulkan wants size and stride of the raygen region to be equal.
		Raygen:   Region{Address: base + first, Stride: stride, Size: stride},
		Miss:     p.region(base, Miss),
		Hit:      p.region(base, Hit),
		Callable: p.region(base, Callable),
	}, nil
}

func (p *Plan) region(base uint64, s Section) Region {
	e := p.extent[s]
	if e.count == 0 {
		return Region{}
	}
	return Region{Address: base + e.offset, Stride: e.stride, Size: e.stride * uint64(e.count)}
}

// CheckRegion applies the rules for a region of section s whose address and size somebody else chose
// (VUID-vkCmdTraceRaysKHR-stride-* and -size-*). An empty region is valid everywhere but for raygen.
func CheckRegion(s Section, r Region, limits Limits) error {
	if err := limits.Validate(); err != nil {
		return err
	}
	if r.Size == 0 && s != Raygen {
		return nil
	}
	switch {
	case r.Address == 0:
		return fmt.Errorf("%w: %v region has a null address", ErrInvalid, s)
	case r.Address%limits.BaseAlignment != 0:
		return fmt.Errorf("%w: %v region address %#x is not a multiple of %d", ErrInvalid, s, r.Address, limits.BaseAlignment)
	case r.Stride%limits.HandleAlignment != 0:
		return fmt.Errorf("%w: %v region stride %d is not a multiple of %d", ErrInvalid, s, r.Stride, limits.HandleAlignment)
	case r.Stride > limits.MaxStride:
		return fmt.Errorf("%w: %v region stride %d exceeds %d", ErrInvalid, s, r.Stride, limits.MaxStride)
	case r.Size < HandleSize:
		return fmt.Errorf("%w: %v region of %d bytes is smaller than a handle", ErrInvalid, s, r.Size)
	case s == Raygen && r.Size != r.Stride:
		return fmt.Errorf("%w: raygen region size %d differs from its stride %d", ErrInvalid, r.Size, r.Stride)
	case r.Address+r.Size < r.Address:
		return fmt.Errorf("%w: %v region of %d bytes at %#x leaves the address space", ErrInvalid, s, r.Size, r.Address)
	}
	return nil
}

// RecordIndex is the hit group indexing rule: the record of a hit on geometry geometryIndex of an instance whose table offset is
// instanceOffset, by a ray traced with table offset rayOffset and stride rayStride. Miss and callable records are indexed directly.
// As in the shader, the offset of the instance counts in its low 24 bits and those of the ray in their low 4 bits; the
// arithmetic is that of 32-bit integers.
func RecordIndex(instanceOffset, geometryIndex, rayOffset, rayStride uint32) uint32 {
	return instanceOffset&MaxInstanceOffset + geometryIndex*(rayStride&MaxRayOffset) + rayOffset&MaxRayOffset
}

// RecordAddress returns the address of a record, and whether it lies inside the region with its handle. With stride 0 all
// indices name the same record.
func RecordAddress(r Region, index uint32) (address uint64, ok bool) {
	offset := r.Stride * uint64(index)
	if r.Size < HandleSize || offset > r.Size-HandleSize {
		return 0, false
	}
	return r.Address + offset, true
}
