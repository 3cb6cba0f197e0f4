package spirv

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// assemble runs spirv-as.
func assemble(t testing.TB, version uint32, text string) []uint32 {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.spv")
	cmd := exec.Command("spirv-as", "--preserve-numeric-ids", "--target-env", fmt.Sprintf("spv1.%d", version>>8&0xff), "-o", out, "-")
	cmd.Stdin = strings.NewReader(text)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("spirv-as: %v\n%s", err, msg)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

// TestDisassemble assembles the text again: with ids by number it must be the
// same module, which also proves the names of opcodes and enumerants.
func TestDisassemble(t *testing.T) {
	for _, s := range corpus(t) {
		t.Run(s.name, func(t *testing.T) {
			m, err := Decode(s.words)
			if err != nil {
				t.Fatal(err)
			}
			p := newPrinter(m)
			p.names = nil
			m.eachInst(p.line)
			got := assemble(t, m.Version, p.b.String())
			copy(got[2:4], s.words[2:4]) // generator and bound
			if !slices.Equal(got, s.words) {
				t.Errorf("the text gives another module:\n%s", p.b.String())
			}
			validate(t, s.env, assemble(t, m.Version, Disassemble(m)))
		})
	}
}
