package house

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// module type-checks packages of this module for their constants and the layouts of their structures: without function bodies,
// without what other modules define, and whatever does not check for want of that is left out.
type module struct {
	fset     *token.FileSet
	name     string
	checked  map[string]*types.Package
	files    map[string][]*ast.File
	standard types.Importer
}

// vectors stands for the package of the same name, of which structures for shaders have vectors.
const vectors = "package mgl32; type (Vec2 [2]float32; Vec3 [3]float32; Vec4 [4]float32)"

// Import returns a package.
func (m *module) Import(path string) (*types.Package, error) {
	if p := m.checked[path]; p != nil {
		return p, nil
	}
	within, own := strings.CutPrefix(path, m.name+"/")
	if own {
		return m.check(path, m.parse(filepath.Join(root, filepath.FromSlash(within)), false)), nil
	}
	if strings.HasSuffix(path, "/mgl32") {
		f, err := parser.ParseFile(m.fset, "mgl32.go", vectors, 0)
		return m.check(path, []*ast.File{f}), err
	}
	if slices.Contains([]string{"math", "unsafe"}, path) {
		return m.standard.Import(path)
	}
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// parse reads a package's files for this system, tests' or others.
func (m *module) parse(dir string, tests bool) []*ast.File {
	var out []*ast.File
	list, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range list {
		if ok, err := build.Default.MatchFile(dir, filepath.Base(name)); err != nil || !ok {
			continue
		}
		f, err := parser.ParseFile(m.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || strings.HasSuffix(name, "_test.go") && (!tests || strings.HasSuffix(f.Name.Name, "_test")) {
			continue
		}
		out = append(out, f)
	}
	return out
}

// check checks a package as far as that goes.
func (m *module) check(path string, files []*ast.File) *types.Package {
	c := types.Config{Importer: m, IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}, Sizes: sizes}
	p, _ := c.Check(path, m.fset, files, nil)
	m.checked[path], m.files[path] = p, files
	return p
}

// sizes are those of the machines that this runs on.
var sizes = types.SizesFor("gc", "amd64")

// checkModule checks all packages, with their tests.
func checkModule(t *testing.T) *module {
	t.Helper()
	m := &module{fset: token.NewFileSet(), name: "github.com/everray/everray", checked: map[string]*types.Package{},
		files: map[string][]*ast.File{}, standard: importer.ForCompiler(token.NewFileSet(), "source", nil)}
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if base := d.Name(); strings.HasPrefix(base, ".") && base != ".." || base == "testdata" {
			return filepath.SkipDir
		}
		relative, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		if files := m.parse(dir, true); len(files) > 0 {
			m.check(m.name+"/"+filepath.ToSlash(relative)+" with tests", files)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// mark says whose twin a declaration in Go is: a directive in the comment above it, or a comment behind a constant.
//
//	//glsl:bvh/build/bounds.comp ErBuild
//	//glsl:ER_COPY_SIZE
type mark struct {
	at      token.Position
	path    string // of the package
	name    string // in Go
	shader  string // of a structure; empty for constants
	glsl    string
	options []string
	object  types.Object
}

var marked = regexp.MustCompile(`(?m)^//glsl:(.+)$`)

// marks finds all marks.
func (m *module) marks(t *testing.T) []mark {
	t.Helper()
	var out []mark
	add := func(path string, name *ast.Ident, groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if g == nil {
				continue
			}
			for _, c := range g.List {
				found := marked.FindStringSubmatch(c.Text)
				if found == nil {
					continue
				}
				k := mark{at: m.fset.Position(name.Pos()), path: path, name: name.Name, object: m.checked[path].Scope().Lookup(name.Name)}
				words := strings.Fields(found[1])
				if strings.Contains(words[0], "/") && len(words) > 1 {
					k.shader, words = words[0], words[1:]
				}
				k.glsl, k.options = words[0], words[1:]
				out = append(out, k)
			}
		}
	}
	for path, files := range m.files {
		if !strings.HasSuffix(path, " with tests") {
			continue
		}
		for _, f := range files {
			for _, d := range f.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, s := range g.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						add(path, s.Name, g.Doc, s.Doc)
					case *ast.ValueSpec:
						if g.Tok == token.CONST {
							add(path, s.Names[0], s.Doc, s.Comment)
						}
						if len(g.Specs) == 1 {
							add(path, s.Names[0], g.Doc)
						}
					}
				}
			}
		}
	}
	return out
}

// fieldsOf lists the fields of a structure in Go as blocks have them: those of structures in place of these, and no padding.
func fieldsOf(s *types.Struct, prefix string, base uint32) []field {
	var out []field
	vars := make([]*types.Var, s.NumFields())
	for i := range vars {
		vars[i] = s.Field(i)
	}
	for i, offset := range sizes.Offsetsof(vars) {
		v := vars[i]
		name := []rune(v.Name())
		name[0] = unicode.ToLower(name[0])
		at, full := base+uint32(offset), join(prefix, string(name))
		if v.Name() == "_" {
			continue
		}
		if inner, ok := v.Type().Underlying().(*types.Struct); ok {
			if v.Embedded() {
				full = prefix
			}
			out = append(out, fieldsOf(inner, full, at)...)
			continue
		}
		out = append(out, field{full, at, uint32(sizes.Sizeof(v.Type())), floats(v.Type())})
	}
	return out
}

// floats tells whether a type is made of floats.
func floats(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Array:
		return floats(t.Elem())
	case *types.Basic:
		return t.Info()&types.IsFloat != 0
	}
	return false
}
