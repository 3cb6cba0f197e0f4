//go:build !headless

package window

import (
	"context"
	"errors"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

var (
	// ErrOutdated is returned by Present when the window has changed: Resize, draw again, and present that.
	ErrOutdated = errors.New("the window has changed")
	// ErrFormat is returned by Resize where the display has no format of four bytes per pixel.
	ErrFormat = errors.New("the display has no 8-bit RGBA or BGRA format")
)

// Presenter shows buffers of packed pixels in a window, through a swapchain that it makes with the first Resize.
type Presenter struct {
	dev       *vk.Device
	surface   vulkan.Surface
	swapchain *vk.Swapchain
	commands  *vk.CommandBuffer
}

// NewPresenter returns a presenter for a device that was opened with the surface.
func NewPresenter(dev *vk.Device, surface vulkan.Surface) (*Presenter, error) {
	commands, err := dev.NewCommandBuffer("present")
	if err != nil {
		return nil, fmt.Errorf("presenter: %w", err)
	}
	return &Presenter{dev: dev, surface: surface, commands: commands}, nil
}

// Resize follows the window's size. Size tells what it became: the display has the last word.
func (p *Presenter) Resize(_ context.Context, width, height int) error {
	w, h := uint32(max(width, 0)), uint32(max(height, 0))
	if p.swapchain != nil {
		return p.swapchain.Recreate(w, h)
	}
	var err error
	p.swapchain, err = p.dev.NewSwapchain(vk.SwapchainOptions{
		Surface: p.surface, Width: w, Height: h, Formats: formats(),
		PresentModes: []uint32{vk.PresentMailbox, vk.PresentFIFO},
		Usage:        vulkan.ImageUsageFlags(vulkan.ImageUsageTransferDstBit),
	})
	if err != nil {
		return err
	}
	for _, f := range formats() {
		if p.swapchain.Format().Format == f {
			return nil
		}
	}
	return fmt.Errorf("%w: it offers VkFormat %d", ErrFormat, p.swapchain.Format().Format)
}

// formats lists what packed pixels fit, in order of preference. Pixels are copied, not converted, and come encoded for the
// screen: an sRGB format holds the same bytes.
func formats() []vulkan.Format {
	return []vulkan.Format{
		vulkan.FormatB8g8r8a8Unorm, vulkan.FormatR8g8b8a8Unorm, vulkan.FormatB8g8r8a8Srgb, vulkan.FormatR8g8b8a8Srgb,
	}
}

// Size returns the size that Present expects; both are 0 while the window has no area.
func (p *Presenter) Size() (width, height int) {
	if p.swapchain == nil {
		return 0, 0
	}
	return int(p.swapchain.Width()), int(p.swapchain.Height())
}

// BlueFirst tells the order of the bytes of a pixel: blue, green, red, alpha rather than red, green, blue, alpha.
func (p *Presenter) BlueFirst() bool {
	if p.swapchain == nil {
		return false
	}
	f := p.swapchain.Format().Format
	return f == vulkan.FormatB8g8r8a8Unorm || f == vulkan.FormatB8g8r8a8Srgb
}

// Present shows a buffer of Size's pixels, rows from the top, after all commands submitted before. When it returns, the buffer
// may be changed again.
func (p *Presenter) Present(ctx context.Context, pixels *vk.Buffer) error {
	if p.swapchain == nil {
		return fmt.Errorf("present: %w", ErrOutdated)
	}
	frame, err := p.swapchain.Acquire(ctx)
	suboptimal := errors.Is(err, vk.ErrSuboptimal) // the frame is valid, and must be shown
	if err != nil && !suboptimal {
		return outdated("acquire an image", err)
	}
	if err := p.copy(ctx, frame, pixels); err != nil {
		return fmt.Errorf("present: %w", err)
	}
	if err := p.swapchain.Present(frame); err != nil {
		return outdated("present", err)
	}
	if suboptimal {
		return ErrOutdated
	}
	return nil
}

// copy copies the pixels to the frame's image and waits.
func (p *Presenter) copy(ctx context.Context, frame vk.Frame, pixels *vk.Buffer) error {
	cb := p.commands
	if err := errors.Join(cb.Reset(), cb.Begin()); err != nil {
		return err
	}
	const dst = vulkan.ImageLayoutTransferDstOptimal
	cb.MemoryBarrier(vk.StageAllCommands, vk.AccessMemoryWrite, vk.StageTransfer, vk.AccessTransferRead)
	cb.ImageBarrier(frame.Image, vulkan.ImageLayoutUndefined, dst, vk.StageTransfer, vk.AccessNone, vk.StageTransfer,
		vk.AccessTransferWrite)
	cb.CopyBufferToImage(pixels, frame.Image, dst, vk.ImageRegion{Width: p.swapchain.Width(), Height: p.swapchain.Height()})
	cb.ImageBarrier(frame.Image, dst, presentLayout, vk.StageTransfer, vk.AccessTransferWrite, vk.StageNone, vk.AccessNone)
	if err := cb.End(); err != nil {
		return err
	}
	ticket, err := p.dev.SubmitAsync(vk.Submission{
		CommandBuffers: []*vk.CommandBuffer{cb},
		Wait:           []vk.SemaphoreUse{{Semaphore: frame.Acquired, Stage: vk.StageTransfer}},
		Signal:         []vk.SemaphoreUse{{Semaphore: frame.Rendered}},
	})
	if err != nil {
		return err
	}
	return ticket.Wait(ctx)
}

// presentLayout is VK_IMAGE_LAYOUT_PRESENT_SRC_KHR.
const presentLayout = vulkan.ImageLayoutPresentSrc

// outdated makes ErrOutdated of the results that ask for a new swapchain.
func outdated(op string, err error) error {
	if errors.Is(err, vk.ErrOutOfDate) || errors.Is(err, vk.ErrSuboptimal) {
		return fmt.Errorf("%s: %w: %w", op, ErrOutdated, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// Destroy waits for the device and releases the swapchain, not the surface. It may be called twice and on nil.
func (p *Presenter) Destroy() {
	if p == nil {
		return
	}
	p.swapchain.Destroy()
	p.commands.Destroy()
}
