package reflect

import (
	"encoding/binary"
	"math"

	"github.com/everray/everray/fallback/spirv"
)

// maxNesting bounds how many arrays of arrays are followed; SPIR-V allows 255 levels of structures.
const maxNesting = 256

// types reads types under values of specialisation constants.
type types struct {
	m      *Module
	values map[uint32][]byte
	sizes  map[spirv.ID]uint64 // of all types, nil before somebody asks
}

// add enters a variable that a shader uses.
func (t *types) add(s *Shader, id spirv.ID) {
	v := t.m.defs[id]
	p := t.m.defs[v.Type]
	if p == nil || p.Op != spirv.OpTypePointer {
		return
	}
	class, pointee := v.Variable().StorageClass(), p.TypePointer().Type()
	if class == spirv.StorageClassPushConstant {
		s.PushConstants = max(s.PushConstants, t.size(pointee))
		return
	}
	b := Binding{Name: t.m.names[id]}
	var set, binding bool
	b.Set, set = t.m.decoration(id, spirv.DecorationDescriptorSet)
	b.Binding, binding = t.m.decoration(id, spirv.DecorationBinding)
	if !set || !binding {
		return
	}
	element, count := t.element(pointee)
	b.Count = count
	if t.resource(&b, class, element) {
		s.Bindings = append(s.Bindings, b)
	}
}

// element strips arrays of a type and returns the product of their lengths, 0 if one is not known.
func (t *types) element(id spirv.ID) (spirv.ID, uint32) {
	count := uint64(1)
	for range maxNesting {
		d := t.m.defs[id]
		if d == nil {
			return id, uint32(count)
		}
		switch d.Op {
		case spirv.OpTypeRuntimeArray:
			count = 0
		case spirv.OpTypeArray:
			n, _ := t.constant(d.TypeArray().Length())
			if count *= n; n > math.MaxUint32 || count > math.MaxUint32 {
				count = 0
			}
		default:
			return id, uint32(count)
		}
		id = d.TypeArray().ElementType()
	}
	return id, 0
}

// resource fills in what a descriptor is for; false if it is for nothing known.
func (t *types) resource(b *Binding, class spirv.StorageClass, id spirv.ID) bool {
	d := t.m.defs[id]
	if d == nil {
		return false
	}
	switch {
	case class == spirv.StorageClassUniformConstant && d.Op == spirv.OpTypeSampledImage:
		if d = t.m.defs[d.TypeSampledImage().ImageType()]; d == nil || d.Op != spirv.OpTypeImage {
			return false
		}
		t.image(b, d)
		if b.Kind == SampledImage {
			b.Kind = CombinedImageSampler
		}
	case class == spirv.StorageClassUniformConstant && d.Op == spirv.OpTypeImage:
		t.image(b, d)
	case class == spirv.StorageClassUniformConstant && d.Op == spirv.OpTypeSampler:
		b.Kind = Sampler
	case class == spirv.StorageClassUniformConstant && d.Op == spirv.OpTypeAccelerationStructureKHR:
		b.Kind = AccelerationStructure
	case d.Op != spirv.OpTypeStruct:
		return false
	case class == spirv.StorageClassStorageBuffer:
		b.Kind = StorageBuffer
	case class == spirv.StorageClassUniform:
		b.Kind = UniformBuffer
		if _, old := t.m.decoration(id, spirv.DecorationBufferBlock); old {
			b.Kind = StorageBuffer
		}
	}
	if b.Kind == UniformBuffer || b.Kind == StorageBuffer {
		b.Size = t.size(id)
		if b.Name == "" {
			b.Name = t.m.names[id]
		}
	}
	return b.Kind != 0
}

// image reads an OpTypeImage.
func (t *types) image(b *Binding, d *spirv.Inst) {
	const sampled = 1
	v := d.TypeImage()
	b.Image = Image{Dim: v.Dim(), Arrayed: v.Arrayed() == 1, Multisampled: v.MS() == 1, Format: v.ImageFormat()}
	read := v.Sampled() == sampled
	switch {
	case b.Image.Dim == spirv.DimSubpassData:
		b.Kind = InputAttachment
	case b.Image.Dim == spirv.DimBuffer && read:
		b.Kind = UniformTexelBuffer
	case b.Image.Dim == spirv.DimBuffer:
		b.Kind = StorageTexelBuffer
	case read:
		b.Kind = SampledImage
	default:
		b.Kind = StorageImage
	}
}

// constant returns the value of an integer constant; ok is false if it is none, or an operation on specialisation constants.
func (t *types) constant(id spirv.ID) (v uint64, ok bool) {
	d := t.m.defs[id]
	if d == nil || d.Op != spirv.OpConstant && d.Op != spirv.OpSpecConstant || len(d.Operands) == 0 {
		return 0, false
	}
	v = d.Constant().Bits()
	if d.Op == spirv.OpConstant {
		return v, true
	}
	if spec, has := t.m.decoration(id, spirv.DecorationSpecId); has {
		if b := t.values[spec]; len(b) > 0 && len(b) <= 8 {
			var word [8]byte
			copy(word[:], b)
			v = binary.LittleEndian.Uint64(word[:])
		}
	}
	return v, true
}

// size returns the bytes that a type with a layout takes at least. What is not known counts nothing, runtime arrays neither.
func (t *types) size(id spirv.ID) uint64 {
	if t.sizes == nil {
		t.measure()
	}
	return t.sizes[id]
}

// measure finds the sizes of all types. Types are made of types that stand ahead of them, so that one walk does: no way into
// what strangers nest by the million. In a module that nobody has verified, what stands behind is not known.
func (t *types) measure() {
	t.sizes = map[spirv.ID]uint64{}
	for i := range t.m.source.Globals {
		d := &t.m.source.Globals[i]
		size := uint64(0)
		switch d.Op {
		case spirv.OpTypeInt, spirv.OpTypeFloat:
			size = uint64(d.TypeNumber().Width()) / 8
		case spirv.OpTypePointer:
			size = 8
		case spirv.OpTypeVector, spirv.OpTypeMatrix:
			size = product(t.sizes[d.TypeVectorOrMatrix().PartType()], uint64(d.TypeVectorOrMatrix().PartCount()))
		case spirv.OpTypeArray:
			stride, _ := t.m.decoration(d.Result, spirv.DecorationArrayStride)
			if n, _ := t.constant(d.TypeArray().Length()); n > 0 {
				size = sum(product(uint64(stride), n-1), t.sizes[d.TypeArray().ElementType()])
			}
		case spirv.OpTypeStruct:
			size = t.structure(d)
		}
		if size > 0 {
			t.sizes[d.Result] = size
		}
	}
}

// structure is the size of a structure: up to where the member that reaches farthest ends.
func (t *types) structure(d *spirv.Inst) uint64 {
	end := uint64(0)
	for i := range d.Operands {
		offset, _ := t.m.memberDecoration(d.Result, uint32(i), spirv.DecorationOffset)
		size := t.sizes[d.ID(i)]
		if stride, ok := t.m.memberDecoration(d.Result, uint32(i), spirv.DecorationMatrixStride); ok {
			size = max(size, t.matrices(d.ID(i), d.Result, uint32(i), uint64(stride), size))
		}
		end = max(end, sum(uint64(offset), size))
	}
	return end
}

// matrices is the size of a member that is a matrix with a stride; of an array of them the last one's padding is left out.
func (t *types) matrices(id, structure spirv.ID, member uint32, stride, packed uint64) uint64 {
	d := t.m.defs[id]
	if d == nil || d.Op != spirv.OpTypeMatrix {
		return packed
	}
	column := t.m.defs[d.TypeMatrix().ColumnType()]
	if column == nil || column.Op != spirv.OpTypeVector {
		return packed
	}
	component := t.sizes[column.TypeVector().ComponentType()]
	lines, length := uint64(d.TypeMatrix().ColumnCount()), uint64(column.TypeVector().ComponentCount())
	if _, rows := t.m.memberDecoration(structure, member, spirv.DecorationRowMajor); rows {
		lines, length = length, lines
	}
	if lines == 0 {
		return packed
	}
	return sum(product(stride, lines-1), product(component, length))
}

// sum and product stop at the largest value.
func sum(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

func product(a, b uint64) uint64 {
	if b != 0 && a > math.MaxUint64/b {
		return math.MaxUint64
	}
	return a * b
}
