package assets

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDeepNesting loads files that nest as deep as their size allows: chains of nodes, and brackets of JSON where the format
// leaves their content open. Nothing may take the stack of the process.
func TestDeepNesting(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	load := func(text string) (*Scene, error) {
		src := &source{root: root, files: map[string][]byte{}, fixed: 64 << 20}
		return loadData(t.Context(), src, "deep", []byte(text), LoadOptions{})
	}
	const nodes = 300_000
	chain := func(last string) *testFile {
		var text strings.Builder
		for i := range nodes - 1 {
			fmt.Fprintf(&text, `{"children":[%d]},`, i+1)
		}
		return newTriangle(t).set("nodes", "["+text.String()+last+"]")
	}
	chain(`{"mesh":0}`).mustLoad()
	if _, err := chain(`{"mesh":0,"children":[0]}`).load(); !errors.Is(err, ErrInvalid) {
		t.Errorf("a ring of %d nodes: %v", nodes, err)
	}
	const deep = 2_000_000
	for what, format := range map[string]string{
		"extras":     `{"asset":{"version":"2.0"},"extras":%s}`,
		"extensions": `{"asset":{"version":"2.0"},"extensions":{"X":%s}}`,
		"a node's":   `{"asset":{"version":"2.0"},"nodes":[{"extras":%s}]}`,
	} {
		for _, brackets := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
			inner := strings.Repeat(brackets[0], deep) + "1" + strings.Repeat(brackets[1], deep)
			if _, err := load(fmt.Sprintf(format, inner)); err == nil {
				t.Errorf("%s of %d %q: no error", what, deep, brackets[0])
			}
		}
	}
}
