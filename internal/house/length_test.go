package house

import (
	"bufio"
	"io/fs"
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

// TestLength holds lines to 132 columns and files to 500 lines.
func TestLength(t *testing.T) {
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
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
		if lines > maxLines {
			t.Errorf("%s has %d lines, more than %d", name, lines, maxLines)
		}
		if long > 0 {
			t.Errorf("%s has %d lines of more than %d columns", name, long, maxColumns)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
