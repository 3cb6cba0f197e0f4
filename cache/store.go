package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrInvalid is wrapped by errors about arguments and directories that cannot be used.
var ErrInvalid = errors.New("invalid use of a cache")

// DefaultMaxBytes bounds a store whose options do not.
const DefaultMaxBytes = 256 << 20

const (
	magic      = "everray cache 1\n"
	headerSize = len(magic) + 2*sha256.Size // the magic, the key, the hash of the data
	entryName  = ".entry"
	partName   = ".part"
	// partAge is how old an unfinished file is before it counts as left by a process that ended.
	partAge = time.Hour
)

// Key names a piece of data: a hash of all that it depends on.
type Key [sha256.Size]byte

// Options of a store.
type Options struct {
	// MaxBytes bounds the files together; what was not used for longest goes first. 0 is DefaultMaxBytes.
	MaxBytes int64
}

// Stats count what a store did since it was opened.
type Stats struct {
	Hits, Misses int
	// Damaged files were removed; they count as misses, too. Evicted ones made room.
	Damaged, Evicted int
}

// Store is a directory of data under keys. It is safe for concurrent use, by other processes, too.
type Store struct {
	dir string
	max int64

	mu    sync.Mutex
	size  int64 // of the files, as of the last scan and our own since
	stats Stats
}

// Open makes the directory where there is none, for its owner only, and proves that it can be written.
func Open(dir string, o Options) (*Store, error) {
	if dir == "" || o.MaxBytes < 0 {
		return nil, fmt.Errorf("cache %q of %d bytes: %w: it needs a directory and a size", dir, o.MaxBytes, ErrInvalid)
	}
	s := &Store{dir: dir, max: o.MaxBytes}
	if s.max == 0 {
		s.max = DefaultMaxBytes
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cache: %w: %w (choose another directory)", ErrInvalid, err)
	}
	probe, err := os.CreateTemp(dir, "open-*"+partName)
	if err != nil {
		return nil, fmt.Errorf("cache %q: %w: it cannot be written: %w (choose another directory)", dir, ErrInvalid, err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return nil, fmt.Errorf("cache %q: %w: %w", dir, ErrInvalid, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep(s.max)
	return s, nil
}

// Dir is the directory.
func (s *Store) Dir() string { return s.dir }

// Stats tell what happened since Open.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

func (s *Store) path(k Key) string { return filepath.Join(s.dir, hex.EncodeToString(k[:])+entryName) }

// Get returns the data of a key, or false. The data is the caller's.
func (s *Store) Get(k Key) ([]byte, bool) {
	path := s.path(k)
	file, err := os.ReadFile(path)
	data, whole := []byte(nil), false
	if err == nil {
		data, whole = open(file, k)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !whole {
		s.stats.Misses++
		if err == nil {
			s.stats.Damaged++
			s.remove(path, int64(len(file)))
		}
		return nil, false
	}
	s.stats.Hits++
	now := time.Now()
	_ = os.Chtimes(path, now, now) // it was used; another process may have removed it meanwhile
	return data, true
}

// open checks a file's contents and returns the data in it.
func open(file []byte, k Key) ([]byte, bool) {
	if len(file) < headerSize || string(file[:len(magic)]) != magic || !bytes.Equal(file[len(magic):len(magic)+len(k)], k[:]) {
		return nil, false
	}
	sum := sha256.Sum256(file[headerSize:])
	if !bytes.Equal(file[len(magic)+len(k):headerSize], sum[:]) {
		return nil, false
	}
	return file[headerSize:], true
}

// Put keeps data under a key. What is larger than the whole store is not kept, which is no error.
func (s *Store) Put(k Key, data []byte) error {
	size := int64(headerSize + len(data))
	if size > s.max {
		return nil
	}
	if err := s.write(k, data); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size += size; s.size > s.max {
		s.sweep(s.max - s.max/4) // so that not every further Put has to look at all files
	}
	return nil
}

func (s *Store) write(k Key, data []byte) (err error) {
	f, err := os.CreateTemp(s.dir, "new-*"+partName)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // what failed before is what matters
		}
	}()
	sum := sha256.Sum256(data)
	header := append(append([]byte(magic), k[:]...), sum[:]...)
	_, err = f.Write(header)
	if err == nil {
		_, err = f.Write(data)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.path(k))
}

// Remove forgets a key.
func (s *Store) Remove(k Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(s.path(k), 0)
}

func (s *Store) remove(path string, size int64) {
	if os.Remove(path) == nil {
		s.size -= size
	}
}

// sweep counts the files, and removes the least recently used until no more than limit bytes are left, and unfinished
// files that nobody writes any more. The lock is held.
func (s *Store) sweep(limit int64) {
	list, err := os.ReadDir(s.dir)
	if err != nil {
		return // the directory is gone: so is what was in it
	}
	var entries []fs.FileInfo
	s.size = 0
	for _, e := range list {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		switch {
		case strings.HasSuffix(info.Name(), entryName):
			entries = append(entries, info)
			s.size += info.Size()
		case strings.HasSuffix(info.Name(), partName) && time.Since(info.ModTime()) > partAge:
			s.remove(filepath.Join(s.dir, info.Name()), 0)
		}
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, e := range entries {
		if s.size <= limit {
			return
		}
		s.remove(filepath.Join(s.dir, e.Name()), e.Size())
		s.stats.Evicted++
	}
}
