package spirv

import "fmt"

// StorageBlocks turns blocks of the storage class Uniform that are decorated BufferBlock into those of the storage class
// StorageBuffer, decorated Block: versions from 1.4 on no longer know the former. Pointers into them that go through calls, phis or
// selections are an error; then the module is half done.
func (m *Module) StorageBlocks() error {
	blocks := map[ID]bool{} // structures, and arrays of them
	for i := range m.Annotations {
		in := &m.Annotations[i]
		if in.Op == OpDecorate && in.Decorate().Decoration() == DecorationBufferBlock {
			in.Decorate().SetDecoration(DecorationBlock)
			blocks[in.Decorate().Target()] = true
		}
	}
	if len(blocks) == 0 {
		return nil
	}
	const uniform, storage = StorageClassUniform, StorageClassStorageBuffer
	pointers := map[ID]bool{}
	for i := range m.Globals {
		switch in := &m.Globals[i]; in.Op {
		case OpTypeArray, OpTypeRuntimeArray:
			blocks[in.Result] = blocks[in.TypeArray().ElementType()]
		case OpTypePointer:
			if p := in.TypePointer(); p.StorageClass() == uniform && blocks[p.Type()] {
				p.SetStorageClass(storage)
				pointers[in.Result] = true
			}
		case OpVariable:
			if pointers[in.Type] {
				in.Variable().SetStorageClass(storage)
			}
		}
	}
	x := NewIndex(m)
	for _, f := range m.Functions {
		if err := m.storagePointers(f, x, pointers); err != nil {
			return err
		}
	}
	return nil
}

// storagePointers gives the pointers into storage buffers that a function makes types of their storage class. A pointer
// type of the class Uniform may serve uniform buffers as well, so these get other types; pointers, the types of whole
// blocks, have changed already.
func (m *Module) storagePointers(f *Function, x *Index, pointers map[ID]bool) error {
	moved := map[ID]bool{} // values whose type has to change
	for _, b := range f.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
			switch in.Op {
			case OpAccessChain, OpInBoundsAccessChain, OpCopyObject:
				base := baseOf(in)
				if (moved[base] || pointers[x.TypeOf(base)]) && !pointers[in.Type] {
					in.Type = m.TypePointer(StorageClassStorageBuffer, x.Def(in.Type).TypePointer().Type())
					moved[in.Result] = true
				}
			case OpFunctionCall, OpSelect, OpPhi:
				for _, w := range in.Operands {
					if moved[ID(w)] {
						return fmt.Errorf("pointer into a BufferBlock that goes through %v", in.Op)
					}
				}
			}
		}
	}
	return nil
}

// baseOf returns the pointer that an access chain or a copy begins with.
func baseOf(in *Inst) ID {
	if in.Op == OpCopyObject {
		return in.CopyObject().Operand()
	}
	return in.AccessChain().Base()
}
