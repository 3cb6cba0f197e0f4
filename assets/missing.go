package assets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/go-gl/mathgl/mgl32"
)

// replaceable tells whether a picture that could not be read may be replaced by a placeholder: nothing but limits on memory
// and the end of the context refuses a whole scene for a picture's sake.
func replaceable(err error) bool {
	return !errors.Is(err, ErrTooLarge) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// replaceFailed gives the pictures that could not be read their placeholders, and says so.
func (l *loader) replaceFailed() {
	failed := false
	for i := range l.pending {
		p := &l.pending[i]
		if p.failed == nil {
			continue
		}
		failed = true
		name := l.scene.Images[p.scene[0]].Name
		l.warn("a placeholder stands for image %d %q: %s", p.index, name, l.whyMissing(p))
		for _, k := range p.scene {
			l.scene.Images[k].placeholder()
		}
	}
	if !failed {
		return
	}
	for i := range l.scene.Materials {
		l.withoutMissing(&l.scene.Materials[i])
	}
}

// whyMissing is what a person needs to find the picture: the path where it should be, or what is wrong with it.
func (l *loader) whyMissing(p *pendingImage) string {
	var path *fs.PathError
	if errors.As(p.failed, &path) && l.src.root != nil {
		file := filepath.Join(l.src.root.Name(), filepath.FromSlash(path.Path))
		switch {
		case errors.Is(path.Err, fs.ErrNotExist):
			return fmt.Sprintf("there is no file %q", file)
		case errors.Is(path.Err, fs.ErrPermission):
			return fmt.Sprintf("%q may not be read", file)
		}
		return fmt.Sprintf("%q: %v", file, path.Err)
	}
	if p.source == "" {
		return p.failed.Error()
	}
	return fmt.Sprintf("%s: %v", p.source, p.failed)
}

// placeholderSide and placeholderCell are the placeholder's pixels a side, and those of one of its squares.
const (
	placeholderSide = 64
	placeholderCell = 8
)

// placeholder gives colours the squares of magenta and black that nobody takes for a texture, and data the value that
// leaves factors as they are.
func (im *Image) placeholder() {
	im.Missing = true
	if !im.SRGB {
		im.Width, im.Height, im.Pixels = 1, 1, []byte{255, 255, 255, 255}
		return
	}
	im.Width, im.Height = placeholderSide, placeholderSide
	im.Pixels = make([]byte, 0, 4*placeholderSide*placeholderSide)
	for y := range placeholderSide {
		for x := range placeholderSide {
			c := [4]byte{255, 0, 255, 255}
			if (x/placeholderCell+y/placeholderCell)%2 == 1 {
				c = [4]byte{16, 16, 16, 255}
			}
			im.Pixels = append(im.Pixels, c[:]...)
		}
	}
}

// withoutMissing takes from a material the uses of missing pictures that a placeholder would make worse: white is no normal,
// and light that a picture should have bounded would be everywhere.
func (l *loader) withoutMissing(m *Material) {
	missing := func(r *TextureRef) bool { return r != nil && l.scene.Images[l.scene.Textures[r.Texture].Image].Missing }
	if missing(m.NormalTexture) {
		m.NormalTexture = nil
	}
	if missing(m.EmissiveTexture) {
		m.EmissiveTexture, m.Emissive = nil, mgl32.Vec3{}
	}
}
