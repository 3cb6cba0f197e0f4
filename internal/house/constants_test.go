package house

import (
	"go/constant"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// glslConstant is a definition of a number in GLSL: const uint, const int, const float, or a macro.
var (
	glslConstant = regexp.MustCompile(`(?m)^(?:const (?:u?int|float)|#define) +(\w+) *(?:=)? +([^;,\n]+?)(?:,.*)?;?(?: *//.*)?$`)
	suffix       = regexp.MustCompile(`\b(0x[0-9a-fA-F]+|[0-9]+)u?l?\b`)
	word         = regexp.MustCompile(`\b[A-Za-z_]\w*\b`)
)

// constants reads what GLSL below shaders/ defines, by name: each text that it is defined by.
func glslConstants(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(filepath.Join(root, "shaders"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) == ".go" || filepath.Ext(name) == ".spv" {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range glslConstant.FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(out[m[1]], m[2]) {
				out[m[1]] = append(out[m[1]], m[2])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// evaluate computes a constant of GLSL, of which there must be one definition, as Go does.
func evaluate(all map[string][]string, name string, depth int) (constant.Value, bool) {
	if len(all[name]) != 1 || depth > 8 {
		return nil, false
	}
	return evaluateText(all, all[name][0], depth)
}

func evaluateText(all map[string][]string, text string, depth int) (constant.Value, bool) {
	text = suffix.ReplaceAllString(text, "$1")
	text = strings.ReplaceAll(text, "~", "0xFFFFFFFF^")
	known := true
	text = word.ReplaceAllStringFunc(text, func(w string) string {
		if _, ok := all[w]; !ok {
			return w // part of a number, or Go says what is wrong
		}
		v, ok := evaluate(all, w, depth+1)
		if known = known && ok; !ok {
			return w
		}
		return v.ExactString()
	})
	if !known {
		return nil, false
	}
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	return v.Value, err == nil && v.Value != nil
}

// canonical is a constant's name without the prefix of its shaders, capitals and underscores.
func canonical(name string) string {
	for _, p := range []string{"ER_", "RT_", "RQ_", "HO_"} {
		name = strings.TrimPrefix(name, p)
	}
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// namesakes are constants in Go whose names are those of a constant in GLSL, of which they are no twins.
var namesakes = map[string]string{
	"fallback/link/normal.Miss":   "a stage, not what a hit object is",
	"fallback/link.Miss":          "the same",
	"fallback.Miss":               "the same",
	"engine.Miss":                 "the same",
	"fallback.None":               "a stage",
	"fallback/spirv.none":         "of the grammar",
	"bvh/cluster.Most":            "ER_CLUSTER_MOST",
	"bvh/cluster.leafTriangles":   "ER_CLUSTER_LEAF",
	"bvh/cluster.headerBoundsMax": "of clusters, not of structures",
	"bvh/cluster.headerBoundsMin": "the same",
	"bvh/cluster.headerFlags":     "the same",
	"bvh/cluster.headerMagic":     "the same",
	"bvh/cluster.headerRoot":      "the same",
	"bvh/cluster.headerSize":      "the same",
}

// TestConstants holds numbers that host and device share against each other: those in Go with a //glsl: directive, and all whose
// names say that they are the same.
func TestConstants(t *testing.T) {
	all := glslConstants(t)
	byName := map[string][]string{}
	for name := range all {
		byName[canonical(name)] = append(byName[canonical(name)], name)
	}
	m := checkModule(t)
	same := func(at token.Position, c *types.Const, name string) {
		for _, text := range all[name] { // several by variants
			v, ok := evaluateText(all, text, 0)
			if ok && constant.Compare(constant.ToFloat(c.Val()), token.EQL, constant.ToFloat(v)) {
				return
			}
		}
		t.Errorf("%v: %s is %v, %s is defined in GLSL by %q", at, c.Name(), c.Val(), name, all[name])
	}
	marked := map[types.Object]bool{}
	for _, k := range m.marks(t) {
		if c, ok := k.object.(*types.Const); ok {
			marked[c] = true
			same(k.at, c, k.glsl)
		}
	}
	if len(marked) < 8 {
		t.Errorf("only %d constants are marked", len(marked))
	}
	met := map[string]bool{}
	for path, p := range m.checked {
		within, own := strings.CutSuffix(strings.TrimPrefix(path, m.name+"/"), " with tests")
		if !own || !below(within, []string{"bvh", "fallback", "engine"}) {
			continue
		}
		for _, name := range p.Scope().Names() {
			c, ok := p.Scope().Lookup(name).(*types.Const)
			if !ok || marked[c] {
				continue
			}
			twins := byName[strings.ToLower(name)]
			if _, stranger := namesakes[within+"."+name]; stranger {
				met[within+"."+name] = true
				continue
			}
			for _, twin := range twins {
				same(m.fset.Position(c.Pos()), c, twin)
			}
		}
	}
	for name := range namesakes {
		if !met[name] {
			t.Errorf("%s is listed, and is none any more", name)
		}
	}
}

func TestEvaluate(t *testing.T) {
	all := map[string][]string{"A": {"16u * B"}, "B": {"0x20u"}, "C": {"~0u"}, "D": {"1.0 / 4.0"}, "E": {"1u", "2u"}, "F": {"f(x)"},
		"G": {"E + 1u"}, "H": {"H + 1u"}, "I": {"(1u << 4) - 1u"}}
	for name, want := range map[string]string{"A": "512", "C": "4294967295", "D": "0.25", "E": "", "F": "", "G": "", "H": "",
		"I": "15"} {
		v, ok := evaluate(all, name, 0)
		switch {
		case ok && v.String() != want:
			t.Errorf("%s is %v, want %s", name, v, want)
		case !ok && want != "":
			t.Errorf("%s has no value, want %s", name, want)
		}
	}
}
