package assets

import (
	"slices"
	"testing"
)

// The table has all extensions of materials that are read, each row once and with words.
func TestFormats(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range slices.Concat(Files(), Pictures(), Features()) {
		if seen[row.Name] || row.Name == "" || row.Does == "" {
			t.Errorf("row %+v is there twice, or empty", row)
		}
		seen[row.Name] = true
	}
	for _, name := range layerNames() {
		if !isImplemented(name) {
			t.Errorf("%s is read, and not in the table", name)
		}
	}
	if isImplemented("VENDOR_sparkle") || isImplemented("") {
		t.Error("what is not read may be required")
	}
}
