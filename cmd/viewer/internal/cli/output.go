package cli

import (
	"errors"
	"fmt"
	"io"
	"sync"

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

// warn writes a warning to stderr, also with --quiet: who reads a wrong picture wants to know why.
func (a *app) warn(text string) {
	fmt.Fprintln(a.stderr, "viewer: warning:", text)
}

// printJSON writes one indented document.
func (a *app) printJSON(v any) error { return report.JSON(a.stdout, v) }

// table prints aligned columns, tab separated.
func (a *app) table(print func(w io.Writer)) error { return report.Table(a.stdout, print) }
