package fallback

import (
	"context"
	"sync"

	"github.com/everray/everray/vk"
)

// lateKernel is a kernel that may never be needed: it is compiled in the background, or when somebody first asks for it.
type lateKernel struct {
	compile func(ctx context.Context) (vk.Kernel, error)

	mu     sync.Mutex
	cancel context.CancelFunc
	done   chan struct{} // nil before it has begun; closed when made or err is there
	made   vk.Kernel
	err    error
}

// begin compiles in the background, if nobody has begun yet, and returns what is closed at its end.
func (k *lateKernel) begin() (done <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.done != nil {
		return k.done
	}
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel, k.done = cancel, make(chan struct{})
	go func() {
		defer close(k.done)
		k.made, k.err = k.compile(ctx)
	}()
	return k.done
}

// ended tells whether somebody has compiled the kernel, or failed to.
func (k *lateKernel) ended() bool {
	k.mu.Lock()
	done := k.done
	k.mu.Unlock()
	if done == nil {
		return false
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// ready tells whether the kernel is made.
func (k *lateKernel) ready() bool { return k.ended() && k.err == nil }

// wait waits for the kernel, which goes on when the context ends before.
func (k *lateKernel) wait(ctx context.Context) error {
	select {
	case <-k.begin():
		return k.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// destroy frees the kernel. A compilation goes on without anybody to wait for it but the device's end (vk.Device.Destroy).
func (k *lateKernel) destroy() {
	if k == nil {
		return
	}
	k.mu.Lock()
	done := k.done
	k.mu.Unlock()
	if done == nil {
		return
	}
	k.cancel()
	<-done
	destroy(k.made)
}
