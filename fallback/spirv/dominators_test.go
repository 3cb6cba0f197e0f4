package spirv

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// randomFunction makes a function of n blocks that branch anywhere but to the first.
func randomFunction(r *rand.Rand, n int) *Function {
	f := &Function{Def: Inst{Op: OpFunction, Type: 1, Result: 2, Operands: []uint32{0, 3}}}
	target := func() uint32 { return uint32(101 + r.IntN(n-1)) }
	for i := range n {
		b := &Block{Label: ID(100 + i)}
		switch r.IntN(4) {
		case 0:
			b.Insts = []Inst{{Op: OpReturn}}
		case 1:
			b.Insts = []Inst{{Op: OpBranch, Operands: []uint32{target()}}}
		default:
			b.Insts = []Inst{{Op: OpBranchConditional, Operands: []uint32{4, target(), target()}}}
		}
		f.Blocks = append(f.Blocks, b)
	}
	return f
}

// without returns the blocks that can be reached from the first if block cut is taken away.
func without(c *CFG, cut int) []bool {
	seen := make([]bool, len(c.Succs))
	work := []int{0}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == cut || seen[b] {
			continue
		}
		seen[b] = true
		work = append(work, c.Succs[b]...)
	}
	return seen
}

// TestDominatorsByDefinition compares with what dominance means: without a, no path leads to b.
func TestDominatorsByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		c := NewCFG(randomFunction(r, 3+r.IntN(14)))
		all := without(c, -1)
		for a := range c.Succs {
			seen := without(c, a)
			for b := range c.Succs {
				want := all[a] && all[b] && (a == b || !seen[b])
				if got := c.Dominates(a, b); got != want {
					t.Fatalf("block %d dominates %d: got %t, want %t; edges %v", a, b, got, want, c.Succs)
				}
			}
		}
	}
}

// TestStructuralDominance: in for (;;) { if (x) {} else break; if (y) break; } what follows the loop is dominated by the
// first selection, and still no part of it.
func TestStructuralDominance(t *testing.T) {
	block := func(label ID, insts ...Inst) *Block { return &Block{Label: label, Insts: insts} }
	branch := func(to uint32) Inst { return Inst{Op: OpBranch, Operands: []uint32{to}} }
	choose := func(yes, no uint32) Inst { return Inst{Op: OpBranchConditional, Operands: []uint32{4, yes, no}} }
	merge := func(label uint32) Inst { return Inst{Op: OpSelectionMerge, Operands: []uint32{label, 0}} }
	c := NewCFG(&Function{Blocks: []*Block{
		block(10, branch(11)),
		block(11, Inst{Op: OpLoopMerge, Operands: []uint32{19, 18, 0}}, branch(12)),
		block(12, merge(14), choose(14, 13)),
		block(13, branch(19)),
		block(14, merge(16), choose(15, 16)),
		block(15, branch(19)),
		block(16, branch(18)),
		block(18, branch(11)),
		block(19, Inst{Op: OpReturn}),
	}})
	first, after := c.Index[12], c.Index[19]
	if !c.Dominates(first, after) {
		t.Error("the selection does not dominate what follows the loop")
	}
	if c.StructurallyDominates(first, after) || !c.StructurallyDominates(c.Index[11], after) {
		t.Error("what follows the loop belongs to a selection inside it")
	}
	for _, k := range c.Constructs() {
		if k.Header == first && slices.Contains(k.Blocks, after) {
			t.Error("Constructs puts what follows the loop into the selection")
		}
	}
}

func TestClone(t *testing.T) {
	for _, s := range corpus(t) {
		m, err := Decode(s.words)
		if err != nil {
			t.Fatal(err)
		}
		c := m.Clone()
		c.eachInst(func(in *Inst) {
			for i := range in.Operands {
				in.Operands[i]++
			}
		})
		c.Functions = append(c.Functions, &Function{})
		if !slices.Equal(m.Encode(), s.words) {
			t.Fatalf("%s: changing a copy changes the module", s.name)
		}
		if !slices.Equal(m.Clone().Encode(), s.words) {
			t.Fatalf("%s: a copy is not the same", s.name)
		}
	}
}

func TestFlattenDecorationGroups(t *testing.T) {
	group := func(op Op, w ...uint32) Inst { return Inst{Op: op, Operands: w} }
	m := &Module{Annotations: []Inst{
		group(OpDecorate, 9, uint32(DecorationNonWritable)), group(OpDecorate, 9, uint32(DecorationOffset), 12),
		{Op: OpDecorationGroup, Result: 9},
		group(OpDecorate, 5, uint32(DecorationBinding), 3),
		group(OpGroupDecorate, 9, 6, 7), group(OpGroupMemberDecorate, 9, 8, 2),
	}}
	if err := m.FlattenDecorationGroups(); err != nil {
		t.Fatal(err)
	}
	nonWritable, offset := uint32(DecorationNonWritable), uint32(DecorationOffset)
	want := []Inst{
		group(OpDecorate, 5, uint32(DecorationBinding), 3),
		group(OpDecorate, 6, nonWritable), group(OpDecorate, 6, offset, 12), group(OpDecorate, 7, nonWritable),
		group(OpDecorate, 7, offset, 12),
		group(OpMemberDecorate, 8, 2, nonWritable), group(OpMemberDecorate, 8, 2, offset, 12),
	}
	if !slices.EqualFunc(m.Annotations, want, func(a, b Inst) bool { return a.Op == b.Op && slices.Equal(a.Operands, b.Operands) }) {
		t.Errorf("got %v", m.Annotations)
	}
}
