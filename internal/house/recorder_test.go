package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// records are the packages whose commands go through vk.Recorder and memory that they ask for. tools are their files that run what
// they record themselves: for tests and benchmarks.
var (
	records = []string{"bvh", "bvh/cluster", "fallback"}
	tools   = []string{"bvh/tracer.go"}
)

// ownersOnly are package vk's objects that only who owns a device and its command buffers has. A Vulkan layer has none of them.
var ownersOnly = []string{"Device", "CommandBuffer", "Pipeline", "PipelineLayout", "PipelineCache", "DescriptorSet",
	"DescriptorSetLayout", "QueryPool", "Range"}

// TestRecordersAreForeign reads what records commands: nothing of it reaches behind vk.Recorder for a vk.CommandBuffer or a
// vk.Device.
func TestRecordersAreForeign(t *testing.T) {
	for _, dir := range records {
		paths, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files: %v", dir, len(paths), err)
		}
		for _, path := range paths {
			name := dir + "/" + filepath.Base(path)
			if strings.HasSuffix(name, "_test.go") || slices.Contains(tools, name) {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "vk" && slices.Contains(ownersOnly, s.Sel.Name) {
					t.Errorf("%s: vk.%s, which a Vulkan layer does not have (ask for it by an interface)", set.Position(s.Pos()), s.Sel.Name)
				}
				return true
			})
		}
	}
}
