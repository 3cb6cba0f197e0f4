package house

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// strangers are the packages that read what strangers wrote: modules, structures, blobs, scenes, cache entries. A recursion over
// that ends the process by a stack that overflows.
var strangers = []string{"fallback", "sbt", "bvh", "assets", "cache"}

// bounded are the functions there that call themselves, with what bounds their depth. A module that spirv.Verify has let through
// has types that nest 1,000 deep at most.
var bounded = map[string]string{
	"fallback/link code.words":                     "vectors, and 64 bits as vectors: 3",
	"fallback/link code.fromWords":                 "vectors: 2",
	"fallback/link effects.conductAt":              "maxConductDepth of calls, each function once",
	"fallback/link hitLowering.contains":           "types of a verified module, each once",
	"fallback/link hitLowering.flatten":            "types of a verified module; hollow parts are not entered, eight words are enough",
	"fallback/link hitLowering.unflatten":          "types of a verified module; hollow parts are not entered, eight words are enough",
	"fallback/link hitLowering.hollow":             "types of a verified module, each once",
	"fallback/link hitLowering.size":               "vectors: 2",
	"fallback/link interner.scalarAlignment":       "types of a verified module, each once",
	"fallback/link mergedStages.weight":            "maxWeightDepth of calls, each function once",
	"fallback/link queryLowering.queries":          "types of a verified module, each once",
	"fallback/link variables.divide":               "types of a verified module; maxLeaves and maxPathWords bound the work",
	"fallback/link variables.dwords":               "vectors: 2",
	"fallback/link variables.leafCount":            "types of a verified module, each once",
	"fallback/link/normal pointerLowering.carries": "types of a verified module, each once",
	"fallback/spirv/printf values.leaves":          "eight levels, mostLooked parts",
	"bvh/cluster Object.visit":                     "a cluster has 256 triangles: 8",
	"bvh/cluster Object.visitDirect":               "checks its depth: 10",
	"bvh/cluster Object.directDepth":               "checks its depth: 10",
	"bvh/cluster cutter.cut":                       "halves a list that is longer than a cluster: its logarithm",
	"bvh/inspect Structure.checkClusters":          "Validate has bounded the height before",
	"bvh/host cutBox":                              "the levels that a build asks for",
	"bvh/host treeBuild.recurse":                   "a tree of our own, whose height split keeps within layout.StackEntries",
	"bvh/host treeBuild.subtree":                   "goes on as tasks of the operation, not on its stack",
	"bvh/host treeBuild.sort":                      "goes on as tasks of the operation, not on its stack",
	"bvh/host treeBuild.choose":                    "priceSteps",
	"bvh/host treeBuild.improvePass":               "the number of passes",
	"bvh/host treeBuild.cut":                       "cutDepth",
	"bvh/host treeBuild.sum":                       "a tree of our own",
	"bvh/host treeBuild.nodes":                     "a tree of our own",
	"bvh/host treeBuild.leaves":                    "a tree of our own",
	"bvh/host treeWalk.visit":                      "layout.StackEntries, and no node twice",
	"bvh/host treeWalk.number":                     "a tree that visit has found sound",
	"bvh/host treeWalk.inherit":                    "a tree that visit has found sound",
	"bvh/host treeWalk.depth":                      "a tree that visit has found sound",
	"bvh/host treeWalk.firstBelow":                 "a tree that visit has found sound",
	"bvh/host treeUpdate.cut":                      "cutDepth",
	"bvh/host treeUpdate.refit":                    "children: layout.StackEntries, and leaves fall",
	"bvh/inspect overlapWalk.climb":                "a tree that Validate has found sound",
	"bvh/inspect overlapWalk.visit":                "a tree that Validate has found sound",
	"bvh/inspect treeWalk.visit":                   "a tree that Validate has found sound",
	"bvh/inspect validator.visit":                  "MostHeight, and no node twice",
}

// TestRecursionIsBounded finds the functions that call themselves by name. Those that do so by way of others are found by a call
// graph (golang.org/x/tools/go/callgraph/vta), which on the day of the audit knew no more than the continuations of
// host builds, which Operation.spread runs, and String and Error methods.
func TestRecursionIsBounded(t *testing.T) {
	found := map[string]bool{}
	for _, room := range strangers {
		walkGo(t, filepath.Join(root, room), func(name string, _ *token.FileSet, f *ast.File) {
			dir, _ := filepath.Rel(root, filepath.Dir(name))
			for _, who := range recursive(f) {
				found[filepath.ToSlash(dir)+" "+who] = true
			}
		})
	}
	for who := range found {
		if bounded[who] == "" {
			t.Errorf("%s calls itself: make it a loop, or list what bounds its depth whatever a stranger wrote", who)
		}
	}
	for who := range bounded {
		if !found[who] {
			t.Errorf("%s is listed and does not call itself", who)
		}
	}
}

// recursive lists the functions of a file that call themselves, or have a function literal that does.
func recursive(f *ast.File) []string {
	var list []string
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		name, receiver := fn.Name.Name, ""
		own := []string{name}
		if fn.Recv != nil {
			receiver = receiverType(fn.Recv.List[0].Type)
			own = nil
			if len(fn.Recv.List[0].Names) > 0 {
				own = []string{fn.Recv.List[0].Names[0].Name + "." + name}
			}
		}
		if slices.ContainsFunc(own, func(o string) bool { return calls(fn.Body, o) }) || literalCallsItself(fn.Body) {
			list = append(list, strings.TrimPrefix(receiver+"."+name, "."))
		}
	}
	return list
}

// receiverType is the name of a method's type.
func receiverType(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiverType(x.X)
	case *ast.IndexExpr:
		return receiverType(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// calls tells whether code calls a function, or a method of a variable, by this name.
func calls(code ast.Node, name string) bool {
	found := false
	ast.Inspect(code, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			switch f := c.Fun.(type) {
			case *ast.Ident:
				found = found || f.Name == name
			case *ast.SelectorExpr:
				x, ok := f.X.(*ast.Ident)
				found = found || ok && x.Name+"."+f.Sel.Name == name
			}
		}
		return !found
	})
	return found
}

// literalCallsItself finds function literals that call the variable that they are assigned to.
func literalCallsItself(code ast.Node) bool {
	found := false
	ast.Inspect(code, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || a.Tok != token.ASSIGN {
			return true
		}
		for i, right := range a.Rhs {
			f, ok := right.(*ast.FuncLit)
			name, named := a.Lhs[i].(*ast.Ident)
			found = found || ok && named && calls(f.Body, name.Name)
		}
		return true
	})
	return found
}
