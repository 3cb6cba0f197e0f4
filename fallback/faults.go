package fallback

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrFault is wrapped by every fault that the GPU reports.
var ErrFault = errors.New("fault in a ray tracing pipeline")

// FaultBufferSize is the size of the memory at Trace.Faults in bytes.
const FaultBufferSize = 16 + faultCapacity*faultBytes

const (
	faultCapacity = 64 // RT_FAULT_CAPACITY
	faultBytes    = 32
)

// FaultKind says what went wrong.
type FaultKind uint32

// What can go wrong on the GPU. The ray of a fault ends; other rays are not affected.
const (
	FaultStackOverflow FaultKind = 1 // Value: slots needed
	FaultRecursion     FaultKind = 2 // Value: depth reached, more than the pipeline declared
	FaultTraversal     FaultKind = 3 // Value: height of the acceleration structure, too deep for the traversal stack
	FaultRecordRange   FaultKind = 4 // Value: index of a record outside its table
	// Value: tag of a handle of another pipeline, or of garbage; or a shader number that the pipeline lacks
	FaultHandle    FaultKind = 5
	FaultStructure FaultKind = 6 // Value: what stands in memory in place of an acceleration structure's magic number
)

func (k FaultKind) String() string {
	switch k {
	case FaultStackOverflow:
		return "stack overflow"
	case FaultRecursion:
		return "recursion deeper than declared"
	case FaultTraversal:
		return "acceleration structure too deep for the traversal stack"
	case FaultRecordRange:
		return "shader binding table record out of range"
	case FaultHandle:
		return "shader binding table handle of another pipeline"
	case FaultStructure:
		return "not an acceleration structure"
	}
	return fmt.Sprintf("fault kind %d", uint32(k))
}

// Fault is one thing that went wrong on the GPU.
type Fault struct {
	Kind     FaultKind
	LaunchID [3]uint32
	State    uint32 // number of the running state, see Pipeline.ShaderOf
	Value    uint32
	Pipeline uint32 // Tag of the pipeline
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%v at launch index %d,%d,%d (state %d, value %d)", f.Kind, f.LaunchID[0], f.LaunchID[1], f.LaunchID[2],
		f.State, f.Value)
}

// Unwrap makes errors.Is(err, ErrFault) true.
func (f *Fault) Unwrap() error { return ErrFault }

// ReadFaults decodes the contents of a fault buffer: how many faults there were, and the first of them.
func ReadFaults(b []byte) (total int, faults []*Fault) {
	if len(b) < 16 {
		return 0, nil
	}
	e := binary.LittleEndian
	n := int(e.Uint32(b))
	for i := 0; i < min(n, faultCapacity) && 16+(i+1)*faultBytes <= len(b); i++ {
		r := b[16+i*faultBytes:]
		faults = append(faults, &Fault{
			Kind: FaultKind(e.Uint32(r)), LaunchID: [3]uint32{e.Uint32(r[4:]), e.Uint32(r[8:]), e.Uint32(r[12:])},
			State: e.Uint32(r[16:]), Value: e.Uint32(r[20:]), Pipeline: e.Uint32(r[24:]),
		})
	}
	return n, faults
}
