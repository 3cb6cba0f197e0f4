package link

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
)

// TestReproducers links the shaders that once were defects,
// in all forms. The first line of each says which kind of shader it is.
func TestReproducers(t *testing.T) {
	files, err := filepath.Glob("testdata/reproducers/*.spvasm")
	if err != nil || len(files) == 0 {
		t.Fatal("no reproducers", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".spvasm"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(text), "\n")
			kind, ok := strings.CutPrefix(first, "; model: ")
			model := Model(-1)
			for m := Raygen; m <= Callable; m++ {
				if m.String() == kind {
					model = m
				}
			}
			if !ok || model < 0 {
				t.Fatalf("first line %q, want ; model: ray generation or another", first)
			}
			code := glsltest.AssembleFile(t, "spv1.4", file)
			linkForms(t, []Stage{{Name: filepath.Base(file), Kind: model, Code: code}}, 1, allForms...)
			r, err := Link(t.Context(), runtimeModule(t), []Stage{{Kind: model, Code: code}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			m, err := spirv.Decode(r.Code)
			if err != nil {
				t.Fatal(err)
			}
			if m.HasCapability(spirv.CapabilityRayTracingProvisionalKHR) {
				t.Error("the linked module declares RayTracingProvisionalKHR")
			}
		})
	}
}

// nested is a ray generation shader with n structures, each of the one before, or pointers,
// the last of which lives across a trace.
func nested(n int, of func(m *spirv.Module, last spirv.ID) spirv.ID) []uint32 {
	m := &spirv.Module{Version: 0x10500, MemoryModel: spirv.Inst{Op: spirv.OpMemoryModel, Operands: []uint32{0, 1}}}
	m.AddCapability(spirv.CapabilityRayTracingKHR)
	m.AddCapability(spirv.CapabilityShader)
	m.AddExtension("SPV_KHR_ray_tracing")
	last := m.TypeInt(32, false)
	structure := m.NewID()
	m.Globals = append(m.Globals, spirv.Inst{Op: spirv.OpTypeAccelerationStructureKHR, Result: structure})
	var (
		u0      = m.ConstantU32(0)
		f0      = m.ConstantF32(0)
		v0      = m.ConstantComposite(m.TypeVector(m.TypeFloat(32), 3), f0, f0, f0)
		payload = m.Variable(m.TypePointer(spirv.StorageClassRayPayloadKHR, last), spirv.StorageClassRayPayloadKHR)
		scene   = m.Variable(m.TypePointer(spirv.StorageClassUniformConstant, structure), spirv.StorageClassUniformConstant)
		void    = m.TypeVoid()
		fn      = m.TypeFunction(void)
	)
	m.Decorate(scene, spirv.DecorationDescriptorSet, 0)
	m.Decorate(scene, spirv.DecorationBinding, 0)
	for range n {
		last = of(m, last)
	}
	v := m.Variable(m.TypePointer(spirv.StorageClassPrivate, last), spirv.StorageClassPrivate)
	main, label, loaded, kept := m.NewID(), m.NewID(), m.NewID(), m.NewID()
	words := func(ids ...spirv.ID) []uint32 {
		var w []uint32
		for _, id := range ids {
			w = append(w, uint32(id))
		}
		return w
	}
	m.Functions = []*spirv.Function{{
		Def: spirv.Inst{Op: spirv.OpFunction, Type: void, Result: main, Operands: []uint32{0, uint32(fn)}},
		Blocks: []*spirv.Block{{Label: label, Insts: []spirv.Inst{
			{Op: spirv.OpLoad, Type: structure, Result: loaded, Operands: words(scene)},
			{Op: spirv.OpLoad, Type: last, Result: kept, Operands: words(v)},
			{Op: spirv.OpTraceRayKHR, Operands: words(loaded, u0, u0, u0, u0, u0, v0, f0, v0, f0, payload)},
			{Op: spirv.OpStore, Operands: words(v, kept)},
			{Op: spirv.OpReturn},
		}}},
	}}
	m.EntryPoints = []spirv.Inst{{Op: spirv.OpEntryPoint,
		Operands: append(append([]uint32{uint32(spirv.ExecutionModelRayGenerationKHR),
			uint32(main)}, spirv.EncodeString("main")...), words(scene, payload, v)...)}}
	return m.Encode()
}

// TestNestedTypes links types that nest deep: those that SPIR-V allows are linked, those that would overflow the stack of a
// recursion are refused by name.
func TestNestedTypes(t *testing.T) {
	runtime := runtimeModule(t)
	kinds := map[string]func(m *spirv.Module, last spirv.ID) spirv.ID{
		"structures": func(m *spirv.Module, last spirv.ID) spirv.ID { return m.TypeStruct(last) },
		"pointers": func(m *spirv.Module, last spirv.ID) spirv.ID {
			id := m.NewID()
			m.Globals = append(m.Globals, spirv.Inst{Op: spirv.OpTypePointer, Result: id,
				Operands: []uint32{uint32(spirv.StorageClassFunction), uint32(last)}})
			return id
		},
	}
	for kind, of := range kinds {
		for _, n := range []int{200, 2_000, 1_000_000, 2_000_000} {
			code := nested(n, of)
			start := time.Now()
			_, err := Link(t.Context(), runtime, []Stage{{Name: "mine", Kind: Raygen, Code: code}},
				Options{Form: FormMegakernel, MaxDepth: 1})
			t.Logf("%d %s, %d bytes: %v, %.120v", n, kind, 4*len(code), time.Since(start), err)
			want := map[int]string{200: "pointer", 2_000: "types nest", 1_000_000: "types nest", 2_000_000: "module of"}[n]
			if n == 200 && kind == "structures" {
				if err != nil {
					t.Error(err)
				}
			} else if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(),
				"shader mine") || !strings.Contains(err.Error(), want) {
				t.Errorf("%d %s: %v, want ErrUnsupported that says %q", n, kind, err, want)
			}
		}
	}
}
