package render

import (
	"context"
	"fmt"

	"github.com/everray/everray/vk"
)

// imageBuffers are the buffers that samples add to: all of an image's state but the number of its samples.
func (r *Renderer) imageBuffers() []*vk.Buffer {
	return []*vk.Buffer{r.accumulation, r.counts, r.unlit, r.guides}
}

// State is an image that is not finished. Restored by the same renderer of the same scene, size and camera, the samples that
// follow give the same bits as if there had been no pause.
type State struct {
	Width, Height, Samples int
	Buffers                [][]byte
}

// State reads the image as it is.
func (r *Renderer) State(ctx context.Context) (*State, error) {
	s := &State{Width: r.width, Height: r.height, Samples: r.samples}
	for _, b := range r.imageBuffers() {
		data := make([]byte, b.Size())
		if err := r.dev.VK().ReadBuffer(ctx, b, 0, data); err != nil {
			return nil, fmt.Errorf("read the image: %w", err)
		}
		s.Buffers = append(s.Buffers, data)
	}
	return s, nil
}

// Restore continues an image that State read. Resize and SetCamera come before.
func (r *Renderer) Restore(ctx context.Context, s *State) error {
	buffers := r.imageBuffers()
	if s.Width != r.width || s.Height != r.height || s.Samples < 1 || len(s.Buffers) != len(buffers) {
		return fmt.Errorf("%w: an image of %d x %d pixels with %d samples does not fit one of %d x %d", ErrInvalid, s.Width, s.Height,
			s.Samples, r.width, r.height)
	}
	for i, b := range buffers {
		if uint64(len(s.Buffers[i])) != b.Size() {
			return fmt.Errorf("%w: %d bytes of an image where %d belong", ErrInvalid, len(s.Buffers[i]), b.Size())
		}
		if err := r.dev.VK().UploadBuffer(ctx, b, 0, s.Buffers[i]); err != nil {
			return fmt.Errorf("restore the image: %w", err)
		}
	}
	r.samples = s.Samples
	return nil
}
