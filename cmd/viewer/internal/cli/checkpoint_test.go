package cli

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everray/everray/cmd/viewer/internal/render"
)

// A checkpoint of another viewer, of another format or of something else says what it is, and what to do.
func TestCheckpointsOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept")
	kept := render.State{Width: 1, Height: 1, Samples: 3, Buffers: [][]byte{{1, 2, 3, 4}}}
	if err := writeCheckpoint(path, "key", &kept); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	state, err := readCheckpoint(path, "key")
	if err != nil || state.Samples != 3 || !bytes.Equal(state.Buffers[0], []byte{1, 2, 3, 4}) {
		t.Fatalf("%+v, %v", state, err)
	}
	signed := func(data []byte) []byte {
		sum := sha256.Sum256(data)
		return append(data, sum[:]...)
	}
	content := good[:len(good)-sha256.Size]
	for want, data := range map[string][]byte{
		`has format "1"`:           signed(bytes.Replace(content, []byte("checkpoint 2\n"), []byte("checkpoint 1\n"), 1)),
		"is by another viewer, 0,": signed(bytes.Replace(content, []byte(`"program":"`+version()), []byte(`"program":"0`), 1)),
		"is no checkpoint":         []byte("a letter"),
		"is damaged or cut short":  good[:len(good)-1],
	} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readCheckpoint(path, "key"); !errors.Is(err, errCheckpoint) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
