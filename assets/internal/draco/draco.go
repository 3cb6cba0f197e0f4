package draco

import (
	"context"
	_ "embed" // for the decoder
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

var (
	// ErrInvalid is wrapped by errors about data that is no compressed mesh.
	ErrInvalid = errors.New("invalid Draco data")
	// ErrTooLarge is wrapped by errors about data that takes more memory or time than its size allows.
	ErrTooLarge = errors.New("too large to decode")
)

//go:embed decoder.wasm
var program []byte

// What decoding may take: memory in pages of 64 KiB, and time.
const (
	memoryPages = 16384 // 1 GiB
	baseTime    = 10 * time.Second
	timePerByte = 2 * time.Microsecond
)

// Type is a type of attributes.
type Type uint32

// The types, by Draco's numbers.
const (
	Int8    Type = 1
	Uint8   Type = 2
	Int16   Type = 3
	Uint16  Type = 4
	Int32   Type = 5
	Uint32  Type = 6
	Float32 Type = 9
)

func (t Type) size() int {
	switch t {
	case Int8, Uint8:
		return 1
	case Int16, Uint16:
		return 2
	}
	return 4
}

// The decoder's exports: its build has shortened their names (draco_decoder_gltf_nodejs.js of the same package lists them).
const (
	exportMemory        = "e"
	exportStart         = "f" // __wasm_call_ctors
	exportMalloc        = "Qb"
	exportFree          = "Rb"
	exportNewDecoder    = "Ja"
	exportNewMesh       = "P"
	exportDecode        = "La" // Decoder.DecodeArrayToMesh(data, size, mesh) status
	exportOK            = "X"  // Status.ok()
	exportFaces         = "Q"
	exportPoints        = "S"
	exportIndices       = "Wa" // Decoder.GetTrianglesUInt32Array(mesh, bytes, out)
	exportAttribute     = "Qa" // Decoder.GetAttributeByUniqueId(mesh, id)
	exportComponents    = "v"  // PointAttribute.num_components()
	exportAttributeData = "eb" // Decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, type, bytes, out)
)

// Decoder is the reference decoder, compiled once.
type Decoder struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// NewDecoder compiles the decoder.
func NewDecoder(ctx context.Context) (d *Decoder, err error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(memoryPages).WithCloseOnContextDone(true)
	d = &Decoder{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start the Draco decoder: %w", err), d.Close())
			d = nil
		}
	}()
	if err := d.host(ctx); err != nil {
		return d, err
	}
	d.module, err = d.runtime.CompileModule(ctx, program)
	return d, err
}

// host gives the program the four functions that it asks its host for.
func (d *Decoder) host(ctx context.Context) error {
	fail := func(why string) func() { return func() { panic(errors.New(why)) } } // ends the call with an error
	_, err := d.runtime.NewHostModuleBuilder("a").
		NewFunctionBuilder().WithFunc(fail("the decoder gives up")).Export("a").
		NewFunctionBuilder().WithFunc(func(_, _, _ uint32) { fail("the decoder throws")() }).Export("b").
		NewFunctionBuilder().WithFunc(grow).Export("c").
		NewFunctionBuilder().WithFunc(move).Export("d").
		Instantiate(ctx)
	return err
}

// grow makes room for a heap of that many bytes; 0 is that there is none.
func grow(_ context.Context, m api.Module, size uint32) uint32 {
	const page = 1 << 16
	have := uint64(m.Memory().Size())
	want := max(uint64(size), have+have/5)
	for _, n := range []uint64{want, uint64(size)} {
		if n <= have {
			return 1
		}
		if _, ok := m.Memory().Grow(uint32((n - have + page - 1) / page)); ok {
			return 1
		}
	}
	return 0
}

func move(_ context.Context, m api.Module, to, from, size uint32) {
	src, ok := m.Memory().Read(from, size)
	if !ok || !m.Memory().Write(to, src) {
		panic(errors.New("the decoder copies beyond its memory"))
	}
}

// Close releases the decoder.
func (d *Decoder) Close() error { return d.runtime.Close(context.Background()) }

// Attribute asks for an attribute of a mesh.
type Attribute struct {
	ID         uint32
	Type       Type
	Components int
}

// Mesh is a decoded mesh.
type Mesh struct {
	Points  int
	Indices []uint32
	// Attributes are those that were asked for, in that order: little endian, packed, one element for each point.
	Attributes [][]byte
}

// Decode decodes a mesh. charge may refuse the size of what is returned.
func (d *Decoder) Decode(ctx context.Context, data []byte, want []Attribute, charge func(bytes int64) error) (*Mesh, error) {
	limit := baseTime + time.Duration(len(data))*timePerByte
	own, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	m, err := d.decode(own, data, want, charge)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if own.Err() != nil {
		return nil, fmt.Errorf("%w: %d bytes took more than %v", ErrTooLarge, len(data), limit)
	}
	return m, err
}

func (d *Decoder) decode(ctx context.Context, data []byte, want []Attribute, charge func(bytes int64) error) (*Mesh, error) {
	// An instance for each mesh: what broken data leaves behind in one does not matter to the next.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions(exportStart)
	instance, err := d.runtime.InstantiateModule(ctx, d.module, config)
	if err != nil {
		return nil, fmt.Errorf("start the Draco decoder: %w", err)
	}
	defer func() { _ = instance.Close(context.Background()) }() // the decoded mesh is copied by then
	c := &call{ctx: ctx, module: instance}
	in := c.write(data)
	decoder, mesh := c.do(exportNewDecoder), c.do(exportNewMesh)
	status := c.do(exportDecode, decoder, in, uint64(len(data)), mesh)
	if ok := c.do(exportOK, status); c.err == nil && byte(ok) == 0 {
		return nil, fmt.Errorf("%w: the decoder refuses it", ErrInvalid)
	}
	points, faces := int64(uint32(c.do(exportPoints, mesh))), int64(uint32(c.do(exportFaces, mesh)))
	if c.err != nil {
		return nil, c.err
	}
	if points < 1 || faces < 1 || points > 1<<28 || faces > 1<<28 {
		return nil, fmt.Errorf("%w: %d points and %d triangles", ErrInvalid, points, faces)
	}
	if err := charge(12 * faces); err != nil {
		return nil, err
	}
	m := &Mesh{Points: int(points)}
	raw := c.read(exportIndices, 12*faces, decoder, mesh)
	for i := 0; i+4 <= len(raw); i += 4 {
		m.Indices = append(m.Indices, binary.LittleEndian.Uint32(raw[i:]))
	}
	for _, a := range want {
		attribute := c.do(exportAttribute, decoder, mesh, uint64(a.ID))
		if c.err == nil && uint32(attribute) == 0 {
			return nil, fmt.Errorf("%w: it has no attribute %d", ErrInvalid, a.ID)
		}
		if n := int(int8(c.do(exportComponents, attribute))); c.err == nil && n != a.Components {
			return nil, fmt.Errorf("%w: attribute %d has %d components, not %d", ErrInvalid, a.ID, n, a.Components)
		}
		size := points * int64(a.Components) * int64(a.Type.size())
		if err := charge(size); err != nil {
			return nil, err
		}
		m.Attributes = append(m.Attributes, c.read(exportAttributeData, size, decoder, mesh, attribute, uint64(a.Type)))
	}
	return m, c.err
}

// call calls the decoder until something fails.
type call struct {
	ctx    context.Context
	module api.Module
	err    error
}

func (c *call) do(name string, args ...uint64) uint64 {
	if c.err != nil {
		return 0
	}
	f := c.module.ExportedFunction(name)
	if f == nil {
		c.err = fmt.Errorf("the Draco decoder has no function %q", name)
		return 0
	}
	r, err := f.Call(c.ctx, args...)
	if err != nil {
		c.err = fmt.Errorf("%w: the decoder fails", ErrInvalid) // its own words are a stack of numbers
		return 0
	}
	if len(r) == 0 {
		return 0
	}
	return r[0]
}

// write puts bytes into the decoder's memory.
func (c *call) write(data []byte) uint64 {
	at := c.do(exportMalloc, uint64(len(data)))
	if c.err == nil && (uint32(at) == 0 || !c.module.Memory().Write(uint32(at), data)) {
		c.err = fmt.Errorf("%w: no memory for %d bytes", ErrTooLarge, len(data))
	}
	return at
}

// read calls a function that writes so many bytes to where its last argument says.
func (c *call) read(name string, size int64, args ...uint64) []byte {
	at := c.do(exportMalloc, uint64(size))
	if c.err == nil && uint32(at) == 0 {
		c.err = fmt.Errorf("%w: no memory for %d bytes", ErrTooLarge, size)
	}
	ok := c.do(name, append(args, uint64(size), at)...)
	if c.err == nil && byte(ok) == 0 {
		c.err = fmt.Errorf("%w: it does not convert to what is asked for", ErrInvalid)
	}
	if c.err != nil {
		return nil
	}
	view, inside := c.module.Memory().Read(uint32(at), uint32(size))
	if !inside {
		c.err = fmt.Errorf("%w: the decoder answers beyond its memory", ErrInvalid)
		return nil
	}
	out := append([]byte(nil), view...)
	c.do(exportFree, at)
	return out
}
