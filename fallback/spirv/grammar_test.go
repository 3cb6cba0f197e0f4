package spirv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// assembleLines has spirv-as assemble lines, each an instruction, and returns
// the words of each; nil for those it does not know. The lines ahead of the
// first are for types that later ones need.
func assembleLines(t *testing.T, lines []string) [][]uint32 {
	t.Helper()
	corpus(t) // skips without the tools
	res := make([][]uint32, len(lines))
	unknown := map[int]bool{}
	for {
		var text bytes.Buffer
		for i, l := range lines {
			if unknown[i] {
				l = "OpNop"
			}
			text.WriteString(l + "\n")
		}
		out := filepath.Join(t.TempDir(), "out.spv")
		cmd := exec.Command("spirv-as", "--preserve-numeric-ids", "--target-env", "spv1.6", "-o", out, "-")
		cmd.Stdin = &text
		msg, err := cmd.CombinedOutput()
		if err != nil {
			// error: LINE: COLUMN: text
			part := strings.SplitN(string(msg), ": ", 4)
			if len(part) < 4 {
				t.Fatalf("spirv-as: %s", msg)
			}
			n, err := strconv.Atoi(part[1])
			if err != nil || n < 1 || n > len(lines) || unknown[n-1] {
				t.Fatalf("spirv-as: %s", msg)
			}
			if !strings.HasPrefix(part[3], "Invalid ") {
				t.Errorf("%s: %s", lines[n-1], part[3])
			}
			t.Logf("not known to spirv-as: %s", lines[n-1])
			unknown[n-1] = true
			continue
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		words := make([]uint32, len(b)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		words = words[headerWords:]
		for i := range lines {
			n := words[0] >> 16
			if !unknown[i] {
				res[i] = words[:n]
			}
			words = words[n:]
		}
		return res
	}
}

// sample has operands of each kind.
var sample = map[byte]string{
	'i': "%9", 'n': "3", 's': `"text"`, 'M': "Volatile|Aligned 4", 'I': "Lod|Offset %9 %9", 'V': "7", 'W': "5 %9 6 %9",
	'D': "Location 3", 'Z': "AlignmentId %9", 'U': `UserSemantic "text"`, 'G': "%9 4 %9 5", 'X': "LocalSize 1 2 3",
	'x': "LocalSizeId %9 %9 %9", 'L': "PeelCount 4", 'O': "IAdd %9 %9", 'C': "Shader", 'A': "Logical", 'Y': "GLSL450",
	'E': "GLCompute", 'S': "Function", 'd': "2D", 'f': "Rgba8", 'q': "ReadOnly", 'F': "Inline", 'K': "Flatten",
	'g': "Reduce", 'l': "GLSL", 'p': "PackedVectorFormat4x8Bit",
}

// TestGrammar has spirv-as assemble each opcode with operands made up by our
// grammar: numbers and shapes must be the same, and so the text we print.
func TestGrammar(t *testing.T) {
	lines := []string{"%7 = OpTypeInt 32 0", "%9 = OpConstant %7 1"}
	ops := []Op{OpTypeInt, OpConstant}
	for _, g := range []map[Op]opInfo{grammarCore, grammarArith, grammarImage, grammarRaytracing} {
		for _, op := range slices.Sorted(maps.Keys(g)) {
			switch op {
			case OpExtInst, OpExtInstImport, OpExtInstWithForwardRefsKHR, OpConstantSampler, OpSource, OpTypeFloat,
				OpBranchConditional, OpTypeForwardPointer:
				continue // special in text; the corpus has them
			}
			line := op.String()
			info := g[op]
			switch info.result {
			case tr:
				line = fmt.Sprintf("%%%d = %v %%7", len(lines)+20, op)
			case r:
				line = fmt.Sprintf("%%%d = %v", len(lines)+20, op)
			}
			for _, k := range []byte(strings.NewReplacer("?", "", "*", "").Replace(info.kinds)) {
				line += " " + sample[k]
			}
			lines, ops = append(lines, line), append(ops, op)
		}
	}
	newer := 0
	for i, w := range assembleLines(t, lines) {
		if w == nil {
			newer++
			continue
		}
		d := decoder{m: &Module{Bound: 1000}, wide: map[ID]bool{}}
		in, err := d.inst(w)
		if err != nil || in.Op != ops[i] {
			t.Errorf("%s: decoded as %v: %v", lines[i], in, err)
			continue
		}
		p := printer{types: map[ID]*Inst{7: {Op: OpTypeInt, Operands: []uint32{32, 0}}}, values: map[ID]ID{9: 7}}
		p.line(&in)
		if got := strings.TrimSpace(p.b.String()); got != lines[i] {
			t.Errorf("%s: printed as %s", lines[i], got)
		}
	}
	if newer > 73 {
		t.Errorf("spirv-as does not know %d opcodes", newer)
	}
}

// TestEnumerants compares the numbers of enumerants with spirv-as.
func TestEnumerants(t *testing.T) {
	var lines []string
	var want []uint32
	add := func(format, name string, v uint32) {
		lines = append(lines, strings.Replace(fmt.Sprintf(format, name), "%8", fmt.Sprintf("%%%d", len(lines)+20), 1))
		want = append(want, v)
	}
	for v, n := range capabilityNames {
		add("OpCapability %s", n, uint32(v))
	}
	for v, n := range storageClassNames {
		add("%%8 = OpTypePointer %s %%9", n, uint32(v))
	}
	for v, n := range builtInNames {
		add("OpDecorate %%9 BuiltIn %s", n, uint32(v))
	}
	for v, n := range executionModelNames {
		add(`OpEntryPoint %s %%9 "main"`, n, uint32(v))
	}
	for v, n := range imageFormatNames {
		add("%%8 = OpTypeImage %%9 2D 0 0 0 1 %s", n, uint32(v))
	}
	for v, n := range dimNames {
		add("%%8 = OpTypeImage %%9 %s 0 0 0 1 Unknown", n, uint32(v))
	}
	for v, n := range groupOperationNames {
		add("%%8 = OpGroupIAdd %%9 %%9 %s %%9", n, uint32(v))
	}
	unknown := 0
	for i, w := range assembleLines(t, lines) {
		if w == nil {
			unknown++
		} else if !slices.Contains(w[1:], want[i]) {
			t.Errorf("%s: %d is not among the words %d", lines[i], want[i], w)
		}
	}
	if unknown > 20 {
		t.Errorf("spirv-as does not know %d enumerants", unknown)
	}
}
