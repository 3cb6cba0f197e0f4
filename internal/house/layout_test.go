package house

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// deviceOnly are the blocks that no host reads or writes, by folder and name, with what they are: it knows their sizes at most.
var deviceOnly = map[string]string{
	"bvh ErClusterHeaderView": "the beginning of an ErClusterView, for traversal",
	"bvh ErDeep":              "a list among builds' scratch memory",
	"bvh ErNodePairs":         "ErNode, read by CPUs in pairs",
	"bvh ErNodeSides":         "the boxes of an ErNode, written alone",
	"bvh ErPlace":             "a list among clusters' scratch memory",
	"bvh ErPlan":              "what the kernels of one copy tell each other",
	"bvh ErPlanView":          "ErPlan, and words behind it",
	"bvh ErLinearBox":         "lists among clusters' scratch memory",
	"bvh ErRefitHeader":       "a header as vectors",
	"bvh ErSeeds":             "a list among builds' scratch memory",
	"bvh ErShortView":         "a short record as words",
	"bvh ErState":             "what the kernels of one build tell each other",
	"bvh ErInputInstance":     "VkAccelerationStructureInstanceKHR, of which the specification says the places",
	"fallback RtQuads":        "vectors of lanes' states",
	"fallback RtStackQuad":    "vectors of lanes' stacks",
	"fallback RtWords":        "words of lists",
	"fallback Words":          "RtLaunch as words, whose places TestIndirectLayout of fallback holds",
	"fallback RtHandle":       "a handle as a vector; the constants RT_HANDLE_... say what is where",
	"viewer TopLevel":         "the beginning of a structure's header: its own address",
}

// heldBy are the blocks whose offsets in Go are constants, which a test of their package holds against the compiled kernels.
var heldBy = map[string]string{
	"bvh ErNode":       "bvh/records_test.go TestStructureMatchesShaders",
	"bvh ErHeaderView": "bvh/records_test.go TestStructureMatchesShaders",
	"bvh ErHeaderOut":  "bvh/records_test.go TestStructureMatchesShaders",
	"bvh ErTriangle":   "bvh/records_test.go TestStructureMatchesShaders",
	"bvh ErInstance":   "bvh/records_test.go TestStructureMatchesShaders",
	"bvh ErBox":        "bvh/records_test.go TestStructureMatchesShaders",
}

// testsOwn are blocks of shaders that only tests run, and write word by word: they compare what comes out.
var testsOwn = map[string]string{
	"bvh Case":          "watertight.comp",
	"bvh Report":        "watertight.comp",
	"bvh Counts":        "watertight.comp",
	"viewer Result":     "furnace.comp",
	"enginetest Push":   "engine's tests",
	"enginetest Record": "engine's tests",
	"enginetest Flag":   "engine's tests",
	"example Push":      "engine's tests",
	"example Others":    "engine's tests",
}

// TestLayouts holds the structures that host and device share against each other: each block of a compiled shader has a twin in
// Go, marked with a //glsl: directive, of the same fields at the same places, or stands above with the reason why not.
func TestLayouts(t *testing.T) {
	all := blocks(t)
	byName := map[string][]*block{}
	for _, b := range all {
		byName[b.shader+" "+b.name] = append(byName[b.shader+" "+b.name], b)
	}
	held := map[string]bool{}
	m := checkModule(t)
	for _, k := range m.marks(t) {
		if k.shader == "" {
			continue
		}
		s, ok := k.object.Type().Underlying().(*types.Struct)
		if !ok {
			t.Errorf("%v: %s is no structure", k.at, k.name)
			continue
		}
		b := findBlock(t, k.shader, k.glsl)
		if b == nil {
			t.Errorf("%v: %s has no block %s", k.at, k.shader, k.glsl)
			continue
		}
		held[b.key()] = true
		for _, wrong := range differences(k, fieldsOf(s, "", 0), uint32(sizes.Sizeof(s)), b) {
			t.Errorf("%v: %s, %s of %s: %s", k.at, k.name, k.glsl, k.shader, wrong)
		}
	}
	met := map[string]bool{}
	for key, b := range all {
		folder, _, _ := strings.Cut(b.shader, "/")
		name := folder + " " + b.name
		if strings.HasPrefix(b.name, "Er") { // bvh's, in whoever's kernels
			name = "bvh " + b.name
			key = "bvh" + strings.TrimPrefix(key, folder)
		}
		_, device := deviceOnly[name]
		_, elsewhere := heldBy[name]
		_, tests := testsOwn[name]
		switch {
		case held[key]:
		case device, elsewhere, tests:
			met[name] = true
		default:
			t.Errorf("%s: %s has no twin in Go: %v", b.shader, b.name, b.fields)
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(deviceOnly)), slices.Collect(maps.Keys(heldBy)),
		slices.Collect(maps.Keys(testsOwn))) {
		if !met[name] {
			t.Errorf("%s is listed, and there is no such block without a twin", name)
		}
	}
	for name, where := range heldBy {
		file, test, _ := strings.Cut(where, " ")
		text, err := os.ReadFile(filepath.Join(root, file))
		_, block, _ := strings.Cut(name, " ")
		if err != nil || !strings.Contains(string(text), "func "+test+"(") || !strings.Contains(string(text), `"`+block+`"`) {
			t.Errorf("%s is held by %s of %s, which does not name it: %v", name, test, file, err)
		}
	}
}

// differences says where a structure in Go is not what a block is. Members that begin with "pad" are padding. Options of the mark
// rename fields (argument=list), or allow the block to have other members besides (part).
func differences(k mark, host []field, size uint32, b *block) (out []string) {
	renamed := map[string]string{}
	for _, o := range k.options {
		if from, to, ok := strings.Cut(o, "="); ok {
			renamed[from] = to
		}
	}
	part := slices.Contains(k.options, "part")
	device := map[string]field{}
	for _, f := range b.fields {
		if !strings.HasPrefix(f.name, "pad") && f.size != 0 {
			device[f.name] = f
		}
	}
	known := len(device)
	for _, f := range host {
		if to, ok := renamed[f.name]; ok {
			f.name = to
		}
		d, ok := device[f.name]
		switch {
		case strings.HasPrefix(f.name, "pad"):
		case !ok && !part:
			out = append(out, "it has no "+f.String())
		case ok && d != f:
			out = append(out, f.String()+" is "+d.String()+" there, or of another kind")
		}
		delete(device, f.name)
	}
	for name := range device {
		if !part {
			out = append(out, "the host does not know "+device[name].String())
		}
	}
	switch {
	case part && len(device) == known:
		out = append(out, "they have nothing in common")
	case part:
	case b.stride != 0 && b.stride != size, size < b.end(), size >= b.end()+16:
		out = append(out, fmt.Sprintf("the host's has %d bytes, the device's %d, in arrays %d", size, b.end(), b.stride))
	}
	return out
}

// TestDifferences moves, renames, widens and drops fields.
func TestDifferences(t *testing.T) {
	b := &block{"x", "Block", []field{{"a", 0, 8, false}, {"b", 8, 4, true}, {"pad0", 12, 4, false}}, 16}
	same := []field{{"a", 0, 8, false}, {"b", 8, 4, true}}
	for _, c := range []struct {
		name    string
		options []string
		host    []field
		size    uint32
		want    string // "" is none
	}{
		{"same", nil, same, 16, ""},
		{"moved", nil, []field{{"b", 0, 4, true}, {"a", 8, 8, false}}, 16, "a 8+8"},
		{"renamed", nil, []field{same[0], {"c", 8, 4, true}}, 16, "no c"},
		{"renamed as the mark says", []string{"c=b"}, []field{same[0], {"c", 8, 4, true}}, 16, ""},
		{"wider", nil, []field{same[0], {"b", 8, 8, true}}, 16, "b 8+8"},
		{"of another kind", nil, []field{same[0], {"b", 8, 4, false}}, 16, "another kind"},
		{"dropped", nil, same[:1], 16, "does not know b"},
		{"a part", []string{"part"}, same[1:], 400, ""},
		{"a part that moved", []string{"part"}, []field{{"b", 12, 4, true}}, 400, "b 12+4"},
		{"no part", []string{"part"}, []field{{"z", 0, 4, false}}, 400, "in common"},
		{"of another size", nil, same, 24, "24 bytes"},
	} {
		got := strings.Join(differences(mark{options: c.options}, c.host, c.size, b), "; ")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
