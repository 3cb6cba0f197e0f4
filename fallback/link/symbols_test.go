package link

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/shaders"
)

// TestRuntimeSymbols resolves the symbols of all variants of the runtime, and of the library of ray queries.
func TestRuntimeSymbols(t *testing.T) {
	for _, clusters := range []bool{false, true} {
		for _, target := range []shaders.Target{shaders.Any, shaders.Long, shaders.SIMD} {
			name := shaders.VariantFor("fallback/runtime.comp", target, clusters)
			y, err := resolveSymbols(decoded(t, name))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if tiles := y.RtTiles.id != 0; tiles == (target == shaders.SIMD) {
				t.Errorf("%s: rtTiles is there: %v", name, tiles)
			}
			name = shaders.VariantFor("fallback/query.comp", target, clusters)
			if _, err := resolveQuerySymbols(decoded(t, name)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestAttributeRoom: the variables of the runtime that hold hit attributes have the words that the linker takes them to have.
func TestAttributeRoom(t *testing.T) {
	for _, clusters := range []bool{false, true} {
		for _, target := range []shaders.Target{shaders.Any, shaders.Long, shaders.SIMD} {
			name := shaders.VariantFor("fallback/runtime.comp", target, clusters)
			m := decoded(t, name)
			defs := map[spirv.ID]spirv.Inst{}
			for _, in := range m.Globals {
				defs[in.Result] = in
			}
			found := 0
			for id, in := range defs {
				symbol := m.NameOf(id)
				if in.Op != spirv.OpVariable || symbol != "rtAttributes" && symbol != "rtCommitted" {
					continue
				}
				found++
				array := defs[spirv.ID(defs[in.Type].Operands[1])]
				if words := defs[spirv.ID(array.Operands[1])].Operands[0]; words != maxAttributeWords {
					t.Errorf("%s: %s has %d words, the linker %d", name, symbol, words, maxAttributeWords)
				}
			}
			if found != 2 {
				t.Errorf("%s: %d variables for attributes, want 2", name, found)
			}
		}
	}
}

// TestMissingSymbols takes symbols away: the error names what is missing, be it a function or a global, also where something else
// has its name.
func TestMissingSymbols(t *testing.T) {
	for _, c := range []struct{ name, symbol string }{
		{"a function", "rtShade"}, {"a global", "rtFrame"}, {"of queries", "rqProceed"}, {"of hit objects", "hoWords"},
		{"of waves", "rtWaveTail"}, {"of the sorted form", "rtSorted"}, {"nothing", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := decoded(t, "fallback/runtime.comp")
			m.Names = slices.DeleteFunc(m.Names, func(in spirv.Inst) bool {
				if in.Op != spirv.OpName {
					return false
				}
				name, _, _ := strings.Cut(in.Name().Name(), "(")
				return name == c.symbol
			})
			_, err := Link(t.Context(), m.Encode(), nil, Options{})
			if c.symbol == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.symbol) {
				t.Errorf("without %s: %v", c.symbol, err)
			}
		})
	}
	m := decoded(t, "fallback/runtime.comp")
	for i := range m.Names { // a function has the name of the global
		if in := &m.Names[i]; in.Op == spirv.OpName && in.Name().Name() == "rtFrame" {
			in.Annotation().SetTarget(m.Functions[0].Def.Result)
		}
	}
	if _, err := resolveSymbols(m); err == nil || !strings.Contains(err.Error(), "no variable rtFrame") {
		t.Errorf("with a function for rtFrame: %v", err)
	}
}

// decoded returns a shader of ours as a module.
func decoded(t *testing.T, name string) *spirv.Module {
	t.Helper()
	code, err := shaders.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.Decode(code)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
