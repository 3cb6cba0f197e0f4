package spirv

import (
	"errors"
	"runtime"
	"testing"
	"time"
)

// raw appends an instruction's words.
func raw(w []uint32, op Op, operands ...uint32) []uint32 {
	return append(append(w, uint32(len(operands)+1)<<16|uint32(op)), operands...)
}

// shaderHead begins a module with a bound; ids 1 to 5 are void, void(), bool, uint and the constant 1.
func shaderHead(bound uint32) []uint32 {
	w := []uint32{magic, 0x10500, 0, bound, 0}
	w = raw(w, OpCapability, uint32(CapabilityShader))
	return raw(w, OpMemoryModel, 0, 1)
}

func shaderTypes(w []uint32) []uint32 {
	w = raw(w, OpTypeVoid, 1)
	w = raw(w, OpTypeFunction, 2, 1)
	w = raw(w, OpTypeBool, 3)
	w = raw(w, OpTypeInt, 4, 32, 0)
	return raw(w, OpConstant, 4, 5, 1)
}

// hostile modules are small, and cost far more than their size where work or memory grows faster than it.
var hostile = map[string]func() []uint32{
	"group of itself": func() []uint32 {
		w := shaderHead(10)
		w = raw(w, OpDecorate, 9, uint32(DecorationRestrict))
		w = raw(w, OpDecorationGroup, 9)
		targets := []uint32{9}
		for range 60 {
			targets = append(targets, 9)
		}
		return shaderTypes(raw(w, OpGroupDecorate, targets...))
	},
	"groups times targets": func() []uint32 {
		const n = 20000
		w := shaderHead(n + 10)
		for range n {
			w = raw(w, OpDecorate, 9, uint32(DecorationRestrict))
		}
		w = raw(w, OpDecorationGroup, 9)
		targets := []uint32{9}
		for i := uint32(0); i < n; i++ {
			targets = append(targets, 4)
		}
		return shaderTypes(raw(w, OpGroupDecorate, targets...))
	},
	"inserts into a large constant": func() []uint32 {
		const parts, n = 20000, 20000
		w := shaderTypes(shaderHead(n + 20))
		w = raw(w, OpConstant, 4, 6, parts)
		w = raw(w, OpTypeArray, 7, 4, 6)
		list := []uint32{7, 8}
		for range parts {
			list = append(list, 5)
		}
		w = raw(w, OpSpecConstantComposite, list...)
		for i := uint32(0); i < n; i++ {
			w = raw(w, OpSpecConstantOp, 7, 9+i, uint32(OpCompositeInsert), 5, 8+i, 0)
		}
		return w
	},
	"a wide switch": func() []uint32 {
		const n = 30000
		w := shaderTypes(shaderHead(n + 100))
		w = raw(w, OpFunction, 1, 10, 0, 2)
		w = raw(w, OpLabel, 11)
		w = raw(w, OpSelectionMerge, 12, 0)
		cases := []uint32{5, 12}
		for i := uint32(0); i < n; i++ {
			cases = append(cases, i, 20+i)
		}
		w = raw(w, OpSwitch, cases...)
		phi := []uint32{4, 13, 5, 11}
		for i := uint32(0); i < n; i++ {
			w = raw(w, OpLabel, 20+i)
			w = raw(w, OpBranch, 12)
			phi = append(phi, 5, 20+i)
		}
		w = raw(w, OpLabel, 12)
		w = raw(w, OpPhi, phi...)
		w = raw(w, OpReturn)
		return raw(w, OpFunctionEnd)
	},
	"nested selections": func() []uint32 {
		const n = 20000
		w := shaderTypes(shaderHead(2*n + 100))
		w = raw(w, OpConstantTrue, 3, 6)
		w = raw(w, OpFunction, 1, 10, 0, 2)
		for i := uint32(0); i < n; i++ {
			w = raw(w, OpLabel, 20+i)
			w = raw(w, OpSelectionMerge, 20+2*n-i, 0)
			w = raw(w, OpBranchConditional, 6, 20+i+1, 20+2*n-i)
		}
		w = raw(w, OpLabel, 20+n)
		w = raw(w, OpBranch, 20+n+1)
		for i := uint32(1); i < n; i++ {
			w = raw(w, OpLabel, 20+n+i)
			w = raw(w, OpBranch, 20+n+i+1)
		}
		w = raw(w, OpLabel, 20+2*n)
		w = raw(w, OpReturn)
		return raw(w, OpFunctionEnd)
	},
	"a ladder that cannot be reduced": func() []uint32 {
		// Two chains, one down and one up, with edges across: dominators take the iterative algorithm many turns.
		const n = 12000
		w := shaderTypes(shaderHead(2*n + 100))
		w = raw(w, OpConstantTrue, 3, 6)
		w = raw(w, OpFunction, 1, 10, 0, 2)
		for i := uint32(0); i < n; i++ {
			w = raw(w, OpLabel, 20+i)
			w = raw(w, OpBranchConditional, 6, 20+min(i+1, n-1+n), 20+n+i)
		}
		for i := uint32(0); i < n; i++ {
			w = raw(w, OpLabel, 20+n+i)
			if i == 0 {
				w = raw(w, OpReturn)
				continue
			}
			w = raw(w, OpBranchConditional, 6, 20+n+i-1, 20+i)
		}
		return raw(w, OpFunctionEnd)
	},
	"a chain of loops inside out": func() []uint32 {
		const n = 12000
		w := shaderTypes(shaderHead(n + 100))
		w = raw(w, OpConstantTrue, 3, 6)
		w = raw(w, OpFunction, 1, 10, 0, 2)
		w = raw(w, OpLabel, 19)
		w = raw(w, OpBranchConditional, 6, 20, 20+n-1)
		for i := uint32(0); i < n; i++ {
			w = raw(w, OpLabel, 20+i)
			if i == 0 {
				w = raw(w, OpBranch, 21)
				continue
			}
			w = raw(w, OpBranchConditional, 6, 20+(i+1)%n, 20+i-1)
		}
		return raw(w, OpFunctionEnd)
	},
	"doubling structures": func() []uint32 {
		w := shaderTypes(shaderHead(100))
		w = raw(w, OpTypeStruct, 10, 4, 4)
		for i := uint32(0); i < 60; i++ {
			w = raw(w, OpTypeStruct, 11+i, 10+i, 10+i)
		}
		return raw(w, OpConstantNull, 70, 80)
	},
	"entry points times functions": func() []uint32 {
		const n = 6000
		w := []uint32{magic, 0x10500, 0, 4*n + 100, 0}
		w = raw(w, OpCapability, uint32(CapabilityShader))
		w = raw(w, OpMemoryModel, 0, 1)
		for i := uint32(0); i < n; i++ {
			w = raw(w, OpEntryPoint, uint32(ExecutionModelGLCompute), 1000+i, i%200+1|(i/200+1)<<8)
		}
		for i := uint32(0); i < n; i++ {
			w = raw(w, OpExecutionMode, 1000+i, uint32(ExecutionModeLocalSize), 1, 1, 1)
		}
		w = shaderTypes(w)
		function := func(id, calls uint32) {
			w = raw(w, OpFunction, 1, id, 0, 2)
			w = raw(w, OpLabel, id+n)
			if calls != 0 {
				w = raw(w, OpFunctionCall, 1, id+2*n, calls)
			}
			w = raw(w, OpReturn)
			w = raw(w, OpFunctionEnd)
		}
		for i := uint32(0); i < n; i++ { // each calls a chain of all others
			function(1000+i, map[bool]uint32{true: 0, false: 1000 + i + 1}[i+1 == n])
		}
		return w
	},
}

// TestHostile checks that decoding, verifying and folding take time and memory in proportion to the module, about.
func TestHostile(t *testing.T) {
	for name, build := range hostile {
		t.Run(name, func(t *testing.T) {
			words := build()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			m, err := Decode(words)
			if err != nil {
				t.Fatal(err)
			}
			verdict := Verify(m)
			x := NewIndex(m)
			for _, f := range m.Functions {
				c := NewCFG(f)
				c.StructurallyDominates(0, len(f.Blocks)-1)
			}
			_ = x.Decorations(4)
			flat := m.FlattenDecorationGroups()
			folded := FoldSpecConstants(m, nil)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			t.Logf("%d words: %v, %d MB; verify: %v, flatten: %v, fold: %v", len(words), took, (after.TotalAlloc-before.TotalAlloc)>>20,
				firstLine(verdict), flat, folded)
			if took > 10*time.Second { // milliseconds where nothing else runs; minutes if it grows with the square
				t.Errorf("took %v", took)
			}
			if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 800 {
				t.Errorf("allocated %d MB", mb)
			}
			if flat != nil && !errors.Is(flat, ErrUnsupported) {
				t.Errorf("flatten: %v", flat)
			}
		})
	}
}

func firstLine(err error) string {
	if err == nil {
		return "nil"
	}
	text := err.Error()
	return text[:min(len(text), 90)]
}
