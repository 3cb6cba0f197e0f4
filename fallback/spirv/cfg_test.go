package spirv

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// graph makes a function from lists of successors, labels 1, 2, ...; headers
// give merge block and continue target (-1 for a selection).
func graph(succs [][]int, headers map[int][2]int) *Function {
	f := &Function{}
	for i, s := range succs {
		b := &Block{Label: ID(i + 1)}
		if h, ok := headers[i]; ok {
			m := Inst{Op: OpSelectionMerge, Operands: []uint32{uint32(h[0] + 1), 0}}
			if h[1] >= 0 {
				m = Inst{Op: OpLoopMerge, Operands: []uint32{uint32(h[0] + 1), uint32(h[1] + 1), 0}}
			}
			b.Insts = append(b.Insts, m)
		}
		switch len(s) {
		case 0:
			b.Insts = append(b.Insts, Inst{Op: OpReturn})
		case 1:
			b.Insts = append(b.Insts, Inst{Op: OpBranch, Operands: []uint32{uint32(s[0] + 1)}})
		case 2:
			b.Insts = append(b.Insts, Inst{Op: OpBranchConditional, Operands: []uint32{99, uint32(s[0] + 1), uint32(s[1] + 1)}})
		default:
			in := Inst{Op: OpSwitch, Operands: []uint32{99, uint32(s[0] + 1)}}
			for k, t := range s[1:] {
				in.Operands = append(in.Operands, uint32(k), uint32(t+1))
			}
			b.Insts = append(b.Insts, in)
		}
		f.Blocks = append(f.Blocks, b)
	}
	return f
}

// TestDominators compares with the definition: a dominates b if b cannot be
// reached without a.
func TestDominators(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		n := 1 + rnd.IntN(12)
		succs := make([][]int, n)
		for i := range succs {
			for range rnd.IntN(4) {
				succs[i] = append(succs[i], rnd.IntN(n))
			}
		}
		c := NewCFG(graph(succs, nil))
		reach := func(without int) []bool {
			seen := make([]bool, n)
			var visit func(int)
			visit = func(b int) {
				if b == without || seen[b] {
					return
				}
				seen[b] = true
				for _, s := range succs[b] {
					visit(s)
				}
			}
			visit(0)
			return seen
		}
		all := reach(-1)
		for a := range n {
			without := reach(a)
			for b := range n {
				want := all[a] && all[b] && (a == b || !without[b])
				if got := c.Dominates(a, b); got != want {
					t.Fatalf("%v: %d dominates %d: %v, want %v", succs, a, b, got, want)
				}
			}
			if c.Reachable(a) != all[a] || slices.Contains(c.RPO, a) != all[a] {
				t.Fatalf("%v: reachable %d: %v, want %v", succs, a, c.Reachable(a), all[a])
			}
		}
	}
}

func TestConstructs(t *testing.T) {
	// 0 -> loop 1 { 2: if -> 3 (4: break, 5: continue) ; 6 switch -> 7, 8 (falls through), 9 } 10 continue, 11 merge
	f := graph([][]int{
		{1}, {2}, {3, 6}, {4, 5}, {11}, {10}, {9, 7, 8}, {8}, {9}, {10}, {1}, {},
	}, map[int][2]int{1: {11, 10}, 2: {6, -1}, 6: {9, -1}})
	c := NewCFG(f)
	if c.RPO[0] != 0 || c.RPO[len(c.RPO)-1] != 11 || c.RPO[len(c.RPO)-2] != 10 {
		t.Errorf("order %v: the continue target, then the merge block should come last", c.RPO)
	}
	list := c.Constructs()
	sorted := func(b []int) []int { b = slices.Clone(b); slices.Sort(b); return b }
	want := []struct {
		kind               ConstructKind
		header, merge, con int
		blocks, cont       []int
		parent             int
	}{
		{ConstructLoop, 1, 11, 10, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{10}, -1},
		{ConstructSelection, 2, 6, -1, []int{2, 3, 4, 5}, nil, 0},
		{ConstructSwitch, 6, 9, -1, []int{6, 7, 8}, nil, 0},
	}
	if len(list) != len(want) {
		t.Fatalf("%d constructs", len(list))
	}
	for i, w := range want {
		k := list[i]
		if k.Kind != w.kind || k.Header != w.header || k.Merge != w.merge || k.Continue != w.con || k.Parent != w.parent ||
			!slices.Equal(sorted(k.Blocks), w.blocks) || !slices.Equal(sorted(k.ContinueBlocks), w.cont) || k.Blocks[0] != w.header {
			t.Errorf("construct %d is %+v, want %+v", i, k, w)
		}
	}
}

func TestCFGOfDeclaration(t *testing.T) {
	c := NewCFG(&Function{})
	if len(c.RPO) != 0 || len(c.Constructs()) != 0 {
		t.Errorf("%v", c.RPO)
	}
}

// TestOrderOfCorpus: blocks of constructs stand ahead of merge blocks.
func TestOrderOfCorpus(t *testing.T) {
	for _, s := range corpus(t) {
		m, err := Decode(s.words)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Functions {
			c := NewCFG(f)
			for _, k := range c.Constructs() {
				if !c.Reachable(k.Merge) {
					continue
				}
				for _, b := range slices.Concat(k.Blocks, k.ContinueBlocks) {
					if c.rank(b) >= c.rank(k.Merge) {
						t.Errorf("%s: block %d of construct %d comes behind its merge block", s.name, f.Blocks[b].Label, f.Blocks[k.Header].Label)
					}
				}
			}
		}
	}
}
