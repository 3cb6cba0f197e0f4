package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

const root = "../.."

// TestDocuments: what is committed is what would be made.
func TestDocuments(t *testing.T) {
	if err := run(root, true); err != nil {
		t.Error(err)
	}
}

// TestRun writes into a folder what is missing or old there, and is content then.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	readme := filepath.Join(dir, "README.md")
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "docs"), 0o755), os.WriteFile(readme, []byte("no tables"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := run(dir, true); !errors.Is(err, errStale) || !strings.Contains(err.Error(), "docs/drivers.md") {
		t.Errorf("without drivers.md: %v", err)
	}
	if err := errors.Join(run(dir, false), run(dir, true)); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(readme); err != nil || string(text) != "no tables" {
		t.Errorf("a README without marks became %q, %v", text, err)
	}
}

// measured is a run of `viewer bench --all --json` of tiny scenes on lavapipe: figures of no worth, in the form that bench has.
const measured = "testdata/bench.json"

func fill(t *testing.T, text string) (string, error) {
	t.Helper()
	data, err := os.ReadFile(measured)
	if err != nil {
		t.Fatal(err)
	}
	return fillTables(fstest.MapFS{"docs/bench/x.json": {Data: data}, "docs/bench/empty.json": {Data: []byte("{}")}}, text)
}

func TestTables(t *testing.T) {
	for table, want := range map[string][]string{
		"rays": {"Medians of 15 launches of 16x8 rays", "| scene | primary | ambient occlusion |", "| terrain, 288 triangles | ",
			"| 3 instances | ", "| geometric mean, without instances | **", "| geometric mean, all | **"},
		"builds": {"| terrain, 288 triangles | default | ", "| one mesh | fast-trace+update | ", "| 2 meshes | ",
			"| top level of 3 | "},
		"divergence": {"| scene | light1 |\n| --- | --- |\n| terrain, "},
		"summary":    {"| an update of terrain, 5,000 triangles, PREFER_FAST_TRACE | "},
		"launches":   {"| 4,096 | ", "| none, 16x8 | "},
	} {
		marked := "before\n<!-- bench docs/bench/x.json " + table + " -->\nold figures\n<!-- end of bench -->\nafter\n"
		got, err := fill(t, marked)
		if err != nil {
			t.Errorf("%s: %v", table, err)
			continue
		}
		if !strings.HasPrefix(got, "before\n<!-- bench") || !strings.HasSuffix(got, "<!-- end of bench -->\nafter\n") ||
			strings.Contains(got, "old") {
			t.Errorf("%s: around the table: %s", table, got)
		}
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q is not in %s", table, part, got)
			}
		}
		if again, err := fill(t, got); err != nil || again != got {
			t.Errorf("%s: made again it differs: %v", table, err)
		}
	}
}

func TestMarks(t *testing.T) {
	absent := "<!-- bench docs/bench/absent.json rays -->kept<!-- end of bench -->"
	if got, err := fill(t, absent); err != nil || got != absent {
		t.Errorf("without a result: %q, %v", got, err)
	}
	for text, want := range map[string]error{
		"<!-- bench docs/bench/x.json rays -->":                                 errMark, // no end
		"<!-- bench docs/bench/x.json -->x<!-- end of bench -->":                errMark,
		"<!-- bench docs/bench/x.json trees -->x<!-- end of bench -->":          errMark,
		"<!-- bench docs/bench/empty.json rays -->x<!-- end of bench -->":       errResult,
		"<!-- bench docs/bench/empty.json builds -->x<!-- end of bench -->":     errResult,
		"<!-- bench docs/bench/empty.json launches -->x<!-- end of bench -->":   errResult,
		"<!-- bench docs/bench/empty.json divergence -->x<!-- end of bench -->": errResult,
	} {
		if _, err := fill(t, text); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 999: "999", 1000: "1,000", 12345.6: "12,346", 4193408: "4,193,408"} {
		if got := grouped(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
}
