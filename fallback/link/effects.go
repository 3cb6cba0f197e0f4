package link

import "github.com/everray/everray/fallback/spirv"

// effects knows what the instructions of an entry function read and write: for passes that move or drop them.
type effects struct {
	l         *shapedStages
	s         *shapedStage
	f         *spirv.Function
	pure      map[spirv.ID]bool     // functions of the runtime that only read what nobody changes
	functions map[spirv.ID]conduct  // of the stage
	locals    map[spirv.ID]bool     // variables of the entry function
	roots     map[spirv.ID]spirv.ID // of pointers, the variable that they point into
	shared    map[spirv.ID]bool     // globals that other functions use
	glsl      map[spirv.ID]bool     // instruction sets without side effects
}

// conduct is what a function may do.
type conduct struct {
	// droppable: without its result it need not be called, but for what it writes through pointers that it is given.
	droppable bool
	// local: it reads and writes only its own variables and what it is given pointers to, and reads globals that nobody else writes.
	local bool
}

func newEffects(l *shapedStages, s *shapedStage) *effects {
	x := &effects{l: l, s: s, f: s.function, pure: map[spirv.ID]bool{}, functions: map[spirv.ID]conduct{}, shared: map[spirv.ID]bool{},
		glsl: map[spirv.ID]bool{}, locals: map[spirv.ID]bool{}}
	for _, in := range s.function.Blocks[0].Insts {
		if in.Op == spirv.OpVariable {
			x.locals[in.Result] = true
		}
	}
	x.pure[l.symbols.HoKeyOfHint.id], x.pure[l.symbols.HoKeyOfObject.id] = true, true
	for _, g := range l.symbols.hitGetters {
		if g.function.id != 0 {
			x.pure[g.function.id] = true
		}
	}
	for i := range l.out.ExtInstImports {
		in := &l.out.ExtInstImports[i]
		if name, _ := spirv.DecodeString(in.Operands); name == "GLSL.std.450" {
			x.glsl[in.Result] = true
		}
	}
	for _, f := range s.functions {
		if f == s.function {
			continue
		}
		for _, b := range f.Blocks {
			l.work(len(b.Insts))
			for i := range b.Insts {
				b.Insts[i].EachID(func(p *uint32) {
					if _, ok := s.uses[spirv.ID(*p)]; ok {
						x.shared[spirv.ID(*p)] = true
					}
				})
			}
		}
	}
	return x
}

// root returns the variable that a pointer of the entry function points into, or the pointer itself.
func (x *effects) root(pointer spirv.ID) spirv.ID {
	if x.roots == nil {
		x.roots = rootsOf(x.f)
	}
	if r, ok := x.roots[pointer]; ok {
		return r
	}
	return pointer
}

func rootsOf(f *spirv.Function) map[spirv.ID]spirv.ID {
	roots := map[spirv.ID]spirv.ID{}
	for _, b := range f.Blocks {
		for i := range b.Insts {
			switch in := &b.Insts[i]; in.Op {
			case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpCopyObject:
				base := in.Derived().Base()
				roots[in.Result] = base
				if r, ok := roots[base]; ok {
					roots[in.Result] = r
				}
			}
		}
	}
	return roots
}

// The instructions of GLSL.std.450 that write through pointers.
const (
	glslModf  = 35
	glslFrexp = 51
)

// plain tells whether an instruction does nothing but make a value of values.
func (x *effects) plain(in *spirv.Inst) bool {
	switch op := in.Op; op {
	case spirv.OpNop, spirv.OpUndef, spirv.OpPhi, spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpCopyObject,
		spirv.OpVectorExtractDynamic, spirv.OpVectorInsertDynamic, spirv.OpVectorShuffle, spirv.OpCompositeConstruct,
		spirv.OpCompositeExtract, spirv.OpCompositeInsert, spirv.OpTranspose:
		return true
	case spirv.OpExtInst:
		call := in.ExtInst()
		return x.glsl[call.Set()] && call.Instruction() != glslModf && call.Instruction() != glslFrexp
	default: // conversions, arithmetic, logic, comparisons, bits
		return op >= spirv.OpConvertFToU && op <= spirv.OpBitcast || op >= spirv.OpSNegate && op <= spirv.OpSMulExtended ||
			op >= spirv.OpAny && op <= spirv.OpFUnordGreaterThanEqual || op >= spirv.OpShiftRightLogical && op <= spirv.OpBitCount
	}
}

// flow tells whether an instruction only says where to go on in the function.
func flow(op spirv.Op) bool {
	switch op {
	case spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpSelectionMerge, spirv.OpLoopMerge:
		return true
	}
	return false
}

// volatile tells whether a load or store with these memory operands must take place.
func volatile(access []uint32) bool {
	return len(access) > 0 && access[0]&uint32(spirv.MemoryAccessVolatile) != 0
}

// private tells whether a variable is one that the shader alone sees: no payload, no attribute, no memory.
func (x *effects) private(variable spirv.ID) bool {
	if r, ok := x.s.uses[variable]; ok {
		return r.kind == rolePrivate
	}
	return x.locals[variable]
}

// constant tells whether other shaders cannot change what a pointer into a variable reads.
func (x *effects) constant(variable spirv.ID) bool {
	if r, ok := x.s.uses[variable]; ok {
		return r.kind == rolePrivate || r.kind == roleBuiltIn
	}
	if in := x.l.types.get(variable); in != nil && in.Op == spirv.OpVariable {
		switch in.Variable().StorageClass() {
		case spirv.StorageClassUniformConstant, spirv.StorageClassUniform, spirv.StorageClassPushConstant, spirv.StorageClassInput:
			return true
		}
		return false
	}
	return x.private(variable)
}

// commutes tells whether an instruction may as well run behind a call of another shader, in which an object is not written.
func (x *effects) commutes(in *spirv.Inst, object spirv.ID) bool {
	x.l.work(1)
	switch {
	case x.plain(in), flow(in.Op):
		return true
	case in.Op == spirv.OpLoad:
		return !volatile(in.Load().MemoryAccess()) && x.constant(x.root(in.Load().Pointer()))
	case in.Op == spirv.OpStore:
		to := x.root(in.Store().Pointer())
		return to != object && x.private(to)
	case in.Op == spirv.OpFunctionCall:
		call := in.FunctionCall()
		if x.pure[call.Function()] {
			return true
		}
		if !x.conduct(call.Function()).local {
			return false
		}
		for _, arg := range call.Arguments() {
			if r := x.root(spirv.ID(arg)); r == object || x.isPointer(spirv.ID(arg)) && !x.private(r) {
				return false
			}
		}
		return true
	}
	return false
}

// isPointer tells whether a value of the entry function, or global, is a variable or points into one.
func (x *effects) isPointer(id spirv.ID) bool {
	if _, ok := x.roots[id]; ok {
		return true
	}
	if in := x.l.types.get(id); in != nil {
		return in.Op == spirv.OpVariable
	}
	return x.private(id)
}

// maxConductDepth bounds the calls that are followed; of what lies deeper nothing is known.
const maxConductDepth = 16

// conduct looks at a function of the stage.
func (x *effects) conduct(id spirv.ID) conduct { return x.conductAt(id, 0) }

func (x *effects) conductAt(id spirv.ID, depth int) conduct {
	if c, ok := x.functions[id]; ok {
		return c
	}
	f := x.s.functions[id]
	if f == nil || depth > maxConductDepth {
		return conduct{}
	}
	c := conduct{droppable: true, local: true}
	x.functions[id] = conduct{}
	own, roots := map[spirv.ID]bool{}, rootsOf(f)
	root := func(pointer spirv.ID) spirv.ID {
		if r := roots[pointer]; r != 0 {
			return r
		}
		return pointer
	}
	for i := range f.Params {
		class, _ := x.l.types.pointee(f.Params[i].Type)
		own[f.Params[i].Result] = class == spirv.StorageClassFunction || class == spirv.StorageClassPrivate
	}
	for _, b := range f.Blocks {
		x.l.work(len(b.Insts))
		for i := range b.Insts {
			in := &b.Insts[i]
			switch {
			case in.Op == spirv.OpVariable:
				own[in.Result] = true
			case in.Op == spirv.OpLoad:
				v, pointer := volatile(in.Load().MemoryAccess()), root(in.Load().Pointer())
				c.local = c.local && !v && (own[pointer] || x.constant(pointer))
				c.droppable = c.droppable && !v
			case in.Op == spirv.OpStore:
				pointer := root(in.Store().Pointer())
				c.local, c.droppable = c.local && own[pointer], c.droppable && own[pointer]
			case x.plain(in), flow(in.Op), in.Op == spirv.OpReturn, in.Op == spirv.OpReturnValue, in.Op == spirv.OpUnreachable:
			case in.Op == spirv.OpFunctionCall && x.pure[in.FunctionCall().Function()]:
			case in.Op == spirv.OpFunctionCall:
				y := x.conductAt(in.FunctionCall().Function(), depth+1)
				c.local, c.droppable = c.local && y.local, c.droppable && y.droppable
				for _, arg := range in.FunctionCall().Arguments() { // what it writes through pointers is to be this function's own
					if v := x.l.types.get(root(spirv.ID(arg))); v != nil && v.Op == spirv.OpVariable {
						c.local, c.droppable = false, false
					}
				}
			default:
				c.local, c.droppable = false, false
			}
		}
	}
	x.functions[id] = c
	return c
}
