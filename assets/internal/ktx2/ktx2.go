package ktx2

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/klauspost/compress/zstd"
)

var (
	// ErrInvalid is wrapped by errors about files that contradict the format.
	ErrInvalid = errors.New("invalid KTX2 file")
	// ErrUnsupported is wrapped by errors about formats that are not decoded.
	ErrUnsupported = errors.New("unsupported KTX2 format")
)

// Magic is how a file begins.
const Magic = "\xabKTX 20\xbb\r\n\x1a\n"

const (
	headerSize  = 80
	levelSize   = 24
	schemeNone  = 0
	schemeBasis = 1
	schemeZstd  = 2
	schemeZlib  = 3

	modelETC1S = 163
	modelUASTC = 166

	formatRGBA     = 37 // VK_FORMAT_R8G8B8A8_UNORM
	formatRGBASRGB = 43
)

// file is a parsed header, and where what counts lies.
type file struct {
	width, height int
	format        uint32
	scheme        uint32
	model         byte
	channels      []byte // of the data format descriptor's samples
	level         []byte
	unpacked      uint64 // bytes of the level without supercompression
	global        []byte
}

// part returns the bytes at an offset, if they are there.
func part(data []byte, offset, length uint64) ([]byte, bool) {
	if offset > uint64(len(data)) || length > uint64(len(data))-offset {
		return nil, false
	}
	return data[offset : offset+length], true
}

func parse(data []byte) (*file, error) {
	fail := func(what string) (*file, error) { return nil, fmt.Errorf("%w: %s", ErrInvalid, what) }
	if len(data) < headerSize+levelSize || !bytes.HasPrefix(data, []byte(Magic)) {
		return fail("the header is cut short")
	}
	le := binary.LittleEndian
	word := func(i int) uint32 { return le.Uint32(data[12+4*i:]) }
	f := &file{format: word(0), width: int(word(2)), height: int(word(3)), scheme: word(8)}
	if f.width < 1 || f.height < 1 || word(4) > 1 || word(6) != 1 {
		return nil, fmt.Errorf("%w: %d x %d x %d pixels, %d faces: only flat textures are read", ErrUnsupported, f.width, f.height,
			word(4), word(6))
	}
	var ok bool
	if f.level, ok = part(data, le.Uint64(data[headerSize:]), le.Uint64(data[headerSize+8:])); !ok {
		return fail("its largest level lies beyond its end")
	}
	f.unpacked = le.Uint64(data[headerSize+16:])
	if f.global, ok = part(data, le.Uint64(data[64:]), le.Uint64(data[72:])); !ok {
		return fail("its global data lies beyond its end")
	}
	dfd, ok := part(data, uint64(word(9)), uint64(word(10)))
	const samplesAt, sample = 28, 16
	if !ok || len(dfd) < samplesAt {
		return fail("its format descriptor is cut short")
	}
	f.model = dfd[12]
	for d := dfd[samplesAt:]; len(d) >= sample; d = d[sample:] {
		f.channels = append(f.channels, d[3]&15)
	}
	return f, nil
}

// DecodeConfig returns the size of the largest level.
func DecodeConfig(data []byte) (image.Config, error) {
	f, err := parse(data)
	if err != nil {
		return image.Config{}, err
	}
	return image.Config{Width: f.width, Height: f.height}, nil
}

// Decode decodes the largest level.
func Decode(data []byte) (*image.NRGBA, error) {
	f, err := parse(data)
	if err != nil {
		return nil, err
	}
	switch {
	case f.scheme == schemeBasis && f.model == modelETC1S:
		return f.etc1s()
	case f.scheme == schemeBasis:
		return nil, fmt.Errorf("%w: BasisLZ of colour model %d", ErrInvalid, f.model)
	}
	img := image.NewNRGBA(image.Rect(0, 0, f.width, f.height))
	switch {
	case f.model == modelUASTC:
		blocks := ((f.width + 3) / 4) * ((f.height + 3) / 4)
		raw, err := f.inflate(blocks * uastcBlock)
		if err != nil {
			return nil, err
		}
		return img, f.uastc(img, raw)
	case f.format == formatRGBA || f.format == formatRGBASRGB:
		raw, err := f.inflate(len(img.Pix))
		if err != nil {
			return nil, err
		}
		copy(img.Pix, raw)
		return img, nil
	}
	return nil, fmt.Errorf("%w: VkFormat %d, colour model %d: want Basis Universal", ErrUnsupported, f.format, f.model)
}

// inflate undoes the supercompression of a level of that size.
func (f *file) inflate(size int) ([]byte, error) {
	raw := f.level
	switch f.scheme {
	case schemeNone:
	case schemeZstd:
		if f.unpacked != uint64(size) {
			return nil, fmt.Errorf("%w: a level of %d bytes where %d belong", ErrInvalid, f.unpacked, size)
		}
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(max(uint64(size), 1<<20)))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		defer d.Close()
		if raw, err = d.DecodeAll(f.level, make([]byte, 0, size)); err != nil {
			return nil, fmt.Errorf("%w: zstd: %w", ErrInvalid, err)
		}
	case schemeZlib:
		z, err := zlib.NewReader(bytes.NewReader(f.level))
		if err != nil {
			return nil, fmt.Errorf("%w: zlib: %w", ErrInvalid, err)
		}
		defer z.Close()
		raw = make([]byte, size)
		if _, err := io.ReadFull(z, raw); err != nil {
			return nil, fmt.Errorf("%w: zlib: %w", ErrInvalid, err)
		}
	default:
		return nil, fmt.Errorf("%w: supercompression scheme %d", ErrUnsupported, f.scheme)
	}
	if len(raw) < size {
		return nil, fmt.Errorf("%w: a level of %d bytes where %d belong", ErrInvalid, len(raw), size)
	}
	return raw[:size], nil
}
