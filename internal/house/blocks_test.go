package house

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
)

// field is a member of a block, as bytes from the block's beginning. A structure within a block stands by its own members,
// "missBase" for the base of miss.
type field struct {
	name         string
	offset, size uint32 // size 0 is an array without end
	float        bool
}

func (f field) String() string { return fmt.Sprintf("%s %d+%d", f.name, f.offset, f.size) }

// block is a structure with a layout in a compiled shader.
type block struct {
	shader, name string
	fields       []field
	stride       uint32 // of arrays of it, 0 if there are none
}

// key tells layouts apart: one name has several in the kernels of a folder, "Push" above all.
func (b *block) key() string {
	folder, _, _ := strings.Cut(b.shader, "/")
	return fmt.Sprintf("%s %s %v", folder, b.name, b.fields)
}

// end is where the last of its members ends.
func (b *block) end() uint32 {
	end := uint32(0)
	for _, f := range b.fields {
		end = max(end, f.offset+f.size)
	}
	return end
}

// layouts reads the types of one module.
type layouts struct {
	names   map[spirv.ID]string
	members map[spirv.ID]map[uint32]string
	offsets map[spirv.ID]map[uint32]uint32
	strides map[spirv.ID]uint32
	types   map[spirv.ID]*spirv.Inst
	numbers map[spirv.ID]uint32
}

func layoutsOf(m *spirv.Module) *layouts {
	y := &layouts{names: map[spirv.ID]string{}, members: map[spirv.ID]map[uint32]string{}, offsets: map[spirv.ID]map[uint32]uint32{},
		strides: map[spirv.ID]uint32{}, types: map[spirv.ID]*spirv.Inst{}, numbers: map[spirv.ID]uint32{}}
	for i := range m.Names {
		switch in := &m.Names[i]; in.Op {
		case spirv.OpName:
			y.names[in.ID(0)] = text(in.Operands[1:])
		case spirv.OpMemberName:
			put(y.members, in.ID(0), in.Operands[1], text(in.Operands[2:]))
		}
	}
	for i := range m.Annotations {
		in := &m.Annotations[i]
		switch {
		case in.Op == spirv.OpMemberDecorate && spirv.Decoration(in.Operands[2]) == spirv.DecorationOffset:
			put(y.offsets, in.ID(0), in.Operands[1], in.Operands[3])
		case in.Op == spirv.OpDecorate && spirv.Decoration(in.Operands[1]) == spirv.DecorationArrayStride:
			y.strides[in.ID(0)] = in.Operands[2]
		}
	}
	for i := range m.Globals {
		in := &m.Globals[i]
		y.types[in.Result] = in
		if in.Op == spirv.OpConstant && len(in.Operands) == 1 {
			y.numbers[in.Result] = in.Operands[0]
		}
	}
	return y
}

func put[V any](m map[spirv.ID]map[uint32]V, id spirv.ID, member uint32, v V) {
	if m[id] == nil {
		m[id] = map[uint32]V{}
	}
	m[id][member] = v
}

// text is a string of a module.
func text(words []uint32) string {
	var b strings.Builder
	for _, w := range words {
		for ; w != 0; w >>= 8 {
			b.WriteByte(byte(w))
		}
	}
	return b.String()
}

// size returns the bytes of a type, 0 of arrays without end, and whether it is made of floats.
func (y *layouts) size(id spirv.ID) (bytes uint32, float bool) {
	in := y.types[id]
	switch in.Op {
	case spirv.OpTypeInt, spirv.OpTypeFloat:
		return in.Operands[0] / 8, in.Op == spirv.OpTypeFloat
	case spirv.OpTypeVector, spirv.OpTypeMatrix:
		n, float := y.size(in.ID(0))
		return n * in.Operands[1], float
	case spirv.OpTypeArray:
		_, float := y.size(in.ID(0))
		return y.strides[id] * y.numbers[in.ID(1)], float
	case spirv.OpTypePointer:
		return 8, false
	case spirv.OpTypeStruct:
		for _, f := range y.fields(id, "", 0) {
			bytes = max(bytes, f.offset+f.size)
		}
	}
	return bytes, false
}

// view tells of a structure that is only a way to look at memory: an array without end, or one other structure.
func (y *layouts) view(id spirv.ID) bool {
	in := y.types[id]
	if len(in.Operands) != 1 {
		return false
	}
	op := y.types[in.ID(0)].Op
	return op == spirv.OpTypeRuntimeArray || op == spirv.OpTypeStruct
}

// strideOf returns the stride of arrays of a structure.
func (y *layouts) strideOf(id spirv.ID) uint32 {
	for array, stride := range y.strides {
		if in := y.types[array]; in != nil && in.Op != spirv.OpTypePointer && in.ID(0) == id {
			return stride
		}
	}
	return 0
}

// fields lists a structure's members, and in place of structures theirs.
func (y *layouts) fields(id spirv.ID, prefix string, base uint32) []field {
	var out []field
	for i := range uint32(len(y.types[id].Operands)) {
		t := y.types[id].ID(int(i))
		name, at := join(prefix, y.members[id][i]), base+y.offsets[id][i]
		if y.types[t].Op == spirv.OpTypeStruct {
			out = append(out, y.fields(t, name, at)...)
			continue
		}
		bytes, float := y.size(t)
		out = append(out, field{name, at, bytes, float})
	}
	return out
}

// join is the name of a member's member.
func join(prefix, name string) string {
	if prefix == "" || name == "" {
		return prefix + name
	}
	return prefix + strings.ToUpper(name[:1]) + name[1:]
}

// blocks reads all blocks of all compiled shaders, each layout once.
func blocks(t *testing.T) map[string]*block {
	t.Helper()
	out := map[string]*block{}
	dir := filepath.Join(root, "shaders", "spv")
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".spv" {
			return err
		}
		m, err := decodeShader(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, strings.TrimSuffix(name, ".spv"))
		if err != nil {
			return err
		}
		y := layoutsOf(m)
		for id := range y.offsets {
			if !y.view(id) {
				b := &block{filepath.ToSlash(relative), y.names[id], y.fields(id, "", 0), y.strideOf(id)}
				if have := out[b.key()]; have == nil || b.shader < have.shader {
					out[b.key()] = b
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// findBlock reads a block of one compiled shader.
func findBlock(t *testing.T, shader, name string) *block {
	t.Helper()
	m, err := decodeShader(filepath.Join(root, "shaders", "spv", filepath.FromSlash(shader)+".spv"))
	if err != nil {
		t.Fatal(err)
	}
	y := layoutsOf(m)
	for id := range y.offsets {
		if y.names[id] == name && !y.view(id) {
			return &block{shader, name, y.fields(id, "", 0), y.strideOf(id)}
		}
	}
	return nil
}

func decodeShader(name string) (*spirv.Module, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	m, err := spirv.Decode(words)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}
