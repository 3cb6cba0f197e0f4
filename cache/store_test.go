package cache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func keyOf(s string) Key { return sha256.Sum256([]byte(s)) }

// ownDir is a directory that only its owner may write to, whatever the umask.
func ownDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func openStore(t *testing.T, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t *testing.T, s *Store, k Key, data []byte) {
	t.Helper()
	if err := s.Put(k, data); err != nil {
		t.Fatal(err)
	}
}

func TestHitAndMiss(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "yet", "there")
	s := openStore(t, dir, Options{})
	a, b := keyOf("a"), keyOf("b")
	if _, ok := s.Get(a); ok {
		t.Error("hit in an empty store")
	}
	for _, data := range [][]byte{[]byte("first"), {}, []byte("third, replacing it")} {
		put(t, s, a, data)
		for _, store := range []*Store{s, openStore(t, dir, Options{})} {
			if got, ok := store.Get(a); !ok || !bytes.Equal(got, data) {
				t.Errorf("got %q, %v, want %q", got, ok, data)
			}
		}
	}
	if _, ok := s.Get(b); ok {
		t.Error("hit for another key")
	}
	s.Remove(a)
	s.Remove(b)
	if _, ok := s.Get(a); ok {
		t.Error("hit after Remove")
	}
	if got, want := s.Stats(), (Stats{Hits: 3, Misses: 3}); got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
}

// TestDamaged flips and cuts bytes: every damaged file is a miss, and removed.
func TestDamaged(t *testing.T) {
	s := openStore(t, ownDir(t), Options{})
	k, data := keyOf("a"), []byte("some data, long enough to damage")
	put(t, s, k, data)
	whole, err := os.ReadFile(s.path(k))
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, file []byte) {
		t.Helper()
		if err := os.WriteFile(s.path(k), file, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := s.Get(k); ok {
			t.Errorf("%s: hit with %q", what, got)
		}
		if _, err := os.Stat(s.path(k)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the file is still there: %v", what, err)
		}
	}
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 0x10
		try(fmt.Sprintf("byte %d", i), bad)
	}
	for n := range whole {
		try(fmt.Sprintf("%d bytes", n), whole[:n])
	}
	try("a byte more", append(bytes.Clone(whole), 0))
	if n := s.Stats().Damaged; n != 2*len(whole)+1 {
		t.Errorf("%d damaged, want %d", n, 2*len(whole)+1)
	}
	// A file under another key's name is not taken for it.
	other := keyOf("b")
	if err := os.WriteFile(s.path(other), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Get(other); ok {
		t.Error("hit with another key's file")
	}
}

func TestEviction(t *testing.T) {
	const size = 1000
	dir := ownDir(t)
	s := openStore(t, dir, Options{MaxBytes: 8 * (size + int64(headerSize))})
	past := time.Now().Add(-time.Hour)
	for i := range 8 {
		k := keyOf(fmt.Sprint(i))
		put(t, s, k, make([]byte, size))
		if err := os.Chtimes(s.path(k), past, past.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := s.Get(keyOf("0")); !ok { // used now: others are older
		t.Error("evicted before the store was full")
	}
	put(t, s, keyOf("new"), make([]byte, size))
	for name, want := range map[string]bool{"0": true, "1": false, "2": false, "3": false, "4": true, "7": true, "new": true} {
		if _, ok := s.Get(keyOf(name)); ok != want {
			t.Errorf("%s: kept %v, want %v", name, ok, want)
		}
	}
	if n := s.Stats().Evicted; n != 3 {
		t.Errorf("%d evicted, want 3", n)
	}
	put(t, s, keyOf("huge"), make([]byte, 9*size))
	if _, ok := s.Get(keyOf("huge")); ok {
		t.Error("kept more than the store may hold")
	}
	// A smaller store makes room when it opens, for what was used last.
	s.Get(keyOf("new"))
	small := openStore(t, dir, Options{MaxBytes: size + int64(headerSize)})
	if _, ok := small.Get(keyOf("new")); !ok {
		t.Error("the newest was evicted")
	}
	if _, ok := small.Get(keyOf("7")); ok {
		t.Error("two entries in a store for one")
	}
}

// TestLeftOvers: unfinished files of processes that ended are removed, those of others are not, and foreign files stay.
func TestLeftOvers(t *testing.T) {
	dir := ownDir(t)
	old := time.Now().Add(-2 * partAge)
	for name, age := range map[string]time.Time{"old" + partName: old, "young" + partName: time.Now(), "foreign.txt": old} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte("x"), 0o600), os.Chtimes(path, age, age)); err != nil {
			t.Fatal(err)
		}
	}
	openStore(t, dir, Options{})
	var names []string
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "foreign.txt young"+partName {
		t.Errorf("left: %s", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dirs := map[string]string{"no name": "", "a file": file, "below a file": filepath.Join(file, "dir")}
	if runtime.GOOS == "linux" {
		dirs["read-only"] = "/proc/self/fdinfo" // for root, too
	}
	for name, dir := range dirs {
		if _, err := Open(dir, Options{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(ownDir(t), Options{MaxBytes: -1}); !errors.Is(err, ErrInvalid) {
		t.Errorf("negative size: %v", err)
	}
}

// TestDirectoryVanishes: trouble after Open is a miss, and an error of Put that may be ignored.
func TestDirectoryVanishes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	s := openStore(t, dir, Options{})
	put(t, s, keyOf("a"), []byte("data"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Get(keyOf("a")); ok {
		t.Error("hit without a directory")
	}
	if err := s.Put(keyOf("a"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Put without a directory: %v", err)
	}
}

// hammer puts and gets the data of a few keys. Whatever is found is whole.
func hammer(s *Store, seed uint64, rounds int) error {
	r := rand.New(rand.NewPCG(seed, 1))
	for range rounds {
		name := fmt.Sprint(r.IntN(6))
		want := bytes.Repeat([]byte(name), 5000)
		if r.IntN(2) == 0 {
			if err := s.Put(keyOf(name), want); err != nil {
				return err
			}
		} else if got, ok := s.Get(keyOf(name)); ok && !bytes.Equal(got, want) {
			return fmt.Errorf("key %s: %d bytes of %d", name, len(got), len(want))
		}
	}
	if n := s.Stats().Damaged; n > 0 {
		return fmt.Errorf("%d damaged files", n)
	}
	return nil
}

const hammerVariable = "EVERRAY_CACHE_TEST_DIR"

// TestConcurrent lets goroutines and other processes use one directory that is too small for all of it.
func TestConcurrent(t *testing.T) {
	options := Options{MaxBytes: 20000}
	if dir := os.Getenv(hammerVariable); dir != "" { // the other process
		if err := hammer(openStore(t, dir, options), uint64(os.Getpid()), 300); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir := ownDir(t)
	s := openStore(t, dir, options)
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			if err := hammer(s, uint64(i), 300); err != nil {
				t.Error(err)
			}
		})
	}
	for range 2 {
		wait.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestConcurrent$")
			cmd.Env = append(os.Environ(), hammerVariable+"="+dir)
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("other process: %v\n%s", err, text)
			}
		})
	}
	wait.Wait()
	if s.Stats().Hits == 0 || s.Stats().Evicted == 0 {
		t.Errorf("stats %+v: it needs hits and evictions to show anything", s.Stats())
	}
}
