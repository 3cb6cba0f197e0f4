package house

import (
	"bufio"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxColumns = 132
	maxLines   = 500
)

// longFiles are those that were longer when the rule came, with how long they may be.
var longFiles = map[string]int{
	"fallback/cache_test.go": 520,
}

var update = flag.Bool("update", false, "write testdata/long.txt, which may only become shorter")

// judged are the endings of files that people write and read: code, shaders and scripts.
var judged = []string{".go", ".glsl", ".comp", ".rgen", ".rmiss", ".rchit", ".rahit", ".rint", ".rcall", ".vert", ".frag", ".sh",
	".c", ".h"}

// measure counts a file's lines and those of them that are too long.
func measure(name string) (lines, long int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	r := bufio.NewScanner(f)
	r.Buffer(nil, 1<<24)
	for r.Scan() {
		lines++
		if utf8.RuneCountInString(r.Text()) > maxColumns {
			long++
		}
	}
	return lines, long, r.Err()
}

// TestLength holds lines to 132 columns and files to 500 lines. Files of testdata/long.txt had longer lines when the rule came:
// they may have no more of them than stand there. Whoever breaks some of them shortens the list: go test ./internal/house -update.
func TestLength(t *testing.T) {
	debts := map[string]int{}
	list := filepath.Join("testdata", "long.txt")
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var n int
		var name string
		if _, err := fmt.Sscan(line, &n, &name); err == nil {
			debts[name] = n
		}
	}
	found := map[string]int{}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !slices.Contains(judged, filepath.Ext(name)) {
			return nil
		}
		lines, long, err := measure(name)
		if err != nil {
			return err
		}
		name, err = filepath.Rel(root, name)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if limit := max(maxLines, longFiles[name]); lines > limit {
			t.Errorf("%s has %d lines, more than %d", name, lines, limit)
		}
		if long > 0 {
			found[name] = long
		}
		if long > debts[name] {
			t.Errorf("%s has %d lines of more than %d columns, more than the %d that testdata/long.txt grants", name, long, maxColumns,
				debts[name])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range debts {
		if found[name] < n && !*update {
			t.Logf("%s has %d long lines, testdata/long.txt says %d: go test ./internal/house -update", name, found[name], n)
		}
	}
	if !*update {
		return
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&b, "%d %s\n", min(found[name], debts[name]), name)
	}
	if err := os.WriteFile(list, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
