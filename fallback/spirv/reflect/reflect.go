package reflect

import (
	"cmp"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// Kind is what a shader takes a descriptor for.
type Kind int

// The kinds, as in the specification's table "Shader Resource and Descriptor Type Correspondence".
const (
	Sampler Kind = iota + 1
	SampledImage
	StorageImage
	CombinedImageSampler
	UniformTexelBuffer
	StorageTexelBuffer
	UniformBuffer
	StorageBuffer
	InputAttachment
	AccelerationStructure
)

var kindNames = [...]string{
	Sampler: "sampler", SampledImage: "sampled image", StorageImage: "storage image", CombinedImageSampler: "combined image sampler",
	UniformTexelBuffer: "uniform texel buffer", StorageTexelBuffer: "storage texel buffer", UniformBuffer: "uniform buffer",
	StorageBuffer: "storage buffer", InputAttachment: "input attachment", AccelerationStructure: "acceleration structure",
}

// String names the kind in words.
func (k Kind) String() string {
	if k < Sampler || int(k) >= len(kindNames) {
		return "unknown resource"
	}
	return kindNames[k]
}

// Binding is a variable with a descriptor.
type Binding struct {
	Set, Binding uint32
	Kind         Kind
	// Name is for people: that of the variable or of its block, if the module has any.
	Name string
	// Count is the number of descriptors, 0 if the module does not tell: an array without a size, or with one that depends on
	// specialisation in ways that are not followed.
	Count uint32
	// Size is what the block of a buffer takes at least, in bytes: up to a runtime array at its end.
	Size uint64
	// Image tells more of images.
	Image Image
}

// Image is a type of image, as OpTypeImage has it.
type Image struct {
	Dim          spirv.Dim
	Arrayed      bool
	Multisampled bool
	Format       spirv.ImageFormat // of storage images; Unknown is any
}

// Shader is what an entry point uses.
type Shader struct {
	// Bindings are sorted by set and binding. Two variables may share one.
	Bindings []Binding
	// PushConstants are the bytes of the push constant block, 0 without one.
	PushConstants uint64
	// Instructions are the opcodes in the functions that it reaches.
	Instructions map[spirv.Op]bool
}

// Constant is a specialisation constant.
type Constant struct {
	Name string
	// Bits is the size of the value: 8, 16, 32 or 64; 1 of a boolean, which takes 4 bytes.
	Bits uint32
}

// Module is a module that was read.
type Module struct {
	// Capabilities and Constants are the module's, whatever the entry point.
	Capabilities []spirv.Capability
	Constants    map[uint32]Constant // by SpecId

	source *spirv.Module
	defs   map[spirv.ID]*spirv.Inst // of globals
	names  map[spirv.ID]string
	// Decorations by their first parameter, 0 without one. The first of a kind counts. One is found without a look at the others:
	// a module of strangers may have a million of an id.
	ids       map[idDecoration]uint32
	members   map[memberDecoration]uint32
	variables map[spirv.ID]bool // global ones
	functions map[spirv.ID]*function
}

type idDecoration struct {
	id spirv.ID
	d  spirv.Decoration
}

type memberDecoration struct {
	id     spirv.ID
	member uint32
	d      spirv.Decoration
}

// function is what a function uses itself.
type function struct {
	calls, variables []spirv.ID
	ops              map[spirv.Op]bool
}

// Parse decodes and reads a module. Errors are those of spirv.Decode.
func Parse(code []uint32) (*Module, error) {
	s, err := spirv.DecodeOptions{DropLines: true}.Decode(code)
	if err != nil {
		return nil, err
	}
	if err := s.FlattenDecorationGroups(); err != nil {
		return nil, err
	}
	m := &Module{source: s, Constants: map[uint32]Constant{}, defs: map[spirv.ID]*spirv.Inst{}, names: map[spirv.ID]string{},
		ids: map[idDecoration]uint32{}, members: map[memberDecoration]uint32{}, variables: map[spirv.ID]bool{},
		functions: map[spirv.ID]*function{}}
	for i := range s.Capabilities {
		m.Capabilities = append(m.Capabilities, s.Capabilities[i].Capability().Capability())
	}
	m.readNames()
	m.readGlobals()
	for _, f := range s.Functions {
		m.functions[f.Def.Result] = m.readFunction(f)
	}
	return m, nil
}

// Verify checks the module by the rules of package spirv.
func (m *Module) Verify() error { return spirv.Verify(m.source) }

func (m *Module) readNames() {
	for i := range m.source.Names {
		if in := &m.source.Names[i]; in.Op == spirv.OpName && len(in.Operands) > 1 {
			m.names[in.Name().Target()] = in.Name().Name()
		}
	}
	for i := range m.source.Annotations {
		switch in := &m.source.Annotations[i]; in.Op {
		case spirv.OpDecorate:
			d := in.Decorate()
			note(m.ids, idDecoration{d.Target(), d.Decoration()}, d.Literals())
		case spirv.OpMemberDecorate:
			d := in.MemberDecorate()
			note(m.members, memberDecoration{d.StructureType(), d.Member(), d.Decoration()}, d.Literals())
		}
	}
}

// note enters a decoration with its parameters, unless there is one of the kind.
func note[K comparable](known map[K]uint32, key K, parameters []uint32) {
	if _, ok := known[key]; ok {
		return
	}
	known[key] = 0
	if len(parameters) > 0 {
		known[key] = parameters[0]
	}
}

func (m *Module) readGlobals() {
	for i := range m.source.Globals {
		in := &m.source.Globals[i]
		if in.Result == 0 {
			continue
		}
		m.defs[in.Result] = in
		switch in.Op {
		case spirv.OpVariable:
			m.variables[in.Result] = true
		case spirv.OpSpecConstant, spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse:
			id, ok := m.decoration(in.Result, spirv.DecorationSpecId)
			if !ok {
				continue
			}
			c := Constant{Name: m.names[in.Result], Bits: 1}
			if t := m.defs[in.Type]; t != nil && (t.Op == spirv.OpTypeInt || t.Op == spirv.OpTypeFloat) {
				c.Bits = t.TypeNumber().Width()
			}
			m.Constants[id] = c
		}
	}
}

func (m *Module) readFunction(f *spirv.Function) *function {
	out := &function{ops: map[spirv.Op]bool{}}
	seen := map[spirv.ID]bool{}
	for _, b := range f.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
			out.ops[in.Op] = true
			if in.Op == spirv.OpFunctionCall {
				out.calls = append(out.calls, in.FunctionCall().Function())
			}
			in.EachID(func(p *uint32) {
				if id := spirv.ID(*p); m.variables[id] && !seen[id] {
					seen[id] = true
					out.variables = append(out.variables, id)
				}
			})
		}
	}
	return out
}

// decoration returns the one parameter of a decoration.
func (m *Module) decoration(id spirv.ID, d spirv.Decoration) (uint32, bool) {
	v, ok := m.ids[idDecoration{id, d}]
	return v, ok
}

func (m *Module) memberDecoration(id spirv.ID, member uint32, d spirv.Decoration) (uint32, bool) {
	v, ok := m.members[memberDecoration{id, member, d}]
	return v, ok
}

// EntryPoints lists the names of the module's entry points of a model.
func (m *Module) EntryPoints(model spirv.ExecutionModel) []string {
	var out []string
	for i := range m.source.EntryPoints {
		if e := m.source.EntryPoints[i].EntryPoint(); e.ExecutionModel() == model {
			out = append(out, e.Name())
		}
	}
	return out
}

// Shader reads an entry point; values are specialisation constants by SpecId, as VkSpecializationInfo has them. ok is false if
// the module has no such entry point.
func (m *Module) Shader(model spirv.ExecutionModel, entry string, values map[uint32][]byte) (s Shader, ok bool) {
	var root spirv.ID
	for i := range m.source.EntryPoints {
		if e := m.source.EntryPoints[i].EntryPoint(); e.ExecutionModel() == model && e.Name() == entry {
			root, ok = e.EntryPoint(), true
		}
	}
	if !ok {
		return s, false
	}
	t := types{m: m, values: values}
	s.Instructions = map[spirv.Op]bool{}
	for _, id := range m.reached(root, s.Instructions) {
		t.add(&s, id)
	}
	slices.SortFunc(s.Bindings, func(a, b Binding) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Binding, b.Binding), cmp.Compare(a.Kind, b.Kind))
	})
	return s, true
}

// reached returns the variables that a function and those it calls use, each once, and notes their instructions.
func (m *Module) reached(root spirv.ID, ops map[spirv.Op]bool) []spirv.ID {
	var out []spirv.ID
	done, seen := map[spirv.ID]bool{}, map[spirv.ID]bool{}
	for work := []spirv.ID{root}; len(work) > 0; {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		f := m.functions[id]
		if f == nil || done[id] {
			continue
		}
		done[id] = true
		work = append(work, f.calls...)
		for op := range f.ops {
			ops[op] = true
		}
		for _, v := range f.variables {
			if !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	return out
}
