package fallback

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"errors"
	"hash"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/everray/everray/cache"
	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/vk"
)

// linkerSources are what makes modules out of stages. Their hash is part of every key: whoever changes the linker cannot
// forget to change a version.
//
//go:embed link/*.go link/normal/*.go spirv/*.go
var linkerSources embed.FS

// CacheStats count what a cache did since it was opened: see package cache.
type CacheStats = cache.Stats

// LinkCache keeps linked modules in a store, under a hash of everything they depend on. It needs no device: who has a device
// that is not vk's, such as a Vulkan layer, links with it and compiles in its own way. Several goroutines may use one, and
// several processes one directory. A nil LinkCache keeps nothing.
type LinkCache struct {
	store  *cache.Store
	linker func() [sha256.Size]byte // hash of linkerSources
}

// NewLinkCache returns a cache of linked modules in a store.
func NewLinkCache(store *cache.Store) *LinkCache {
	return &LinkCache{store: store, linker: sync.OnceValue(hashLinker)}
}

// Cache is a LinkCache together with what a device's driver compiled. See package cache for what happens to damaged files. A nil
// Cache keeps nothing.
type Cache struct {
	*LinkCache
	pipelines *cache.Pipelines // nil without a driver's part
}

// NewCache returns a cache of linked modules in a store, with the driver's part of a vk.Device, which it closes. Without one (nil)
// it needs no device: what a foreign device compiles, its owner keeps. Trouble with the disk makes pipelines slower to create, and
// nothing else.
func NewCache(store *cache.Store, driver *cache.Pipelines) *Cache {
	return &Cache{LinkCache: NewLinkCache(store), pipelines: driver}
}

// Close saves what the driver compiled, and must come before the device's end. It is safe on nil and may be called twice.
func (c *Cache) Close() error {
	if c == nil {
		return nil
	}
	return c.pipelines.Close()
}

// Stats counts the use of the store, by linked modules and by whoever else keeps things there.
func (c *LinkCache) Stats() CacheStats {
	if c == nil {
		return CacheStats{}
	}
	return c.store.Stats()
}

// Stats counts the use of the directory, by linked modules and by the driver's data.
func (c *Cache) Stats() CacheStats { return c.links().Stats() }

// driver is the driver's part, nil where there is none.
func (c *Cache) driver() vk.KernelCache {
	if c == nil {
		return nil
	}
	if own := c.pipelines.Cache(); own != nil {
		return own
	}
	return nil // no interface over a nil pointer
}

// cacheable tells whether the key covers a link. Libraries are linked already, and cost little to add; hooks and
// checks want to run.
func cacheable(o link.Options) bool { return o.AfterPass == nil && !o.Check && len(o.Libraries) == 0 }

// links is the part that needs no device.
func (c *Cache) links() *LinkCache {
	if c == nil {
		return nil
	}
	return c.LinkCache
}

// Link is link.Link, or what it returned before, and then cached. Options with AfterPass, Check or libraries are always linked. A
// damaged entry is a miss; an error is link.Link's or the context's.
func (c *LinkCache) Link(ctx context.Context, runtime []uint32, stages []Stage, o link.Options) (
	result *link.Result, cached bool, err error) {
	if c == nil || !cacheable(o) {
		result, err = link.Link(ctx, runtime, stages, o)
		return result, false, err
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	key := linkKey(c.linker(), runtime, stages, o)
	if data, ok := c.store.Get(key); ok {
		if result, err := decodeResult(data, len(stages)); err == nil {
			return result, true, nil
		}
		c.store.Remove(key)
	}
	result, err = link.Link(ctx, runtime, stages, o)
	if err == nil {
		_ = c.store.Put(key, encodeResult(result)) // a full disk costs time when the pipeline is made again, no more
	}
	return result, false, err
}

// relink links again what Link returned from the cache and the driver refused. It returns nil if that makes the same code:
// then it is not the cache that is wrong. Otherwise the new code takes the entry's place.
func (c *LinkCache) relink(
	ctx context.Context, refused *link.Result, runtime []uint32, stages []Stage, o link.Options,
) (*link.Result, error) {
	result, err := link.Link(ctx, runtime, stages, o)
	if err == nil && bytes.Equal(encodeResult(result), encodeResult(refused)) {
		return nil, nil
	}
	key := linkKey(c.linker(), runtime, stages, o)
	c.store.Remove(key)
	if err == nil {
		_ = c.store.Put(key, encodeResult(result)) // as in Link
	}
	return result, err
}

// keyHash hashes values so that no two sequences of them give the same bytes: every list and text with its length.
type keyHash struct {
	hash.Hash
	buffer []byte
}

func (h *keyHash) number(v uint64) {
	h.buffer = binary.LittleEndian.AppendUint64(h.buffer[:0], v)
	h.Write(h.buffer)
}

func (h *keyHash) bit(b bool) {
	if b {
		h.number(1)
	} else {
		h.number(0)
	}
}

func (h *keyHash) bytes(b []byte) {
	h.number(uint64(len(b)))
	h.Write(b)
}

func (h *keyHash) words(list []uint32) {
	h.number(uint64(len(list)))
	h.buffer = h.buffer[:0]
	for _, w := range list {
		h.buffer = binary.LittleEndian.AppendUint32(h.buffer, w)
	}
	h.Write(h.buffer)
}

// linkKey hashes everything that link.Link sees, and the linker itself.
func linkKey(linker [sha256.Size]byte, runtimeModule []uint32, stages []Stage, o link.Options) cache.Key {
	h := &keyHash{Hash: sha256.New()}
	h.bytes([]byte("linked module"))
	h.number(resultVersion)
	h.bytes([]byte(runtime.Version()))
	h.bytes(linker[:])
	h.words(runtimeModule)
	h.number(uint64(len(stages)))
	for _, s := range stages {
		h.bytes([]byte(s.Name))
		h.words(s.Code)
		h.bytes([]byte(s.Entry))
		h.number(uint64(s.Kind))
		h.number(uint64(len(s.Specialization)))
		for _, id := range slices.Sorted(maps.Keys(s.Specialization)) {
			h.number(uint64(id))
			h.bytes(s.Specialization[id])
		}
	}
	h.bit(o.KeepNames)
	h.bit(o.Indirect)
	h.number(uint64(o.Form))
	h.number(uint64(o.MaxDepth))
	h.number(uint64(o.MaxLanes))
	h.number(uint64(o.MaxShared))
	f := o.Flags
	for _, b := range []bool{f.NoNullAnyHit, f.NoNullIntersection, f.NoNullClosestHit, f.NoNullMiss, f.SkipTriangles, f.SkipAABBs,
		f.AllowClusters} {
		h.bit(b)
	}
	return cache.Key(h.Sum(nil))
}

// hashLinker hashes the linker's source text.
func hashLinker() (sum [sha256.Size]byte) {
	h := &keyHash{Hash: sha256.New()}
	err := fs.WalkDir(linkerSources, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := linkerSources.ReadFile(path)
		h.bytes([]byte(path))
		h.bytes(text)
		return err
	})
	if err != nil {
		h.bytes([]byte(err.Error())) // an embedded file system has no errors
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// resultVersion is that of encodeResult; it is part of the key.
const resultVersion = 4

var errResult = errors.New("not an encoded link result")

// encodeResult writes a link result: every list with its length, everything in 32-bit words, little endian.
func encodeResult(r *link.Result) []byte {
	b := make([]byte, 0, 4*(len(r.Code)+len(r.Entries)+len(r.Frames)+2*len(r.Owners)+8))
	word := func(v uint32) { b = binary.LittleEndian.AppendUint32(b, v) }
	for _, list := range [][]uint32{r.Code, r.Entries, r.Frames} {
		word(uint32(len(list)))
		for _, v := range list {
			word(v)
		}
	}
	word(uint32(r.States))
	word(uint32(r.Form))
	word(uint32(len(r.Owners)))
	for _, o := range r.Owners {
		word(o.State)
		word(o.Stage)
	}
	encodeWave(r.Wave, word)
	return encodeCalls(b, r.Calls)
}

// encodeWave writes the other kernels of the wavefront form, or that there are none.
func encodeWave(w *link.Wave, word func(uint32)) {
	if w == nil {
		word(0)
		return
	}
	word(1 + uint32(len(w.Shade)))
	for _, code := range append([][]uint32{w.Resume}, w.Shade...) {
		word(uint32(len(code)))
		for _, v := range code {
			word(v)
		}
	}
	for _, v := range []uint32{w.Quads, w.Bins, w.SharedBins, w.Shift, w.ContinueBin, w.FirstContinue, w.Rounds, w.Keys, w.Lanes} {
		word(v)
	}
	suspends := uint32(0)
	if w.Suspends {
		suspends = 1
	}
	word(suspends)
	word(uint32(len(w.Segments)))
	for _, s := range w.Segments {
		word(uint32(s.Kernel))
		word(s.First)
	}
}

// wave reads what encodeWave wrote.
func (r *resultReader) wave() *link.Wave {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	w := &link.Wave{Resume: r.list()}
	for range n - 1 {
		w.Shade = append(w.Shade, r.list())
	}
	for _, v := range []*uint32{
		&w.Quads, &w.Bins, &w.SharedBins, &w.Shift, &w.ContinueBin, &w.FirstContinue, &w.Rounds, &w.Keys, &w.Lanes,
	} {
		*v = r.word()
	}
	w.Suspends = r.word() != 0
	w.Segments = make([]link.Segment, r.count(2))
	for i := range w.Segments {
		w.Segments[i] = link.Segment{Kernel: int(r.word()), First: r.word()}
		r.failed = r.failed || w.Segments[i].Kernel >= len(w.Shade)
	}
	return w
}

// resultReader takes words off the front; after the end all are zero and it has failed.
type resultReader struct {
	rest   []byte
	failed bool
}

func (r *resultReader) word() uint32 {
	if len(r.rest) < 4 {
		r.failed, r.rest = true, nil
		return 0
	}
	v := binary.LittleEndian.Uint32(r.rest)
	r.rest = r.rest[4:]
	return v
}

// count reads the length of a list whose elements have so many words; 0 if there is not that much.
func (r *resultReader) count(words int) int {
	n := int(r.word())
	if n > len(r.rest)/(4*words) {
		r.failed, r.rest = true, nil
		return 0
	}
	return n
}

func (r *resultReader) list() []uint32 {
	out := make([]uint32, r.count(1))
	for i := range out {
		out[i] = r.word()
	}
	return out
}

// decodeResult reads what encodeResult wrote, of a pipeline with so many stages.
func decodeResult(b []byte, stages int) (*link.Result, error) {
	in := &resultReader{rest: b}
	r := &link.Result{Code: in.list(), Entries: in.list(), Frames: in.list()}
	r.States = int(in.word())
	r.Form = link.Form(in.word())
	r.Owners = make([]link.Owner, in.count(2))
	for i := range r.Owners {
		r.Owners[i] = link.Owner{State: in.word(), Stage: in.word()}
		in.failed = in.failed || int(r.Owners[i].Stage) >= stages
	}
	r.Wave = in.wave()
	r.Calls = in.calls(stages)
	in.failed = in.failed || (r.Wave != nil) != (r.Form.InRounds())
	if in.failed || len(in.rest) > 0 || len(r.Entries) != stages || len(r.Frames) != stages || !wholeResult(r) {
		return nil, errResult
	}
	return r, nil
}

// wholeResult tells whether all modules are whole.
func wholeResult(r *link.Result) bool {
	modules := [][]uint32{r.Code}
	if w := r.Wave; w != nil {
		modules = append(append(modules, w.Resume), w.Shade...)
	}
	return !slices.ContainsFunc(modules, func(code []uint32) bool { return !wholeModule(code) })
}

// wholeModule tells whether words are a SPIR-V header and whole instructions: what drivers take for granted.
func wholeModule(code []uint32) bool {
	const header, magic = 5, 0x07230203
	if len(code) < header || code[0] != magic {
		return false
	}
	for at := header; at < len(code); {
		n := int(code[at] >> 16)
		if n == 0 || n > len(code)-at {
			return false
		}
		at += n
	}
	return true
}
