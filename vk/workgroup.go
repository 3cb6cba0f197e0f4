package vk

import (
	"encoding/binary"
	"fmt"
	"maps"
)

// What of SPIR-V tells the size of a workgroup.
const (
	opEntryPoint, opExecutionMode, opExecutionModeID, opDecorate = 15, 16, 331, 71
	opTypeBool, opTypeInt, opTypeFloat, opTypeVector             = 20, 21, 22, 23
	opTypeMatrix, opTypeArray, opTypeStruct, opTypePointer       = 24, 28, 30, 32
	opConstant, opConstantComposite                              = 43, 44
	opSpecConstant, opSpecConstantComposite, opSpecConstantOp    = 50, 51, 52
	opFunction, opVariable                                       = 54, 59
	opIAdd, opISub, opIMul, opUDiv, opUMod                       = 128, 130, 132, 134, 137
	opShiftRight, opShiftLeft                                    = 194, 196

	modelCompute, modeLocalSize, modeLocalSizeID            = 5, 17, 38
	decorationSpecID, decorationBuiltIn, builtInWorkgroupSz = 1, 11, 25
	storageWorkgroup                                        = 4
)

// workgroup is what a compute shader asks of a device's limits.
type workgroup struct {
	size   [3]uint32
	known  bool   // whether size is: anything else may come from constants that this file does not work out
	shared uint64 // bytes of shared memory whose types it knows
}

// workgroupReader collects a module's declarations, up to its first function.
type workgroupReader struct {
	constants  map[uint32]uint32   // specialisation, by its id in the pipeline
	spec       map[uint32]uint32   // SpecId of a constant
	values     map[uint32]uint32   // scalar constants that are known
	composites map[uint32][]uint32 // of constants
	bytes      map[uint32]uint64   // size of a type
	pointees   map[uint32]uint32   // of pointers to shared memory
	entry      uint32
	builtIn    uint32 // constant decorated as the workgroup's size
	local      []uint32
	localIDs   []uint32
	group      workgroup
}

// readWorkgroup looks through the declarations of the pipeline's shader. Code that is no SPIR-V the driver is told of.
func readWorkgroup(o *ComputePipelineOptions) workgroup {
	r := workgroupReader{constants: maps.Clone(o.Specialization), spec: map[uint32]uint32{}, values: map[uint32]uint32{},
		composites: map[uint32][]uint32{}, bytes: map[uint32]uint64{}, pointees: map[uint32]uint32{}}
	if r.constants == nil {
		r.constants = map[uint32]uint32{}
	}
	for id, data := range o.Constants {
		if len(data) == 4 {
			r.constants[id] = binary.LittleEndian.Uint32(data)
		}
	}
	for at := 5; at < len(o.Code); {
		n, op := int(o.Code[at]>>16), o.Code[at]&0xFFFF
		if n == 0 || at+n > len(o.Code) || op == opFunction {
			break
		}
		r.read(op, o.Code[at+1:at+n], entryName(o.Entry))
		at += n
	}
	return r.result()
}

func (r *workgroupReader) read(op uint32, w []uint32, entry string) {
	switch {
	case op == opEntryPoint && len(w) > 2 && w[0] == modelCompute && literal(w[2:]) == entry:
		r.entry = w[1]
	case op == opExecutionMode && len(w) == 5 && w[0] == r.entry && w[1] == modeLocalSize:
		r.local = w[2:]
	case op == opExecutionModeID && len(w) == 5 && w[0] == r.entry && w[1] == modeLocalSizeID:
		r.localIDs = w[2:]
	case op == opDecorate && len(w) == 3 && w[1] == decorationSpecID:
		r.spec[w[0]] = w[2]
	case op == opDecorate && len(w) == 3 && w[1] == decorationBuiltIn && w[2] == builtInWorkgroupSz:
		r.builtIn = w[0]
	case len(w) >= 3 && (op == opConstant || op == opSpecConstant || op == opSpecConstantOp):
		r.constant(op, w[1], w[2:])
	case len(w) >= 2 && (op == opConstantComposite || op == opSpecConstantComposite):
		r.composites[w[1]] = w[2:]
	case op == opVariable && len(w) >= 3 && w[2] == storageWorkgroup:
		r.group.shared += r.bytes[r.pointees[w[0]]]
	case len(w) > 0:
		r.typ(op, w[0], w[1:])
	}
}

// constant works out a scalar. Of operations it knows those that sizes are made of.
func (r *workgroupReader) constant(op, id uint32, w []uint32) {
	switch op {
	case opConstant:
		r.values[id] = w[0]
	case opSpecConstant:
		r.values[id] = w[0]
		if k, ok := r.spec[id]; ok {
			if v, given := r.constants[k]; given {
				r.values[id] = v
			}
		}
	case opSpecConstantOp:
		if len(w) != 3 {
			return
		}
		a, knowA := r.values[w[1]]
		b, knowB := r.values[w[2]]
		if !knowA || !knowB {
			return
		}
		switch operation := w[0]; {
		case operation == opIAdd:
			r.values[id] = a + b
		case operation == opISub:
			r.values[id] = a - b
		case operation == opIMul:
			r.values[id] = a * b
		case operation == opUDiv && b != 0:
			r.values[id] = a / b
		case operation == opUMod && b != 0:
			r.values[id] = a % b
		case operation == opShiftRight:
			r.values[id] = a >> b
		case operation == opShiftLeft:
			r.values[id] = a << b
		}
	}
}

// typ notes the size of a type, without padding: what a driver takes at least.
func (r *workgroupReader) typ(op, id uint32, w []uint32) {
	switch {
	case op == opTypeBool:
		r.bytes[id] = 4
	case len(w) >= 1 && (op == opTypeInt || op == opTypeFloat):
		r.bytes[id] = uint64(w[0] / 8)
	case len(w) == 2 && (op == opTypeVector || op == opTypeMatrix):
		r.bytes[id] = r.bytes[w[0]] * uint64(w[1])
	case len(w) == 2 && op == opTypeArray:
		r.bytes[id] = r.bytes[w[0]] * uint64(r.values[w[1]])
	case op == opTypeStruct:
		for _, m := range w {
			r.bytes[id] += r.bytes[m]
		}
	case len(w) == 2 && op == opTypePointer && w[0] == storageWorkgroup:
		r.pointees[id] = w[1]
	}
}

func (r *workgroupReader) result() workgroup {
	ids := r.localIDs
	if r.builtIn != 0 {
		ids = r.composites[r.builtIn]
	}
	g := r.group
	switch {
	case len(ids) == 3:
		g.known = true
		for k, id := range ids {
			v, ok := r.values[id]
			g.size[k], g.known = v, g.known && ok
		}
	case len(r.local) == 3:
		g.size, g.known = [3]uint32(r.local), true
	}
	return g
}

// literal decodes a string in instructions.
func literal(w []uint32) string {
	var b []byte
	for _, v := range w {
		for range 4 {
			if byte(v) == 0 {
				return string(b)
			}
			b = append(b, byte(v))
			v >>= 8
		}
	}
	return string(b)
}

// fits refuses what is more than the device's limits allow: drivers need not say so, and crash or compute nonsense.
func (g workgroup) fits(l *Limits) error {
	x, y, z, most := g.size[0], g.size[1], g.size[2], l.MaxComputeWorkGroupSize
	large := uint64(x)*uint64(y)*uint64(z) > uint64(l.MaxComputeWorkGroupInvocations) || x > most[0] || y > most[1] || z > most[2]
	if g.known && large {
		return fmt.Errorf("%w: workgroups of %dx%dx%d lanes, the device takes %d, and %v in each direction", ErrInvalid, x, y, z,
			l.MaxComputeWorkGroupInvocations, most)
	}
	if g.shared > uint64(l.MaxComputeSharedMemorySize) {
		return fmt.Errorf("%w: %d bytes of shared memory, the device has %d", ErrInvalid, g.shared, l.MaxComputeSharedMemorySize)
	}
	return nil
}
