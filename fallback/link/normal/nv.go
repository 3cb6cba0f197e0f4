package normal

import "github.com/everray/everray/fallback/spirv"

// lowerNV rewrites the instructions of SPV_NV_ray_tracing into those of SPV_KHR_ray_tracing. Constants are folded by then,
// since NV instructions name payloads by a constant.
func (s *stage) lowerNV() error {
	n := newNormaliser(s)
	for _, f := range n.m.Functions {
		if err := n.function(f); err != nil {
			return err
		}
	}
	return nil
}

func newNormaliser(s *stage) *normaliser { return &normaliser{s: s, m: s.module} }

// normaliser is the work of one pass on a module.
type normaliser struct {
	s *stage
	m *spirv.Module
	x *spirv.Index // made when it is needed first, before anything changes what it finds
}

// nvData is how an instruction of NV names what it passes: by the Location of a variable of one of these classes.
type nvData struct {
	khr     spirv.Op
	classes [2]spirv.StorageClass
}

// get and set return and change what a call of NV passes.
func (d nvData) get(in *spirv.Inst) spirv.ID {
	if in.Op == spirv.OpTraceNV {
		return in.TraceRay().Payload()
	}
	return in.ExecuteCallable().CallableData()
}

func (d nvData) set(in *spirv.Inst, to spirv.ID) {
	if in.Op == spirv.OpTraceRayKHR {
		in.TraceRay().SetPayload(to)
		return
	}
	in.ExecuteCallable().SetCallableData(to)
}

var nvCalls = map[spirv.Op]nvData{
	spirv.OpTraceNV: {spirv.OpTraceRayKHR,
		[2]spirv.StorageClass{spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR}},
	spirv.OpExecuteCallableNV: {spirv.OpExecuteCallableKHR,
		[2]spirv.StorageClass{spirv.StorageClassCallableDataKHR, spirv.StorageClassIncomingCallableDataKHR}},
}

// nvEnds maps the instructions that end an any hit shader. Those of NV are no terminators, though the shader ends there.
var nvEnds = map[spirv.Op]spirv.Op{
	spirv.OpIgnoreIntersectionNV: spirv.OpIgnoreIntersectionKHR,
	spirv.OpTerminateRayNV:       spirv.OpTerminateRayKHR,
}

func (n *normaliser) function(f *spirv.Function) error {
	var blocks []*spirv.Block
	ends := map[spirv.ID]spirv.ID{}
	for _, b := range f.Blocks {
		blocks = append(blocks, b)
		for i := 0; i < len(b.Insts); i++ {
			in := &b.Insts[i]
			if call, ok := nvCalls[in.Op]; ok {
				if err := n.call(in, call); err != nil {
					return err
				}
				continue
			}
			op, ok := nvEnds[in.Op]
			if !ok {
				continue
			}
			// What follows is never reached.
			rest := &spirv.Block{Label: n.m.NewID(), Insts: b.Insts[i+1:]}
			b.Insts = append(b.Insts[:i:i], spirv.Inst{Op: op})
			ends[b.Label] = rest.Label
			blocks = append(blocks, rest)
			b, i = rest, -1
		}
	}
	f.Blocks = blocks
	f.RenamePhiSources(ends)
	return nil
}

// call makes an instruction that names its data by a location one that names the variable.
func (n *normaliser) call(in *spirv.Inst, call nvData) error {
	x := n.index()
	location := uint32(0)
	switch c := x.Def(call.get(in)); {
	case c.Op == spirv.OpConstant && len(c.Operands) == 1:
		location = c.Constant().Value()[0]
	case c.Op == spirv.OpConstantNull:
	default:
		return n.s.invalid("%v whose payload is given by %v, which is no constant", in.Op, c.Op)
	}
	for _, class := range call.classes {
		for i := range n.m.Globals {
			v := &n.m.Globals[i]
			if v.Op != spirv.OpVariable || v.Variable().StorageClass() != class {
				continue
			}
			if at, _ := x.Decoration(v.Result, spirv.DecorationLocation); len(at) > 0 && at[0] == location {
				in.Op = call.khr
				call.set(in, v.Result)
				return nil
			}
		}
	}
	return n.s.invalid("%v of location %d, where no variable is", in.Op, location)
}

// dropHints removes decorations that compilers leave for tools, each of which needs an extension.
func (s *stage) dropHints() error {
	s.module.Annotations = spirv.Filter(s.module.Annotations, func(in *spirv.Inst) bool {
		d, _, ok := in.Decorates()
		if !ok {
			return true
		}
		switch d {
		case spirv.DecorationUserSemantic, spirv.DecorationUserTypeGOOGLE, spirv.DecorationCounterBuffer,
			spirv.DecorationHitObjectShaderRecordBufferNV, spirv.DecorationHitObjectShaderRecordBufferEXT:
			return false
		}
		return true
	})
	return nil
}

func (n *normaliser) index() *spirv.Index {
	if n.x == nil {
		n.x = spirv.NewIndex(n.m)
	}
	return n.x
}

// lowerBufferBlocks makes blocks that are decorated BufferBlock storage buffers: a linked module is of a version that no longer
// knows the former.
func (s *stage) lowerBufferBlocks() error {
	if err := s.module.StorageBlocks(); err != nil {
		return s.unsupported("%v", err)
	}
	return nil
}
