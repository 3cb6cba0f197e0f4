// Command gen writes the views of instructions that package spirv has: methods that give operands by their names. It takes the
// names from views.txt, and the operands' kinds from the grammar's files, as text: what it writes need not compile before.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed views.txt
var table string

// head begins every file.
const head = "// Code generated from gen/views.txt by `go generate ./fallback/spirv`. DO NOT EDIT.\n\npackage spirv\n"

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// write writes the views of the package in a folder.
func write(dir string) error {
	kinds, err := grammar(dir)
	if err != nil {
		return err
	}
	files, err := views(table, kinds)
	if err != nil {
		return err
	}
	for name, source := range files {
		if err := os.WriteFile(filepath.Join(dir, name), source, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// grammarRow is a row of the grammar: name, result, kinds of operands.
var grammarRow = regexp.MustCompile(`\{\s*"(\w+)", (?:none|r|tr),\s+"([^"]*)"\}`)

// grammar reads the kinds of operands by opcode from the files of the package in a folder.
func grammar(dir string) (map[string]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "grammar_*.go"))
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, row := range grammarRow.FindAllSubmatch(text, -1) {
			kinds[string(row[1])] = string(row[2])
		}
	}
	return kinds, nil
}

// view is a row of the table.
type view struct {
	name     string
	opcodes  []string
	operands []string
}

// views returns source files by their names, of a table and the kinds of opcodes' operands.
func views(table string, kinds map[string]string) (map[string][]byte, error) {
	files := map[string]*bytes.Buffer{}
	var to *bytes.Buffer
	for n, line := range strings.Split(table, "\n") {
		line = strings.TrimSpace(line)
		name, isFile := strings.CutPrefix(line, "file ")
		switch {
		case line == "" || line[0] == '#':
			continue
		case isFile:
			to = bytes.NewBufferString(head)
			files["views_"+name+".go"] = to
			continue
		case to == nil:
			return nil, fmt.Errorf("line %d: no file", n+1)
		}
		v, err := parse(line)
		if err == nil {
			err = v.write(to, kinds)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	sources := map[string][]byte{}
	for name, b := range files {
		source, err := format.Source(b.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		sources[name] = source
	}
	return sources, nil
}

func parse(line string) (view, error) {
	head, operands, ok := strings.Cut(line, ":")
	names := strings.Fields(head)
	if !ok || len(names) < 2 {
		return view{}, fmt.Errorf("%q is no row: name, opcodes, colon, operands", line)
	}
	return view{names[0], names[1:], strings.Fields(operands)}, nil
}

// shared returns the operands that the opcodes of a view share, as many as it has names for.
func (v *view) shared(kinds map[string]string) ([]operand, error) {
	var list []operand
	names := len(v.operands)
	begins := names > 0 && v.operands[names-1] == "..."
	if begins {
		names--
		v.operands = v.operands[:names]
	}
	for i, op := range v.opcodes {
		grammar, ok := kinds[op]
		if !ok {
			return nil, fmt.Errorf("there is no Op%s", op)
		}
		own, err := operands(grammar)
		if err != nil {
			return nil, err
		}
		switch {
		case i == 0 && !begins && len(own) != names || len(own) < names && begins:
			return nil, fmt.Errorf("instruction Op%s has %d operands (%s), and %d names", op, len(own), grammar, names)
		case i == 0:
			list = own[:names]
		case len(own) > names && !begins || !slices.Equal(own[:min(len(own), names)], list[:min(len(own), names)]):
			return nil, fmt.Errorf("operands of Op%s are not like those of Op%s (%s)", op, v.opcodes[0], grammar)
		}
		for k := len(own); k < names; k++ {
			list[k].optional = true
		}
	}
	return list, nil
}

// write writes the type of the view, the method of instructions that gives it, and the accessors.
func (v *view) write(b *bytes.Buffer, kinds map[string]string) error {
	list, err := v.shared(kinds)
	if err != nil {
		return err
	}
	ops, all := "Op"+v.opcodes[0], "Op"+strings.Join(v.opcodes, ",\nOp")
	if len(v.opcodes) > 1 {
		ops += " and the like"
	}
	fmt.Fprintf(b, "\n// %[1]sView gives the operands of %[2]s by their names.\ntype %[1]sView struct{ in *Inst }\n", v.name, ops)
	fmt.Fprintf(b, "\n// %[1]s returns the view of %[2]s, which the instruction must be.\nfunc (in *Inst) %[1]s() %[1]sView {\n"+
		"\tswitch in.Op {\n\tcase %[3]s:\n\tdefault:\n\t\tin.isNo(%[1]q)\n\t}\n\treturn %[1]sView{in}\n}\n\n", v.name, ops, all)
	behindString := false
	for at, name := range v.operands {
		name, settable := strings.CutSuffix(name, "!")
		if name != "-" {
			if behindString {
				return fmt.Errorf("operand %s of Op%s has no fixed place", name, v.opcodes[0])
			}
			list[at].write(b, v.name, name, at, settable)
		}
		behindString = behindString || list[at].kind == 's'
	}
	return nil
}
