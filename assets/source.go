package assets

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// source reads the files of one scene, all inside one folder, each once, and
// keeps account of the memory that decoding them may take.
type source struct {
	root  *os.Root // nil: there are no files
	files map[string][]byte
	// fixed is the caller's limit; without one it grows with the input.
	fixed int64
	mu    sync.Mutex // guards the rest: images are decoded concurrently
	input int64
	spent int64
}

const (
	// budgetBase is what any file may use, however small.
	budgetBase = 1 << 30
	// budgetRatio is how many bytes each byte of input may become. Textures
	// set it: a plain JPEG grows 30 to 60 times, a plain PNG more.
	budgetRatio = 128
)

// openSource opens the scene's folder. maxBytes 0 is the default budget.
func openSource(dir string, maxBytes int64) (*source, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &source{root: root, files: map[string][]byte{}, fixed: maxBytes}, nil
}

// Close releases the folder.
func (s *source) Close() error { return s.root.Close() }

// charge takes n bytes from the budget before they are allocated.
func (s *source) charge(n int64, what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := s.fixed
	if limit <= 0 {
		limit = budgetBase + budgetRatio*s.input
	}
	if n < 0 || n > limit-s.spent {
		return fmt.Errorf("%w: %s needs %d bytes, %d of %d are left (LoadOptions.MaxBytes raises the limit)",
			ErrTooLarge, what, n, limit-s.spent, limit)
	}
	s.spent += n
	return nil
}

// read returns the file of that name in the scene's folder.
func (s *source) read(name string) ([]byte, error) {
	if data, ok := s.files[name]; ok {
		return data, nil
	}
	if s.root == nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	// The status comes first: opening a pipe would wait for its writer.
	st, err := s.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	f, err := s.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if s.fixed > 0 && st.Size() > s.fixed {
		return nil, fmt.Errorf("%w: file %q has %d bytes, the limit is %d", ErrTooLarge, name, st.Size(), s.fixed)
	}
	data := make([]byte, st.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("read %q: %w", name, err)
	}
	s.files[name] = data
	s.mu.Lock()
	s.input += int64(len(data))
	s.mu.Unlock()
	return data, nil
}

// resolve returns the bytes that a URI of a buffer or an image names.
func (s *source) resolve(uri string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(uri, "data:"); ok {
		return s.decodeDataURI(rest)
	}
	u, err := url.Parse(uri)
	if err != nil {
		return nil, fmt.Errorf("%w: URI %q: %w", ErrInvalid, clip(uri), err)
	}
	if u.Scheme != "" || u.Host != "" {
		return nil, fmt.Errorf("%w: URI %q: only files beside the scene and data: are read", ErrUnsupported, clip(uri))
	}
	name := filepath.FromSlash(u.Path) // unescaped by Parse
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%w: URI %q leads outside of the scene's folder", ErrInvalid, clip(uri))
	}
	data, err := s.read(filepath.Clean(name))
	if err != nil {
		return nil, fmt.Errorf("URI %q: %w", clip(uri), err)
	}
	return data, nil
}

// decodeDataURI decodes what follows "data:" (RFC 2397).
func (s *source) decodeDataURI(rest string) ([]byte, error) {
	head, body, ok := strings.Cut(rest, ",")
	if !ok {
		return nil, fmt.Errorf("%w: data URI without a comma", ErrInvalid)
	}
	if err := s.charge(int64(len(body)), "data URI"); err != nil {
		return nil, err
	}
	if !strings.HasSuffix(head, ";base64") {
		text, err := url.PathUnescape(body)
		if err != nil {
			return nil, fmt.Errorf("%w: data URI: %w", ErrInvalid, err)
		}
		return []byte(text), nil
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		// Some exporters leave the padding out.
		if data, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(body, "=")); err != nil {
			return nil, fmt.Errorf("%w: data URI: %w", ErrInvalid, err)
		}
	}
	return data, nil
}

// clip shortens text from the file for use in a message.
func clip(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
