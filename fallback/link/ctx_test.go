package link

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// watched is a context that notes how long nobody looked at it,
// in time of the thread that looks: other work of the machine does
// not count.
type watched struct {
	context.Context
	last, longest time.Duration
	looks, end    int    // ends with this look, 0 for never
	where         string // who looked behind the longest
}

func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (w *watched) Err() error {
	now := threadTime()
	if now-w.last > w.longest {
		w.longest, w.where = now-w.last, callers()
	}
	w.last = threadTime()
	if w.looks++; w.end > 0 && w.looks >= w.end {
		return context.Canceled
	}
	return nil
}

// callers names the functions of this module that look, the innermost first.
func callers() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var names []string
	for more := true; more && len(names) < 4; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.Contains(f.Function, "everray") {
			names = append(names, fmt.Sprint(f.Function[strings.LastIndexByte(f.Function, '/')+1:], ":", f.Line))
		}
	}
	return strings.Join(names, " < ")
}

// TestLinkHeedsItsContext links large shaders: passes look at the context so often that a link ends within 100 ms of it,
// and give its error wherever it ends.
func TestLinkHeedsItsContext(t *testing.T) {
	n, most := 2000, 250*time.Millisecond // a thread helps with the garbage of other tests
	if os.Getenv("EVERRAY_SWEEP") != "" {
		n, most = 16000, 100*time.Millisecond
	}
	rt := runtimeModule(t)
	for _, g := range growing {
		t.Run(g.name, func(t *testing.T) {
			stages := []Stage{{Name: g.name, Kind: Raygen, Code: g.make(n).assemble(t)}}
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			whole := &watched{Context: t.Context(), last: threadTime()}
			_, err := Link(whole, rt, stages, Options{})
			if err != nil && !errors.Is(err, ErrUnsupported) {
				t.Fatal(err)
			}
			_ = whole.Err()
			t.Logf("%d looks, at most %v between two", whole.looks, whole.longest)
			if whole.longest > most {
				t.Errorf("%v of computing without a look at the context", whole.longest)
			}
			for part := 1; part <= 4; part++ {
				w := &watched{Context: t.Context(), end: max(1, whole.looks*part/5)}
				if _, err := Link(w, rt, stages, Options{}); !errors.Is(err, context.Canceled) {
					t.Errorf("context ended at look %d of %d: %v", w.end, whole.looks, err)
				}
				if w.looks > w.end+8 { // those that return the error look again
					t.Errorf("%d looks at a context that ended at look %d", w.looks, w.end)
				}
			}
		})
	}
}
