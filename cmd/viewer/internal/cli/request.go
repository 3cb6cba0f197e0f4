//go:build !headless

package cli

import (
	"sync"
	"time"
)

// request is between a window and what works for it on a goroutine of its own: what the window wants, and what it waits for.
type request[T any] struct {
	wake    func() // the window
	changes chan struct{}

	mu     sync.Mutex // guards the rest, and what else the two share
	want   T
	status string // what is being waited for; "" for nothing
	since  time.Time
}

func newRequest[T any](wake func()) request[T] {
	return request[T]{wake: wake, changes: make(chan struct{}, 1)}
}

// change edits what is wanted.
func (r *request[T]) change(edit func(want *T)) {
	r.mu.Lock()
	edit(&r.want)
	r.mu.Unlock()
	select {
	case r.changes <- struct{}{}:
	default:
	}
}

func (r *request[T]) wanted() T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.want
}

// say sets what is waited for; "" ends waiting.
func (r *request[T]) say(status string) {
	r.mu.Lock()
	if status != r.status {
		r.status, r.since = status, time.Now()
	}
	r.mu.Unlock()
	r.wake()
}
