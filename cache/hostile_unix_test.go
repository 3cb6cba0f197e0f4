//go:build unix

package cache

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// TestHostileEntries puts what is no regular file of this user's in an entry's place: Get misses at once, with little memory,
// and the entry can be made again.
func TestHostileEntries(t *testing.T) {
	const limit = 1 << 20
	elsewhere := filepath.Join(t.TempDir(), "whole")
	if err := os.WriteFile(elsewhere, entryOf(keyOf("a"), []byte("data")), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(path string) error{
		"FIFO":             func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link to a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"link to a FIFO": func(path string) error {
			return errors.Join(syscall.Mkfifo(path+".fifo", 0o600), os.Symlink(path+".fifo", path))
		},
		"link to a whole file": func(path string) error { return os.Symlink(elsewhere, path) },
		"link to itself":       func(path string) error { return os.Symlink(path, path) },
		"socket": func(path string) error {
			fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err != nil {
				return err
			}
			defer syscall.Close(fd)
			return syscall.Bind(fd, &syscall.SockaddrUnix{Name: path})
		},
		"empty directory":     func(path string) error { return os.Mkdir(path, 0o700) },
		"a terabyte of zeros": func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40)) },
		"more than the store": func(path string) error { return os.WriteFile(path, make([]byte, limit+1), 0o600) },
		"others may write it": func(path string) error {
			return errors.Join(os.WriteFile(path, entryOf(keyOf("a"), nil), 0o600), os.Chmod(path, 0o602))
		},
		"groups may write it": func(path string) error {
			return errors.Join(os.WriteFile(path, entryOf(keyOf("a"), nil), 0o600), os.Chmod(path, 0o620))
		},
		"unreadable directory": func(path string) error { return os.Mkdir(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			s, k := openStore(t, filepath.Join(shortDir(t), "c"), Options{MaxBytes: limit}), keyOf("a")
			if err := plant(s.path(k)); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			done := make(chan bool)
			go func() {
				_, ok := s.Get(k)
				done <- ok
			}()
			select {
			case ok := <-done:
				if ok {
					t.Error("a hit")
				}
			case <-time.After(10 * time.Second):
				t.Fatal("Get hangs")
			}
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 2*limit {
				t.Errorf("%d bytes allocated", n)
			}
			if got := s.Stats(); got.Misses != 1 || got.Damaged != 1 {
				t.Errorf("%+v, want a miss that was damaged", got)
			}
			put(t, s, k, []byte("again"))
			if data, ok := s.Get(k); !ok || !bytes.Equal(data, []byte("again")) {
				t.Errorf("made again: %q, %v", data, ok)
			}
		})
	}
	if _, err := os.Stat(elsewhere); err != nil {
		t.Errorf("what a link named: %v", err)
	}
}

// shortDir is a temporary directory whose path fits into a socket's address.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "c")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestHostileDirectories: a directory that others may write to is refused, by whichever of its bits.
func TestHostileDirectories(t *testing.T) {
	for mode, unsafe := range map[os.FileMode]bool{0o700: false, 0o755: false, 0o775: true, 0o702: true, 0o777: true,
		0o777 | os.ModeSticky: true} {
		dir := filepath.Join(t.TempDir(), "cache")
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, mode)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Options{}); unsafe != errors.Is(err, ErrUnsafe) || unsafe != errors.Is(err, ErrInvalid) {
			t.Errorf("mode %v: %v", mode, err)
		}
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(dir, link); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(link, Options{}); unsafe != errors.Is(err, ErrUnsafe) {
			t.Errorf("mode %v, by a link: %v", mode, err)
		}
	}
	if os.Geteuid() != 0 {
		return // only root can give a directory away
	}
	dir := filepath.Join(t.TempDir(), "cache")
	const somebody = 65534
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, somebody, somebody)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrUnsafe) {
		t.Errorf("somebody else's: %v", err)
	}
}
