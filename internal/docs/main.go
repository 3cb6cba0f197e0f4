package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "only say what would change")
	root := flag.String("root", ".", "root of the repository")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

// errStale is returned where a document is not what would be made.
var errStale = errors.New("not up to date, run `make docs`")

// run makes all documents below a root, or compares them with what is there.
func run(root string, check bool) error {
	files, err := documents(os.DirFS(root))
	if err != nil {
		return err
	}
	var stale error
	for name, want := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		got, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if string(got) == want {
			continue
		}
		if check {
			stale = errors.Join(stale, fmt.Errorf("%s: %w", name, errStale))
			continue
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			return err
		}
		fmt.Println("wrote", name)
	}
	return stale
}

// documents returns what is made, by file name below the root.
func documents(root fs.FS) (map[string]string, error) {
	readme, err := fs.ReadFile(root, "README.md")
	if err != nil {
		return nil, err
	}
	filled, err := fillTables(root, string(readme))
	if err != nil {
		return nil, fmt.Errorf("README.md: %w", err)
	}
	out := map[string]string{"docs/drivers.md": drivers(), "docs/files.md": files(), "README.md": filled}
	results, err := fs.Glob(root, "docs/bench/*.json")
	if err != nil {
		return nil, err
	}
	for _, name := range results {
		page := strings.TrimSuffix(name, ".json") + ".md"
		if out[page], err = benchPage(root, name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// benchPage shows all tables of one bench result.
func benchPage(root fs.FS, name string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- Made by `make docs` from %s; do not edit. -->\n# %s\n", path.Base(name), path.Base(name))
	for _, table := range []string{"rays", "launches", "builds", "divergence"} {
		text, err := makeTable(root, name, table)
		if errors.Is(err, errResult) {
			continue // not part of this run
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s", strings.ToUpper(table[:1])+table[1:], text)
	}
	return b.String(), nil
}
