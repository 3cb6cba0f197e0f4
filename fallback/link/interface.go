package link

import "github.com/everray/everray/fallback/spirv"

// lowerInterfaces gives the variables of ray tracing the storage classes that stand for them in a compute module, and
// notes each variable's role.
func (l *loadedStages) lowerInterfaces() (*loweredStages, error) {
	to := &loweredStages{linked: l.linked}
	for _, n := range l.stages {
		s := &loweredStage{normalStage: n}
		if err := s.noteRoles(l.job); err != nil {
			return nil, err
		}
		s.rewriteTypes(l.job, loweredClass)
		to.stages = append(to.stages, s)
	}
	return to, nil
}

// loweredClass maps the storage classes of ray tracing to those that stand for them. All pointers of a class change
// together, so access chains and parameters stay right.
var loweredClass = map[spirv.StorageClass]spirv.StorageClass{
	spirv.StorageClassInput:                   spirv.StorageClassPrivate,
	spirv.StorageClassRayPayloadKHR:           spirv.StorageClassPrivate,
	spirv.StorageClassIncomingRayPayloadKHR:   spirv.StorageClassPrivate,
	spirv.StorageClassCallableDataKHR:         spirv.StorageClassPrivate,
	spirv.StorageClassIncomingCallableDataKHR: spirv.StorageClassPrivate,
	spirv.StorageClassHitAttributeKHR:         spirv.StorageClassPrivate,
	spirv.StorageClassHitObjectAttributeEXT:   spirv.StorageClassPrivate,
	spirv.StorageClassPushConstant:            spirv.StorageClassPhysicalStorageBuffer,
	spirv.StorageClassShaderRecordBufferKHR:   spirv.StorageClassPhysicalStorageBuffer,
}

// noteRoles finds out what each module-scope variable is for.
func (s *loweredStage) noteRoles(j *job) error {
	s.uses = map[spirv.ID]role{}
	index := j.index(s.code)
	for i := range s.code.Globals {
		j.work(1)
		in := &s.code.Globals[i]
		if in.Op != spirv.OpVariable {
			continue
		}
		r := role{}
		switch class := in.Variable().StorageClass(); class {
		case spirv.StorageClassPrivate:
			r.kind = rolePrivate
			r.initializer = in.Variable().DropInitializer()
		case spirv.StorageClassInput:
			r.kind = roleBuiltIn
			found := false
			for _, d := range index.Decorations(in.Result) {
				if b, ok := d.BuiltIn(); ok {
					r.builtIn, found = b, true
				}
			}
			if !found { // nobody gives it a value
				r = role{kind: rolePrivate}
			}
		case spirv.StorageClassHitObjectAttributeEXT: // what a hit object is asked for, or recorded with
			r.kind, r.attributes = rolePrivate, true
		case spirv.StorageClassRayPayloadKHR, spirv.StorageClassCallableDataKHR:
			r.kind, r.callable = rolePayload, class == spirv.StorageClassCallableDataKHR
		case spirv.StorageClassIncomingRayPayloadKHR, spirv.StorageClassIncomingCallableDataKHR:
			r.kind, r.callable = roleIncoming, class == spirv.StorageClassIncomingCallableDataKHR
		case spirv.StorageClassHitAttributeKHR:
			r.kind = roleHit
		case spirv.StorageClassPushConstant:
			r.kind = rolePush
		case spirv.StorageClassShaderRecordBufferKHR:
			r.kind = roleRecord
		case spirv.StorageClassUniformConstant, spirv.StorageClassUniform, spirv.StorageClassStorageBuffer:
			continue
		default:
			return s.unsupported("variable %s of storage class %v", s.nameOf(in.Result), class)
		}
		s.uses[in.Result] = r
	}
	return nil
}

// rewriteTypes changes storage classes, and acceleration structures into the addresses that they are here: as a value a
// uvec2, as a descriptor a storage buffer whose first two dwords hold the address.
func (s *loweredStage) rewriteTypes(j *job, lowered map[spirv.StorageClass]spirv.StorageClass) {
	m := s.code
	loads, varying := s.structureLoads(j)
	var address spirv.ID // the type that acceleration structures are now
	descriptor := func(t spirv.ID) spirv.ID {
		if t == address {
			return s.struc
		}
		return t
	}
	structures := map[spirv.ID]bool{} // the type itself, and arrays of it: what descriptors are made of
	var globals []spirv.Inst
	for i := range m.Globals {
		j.work(1)
		in := m.Globals[i]
		switch in.Op {
		case spirv.OpTypeAccelerationStructureKHR:
			address = in.Result
			globals = append(globals, s.structureTypes(in.Result)...)
			structures[in.Result] = true
			continue
		case spirv.OpTypeArray, spirv.OpTypeRuntimeArray:
			if array := in.TypeArray(); structures[array.ElementType()] {
				structures[in.Result] = true
				array.SetElementType(descriptor(array.ElementType()))
				// Acceleration structures need no capability of their own for these indices.
				m.AddCapability(spirv.CapabilityStorageBufferArrayDynamicIndexing)
				if m.HasCapability(spirv.CapabilityShaderNonUniform) {
					m.AddCapability(spirv.CapabilityStorageBufferArrayNonUniformIndexing)
				}
			}
		case spirv.OpTypePointer:
			p := in.TypePointer()
			if class := p.StorageClass(); class == spirv.StorageClassUniformConstant && structures[p.Type()] {
				p.SetStorageClass(spirv.StorageClassStorageBuffer)
				p.SetType(descriptor(p.Type()))
				structures[in.Result] = true
			} else if to, ok := lowered[class]; ok {
				p.SetStorageClass(to)
			}
		case spirv.OpTypeForwardPointer:
			if to, ok := lowered[in.TypeForwardPointer().StorageClass()]; ok {
				in.TypeForwardPointer().SetStorageClass(to)
			}
		case spirv.OpVariable:
			if structures[in.Type] {
				in.Variable().SetStorageClass(spirv.StorageClassStorageBuffer)
			} else if to, ok := lowered[in.Variable().StorageClass()]; ok {
				in.Variable().SetStorageClass(to)
			}
		}
		globals = append(globals, in)
	}
	m.Globals = globals
	if len(loads) > 0 {
		s.readStructures(j, loads, varying)
	}
	j.heed()
	m.ShareTypes() // pointers of classes that are one now
	m.Annotations = spirv.Filter(m.Annotations, func(in *spirv.Inst) bool {
		// Built-ins and locations of variables that are private now.
		if in.Op == spirv.OpDecorate {
			if _, ok := s.uses[in.Decorate().Target()]; ok {
				switch in.Decorate().Decoration() {
				case spirv.DecorationBuiltIn, spirv.DecorationLocation, spirv.DecorationComponent, spirv.DecorationFlat,
					spirv.DecorationNoPerspective,
					spirv.DecorationCentroid, spirv.DecorationSample, spirv.DecorationInvariant:
					return false
				}
			}
		}
		return true
	})
}

// structureTypes declares what stands for acceleration structures: id becomes uvec2, s.struc the block of a descriptor.
func (s *loweredStage) structureTypes(id spirv.ID) []spirv.Inst {
	m := s.code
	word := m.NewID()
	s.struc = m.NewID()
	block := uint32(s.struc)
	m.Annotations = append(m.Annotations,
		spirv.Inst{Op: spirv.OpDecorate, Operands: []uint32{block, uint32(spirv.DecorationBlock)}},
		spirv.Inst{Op: spirv.OpMemberDecorate, Operands: []uint32{block, 0, uint32(spirv.DecorationOffset), 0}},
		spirv.Inst{Op: spirv.OpMemberDecorate, Operands: []uint32{block, 0, uint32(spirv.DecorationNonWritable)}})
	return []spirv.Inst{
		{Op: spirv.OpTypeInt, Result: word, Operands: []uint32{32, 0}},
		{Op: spirv.OpTypeVector, Result: id, Operands: []uint32{uint32(word), 2}},
		{Op: spirv.OpTypeStruct, Result: s.struc, Operands: []uint32{uint32(id)}},
	}
}

// structureLoads returns the results of loads of acceleration structures from descriptors, and which of those differ by lane.
func (s *loweredStage) structureLoads(j *job) (loads, varying map[spirv.ID]bool) {
	x := j.index(s.code)
	loads, varying = map[spirv.ID]bool{}, map[spirv.ID]bool{}
	s.code.EachFunctionInst(func(in *spirv.Inst) {
		j.work(1)
		if in.Op != spirv.OpLoad || x.Op(in.Type) != spirv.OpTypeAccelerationStructureKHR {
			return
		}
		if p := x.Def(x.TypeOf(in.Load().Pointer())); p != nil && p.Op == spirv.OpTypePointer &&
			p.TypePointer().StorageClass() == spirv.StorageClassUniformConstant {
			loads[in.Result] = true
			_, varying[in.Result] = x.Decoration(in.Load().Pointer(), spirv.DecorationNonUniform)
		}
	})
	return loads, varying
}

// readStructures makes those loads read the address in the descriptor's block, its only member.
func (s *loweredStage) readStructures(j *job, loads, varying map[spirv.ID]bool) {
	m := s.code
	zero := uint32(m.ConstantU32(0))
	var pointer spirv.ID
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			out := make([]spirv.Inst, 0, len(b.Insts))
			for _, in := range b.Insts {
				j.work(1)
				if loads[in.Result] {
					if pointer == 0 {
						pointer = m.TypePointer(spirv.StorageClassStorageBuffer, in.Type)
					}
					from := in.Load().Pointer()
					member := spirv.Inst{Op: spirv.OpAccessChain, Type: pointer, Result: m.NewID(), Operands: []uint32{uint32(from), zero}}
					if varying[in.Result] {
						m.Decorate(member.Result, spirv.DecorationNonUniform)
					}
					out = append(out, member)
					in.Operands = []uint32{uint32(member.Result)}
				}
				out = append(out, in)
			}
			b.Insts = out
		}
	}
}
