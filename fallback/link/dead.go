package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// maxSweeps bounds how often a function is swept: each time branches around nothing go, what they asked for may go the next time.
const maxSweeps = 8

// sweep drops from the entry function what nothing needs: values, what is stored in variables that nobody reads, calls that only
// make a value, branches around nothing.
func (x *effects) sweep(f *spirv.Function) {
	for range maxSweeps {
		x.roots = rootsOf(f)
		x.dropDead(f)
		if !straighten(f) {
			return
		}
		f.DropUnreachable(x.l.types.undef)
	}
}

// removable tells whether an instruction is needed only for its result, or for what it writes to private variables, which are
// listed.
func (x *effects) removable(in *spirv.Inst) (removable bool, writes []spirv.ID) {
	private := func(pointer spirv.ID) bool {
		r := x.root(pointer)
		return x.private(r) && !x.shared[r]
	}
	switch {
	case x.plain(in):
		return true, nil
	case in.Op == spirv.OpLoad:
		return !volatile(in.Load().MemoryAccess()), nil
	case in.Op == spirv.OpStore:
		to := in.Store().Pointer()
		return private(to) && !volatile(in.Store().MemoryAccess()), []spirv.ID{x.root(to)}
	case in.Op == spirv.OpFunctionCall && x.pure[in.FunctionCall().Function()]:
		return true, nil
	case in.Op == spirv.OpFunctionCall && x.conduct(in.FunctionCall().Function()).droppable:
		for _, arg := range in.FunctionCall().Arguments() {
			if x.isPointer(spirv.ID(arg)) {
				if !private(spirv.ID(arg)) {
					return false, nil
				}
				writes = append(writes, x.root(spirv.ID(arg)))
			}
		}
		return true, writes
	}
	return false, nil
}

// dropDead drops what nothing with an effect needs.
func (x *effects) dropDead(f *spirv.Function) {
	defs, writers := map[spirv.ID]*spirv.Inst{}, map[spirv.ID][]*spirv.Inst{}
	var work []*spirv.Inst
	live := map[*spirv.Inst]bool{}
	need := func(in *spirv.Inst) {
		if !live[in] {
			live[in] = true
			work = append(work, in)
		}
	}
	for _, b := range f.Blocks {
		x.l.work(len(b.Insts))
		for i := range b.Insts {
			in := &b.Insts[i]
			if in.Result != 0 {
				defs[in.Result] = in
			}
			removable, writes := x.removable(in)
			if !removable {
				need(in)
				continue
			}
			for _, v := range writes {
				writers[v] = append(writers[v], in)
			}
		}
	}
	for len(work) > 0 {
		in := work[len(work)-1]
		work = work[:len(work)-1]
		x.l.work(1)
		in.EachID(func(p *uint32) {
			id := spirv.ID(*p)
			if def := defs[id]; def != nil {
				need(def)
			}
			if r := x.root(id); writers[r] != nil && in.Op != spirv.OpStore { // it is read
				list := writers[r]
				delete(writers, r)
				for _, w := range list {
					need(w)
				}
			}
		})
	}
	for _, b := range f.Blocks {
		kept := b.Insts[:0:0]
		for i := range b.Insts {
			if live[&b.Insts[i]] || b.Insts[i].Op == spirv.OpVariable {
				kept = append(kept, b.Insts[i])
			}
		}
		b.Insts = kept
	}
}

// straighten makes selections around nothing plain branches, and tells whether there were any.
func straighten(f *spirv.Function) bool {
	blocks := map[spirv.ID]*spirv.Block{}
	for _, b := range f.Blocks {
		blocks[b.Label] = b
	}
	found := false
	for _, b := range f.Blocks {
		n := len(b.Insts)
		if n < 2 || b.Insts[n-2].Op != spirv.OpSelectionMerge {
			continue
		}
		merge := b.Insts[n-2].Construct().MergeBlock()
		through := func(t spirv.ID) bool {
			y := blocks[t]
			if t == merge || y == nil || len(y.Insts) != 1 {
				return t == merge
			}
			in := &y.Insts[0]
			return in.Op == spirv.OpBranch && in.Branch().TargetLabel() == merge
		}
		if slices.ContainsFunc(b.Successors(), func(t spirv.ID) bool { return !through(t) }) ||
			blocks[merge] == nil || blocks[merge].Insts[0].Op == spirv.OpPhi {
			continue
		}
		b.Insts = append(b.Insts[:n-2:n-2], spirv.Inst{Op: spirv.OpBranch, Operands: []uint32{uint32(merge)}})
		found = true
	}
	return found
}
