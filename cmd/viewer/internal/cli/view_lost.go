//go:build !headless

package cli

import (
	"context"
	"errors"
	"time"

	"github.com/everray/everray/vk"
)

// leastWork is how long a device must have worked to be worth another try when it is lost: one that is lost at once would be
// again, and forever.
const leastWork = 10 * time.Second

// repeat paints, and anew on other devices where those in use are lost after a while: drivers reset them when the computer
// wakes up, or another program hangs.
func (p *painter) repeat(ctx context.Context, paint func() error) error {
	for {
		began := p.clock()
		err := paint()
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the window was closed
		}
		if !errors.Is(err, vk.ErrDeviceLost) || p.clock().Sub(began) < leastWork {
			return err
		}
		p.note("the device was lost and is opened again")
	}
}
