package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Without a terminal a line says every few seconds how far a step is; the first comes after a second.
const (
	firstLine = time.Second
	lineEvery = 5 * time.Second
)

// bar shows the progress of one step: as a bar on a terminal, as a line now and then where stderr goes elsewhere, and not at
// all where nobody reads it.
type bar struct {
	bar *progressbar.ProgressBar

	mu          sync.Mutex // guards the rest
	to          io.Writer  // nil without lines
	what        string
	done, total int
	started     time.Time
	ended       chan struct{}
	ends        sync.WaitGroup
}

// progress starts showing a step on stderr. Its finish must be called.
func (a *app) progress(what string, total int) *bar {
	b := &bar{what: what, total: total, started: time.Now()}
	switch {
	case a.quiet || a.json:
	case isTerminal(a.stderr):
		if total == 0 {
			total = -1 // not known yet
		}
		b.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(a.stderr),
			progressbar.OptionSetDescription(what),
			progressbar.OptionThrottle(65*time.Millisecond),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(30),
			progressbar.OptionSpinnerType(14),
			progressbar.OptionClearOnFinish(),
		)
		b.every(100*time.Millisecond, 100*time.Millisecond, func() { _ = b.bar.RenderBlank() })
	case isFile(a.stderr):
		b.to = a.stderr
		b.every(firstLine, lineEvery, b.line)
	}
	return b
}

// every calls show after a time, and then again and again, until finish.
func (b *bar) every(first, then time.Duration, show func()) {
	ended := make(chan struct{})
	b.ended = ended
	b.ends.Go(func() {
		timer := time.NewTimer(first)
		defer timer.Stop()
		for {
			select {
			case <-ended:
				return
			case <-timer.C:
				show()
				timer.Reset(then)
			}
		}
	})
}

// line writes how far the step is.
func (b *bar) line() {
	b.mu.Lock()
	defer b.mu.Unlock()
	elapsed := time.Since(b.started)
	text := fmt.Sprintf("viewer: %s: %s", b.what, elapsed.Round(time.Second))
	if b.total > 0 {
		text = fmt.Sprintf("viewer: %s: %d of %d after %s", b.what, b.done, b.total, elapsed.Round(time.Second))
		if b.done > 0 && b.done < b.total {
			left := time.Duration(float64(elapsed) * float64(b.total-b.done) / float64(b.done))
			text += fmt.Sprintf(", %s left", left.Round(time.Second))
		}
	}
	fmt.Fprintln(b.to, text)
}

// The bar's own errors are those of writing to a terminal: nothing to act on.

func (b *bar) update(done, total int) {
	b.mu.Lock()
	b.done, b.total = done, total
	b.mu.Unlock()
	if b.bar != nil {
		b.bar.ChangeMax(total)
		_ = b.bar.Set(done)
	}
}

func (b *bar) set(done int) {
	b.mu.Lock()
	b.done = done
	b.mu.Unlock()
	if b.bar != nil {
		_ = b.bar.Set(done)
	}
}

// finish ends the step. It may be called twice.
func (b *bar) finish() {
	if b.ended != nil {
		close(b.ended)
		b.ended = nil
		b.ends.Wait()
	}
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func isFile(w io.Writer) bool {
	_, ok := w.(*os.File)
	return ok
}
