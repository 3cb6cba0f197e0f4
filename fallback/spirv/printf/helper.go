package printf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everray/everray/fallback/spirv"
)

// stepHelper marks the helpers of steps, which look at the lane first.
const stepHelper = 1 << 31

// helper returns the function that writes messages of so many words, each a parameter.
func (w *writer) helper(words uint32, step bool) spirv.ID {
	key := words
	if step {
		key |= stepHelper
	}
	if id := w.helpers[key]; id != 0 {
		return id
	}
	m := w.m
	id := m.NewID()
	w.helpers[key] = id
	outer := w.at
	defer func() { w.at = outer }()

	uintType, boolType, void := m.TypeInt(32, false), m.TypeBool(), m.TypeVoid()
	params := slices.Repeat([]spirv.ID{uintType}, int(words))
	f := &spirv.Function{Def: spirv.Inst{Op: spirv.OpFunction, Type: void, Result: id,
		Operands: []uint32{0, uint32(m.TypeFunction(void, params...))}}}
	for range words {
		f.Params = append(f.Params, spirv.Inst{Op: spirv.OpFunctionParameter, Type: uintType, Result: m.NewID()})
	}
	end, body, store, stored := m.NewID(), m.NewID(), m.NewID(), m.NewID()
	choose := func(label spirv.ID, condition, then, merge spirv.ID) {
		w.at = append(w.at, spirv.Inst{Op: spirv.OpSelectionMerge, Operands: []uint32{uint32(merge), 0}},
			spirv.Inst{Op: spirv.OpBranchConditional, Operands: []uint32{uint32(condition), uint32(then), uint32(merge)}})
		f.Blocks = append(f.Blocks, &spirv.Block{Label: label, Insts: w.at})
		w.at = nil
	}
	jump := func(label, to spirv.ID) {
		w.at = append(w.at, spirv.Inst{Op: spirv.OpBranch, Operands: []uint32{uint32(to)}})
		f.Blocks = append(f.Blocks, &spirv.Block{Label: label, Insts: w.at})
		w.at = nil
	}
	w.at = nil
	choose(m.NewID(), w.chosen(step), body, end)

	pointer := w.buffer()
	at := func(index spirv.ID) spirv.ID {
		return w.emit(spirv.OpAccessChain, m.TypePointer(spirv.StorageClassPhysicalStorageBuffer, uintType), uint32(pointer),
			uint32(m.ConstantU32(0)), uint32(index))
	}
	scope := uint32(1) // the device
	if m.MemoryModel.MemoryModel().MemoryModel() == spirv.MemoryModelVulkan {
		scope = 5 // the queue family, which needs no feature
	}
	first := w.emit(spirv.OpAtomicIAdd, uintType, uint32(at(m.ConstantU32(0))), uint32(m.ConstantU32(scope)),
		uint32(m.ConstantU32(0)), uint32(m.ConstantU32(words)))
	last := w.emit(spirv.OpIAdd, uintType, uint32(first), uint32(m.ConstantU32(words)))
	fits := w.emit(spirv.OpULessThanEqual, boolType, uint32(last), uint32(m.ConstantU32(w.options.Words)))
	choose(body, fits, store, stored)
	for i, p := range f.Params {
		index := w.emit(spirv.OpIAdd, uintType, uint32(first), uint32(m.ConstantU32(uint32(i+1))))
		to := at(index)
		w.at = append(w.at, spirv.Inst{Op: spirv.OpStore, Operands: []uint32{uint32(to), uint32(p.Result),
			uint32(spirv.MemoryAccessAligned), 4}})
	}
	jump(store, stored)
	jump(stored, end)
	f.Blocks = append(f.Blocks, &spirv.Block{Label: end, Insts: []spirv.Inst{{Op: spirv.OpReturn}}})
	m.Functions = append(m.Functions, f)
	m.Name(id, "erPrint")
	return id
}

// chosen is whether the lane may write: of steps only the one that is followed.
func (w *writer) chosen(step bool) spirv.ID {
	m := w.m
	if !step {
		return m.ConstantBool(true)
	}
	uintType, boolType := m.TypeInt(32, false), m.TypeBool()
	vector := m.TypeVector(uintType, 3)
	loaded := w.load(spirv.BuiltInLaunchIdKHR, vector)
	if w.values[loaded] != vector {
		loaded = w.emit(spirv.OpBitcast, vector, uint32(loaded))
	}
	all := spirv.ID(0)
	for k, want := range w.options.Lane {
		component := w.emit(spirv.OpCompositeExtract, uintType, uint32(loaded), uint32(k))
		same := w.emit(spirv.OpIEqual, boolType, uint32(component), uint32(m.ConstantU32(want)))
		if all != 0 {
			same = w.emit(spirv.OpLogicalAnd, boolType, uint32(all), uint32(same))
		}
		all = same
	}
	return all
}

// buffer is the pointer to the buffer.
func (w *writer) buffer() spirv.ID {
	m := w.m
	uintType := m.TypeInt(32, false)
	if w.block == 0 {
		array := m.TypeRuntimeArrayStride(uintType, 4)
		block := m.NewID() // not one of the application's, which may be decorated in another way
		m.Globals = append(m.Globals, spirv.Inst{Op: spirv.OpTypeStruct, Result: block, Operands: []uint32{uint32(array)}})
		m.Decorate(block, spirv.DecorationBlock)
		m.MemberDecorate(block, 0, spirv.DecorationOffset, 0)
		w.block = m.TypePointer(spirv.StorageClassPhysicalStorageBuffer, block)
	}
	address := m.ConstantComposite(m.TypeVector(uintType, 2), m.ConstantU32(uint32(w.options.Address)),
		m.ConstantU32(uint32(w.options.Address>>32)))
	return w.emit(spirv.OpBitcast, w.block, uint32(address))
}

// load loads a built-in variable, which is added with a type where the shader has none.
func (w *writer) load(b spirv.BuiltIn, typ spirv.ID) spirv.ID {
	m := w.m
	v := w.inputs[b]
	if v == 0 {
		pointer := m.TypePointer(spirv.StorageClassInput, typ)
		v = m.Variable(pointer, spirv.StorageClassInput)
		m.Decorate(v, spirv.DecorationBuiltIn, uint32(b))
		w.inputs[b], w.values[v] = v, pointer
		for i := range m.EntryPoints {
			if e := &m.EntryPoints[i]; e.EntryPoint().EntryPoint() == w.entry.Def.Result {
				e.Operands = append(e.Operands, uint32(v))
			}
		}
	} else if t := w.types[w.values[v]]; t != nil {
		typ = t.TypePointer().Type()
	}
	return w.emit(spirv.OpLoad, typ, uint32(v))
}

// finish declares what the writes need, and drops the instruction set, which some drivers want an extension for.
func (w *writer) finish() error {
	m := w.m
	others := false // sets of instructions that mean nothing
	m.ExtInstImports = spirv.Filter(m.ExtInstImports, func(in *spirv.Inst) bool {
		name, _ := spirv.DecodeString(in.Operands)
		others = others || in.Result != w.set && strings.HasPrefix(name, "NonSemantic.")
		return in.Result != w.set
	})
	if !others {
		m.Extensions = spirv.Filter(m.Extensions, func(in *spirv.Inst) bool {
			name, _ := spirv.DecodeString(in.Operands)
			return name != "SPV_KHR_non_semantic_info"
		})
	}
	m.AddCapability(spirv.CapabilityPhysicalStorageBufferAddresses)
	m.AddExtension("SPV_KHR_physical_storage_buffer")
	m.MemoryModel.MemoryModel().SetAddressingModel(spirv.AddressingModelPhysicalStorageBuffer64)
	return w.modernise()
}

// modernise makes the module one of version 1.5, which has pointers from pairs of words. Since 1.4 there are no more buffer blocks
// of the storage class Uniform, and the interface of an entry point lists all variables.
func (w *writer) modernise() error {
	m := w.m
	if m.Version < 0x10400 {
		if err := m.StorageBlocks(); err != nil {
			return fmt.Errorf("%w: the module is of SPIR-V 1.3 or older, and has a %w: compile it for SPIR-V 1.4 or newer "+
				"(glslangValidator --target-env vulkan1.2)", ErrUnsupported, err)
		}
		for i := range m.EntryPoints {
			w.listVariables(&m.EntryPoints[i])
		}
	}
	m.Version = max(m.Version, 0x10500)
	return nil
}

// listVariables adds the variables that are no inputs or outputs to the interface of an entry point.
func (w *writer) listVariables(entry *spirv.Inst) {
	for i := range w.m.Globals {
		in := &w.m.Globals[i]
		if in.Op != spirv.OpVariable || slices.Contains(entry.EntryPoint().Interface(), uint32(in.Result)) {
			continue
		}
		if c := in.Variable().StorageClass(); c != spirv.StorageClassInput && c != spirv.StorageClassOutput {
			entry.Operands = append(entry.Operands, uint32(in.Result))
		}
	}
}
