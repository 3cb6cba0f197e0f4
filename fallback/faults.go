package fallback

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/everray/everray/vk"
)

// ErrFault is wrapped by every fault that the GPU reports.
var ErrFault = errors.New("fault in a ray tracing pipeline")

// faultReport is the memory at Trace.Faults: words of a record are kind, launch id (3), state, value and pipeline.
//
//glsl:fallback/runtime.comp RtFaults
type faultReport struct {
	count   uint32
	_       [3]uint32
	records [faultCapacity][8]uint32
}

const faultCapacity = 64 //glsl:RT_FAULT_CAPACITY

// FaultBufferSize is the size of the memory at Trace.Faults in bytes.
const FaultBufferSize = 16 + 32*faultCapacity

var _ [FaultBufferSize]byte = [unsafe.Sizeof(faultReport{})]byte{}

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
	var r faultReport
	copy(vk.Bytes(&r), b)
	whole := max(0, len(b)-int(unsafe.Offsetof(r.records))) / int(unsafe.Sizeof(r.records[0]))
	for i := range min(int(r.count), faultCapacity, whole) {
		w := r.records[i]
		faults = append(faults, &Fault{
			Kind: FaultKind(w[0]), LaunchID: [3]uint32{w[1], w[2], w[3]}, State: w[4], Value: w[5], Pipeline: w[6],
		})
	}
	return int(r.count), faults
}
