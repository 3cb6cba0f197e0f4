package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everray/everray/assets"
)

// TestPixel follows a pixel: its steps are those of a camera ray, and the picture is the same as without.
func TestPixel(t *testing.T) {
	dir := t.TempDir()
	run := func(name string, args ...string) (renderReport, string, int) {
		var out, errs bytes.Buffer
		code := Main(t.Context(), append([]string{"render", "builtin:cornell", "--integrator", "primary",
			"--backend", "compute",
			"--width", "16", "--height", "12", "--spp", "1", "--json", "--out", filepath.Join(dir, name)}, args...), &out, &errs)
		var r renderReport
		if code == 0 {
			if err := json.Unmarshal(out.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
		}
		return r, errs.String(), code
	}
	r, errs, code := run("followed.png", "--pixel", "8,6")
	if code != 0 {
		t.Fatal(errs)
	}
	all := strings.Join(r.Steps, "\n")
	for _, want := range []string{"preview.rgen: begins at 8, 6, 0\n", "preview.rgen: traces: flags ",
		"primary.rchit: begins: instance ",
		"payload {", "preview.rgen: ends"} {
		if !strings.Contains(all, want) {
			t.Errorf("no step %q in\n%s", want, all)
		}
	}
	if !testing.Short() { // each takes seconds of compilation
		if _, errs, code := run("plain.png"); code != 0 {
			t.Fatal(errs)
		}
		a, errA := assets.ReadPNG(filepath.Join(dir, "followed.png"))
		b, errB := assets.ReadPNG(filepath.Join(dir, "plain.png"))
		if errA != nil || errB != nil || !bytes.Equal(a.Pix, b.Pix) {
			t.Errorf("the pictures differ: %v, %v", errA, errB)
		}
	}
	for _, bad := range []string{"8", "8,12", "-1,0", "a,b", "16,0"} {
		if _, errs, code := run("bad.png", "--pixel", bad); code == 0 || !strings.Contains(errs, "--pixel") {
			t.Errorf("--pixel %s: exit code %d, %q", bad, code, errs)
		}
	}
}
