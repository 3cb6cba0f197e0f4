package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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

// ErrUnsafe is wrapped, beside ErrInvalid, by the error about a directory that other users may write to.
var ErrUnsafe = errors.New("others may write to it")

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
	// Damaged files were removed, and what is no regular file, is too large or may be written by others; they count as
	// misses, too. Evicted ones made room.
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

// Open makes the directory where there is none, for its owner only, and proves that it can be written. It refuses a
// directory that is not this user's or that others may write to (ErrUnsafe): they could put code there that the driver
// would run.
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
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("cache: %w: %w", ErrInvalid, err)
	}
	if err := ownersOnly(info); err != nil {
		return nil, fmt.Errorf("cache %q: %w: %w (chmod go-w it if it is yours, or choose another directory)", dir, ErrInvalid, err)
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
	file, err := readEntry(path, s.max)
	data, whole := []byte(nil), false
	if err == nil {
		data, whole = open(file, k)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !whole {
		s.stats.Misses++
		if err == nil || errors.Is(err, errEntry) {
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

// errEntry is wrapped by errors about files that are no entries: they are removed like damaged ones.
var errEntry = errors.New("not an entry")

// readEntry reads a file of at most limit bytes. What is judged is what was opened: a regular file that only its owner, this
// user, may write. Opening neither follows links nor waits for the other end of a FIFO.
func readEntry(path string, limit int64) (data []byte, err error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() { // opening a device can have effects of its own
		err = fmt.Errorf("%w: %v", errEntry, info.Mode())
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, fmt.Errorf("%w: %v, %d bytes of at most %d", errEntry, info.Mode(), info.Size(), limit)
	}
	if err := ownersOnly(info); err != nil {
		return nil, fmt.Errorf("%w: %w", errEntry, err)
	}
	data = make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil { // it shrank; entries never do
		return nil, fmt.Errorf("%w: %w", errEntry, err)
	}
	return data, nil
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
