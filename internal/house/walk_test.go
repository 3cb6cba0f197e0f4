package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// walkGo calls f with each file of Go below dir that is no test.
func walkGo(t *testing.T, dir string, f func(name string, files *token.FileSet, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, 0)
		if err == nil {
			f(name, files, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
