package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/vk"
)

// errValidation is wrapped by the error that reports the validation layer's messages.
var errValidation = errors.New("validation messages")

// longestMessage is how much of a message is shown.
const longestMessage = 400

// messages collects what the validation layer says; it may be called from any thread.
type messages struct {
	mu    sync.Mutex
	first string
	count int
}

func (m *messages) add(msg vk.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !msg.Validation { // loaders and drivers warn about what is not ours to change
		return
	}
	if m.count++; m.count == 1 {
		m.first = msg.Text[:min(len(msg.Text), longestMessage)] // some go on for pages
	}
}

func (m *messages) err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.count == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d, the first: %s", errValidation, m.count, m.first)
}

// bar is a progress bar, or nothing where there is no terminal to show it.
type bar struct{ bar *progressbar.ProgressBar }

// progress starts a bar on stderr.
func (a *app) progress(what string, total int) *bar {
	if a.quiet || a.json || !isTerminal(a.stderr) {
		return &bar{}
	}
	if total == 0 {
		total = -1 // not known yet
	}
	return &bar{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionThrottle(65*time.Millisecond),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(),
	)}
}

// The bar's own errors are those of writing to a terminal: nothing to act on.

func (b *bar) update(done, total int) {
	if b.bar != nil {
		b.bar.ChangeMax(total)
		_ = b.bar.Set(done)
	}
}

func (b *bar) set(done int) {
	if b.bar != nil {
		_ = b.bar.Set(done)
	}
}

func (b *bar) finish() {
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// warn writes a warning to stderr.
func (a *app) warn(text string) {
	if !a.quiet {
		fmt.Fprintln(a.stderr, "viewer: warning:", text)
	}
}

// printJSON writes one indented document.
func (a *app) printJSON(v any) error { return report.JSON(a.stdout, v) }

// table prints aligned columns, tab separated.
func (a *app) table(print func(w io.Writer)) error { return report.Table(a.stdout, print) }
