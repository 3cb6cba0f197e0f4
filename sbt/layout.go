package sbt

import (
	"errors"
	"fmt"
)

// HandleSize is the size of a shader group handle on both ways (VkPhysicalDeviceRayTracingPipelinePropertiesKHR's
// shaderGroupHandleSize is 32 on every implementation of the final extension).
const HandleSize = 32

// NullGroup is the group of a record whose handle is all zeros: nothing runs when it is reached.
const NullGroup = -1

// MaxInstanceOffset is the largest table offset that an instance can hold (24 bits).
const MaxInstanceOffset = 1<<24 - 1

// MaxRayOffset is the largest table offset and stride that a trace call can hold (4 bits).
const MaxRayOffset = 1<<4 - 1

// ErrInvalid is wrapped by the errors of this package.
var ErrInvalid = errors.New("invalid shader binding table")

// Limits are the alignment rules of a device.
type Limits struct {
	// HandleAlignment is the alignment of strides, BaseAlignment that of sections, MaxStride the largest stride.
	HandleAlignment, BaseAlignment, MaxStride uint64
}

// DefaultLimits are those of the compute way, and no weaker than those of any known driver, so that a table laid out by them
// is valid everywhere.
func DefaultLimits() Limits {
	return Limits{HandleAlignment: 32, BaseAlignment: 64, MaxStride: 4096}
}

// Validate reports alignments that no device can have.
func (l Limits) Validate() error {
	if !powerOfTwo(l.HandleAlignment) {
		return fmt.Errorf("%w: handle alignment %d is not a power of two", ErrInvalid, l.HandleAlignment)
	}
	if !powerOfTwo(l.BaseAlignment) {
		return fmt.Errorf("%w: base alignment %d is not a power of two", ErrInvalid, l.BaseAlignment)
	}
	if l.MaxStride < HandleSize {
		return fmt.Errorf("%w: maximal stride %d is smaller than a handle of %d bytes", ErrInvalid, l.MaxStride, HandleSize)
	}
	return nil
}

// Section is one of the four parts of a table.
type Section int

// The sections of a table, in the order in which they lie in memory.
const (
	Raygen Section = iota
	Miss
	Hit
	Callable
	sectionCount
)

// String returns "raygen", "miss", "hit" or "callable".
func (s Section) String() string {
	switch s {
	case Raygen:
		return "raygen"
	case Miss:
		return "miss"
	case Hit:
		return "hit"
	case Callable:
		return "callable"
	}
	return fmt.Sprintf("Section(%d)", int(s))
}

// Record is one entry of a table.
type Record struct {
	// Group is the index of the shader group in its pipeline, or NullGroup.
	Group int
	// Data follows the handle; shaders see it as their shaderRecordEXT block.
	Data []byte
}

// Layout lists the records of a table in the order in which shaders index them.
type Layout struct {
	Raygen, Miss, Hit, Callable []Record
	// MissData, HitData and CallableData reserve at least so many bytes of data in each record of the section,
	// for data written later or for records of different lengths in several tables.
	MissData, HitData, CallableData uint64
}

// section returns the records of s and the data bytes reserved in each.
func (l Layout) section(s Section) ([]Record, uint64) {
	switch s {
	case Raygen:
		return l.Raygen, 0
	case Miss:
		return l.Miss, l.MissData
	case Hit:
		return l.Hit, l.HitData
	default:
		return l.Callable, l.CallableData
	}
}

// Plan says where the records of a layout lie, in bytes from the start of a buffer that is aligned to Limits.BaseAlignment.
type Plan struct {
	limits Limits
	size   uint64
	extent [sectionCount]extent
}

type extent struct {
	offset, stride uint64
	count          int
}

// NewPlan places the records of a layout.
func NewPlan(layout Layout, limits Limits) (*Plan, error) {
	if err := limits.Validate(); err != nil {
		return nil, err
	}
	if len(layout.Raygen) == 0 {
		return nil, fmt.Errorf("%w: no raygen record", ErrInvalid)
	}
	p := &Plan{limits: limits}
	for s := range sectionCount {
		records, reserved := layout.section(s)
		stride, err := sectionStride(s, records, reserved, limits)
		if err != nil {
			return nil, err
		}
		p.size = align(p.size, limits.BaseAlignment)
		p.extent[s] = extent{offset: p.size, stride: stride, count: len(records)}
		p.size += stride * uint64(len(records))
	}
	return p, nil
}

// sectionStride returns the smallest stride that holds every record of a section.
func sectionStride(s Section, records []Record, reserved uint64, limits Limits) (uint64, error) {
	data := reserved
	for i, r := range records {
		if r.Group < NullGroup {
			return 0, fmt.Errorf("%w: %v record %d: group %d", ErrInvalid, s, i, r.Group)
		}
		if r.Group == NullGroup && s == Raygen {
			return 0, fmt.Errorf("%w: raygen record %d: a raygen record cannot be null", ErrInvalid, i)
		}
		data = max(data, uint64(len(r.Data)))
	}
	if data > limits.MaxStride { // before the sum below can wrap
		return 0, fmt.Errorf("%w: %v records hold %d bytes of data, a stride is at most %d", ErrInvalid, s, data, limits.MaxStride)
	}
	unit := limits.HandleAlignment
	if s == Raygen {
		unit = max(unit, limits.BaseAlignment)
	}
	stride := align(HandleSize+data, unit)
	if stride > limits.MaxStride {
		return 0, fmt.Errorf("%w: %v stride %d (handle %d + data %d, aligned to %d) exceeds the limit %d",
			ErrInvalid, s, stride, HandleSize, data, unit, limits.MaxStride)
	}
	return stride, nil
}

// Size returns the bytes of the whole table.
func (p *Plan) Size() uint64 { return p.size }

// Alignment returns the alignment that the table's address needs.
func (p *Plan) Alignment() uint64 { return p.limits.BaseAlignment }

// Count returns the number of records of a section.
func (p *Plan) Count(s Section) int {
	if s < 0 || s >= sectionCount {
		return 0
	}
	return p.extent[s].count
}

// Stride returns the distance between the records of a section.
func (p *Plan) Stride(s Section) uint64 {
	if s < 0 || s >= sectionCount {
		return 0
	}
	return p.extent[s].stride
}

// Offset returns where a record begins; its data follows HandleSize bytes later.
func (p *Plan) Offset(s Section, record int) (uint64, error) {
	if s < 0 || s >= sectionCount {
		return 0, fmt.Errorf("%w: section %d", ErrInvalid, int(s))
	}
	e := p.extent[s]
	if record < 0 || record >= e.count {
		return 0, fmt.Errorf("%w: %v record %d of %d", ErrInvalid, s, record, e.count)
	}
	return e.offset + e.stride*uint64(record), nil
}

// DataRange checks that n bytes of data from off on lie in a record, and returns where they begin.
func (p *Plan) DataRange(s Section, record int, off, n uint64) (uint64, error) {
	begin, err := p.Offset(s, record)
	if err != nil {
		return 0, err
	}
	room := p.extent[s].stride - HandleSize
	if off > room || n > room-off {
		return 0, fmt.Errorf("%w: %v record %d: data %d..%d does not fit the %d bytes after the handle",
			ErrInvalid, s, record, off, off+n, room)
	}
	return begin + HandleSize + off, nil
}

// Encode returns the bytes of the table. handle returns the handle of a group, HandleSize bytes.
func (p *Plan) Encode(layout Layout, handle func(group int) ([]byte, error)) ([]byte, error) {
	out := make([]byte, p.size)
	for s := range sectionCount {
		records, _ := layout.section(s)
		if len(records) != p.extent[s].count {
			return nil, fmt.Errorf("%w: %d %v records, the plan has %d", ErrInvalid, len(records), s, p.extent[s].count)
		}
		for i, r := range records {
			begin, err := p.DataRange(s, i, 0, uint64(len(r.Data)))
			if err != nil {
				return nil, err
			}
			copy(out[begin:], r.Data)
			if r.Group == NullGroup {
				continue
			}
			h, err := handle(r.Group)
			if err != nil {
				return nil, fmt.Errorf("%v record %d: %w", s, i, err)
			}
			if len(h) != HandleSize {
				return nil, fmt.Errorf("%w: %v record %d: handle of %d bytes", ErrInvalid, s, i, len(h))
			}
			copy(out[begin-HandleSize:begin], h)
		}
	}
	return out, nil
}

func powerOfTwo(v uint64) bool { return v != 0 && v&(v-1) == 0 }

func align(v, to uint64) uint64 { return (v + to - 1) &^ (to - 1) }
