package host

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrNotReady is what Operation.Result returns before the operation is done (VK_NOT_READY).
var ErrNotReady = errors.New("operation is not done")

// JoinStatus is what Operation.Join did.
type JoinStatus int

// Values of JoinStatus.
const (
	// JoinDone: the operation is done (VK_SUCCESS).
	JoinDone JoinStatus = iota
	// JoinIdle: others are at the last of the work, and there is nothing left to join for (VK_THREAD_DONE_KHR).
	JoinIdle
	// JoinStopped: the context ended before the operation. Others go on, and anybody may join again.
	JoinStopped
)

// Operation is deferred work of the host, as VkDeferredOperationKHR is. Nothing happens until goroutines join it. All
// methods may be called at any time by any goroutine.
type Operation struct {
	mu      sync.Mutex
	changed sync.Cond // there are new tasks, or there will be no more
	tasks   []func()  // ready to run
	running int
	open    int // builds that are not at their last tasks yet, and so may have more
	builds  []operationWork
	err     error // of the first build that failed
	failed  int   // its number
}

// operationWork is a build, an update or a copy of so many primitives.
type operationWork interface {
	begin()
	size() int
}

// add queues a build.
func (o *Operation) add(b operationWork) {
	o.builds = append(o.builds, b)
	o.open++
	b.begin()
}

func newOperation() *Operation {
	o := &Operation{}
	o.changed.L = &o.mu
	return o
}

// Join takes part in the work until there is no more of it, or ctx ends, which is the only error that it returns: a
// build's own is Result's. A joiner waits where tasks must wait for those of others.
func (o *Operation) Join(ctx context.Context) (JoinStatus, error) {
	defer context.AfterFunc(ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.changed.Broadcast()
	})()
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		switch {
		case o.done():
			return JoinDone, nil
		case ctx.Err() != nil:
			return JoinStopped, ctx.Err()
		case len(o.tasks) > 0:
			o.work()
		case o.open == 0:
			return JoinIdle, nil
		default:
			o.changed.Wait()
		}
	}
}

// work runs the newest task. o.mu is held before and after.
func (o *Operation) work() {
	last := len(o.tasks) - 1
	task := o.tasks[last]
	o.tasks = o.tasks[:last]
	o.running++
	func() {
		o.mu.Unlock()
		defer o.mu.Lock()
		task()
	}()
	o.running--
	if o.done() {
		o.builds = nil // and their memory
		o.changed.Broadcast()
	}
}

func (o *Operation) done() bool { return len(o.tasks) == 0 && o.running == 0 && o.open == 0 }

// Run joins with as many goroutines as are of use on this machine, waits, and returns the result.
func (o *Operation) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for range min(o.MaxConcurrency(), runtime.GOMAXPROCS(0)) {
		wg.Go(func() { _, _ = o.Join(ctx) }) // its error is that of ctx
	}
	wg.Wait()
	if err := o.Result(); !errors.Is(err, ErrNotReady) {
		return err
	}
	return ctx.Err()
}

// MaxConcurrency is how many joiners could be of use: none once the operation is done.
func (o *Operation) MaxConcurrency() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done() {
		return 0
	}
	n := 0
	for _, b := range o.builds {
		n += max(1, b.size()/taskSize)
	}
	return max(n, 1)
}

// Result is nil when all structures are there, ErrNotReady before, or else what is wrong with the first build whose
// input could not be used; the memory of its structure then holds nothing, of an update what it held. It wraps
// ErrInvalidBuild.
func (o *Operation) Result() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.done() {
		return ErrNotReady
	}
	return o.err
}

// push queues tasks.
func (o *Operation) push(tasks ...func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tasks = append(o.tasks, tasks...)
	o.changed.Broadcast()
}

// fail notes an error of build or copy number i; that of the first one counts, however they are scheduled.
func (o *Operation) fail(what string, i int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil || i < o.failed {
		o.err, o.failed = fmt.Errorf("host %s %d: %w", what, i, err), i
	}
}

// closing says that a build will queue nothing more.
func (o *Operation) closing() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open--
	o.changed.Broadcast()
}

// spread runs body over pieces of n, each a task, then next; all at once if n is no more than a piece.
func (o *Operation) spread(n, piece int, body func(first, end int), next func()) {
	if n <= piece {
		body(0, n)
		next()
		return
	}
	var left atomic.Int64
	left.Store(int64((n + piece - 1) / piece))
	tasks := make([]func(), 0, left.Load())
	for first := 0; first < n; first += piece {
		tasks = append(tasks, func() {
			body(first, min(first+piece, n))
			if left.Add(-1) == 0 {
				next()
			}
		})
	}
	o.push(tasks...)
}
