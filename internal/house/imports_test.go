package house

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the module's directory, from here.
const root = "../.."

// never are the imports that must not be, directly or through others: a package of from, or below it, reaches none of to.
// Tests may not import them directly. ARCHITECTURE.md has the same table.
var never = []struct {
	from, to []string
	why      string
}{
	{
		[]string{"bvh", "sbt", "fallback", "cache", "vk"}, []string{"engine"},
		"they record into command buffers that somebody else owns, so that they can serve a Vulkan layer, too",
	},
	{
		[]string{"fallback/link", "fallback/spirv"}, []string{"vk", "bvh", "sbt", "cache", "window"},
		"the compiler runs without a GPU, a driver or cgo",
	},
	{[]string{"rt"}, []string{"engine", "bvh", "fallback", "cache", "sbt", "vk", "shaders", "assets", "window"},
		"it has the words that all rooms share"},
	{[]string{"fallback/spirv"}, []string{"fallback/link"}, "the format knows nothing of the linker"},
	{[]string{"fallback/link/normal"}, []string{"fallback/link"}, "what makes strangers' modules normal knows nothing of the linker"},
	{[]string{"bvh/internal/layout"}, []string{"bvh/inspect", "bvh/host"}, "layouts stand below what reads and writes them"},
	{[]string{"bvh/inspect"}, []string{"bvh/host"}, "who reads structures does not depend on who makes them"},
	{[]string{"engine/internal/native"}, []string{"bvh", "fallback"}, "a way does not know the other"},
	{[]string{"assets", "window"}, []string{"engine"}, "scenes and windows are anybody's"},
	{[]string{"vk", "sbt", "shaders"}, []string{"bvh", "fallback", "cache", "assets"}, "they stand below both ways"},
	{[]string{"engine", "bvh", "fallback", "vk", "sbt", "cache", "assets", "window"}, []string{"cmd", "internal/pipelinetest"},
		"nobody depends on a program, or on tests above all"},
}

// cmdReaches are the packages that programs may import, beside their own: they are the first users of the library, and what
// they lack, others lack. Reproducers, structures that were read back, and caches are files and bytes, for tools without a device.
var cmdReaches = []string{
	"engine", "assets", "window", "vk", "sbt", "shaders", "cmd", "fallback/repro", "bvh/inspect", "cache",
}

// files are the imports of a package within the module, those of its tests apart.
type files struct{ code, tests []string }

// readImports reads the imports of all files of the module, whatever their build tags are.
func readImports(t *testing.T) map[string]*files {
	t.Helper()
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	module := strings.Fields(string(gomod))[1]
	packages := map[string]*files{}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != root && d.Name() != ".." || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		if packages[relative] == nil {
			packages[relative] = &files{}
		}
		list := &packages[relative].code
		if strings.HasSuffix(name, "_test.go") {
			list = &packages[relative].tests
		}
		for _, i := range f.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if within, ok := strings.CutPrefix(imported, module+"/"); ok && !slices.Contains(*list, within) {
				*list = append(*list, within)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// below tells whether a package is one of the rooms or below one.
func below(name string, rooms []string) bool {
	return slices.ContainsFunc(rooms, func(r string) bool { return name == r || strings.HasPrefix(name, r+"/") })
}

// reach finds a way from a package to one of the rooms through imports, itself excluded.
func reach(packages map[string]*files, from string, rooms []string, seen map[string]bool) []string {
	if seen[from] || packages[from] == nil {
		return nil
	}
	seen[from] = true
	for _, to := range packages[from].code {
		if below(to, rooms) {
			return []string{from, to}
		}
		if way := reach(packages, to, rooms, seen); way != nil {
			return append([]string{from}, way...)
		}
	}
	return nil
}

func TestImports(t *testing.T) {
	packages := readImports(t)
	for _, rule := range never {
		for _, room := range slices.Concat(rule.from, rule.to) {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(packages)), func(name string) bool { return below(name, []string{room}) }) {
				t.Errorf("the table names %s, and there is no such package", room)
			}
		}
		for name, p := range packages {
			if !below(name, rule.from) {
				continue
			}
			if way := reach(packages, name, rule.to, map[string]bool{}); way != nil {
				t.Errorf("%s (%s)", strings.Join(way, " imports "), rule.why)
			}
			for _, imported := range p.tests {
				if below(imported, rule.to) {
					t.Errorf("tests of %s import %s (%s)", name, imported, rule.why)
				}
			}
		}
	}
	for name, p := range packages {
		if !below(name, []string{"cmd"}) {
			continue
		}
		for _, imported := range p.code {
			if !below(imported, cmdReaches) {
				t.Errorf("%s imports %s: programs are the first users of the library, and what they lack, others lack", name, imported)
			}
		}
	}
}
