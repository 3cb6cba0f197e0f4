package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// A table of README stands between two marks; the first names a bench result and which of its tables it is:
//
//	<!-- bench docs/bench/h200.json rays -->
//	...
//	<!-- end of bench -->
//
// What is between them is made. While the file is absent, as before a release's first results, it stays as it is.
const (
	markBegin = "<!-- bench "
	markClose = " -->"
	markEnd   = "<!-- end of bench -->"
)

// errMark is wrapped by errors about marks, errResult by those about bench results that lack what a table shows.
var (
	errMark   = errors.New("a mark of a bench table is wrong")
	errResult = errors.New("the bench result does not have what the table shows")
)

// fillTables returns a document with its tables made anew.
func fillTables(root fs.FS, text string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, markBegin)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		mark, rest, ok := strings.Cut(rest, markClose)
		old, rest, ended := strings.Cut(rest, markEnd)
		words := strings.Fields(mark)
		if !ok || !ended || len(words) != 2 || path.Ext(words[0]) != ".json" {
			return "", fmt.Errorf("%w: %q: want %sFILE.json TABLE%s and later %s", errMark, mark, markBegin, markClose, markEnd)
		}
		made, err := makeTable(root, words[0], words[1])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			made = old
		case err != nil:
			return "", fmt.Errorf("%s: %w", mark, err)
		default:
			made = "\n" + made
		}
		out.WriteString(markBegin + mark + markClose + made + markEnd)
		text = rest
	}
}

// makeTable makes one table from a bench result.
func makeTable(root fs.FS, file, table string) (string, error) {
	makers := map[string]func(*result) (string, error){
		"rays": raysTable, "builds": buildsTable, "divergence": divergenceTable, "launches": launchesTable,
		"summary": summaryTable,
	}
	maker, ok := makers[table]
	if !ok {
		return "", fmt.Errorf("%w: no table is called %q", errMark, table)
	}
	data, err := fs.ReadFile(root, file)
	if err != nil {
		return "", err
	}
	var r result
	if err := json.Unmarshal(data, &r); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	text, err := maker(&r)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return text, nil
}

// result is the part of `viewer bench --json` that tables show.
type result struct {
	Scenes []struct {
		Scene                               string
		Triangles, Instances, Width, Height int
		Ways                                []way
		Series                              []series
	}
	Launches []struct {
		Width, Height, Rays int
		Backend             string
		Median              float64 `json:"median_ms"`
	} `json:"small_launches"`
	Means []struct {
		Over, Set, Backend string
		Scenes             int
		Ratio              float64
	} `json:"geometric_means"`
	Builds []struct {
		Scene  string
		Builds []build
	}
	Divergence []struct {
		Scene     string
		Triangles int
		Series    []struct {
			Shaders, Backend, Form, Linked string
			Ratio                          float64 `json:"time_ratio"`
		}
	}
}

type way struct{ Device, Driver, Backend string }

type series struct {
	Set, Backend string
	Speed        float64   `json:"mrays_per_second"`
	Launches     []float64 `json:"launches_ms"`
	Ratio        float64
}

type build struct {
	What, Flags, Backend string
	Primitives           uint64
	Build                timing
	Refit                *timing
	Compacted            float64 `json:"compacted_bytes_per_primitive"`
}

type timing struct {
	Median float64 `json:"median_ms"`
}

// grouped writes a number with a comma between thousands.
func grouped(v float64) string {
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// sceneName says a scene in a reader's words.
func sceneName(scene string, triangles, instances int) string {
	kind, builtin := strings.CutPrefix(scene, "builtin:")
	kind, _, _ = strings.Cut(kind, ":")
	switch {
	case builtin && kind == "field":
		return grouped(float64(instances)) + " instances"
	case builtin && triangles >= 1e6:
		return fmt.Sprintf("%s, %.1f M triangles", kind, float64(triangles)/1e6)
	case builtin:
		return fmt.Sprintf("%s, %s triangles", kind, grouped(float64(triangles)))
	}
	return strings.TrimSuffix(path.Base(scene), path.Ext(scene))
}
