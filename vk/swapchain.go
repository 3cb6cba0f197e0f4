package vk

// #include "evk.h"
import "C"

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	vulkan "github.com/vulkan-go/vulkan"
)

// Present modes (VkPresentModeKHR).
const (
	PresentImmediate   uint32 = 0
	PresentMailbox     uint32 = 1
	PresentFIFO        uint32 = 2
	PresentFIFORelaxed uint32 = 3
)

// SurfaceFormat is a VkSurfaceFormatKHR.
type SurfaceFormat struct {
	Format     vulkan.Format
	ColorSpace uint32
}

func (p *PhysicalDevice) canPresent(family uint32, s vulkan.Surface) error {
	var ok C.uint32_t
	if err := check("vkGetPhysicalDeviceSurfaceSupportKHR",
		C.evk_surface_support(p.instance.c, raw(p.handle), C.uint32_t(family), raw(s), &ok)); err != nil {
		return err
	}
	if ok == 0 {
		return fmt.Errorf("%w: presenting to this window (choose another device)", ErrMissingFeature)
	}
	return nil
}

// CanPresent says whether the device's one queue can show images on the surface.
func (p *PhysicalDevice) CanPresent(s vulkan.Surface) error {
	family := p.queueFamily()
	if family < 0 {
		return fmt.Errorf("%s: %w: a queue with graphics and compute", p.Name, ErrMissingFeature)
	}
	return p.canPresent(uint32(family), s)
}

// SurfaceFormats lists what the device can show on the surface.
func (p *PhysicalDevice) SurfaceFormats(s vulkan.Surface) ([]SurfaceFormat, error) {
	var n C.uint32_t
	if err := check("vkGetPhysicalDeviceSurfaceFormatsKHR",
		C.evk_surface_formats(p.instance.c, raw(p.handle), raw(s), &n, nil)); err != nil || n == 0 {
		return nil, err
	}
	list := make([]C.VkSurfaceFormatKHR, n)
	if err := check("vkGetPhysicalDeviceSurfaceFormatsKHR",
		C.evk_surface_formats(p.instance.c, raw(p.handle), raw(s), &n, &list[0])); err != nil {
		return nil, err
	}
	out := make([]SurfaceFormat, 0, n)
	for _, f := range list[:n] {
		out = append(out, SurfaceFormat{vulkan.Format(f.format), uint32(f.colorSpace)})
	}
	return out, nil
}

// PresentModes lists how the device can show images on the surface; FIFO is always there.
func (p *PhysicalDevice) PresentModes(s vulkan.Surface) ([]uint32, error) {
	var n C.uint32_t
	if err := check("vkGetPhysicalDeviceSurfacePresentModesKHR",
		C.evk_surface_modes(p.instance.c, raw(p.handle), raw(s), &n, nil)); err != nil || n == 0 {
		return nil, err
	}
	list := make([]uint32, n)
	if err := check("vkGetPhysicalDeviceSurfacePresentModesKHR",
		C.evk_surface_modes(p.instance.c, raw(p.handle), raw(s), &n, (*C.uint32_t)(&list[0]))); err != nil {
		return nil, err
	}
	return list[:n], nil
}

// SwapchainOptions says what NewSwapchain makes.
type SwapchainOptions struct {
	Name          string // for debuggers and errors; empty is "window"
	Surface       vulkan.Surface
	Width, Height uint32 // of the framebuffer; used where the surface leaves the choice
	// Formats in order of preference; the first that the surface has is taken, else its first. Nil prefers 8-bit
	// UNORM, which any shader's own sRGB encoding fits.
	Formats []vulkan.Format
	// PresentModes in order of preference; FIFO is the last resort.
	PresentModes []uint32
	Usage        vulkan.ImageUsageFlags // 0 = transfer destination
	Images       uint32                 // at least; 0 = one more than the least
}

// Swapchain is a VkSwapchainKHR with the semaphores of its images. It belongs to one goroutine.
type Swapchain struct {
	d         *Device
	o         SwapchainOptions
	handle    C.uint64_t
	images    []vulkan.Image
	format    SurfaceFormat
	mode      uint32
	width     uint32
	height    uint32
	acquire   []*Semaphore // one per frame in flight, used in turn
	rendered  []*Semaphore // one per image: presentation may hold it until the image comes back
	turn      int
	minimised bool
}

// Frame is an acquired image. Render to it in a submission that waits for Acquired and signals Rendered.
type Frame struct {
	Index              uint32
	Image              vulkan.Image
	Acquired, Rendered *Semaphore
}

// NewSwapchain makes a swapchain for a device opened with that surface. While the window has no area it makes none,
// and Acquire gives ErrOutOfDate.
func (d *Device) NewSwapchain(o SwapchainOptions) (*Swapchain, error) {
	if d.c.CreateSwapchainKHR == nil {
		return nil, fmt.Errorf("swapchain: %w: %s (open the device with PresentSurface)", ErrMissingExtension, extSwapchain)
	}
	o.Name = cmp.Or(o.Name, "window")
	s := &Swapchain{d: d, o: o}
	if err := s.create(); err != nil {
		s.Destroy()
		return nil, s.failed("", err)
	}
	d.born(s, "swapchain", o.Name, objectSwapchain, s.handle)
	return s, nil
}

// failed says which swapchain an error is about, and at what.
func (s *Swapchain) failed(what string, err error) error {
	return fmt.Errorf("swapchain %q: %s%w", s.o.Name, what, err)
}

// Width and Height of the images; 0 while the window has no area.
func (s *Swapchain) Width() uint32 { return s.width }

// Height of the images.
func (s *Swapchain) Height() uint32 { return s.height }

// Format of the images.
func (s *Swapchain) Format() SurfaceFormat { return s.format }

// PresentMode in use.
func (s *Swapchain) PresentMode() uint32 { return s.mode }

// Images lists all images.
func (s *Swapchain) Images() []vulkan.Image { return s.images }

func (s *Swapchain) create() error {
	p := s.d.physical
	var caps C.VkSurfaceCapabilitiesKHR
	if err := check("vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
		C.evk_surface_capabilities(p.instance.c, raw(p.handle), raw(s.o.Surface), &caps)); err != nil {
		return err
	}
	if err := s.choose(); err != nil {
		return err
	}
	s.width, s.height = extent(&caps, s.o.Width, s.o.Height)
	if s.minimised = s.width == 0 || s.height == 0; s.minimised {
		return nil
	}
	usage := s.o.Usage
	if usage == 0 {
		usage = vulkan.ImageUsageFlags(vulkan.ImageUsageTransferDstBit)
	}
	if uint32(caps.supportedUsageFlags)&uint32(usage) != uint32(usage) {
		return fmt.Errorf("%w: image usage %#x (the surface has %#x)", ErrMissingFeature, usage, caps.supportedUsageFlags)
	}
	n := max(s.o.Images, uint32(caps.minImageCount)+1)
	if caps.maxImageCount > 0 {
		n = min(n, uint32(caps.maxImageCount))
	}
	old := s.handle
	c := C.evk_swapchain{surface: raw(s.o.Surface), old: old, images: C.uint32_t(n), format: C.uint32_t(s.format.Format),
		color_space: C.uint32_t(s.format.ColorSpace), width: C.uint32_t(s.width), height: C.uint32_t(s.height), usage: C.uint32_t(usage),
		transform: C.uint32_t(caps.currentTransform), alpha: alpha(uint32(caps.supportedCompositeAlpha)), mode: C.uint32_t(s.mode)}
	h := C.evk_create_swapchain(s.d.c, c)
	if old != 0 { // retired whether or not that worked
		C.evk_destroy_swapchain(s.d.c, old)
		s.handle = 0
	}
	if err := check("vkCreateSwapchainKHR", h.result); err != nil {
		return err
	}
	s.handle = h.handle
	if err := s.fetchImages(); err != nil {
		s.dropSemaphores() // some images have none
		C.evk_destroy_swapchain(s.d.c, s.handle)
		s.handle = 0
		return err
	}
	return nil
}

func (s *Swapchain) fetchImages() error {
	var n C.uint32_t
	if err := check("vkGetSwapchainImagesKHR", C.evk_swapchain_images(s.d.c, s.handle, &n, nil)); err != nil {
		return err
	}
	list := make([]C.uint64_t, n+1)
	if err := check("vkGetSwapchainImagesKHR", C.evk_swapchain_images(s.d.c, s.handle, &n, &list[0])); err != nil {
		return err
	}
	s.images = s.images[:0]
	for i, h := range list[:n] {
		s.images = append(s.images, fromRaw[vulkan.Image](h))
		s.d.name(objectImage, h, fmt.Sprintf("swapchain image %d", i))
	}
	for i := range int(n) {
		a, err := s.d.NewSemaphore(fmt.Sprintf("swapchain acquired %d", i))
		if err != nil {
			return err
		}
		s.acquire = append(s.acquire, a)
		r, err := s.d.NewSemaphore(fmt.Sprintf("swapchain rendered %d", i))
		if err != nil {
			return err
		}
		s.rendered = append(s.rendered, r)
	}
	s.turn = 0
	return nil
}

// choose picks the format and mode.
func (s *Swapchain) choose() error {
	formats, err := s.d.physical.SurfaceFormats(s.o.Surface)
	if err != nil {
		return err
	}
	if len(formats) == 0 {
		return fmt.Errorf("%w: the surface has no formats", ErrMissingFeature)
	}
	prefer := s.o.Formats
	if prefer == nil {
		prefer = []vulkan.Format{vulkan.FormatB8g8r8a8Unorm, vulkan.FormatR8g8b8a8Unorm}
	}
	s.format = formats[0]
	for i := len(prefer) - 1; i >= 0; i-- {
		for _, f := range formats {
			if f.Format == prefer[i] {
				s.format = f
				break
			}
		}
	}
	modes, err := s.d.physical.PresentModes(s.o.Surface)
	if err != nil {
		return err
	}
	s.mode = PresentFIFO
	for i := len(s.o.PresentModes) - 1; i >= 0; i-- {
		for _, m := range modes {
			if m == s.o.PresentModes[i] {
				s.mode = m
			}
		}
	}
	return nil
}

// extent is the surface's, or where it leaves the choice what was asked for, within its bounds.
func extent(c *C.VkSurfaceCapabilitiesKHR, w, h uint32) (uint32, uint32) {
	const free = ^C.uint32_t(0)
	if c.currentExtent.width != free {
		return uint32(c.currentExtent.width), uint32(c.currentExtent.height)
	}
	clamp := func(x uint32, lo, hi C.uint32_t) uint32 { return max(uint32(lo), min(x, uint32(hi))) }
	return clamp(w, c.minImageExtent.width, c.maxImageExtent.width), clamp(h, c.minImageExtent.height, c.maxImageExtent.height)
}

// alpha prefers opaque.
func alpha(supported uint32) C.uint32_t {
	for _, bit := range []uint32{1, 8, 2, 4} {
		if supported&bit != 0 {
			return C.uint32_t(bit)
		}
	}
	return 1
}

// Recreate makes the swapchain anew, as after ErrOutOfDate, ErrSuboptimal or a resize. It waits for the GPU.
func (s *Swapchain) Recreate(width, height uint32) error {
	if err := s.d.WaitIdle(); err != nil {
		return s.failed("", err)
	}
	s.dropSemaphores()
	s.o.Width, s.o.Height = width, height
	if err := s.create(); err != nil {
		return s.failed("", err)
	}
	return nil
}

func (s *Swapchain) dropSemaphores() {
	for _, list := range [][]*Semaphore{s.acquire, s.rendered} {
		for _, x := range list {
			x.Destroy()
		}
	}
	s.acquire, s.rendered = nil, nil
}

// Acquire waits for an image. ErrOutOfDate asks for Recreate; with ErrSuboptimal the frame is valid and must be
// rendered and presented. At most as many frames as there are images may be unfinished on the GPU.
func (s *Swapchain) Acquire(ctx context.Context) (Frame, error) {
	switch {
	case s.minimised:
		return Frame{}, s.failed("acquire: the window has no area: ", ErrOutOfDate)
	case s.handle == 0:
		return Frame{}, s.failed("acquire: it could not be made anew: ", ErrOutOfDate)
	}
	sem := s.acquire[s.turn]
	for {
		var index C.uint32_t
		err := check("vkAcquireNextImageKHR", C.evk_acquire(s.d.c, s.handle, C.uint64_t(waitSlice/time.Nanosecond), raw(sem.handle),
			&index))
		if errors.Is(err, ErrTimeout) {
			if err := ctx.Err(); err != nil {
				return Frame{}, err
			}
			continue
		}
		if err != nil && !errors.Is(err, ErrSuboptimal) {
			return Frame{}, s.failed("", err)
		}
		s.turn = (s.turn + 1) % len(s.acquire)
		return Frame{uint32(index), s.images[index], sem, s.rendered[index]}, err
	}
}

// Present shows a frame (in PRESENT_SRC layout) after its Rendered semaphore. ErrOutOfDate and ErrSuboptimal ask for
// Recreate.
func (s *Swapchain) Present(f Frame) error {
	s.d.queue.mu.Lock()
	defer s.d.queue.mu.Unlock()
	if err := check("vkQueuePresentKHR", C.evk_present(s.d.c, s.handle, C.uint32_t(f.Index), raw(f.Rendered.handle))); err != nil {
		return s.failed("", err)
	}
	return nil
}

// Destroy waits for the GPU and frees the swapchain, not the surface.
func (s *Swapchain) Destroy() {
	if s == nil || s.d.c == nil {
		return
	}
	_ = s.d.WaitIdle() // a lost device is reported where work is waited for
	s.dropSemaphores()
	s.d.dies(s)
	if s.handle != 0 {
		C.evk_destroy_swapchain(s.d.c, s.handle)
		s.handle = 0
	}
}
