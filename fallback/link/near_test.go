package link

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/fallback/spirv"
)

// nearLimit are modules of n words, as large as shaders may be: each takes what a module has many of to the limit. They are made
// of a small shader with a trace call.
var nearLimit = []struct {
	name string
	grow func(g *grower, words int)
}{
	{"names", func(g *grower, words int) {
		long := strings.Repeat("name", 16)
		for g.room(words, 20) {
			g.m.Name(g.uint, fmt.Sprintf("%s%x", long, g.n))
		}
	}},
	{"long names", func(g *grower, words int) {
		for g.room(words, 60003) {
			g.m.Name(g.uint, strings.Repeat("long", 60000))
		}
	}},
	{"decorations", func(g *grower, words int) {
		for g.room(words, 3) {
			g.m.Decorate(g.payload, spirv.DecorationRelaxedPrecision)
		}
	}},
	{"types", func(g *grower, words int) {
		for g.room(words, 4) {
			g.global(inst(spirv.OpTypeStruct, 0, g.m.NewID(), uint32(g.uint), uint32(g.uint)))
		}
	}},
	{"wide structures", func(g *grower, words int) {
		for g.room(words, 10002) {
			g.global(inst(spirv.OpTypeStruct, 0, g.m.NewID(), slices.Repeat([]uint32{uint32(g.uint)}, 10000)...))
		}
	}},
	{"constants", func(g *grower, words int) {
		for g.room(words, 4) {
			g.global(inst(spirv.OpConstant, g.uint, g.m.NewID(), g.n))
		}
	}},
	{"large constants", func(g *grower, words int) {
		zero := g.m.ConstantU32(0)
		typ := g.m.TypeArray(g.uint, g.m.ConstantU32(10000))
		for g.room(words, 10003) {
			g.global(inst(spirv.OpConstantComposite, typ, g.m.NewID(), slices.Repeat([]uint32{uint32(zero)}, 10000)...))
		}
	}},
	{"specialisation constants", func(g *grower, words int) {
		last := g.global(inst(spirv.OpSpecConstant, g.uint, g.m.NewID(), 1))
		for g.room(words, 6) {
			last = g.global(inst(spirv.OpSpecConstantOp, g.uint, g.m.NewID(), uint32(spirv.OpIAdd), uint32(last), uint32(last)))
		}
		g.use(last)
	}},
	{"variables", func(g *grower, words int) {
		typ := g.m.TypePointer(spirv.StorageClassPrivate, g.uint)
		for g.room(words, 4) {
			g.global(inst(spirv.OpVariable, typ, g.m.NewID(), uint32(spirv.StorageClassPrivate)))
		}
	}},
	{"functions that nobody calls", func(g *grower, words int) {
		for g.room(words, 20) {
			g.function()
		}
	}},
	{"functions", func(g *grower, words int) {
		void := g.m.TypeVoid()
		for g.room(words, 24) {
			g.body(inst(spirv.OpFunctionCall, void, g.m.NewID(), uint32(g.function())))
		}
	}},
	{"instructions", func(g *grower, words int) {
		last := g.one
		for g.room(words, 5) {
			last = g.m.NewID()
			g.body(inst(spirv.OpIAdd, g.uint, last, uint32(g.one), uint32(g.one)))
		}
		g.use(last)
	}},
	{"instructions in functions", func(g *grower, words int) {
		void := g.m.TypeVoid()
		for g.room(words, 5024) {
			f := g.function()
			b := g.m.Functions[len(g.m.Functions)-1].Blocks[0]
			end := b.Insts[len(b.Insts)-1]
			b.Insts = b.Insts[:len(b.Insts)-1]
			for range 1000 {
				b.Insts = append(b.Insts, inst(spirv.OpIAdd, g.uint, g.m.NewID(), uint32(g.one), uint32(g.one)))
			}
			b.Insts = append(b.Insts, end)
			g.body(inst(spirv.OpFunctionCall, void, g.m.NewID(), uint32(f)))
		}
	}},
	{"live values", func(g *grower, words int) {
		var made []spirv.ID
		for g.room(words, 9) {
			made = append(made, g.m.NewID())
			g.body(inst(spirv.OpIAdd, g.uint, made[len(made)-1], uint32(g.one), uint32(g.one)))
		}
		g.body(g.trace)
		for _, id := range made {
			g.body(inst(spirv.OpStore, 0, 0, uint32(g.payload), uint32(id)))
		}
	}},
	{"branches", func(g *grower, words int) {
		f := g.main
		for g.room(words, 14) && len(f.Blocks) < 60000 {
			g.branch()
		}
	}},
	{"branches in functions", func(g *grower, words int) {
		void, entry := g.m.TypeVoid(), g.main
		for g.room(words, 30) {
			f := g.function()
			g.main = g.m.Functions[len(g.m.Functions)-1]
			for i := 0; i < 300 && g.room(words, 14); i++ {
				g.branch()
			}
			g.main = entry
			g.body(inst(spirv.OpFunctionCall, void, g.m.NewID(), uint32(f)))
		}
	}},
}

func inst(op spirv.Op, typ, result spirv.ID, operands ...uint32) spirv.Inst {
	return spirv.Inst{Op: op, Type: typ, Result: result, Operands: operands}
}

// grower is the module that grows.
type grower struct {
	m                  *spirv.Module
	main               *spirv.Function
	trace              spirv.Inst
	uint, one, payload spirv.ID
	truth, fn          spirv.ID
	n                  uint32 // what room has let in
	words              int
}

func newGrower(t *testing.T) *grower {
	m, err := spirv.Decode(hostile{body: traceInst}.assemble(t))
	if err != nil {
		t.Fatal(err)
	}
	g := &grower{m: m, main: m.Functions[0]}
	g.uint, g.one, g.truth = m.TypeInt(32, false), m.ConstantU32(1), m.ConstantBool(true)
	g.fn = m.TypeFunction(m.TypeVoid())
	for _, in := range g.main.Blocks[0].Insts {
		if in.Op == spirv.OpTraceRayKHR {
			g.trace, g.payload = in.Clone(), in.ID(10)
		}
	}
	return g
}

// room says whether so many words more fit, and counts them.
func (g *grower) room(most, words int) bool {
	g.n++
	g.words += words
	return g.words < most-1000 && g.m.Bound < 1<<22-1000
}

func (g *grower) global(in spirv.Inst) spirv.ID {
	g.m.Globals = append(g.m.Globals, in)
	return in.Result
}

// body adds an instruction at the end of the entry function.
func (g *grower) body(in spirv.Inst) {
	b := g.main.Blocks[len(g.main.Blocks)-1]
	end := b.Insts[len(b.Insts)-1]
	b.Insts = append(b.Insts[:len(b.Insts)-1], in, end)
}

func (g *grower) use(value spirv.ID) {
	g.body(inst(spirv.OpStore, 0, 0, uint32(g.payload), uint32(value)))
}

// function adds one that stores to the payload, and returns its id.
func (g *grower) function() spirv.ID {
	id := g.m.NewID()
	g.m.Functions = append(g.m.Functions, &spirv.Function{
		Def: inst(spirv.OpFunction, g.m.TypeVoid(), id, 0, uint32(g.fn)),
		Blocks: []*spirv.Block{{Label: g.m.NewID(), Insts: []spirv.Inst{
			inst(spirv.OpStore, 0, 0, uint32(g.payload), uint32(g.one)), inst(spirv.OpReturn, 0, 0)}}},
	})
	return id
}

// branch adds a condition at the end of the entry function.
func (g *grower) branch() {
	b := g.main.Blocks[len(g.main.Blocks)-1]
	yes := &spirv.Block{Label: g.m.NewID()}
	merge := &spirv.Block{Label: g.m.NewID(), Insts: b.Insts[len(b.Insts)-1:]}
	b.Insts = append(b.Insts[:len(b.Insts)-1:len(b.Insts)-1],
		inst(spirv.OpSelectionMerge, 0, 0, uint32(merge.Label), 0),
		inst(spirv.OpBranchConditional, 0, 0, uint32(g.truth), uint32(yes.Label), uint32(merge.Label)))
	yes.Insts = []spirv.Inst{inst(spirv.OpBranch, 0, 0, uint32(merge.Label))}
	g.main.Blocks = append(g.main.Blocks, yes, merge)
}

// nearCode is a module of so many words; what made it is free again.
func nearCode(t *testing.T, grow func(g *grower, n int), words int) []uint32 {
	g := newGrower(t)
	grow(g, words)
	return g.m.Encode()
}

// TestNearTheLimit links modules of nearly 16 MiB, the limit, with EVERRAY_SWEEP=1, else of 2 MiB. What it takes grows as they do,
// and the context is looked at at least every 100 ms of computing (250 beside other tests); the least of three runs counts, since
// threads help with the garbage of others.
func TestNearTheLimit(t *testing.T) {
	words, most := 1<<19, 250*time.Millisecond
	if os.Getenv("EVERRAY_SWEEP") != "" {
		words, most = 1<<22, 100*time.Millisecond
	}
	rt := runtimeModule(t)
	for _, c := range nearLimit {
		t.Run(c.name, func(t *testing.T) {
			measure := func(words int) (spent time.Duration, allocated uint64, w *watched, err error) {
				stages := []Stage{{Name: c.name, Kind: Raygen, Code: nearCode(t, c.grow, words)}}
				runtime.GC()
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				begin := threadTime()
				w = &watched{Context: t.Context(), last: begin}
				_, err = Link(w, rt, stages, Options{})
				_ = w.Err()
				spent = threadTime() - begin
				runtime.ReadMemStats(&after)
				return spent, after.TotalAlloc - before.TotalAlloc, w, err
			}
			half, halfBytes, _, err := measure(words / 2)
			if err != nil && !errors.Is(err, ErrUnsupported) {
				t.Fatal(err)
			}
			spent, bytes, w, err := measure(words)
			if err != nil && !errors.Is(err, ErrUnsupported) {
				t.Fatal(err)
			}
			t.Logf("%.1f MiB: %v (half: %v), %d MB allocated (half: %d); %d looks, at most %v between two, ahead of %s; %v",
				float64(words)/(1<<18), spent.Round(time.Millisecond), half.Round(time.Millisecond), bytes>>20, halfBytes>>20, w.looks,
				w.longest.Round(time.Millisecond), w.where, err)
			for range 2 {
				if w.longest > most {
					if _, _, again, _ := measure(words); again.longest < w.longest {
						w = again
					}
				}
			}
			if w.longest > most {
				t.Errorf("%v of computing without a look at the context, ahead of %s", w.longest, w.where)
			}
			if bytes > 3*halfBytes || spent > 4*half+time.Second {
				t.Errorf("%v and %d MB, half as much takes %v and %d MB", spent, bytes>>20, half, halfBytes>>20)
			}
		})
	}
}
