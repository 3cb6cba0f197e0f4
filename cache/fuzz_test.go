package cache

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"github.com/everray/everray/vk"
)

// entryOf is the file that Put writes.
func entryOf(k Key, data []byte) []byte {
	sum := sha256.Sum256(data)
	return bytes.Join([][]byte{[]byte(magic), k[:], sum[:], data}, nil)
}

// FuzzEntry reads any bytes as an entry: what is no entry of the key is a miss and gone, what is one comes back as Put wrote
// it. What passes as the driver's data has a header that is its own.
func FuzzEntry(f *testing.F) {
	k, other := keyOf("a"), keyOf("b")
	for _, data := range [][]byte{nil, []byte("data"), make([]byte, 64), bytes.Repeat([]byte{32, 0, 0, 0, 1, 0, 0, 0}, 6)} {
		f.Add(entryOf(k, data))
		f.Add(entryOf(other, data))
		f.Add(data)
	}
	f.Add(entryOf(k, nil)[:headerSize-1])
	const limit = 4096
	s, err := Open(filepath.Join(f.TempDir(), "cache"), Options{MaxBytes: limit})
	if err != nil {
		f.Fatal(err)
	}
	physical := &vk.PhysicalDevice{VendorID: 1, DeviceID: 1}
	f.Fuzz(func(t *testing.T, file []byte) {
		if err := os.WriteFile(s.path(k), file, 0o600); err != nil {
			t.Fatal(err)
		}
		data, ok := s.Get(k)
		if want := len(file) <= limit && bytes.Equal(file, entryOf(k, file[min(headerSize, len(file)):])); ok != want {
			t.Fatalf("hit %v, want %v", ok, want)
		}
		if _, err := os.Stat(s.path(k)); (err == nil) != ok {
			t.Fatalf("hit %v, and then %v", ok, err)
		}
		if !ok {
			return
		}
		if physical.CheckPipelineCacheData(data) == nil && len(data) < 32 {
			t.Fatalf("%d bytes pass as a driver's", len(data))
		}
		put(t, s, k, data)
		if again, err := os.ReadFile(s.path(k)); err != nil || !bytes.Equal(again, file) {
			t.Fatalf("written again it differs: %v", err)
		}
	})
}
