package repro

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/spirv"
)

// NewDir makes a directory for a case within another, which it makes, too: by the case's name and a number that is free.
func (c *Case) NewDir(parent string) (string, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", fmt.Errorf("dump: %w", err)
	}
	name := fileName(c.Name)
	if name == "" {
		name = "pipeline"
	}
	for n := 1; ; n++ {
		dir := filepath.Join(parent, fmt.Sprintf("%s-%d", name, n))
		err := os.Mkdir(dir, 0o700)
		if err == nil || !errors.Is(err, os.ErrExist) {
			return dir, err
		}
	}
}

// fileName keeps of a name what any file system takes.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), 60)]
}

// Dump links the case and writes to a directory the module after each pass that changes it as text, passes.txt with sizes and
// times, and
// linked.spv. An error of the link is in passes.txt, and is not returned: only what kept Dump from writing is, or the context's
// end.
func (c *Case) Dump(ctx context.Context, dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "passes"), 0o700); err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	number, last := 0, ""
	var failed error
	result, passes, err := c.Link(ctx, Options{KeepNames: true, OnPass: func(p Pass, m *spirv.Module) error {
		number++
		text := Text(m)
		if text == last {
			return nil // the pass changed nothing
		}
		last = text
		name := fmt.Sprintf("%03d-%s.txt", number, fileName(p.Name))
		failed = os.WriteFile(filepath.Join(dir, "passes", name), []byte(text), 0o600)
		return failed
	}})
	if failed != nil || ctx.Err() != nil {
		return fmt.Errorf("dump: %w", errors.Join(failed, ctx.Err()))
	}
	text := Table(passes)
	if err != nil {
		text += fmt.Sprintf("\nerror: %v\n", err)
		if internal := (*link.InternalError)(nil); errors.As(err, &internal) {
			text += "\n" + string(internal.Stack)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "passes.txt"), []byte(text), 0o600); err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	if result == nil {
		return nil
	}
	return WriteCode(dir, result)
}

// WriteCode writes the modules of a linked pipeline.
func WriteCode(dir string, r *link.Result) error {
	modules := map[string][]uint32{"linked.spv": r.Code}
	if w := r.Wave; w != nil {
		modules["linked-resume.spv"] = w.Resume
		for i, code := range w.Shade {
			modules[fmt.Sprintf("linked-shade%d.spv", i)] = code
		}
	}
	for name, code := range modules {
		if len(code) == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), bytesOf(code), 0o600); err != nil {
			return fmt.Errorf("dump: %w", err)
		}
	}
	return nil
}

const statisticsFile = "statistics.json"

// WriteStatistics writes what somebody tells of a pipeline, as JSON.
func WriteStatistics(dir string, statistics any) error {
	text, err := json.MarshalIndent(statistics, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, statisticsFile), append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	return nil
}

// Statistics returns what WriteStatistics wrote to a directory, nil if it is not there.
func Statistics(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("read statistics of %q: %w", dir, err)
	}
	defer root.Close() //nolint:errcheck // nothing was written
	text, err := readFile(root, statisticsFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !json.Valid(text) {
		err = fmt.Errorf("%w: %s is no JSON", ErrInvalid, statisticsFile)
	}
	if err != nil {
		return nil, fmt.Errorf("read statistics of %q: %w", dir, err)
	}
	return text, nil
}

// Text is a module as text that spirv-as takes, with names for types, constants, variables and functions.
func Text(m *spirv.Module) string { return spirv.DisassembleNamed(m, spirv.FriendlyNames(m)) }

// Table is passes as lines: name, words, functions, instructions, time.
func Table(passes []Pass) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-34s %9s %9s %12s %10s\n", "pass", "words", "functions", "instructions", "time")
	var total time.Duration
	for _, p := range passes {
		name := p.Name
		if p.Library >= 0 {
			name = fmt.Sprintf("library %d: %s", p.Library, name)
		}
		fmt.Fprintf(&b, "%-34s %9d %9d %12d %10v\n", name, p.Words, p.Functions, p.Instructions, p.Time.Round(time.Microsecond))
		total += p.Time
	}
	fmt.Fprintf(&b, "%-34s %43v\n", "all", total.Round(time.Microsecond))
	return b.String()
}
