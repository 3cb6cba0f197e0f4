package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/render"
	"github.com/everray/everray/engine"
)

// A checkpoint is a line that names the format, a line of JSON, the image's buffers, and a hash of all before.
const (
	checkpointName  = "everray checkpoint "
	checkpointMagic = checkpointName + "2\n"
)

// checkpointHead says what the image is of.
type checkpointHead struct {
	Program string `json:"program"` // the version that took the samples: others take other ones
	Key     string `json:"key"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Samples int    `json:"samples"`
	Bytes   []int  `json:"bytes"`
}

// errCheckpoint is wrapped by errors about checkpoints that cannot be continued.
var errCheckpoint = errors.New("the checkpoint cannot be continued")

// pictureKey tells pictures apart: a checkpoint goes on only where the same bits follow.
func (f *renderFlags) pictureKey(dev *engine.Device) (string, error) {
	h := sha256.New()
	info := dev.Info()
	fmt.Fprintf(h, "%q %q %q %q %q\n%+v\n%+v\n", info.Name, info.Driver, info.DriverInfo, dev.Backend(), f.form,
		f.sceneFlags, f.lookFlags)
	if !strings.HasPrefix(f.scene, assets.BuiltinPrefix) {
		file, err := os.Open(f.scene)
		if err != nil {
			return "", err
		}
		defer file.Close()
		if _, err := io.Copy(h, file); err != nil {
			return "", fmt.Errorf("read %q: %w", f.scene, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func writeCheckpoint(path, key string, s *render.State) error {
	head := checkpointHead{Program: version(), Key: key, Width: s.Width, Height: s.Height, Samples: s.Samples}
	for _, b := range s.Buffers {
		head.Bytes = append(head.Bytes, len(b))
	}
	text, err := json.Marshal(head)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return assets.WriteFile(path, func(w io.Writer) error {
		h := sha256.New()
		both := io.MultiWriter(w, h)
		for _, b := range append([][]byte{[]byte(checkpointMagic), append(text, '\n')}, s.Buffers...) {
			if _, err := both.Write(b); err != nil {
				return err
			}
		}
		_, err := w.Write(h.Sum(nil))
		return err
	})
}

// readCheckpoint reads one that is of this picture.
func readCheckpoint(path, key string) (*render.State, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCheckpoint, err)
	}
	fail := func(why string) (*render.State, error) { return nil, fmt.Errorf("%w: %q %s", errCheckpoint, path, why) }
	rest, ok := bytes.CutPrefix(data, []byte(checkpointMagic))
	if !ok {
		if other, is := bytes.CutPrefix(data, []byte(checkpointName)); is {
			format, _, _ := bytes.Cut(other[:min(len(other), shownRevision)], []byte{'\n'})
			return fail(fmt.Sprintf("has format %q, this viewer has 2: go on with the viewer that wrote it, or begin anew", format))
		}
		return fail("is no checkpoint")
	}
	if len(rest) < sha256.Size {
		return fail("is damaged or cut short")
	}
	if sum := sha256.Sum256(data[:len(data)-sha256.Size]); !bytes.Equal(sum[:], data[len(data)-sha256.Size:]) {
		return fail("is damaged or cut short")
	}
	text, rest, _ := bytes.Cut(rest[:len(rest)-sha256.Size], []byte{'\n'})
	var head checkpointHead
	if err := json.Unmarshal(text, &head); err != nil {
		return fail("is damaged")
	}
	if head.Program != version() {
		return fail(fmt.Sprintf("is by another viewer, %s, whose samples are others: go on with that one, or begin anew", head.Program))
	}
	if head.Key != key {
		return fail("is of another scene, camera, size, integrator, device or way: call it with the same flags")
	}
	s := &render.State{Width: head.Width, Height: head.Height, Samples: head.Samples}
	for _, n := range head.Bytes {
		if n < 0 || n > len(rest) {
			return fail("is damaged")
		}
		s.Buffers = append(s.Buffers, rest[:n:n])
		rest = rest[n:]
	}
	return s, nil
}

// resume continues where a checkpoint ended.
func (f *renderFlags) resume(ctx context.Context, r *render.Renderer, key string) error {
	if f.resumeFile == "" {
		return nil
	}
	state, err := readCheckpoint(f.resumeFile, key)
	if err != nil {
		return err
	}
	// Compiling traces one pixel: before what is restored, not after.
	if err := r.WarmUp(ctx); err != nil {
		return err
	}
	if err := r.Restore(ctx, state); err != nil {
		return fmt.Errorf("%w: %q: %w", errCheckpoint, f.resumeFile, err)
	}
	return nil
}
