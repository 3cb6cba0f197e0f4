package assets

import (
	"encoding/json"
	"fmt"

	"github.com/everray/everray/assets/internal/meshopt"
)

// meshoptCompression is the extension of compressed buffer views.
const meshoptCompression = "EXT_meshopt_compression"

// decompressed returns the elements of a compressed buffer view, decoding it at the first use.
func (r *reader) decompressed(view int, ext any) (elements, error) {
	if e, ok := r.views[view]; ok {
		return e, nil
	}
	var x struct {
		Buffer, ByteOffset, ByteLength, ByteStride, Count int
		Mode, Filter                                      string
	}
	raw, ok := ext.(json.RawMessage)
	if !ok {
		return elements{}, fmt.Errorf("%w: not an object", ErrInvalid)
	}
	if err := json.Unmarshal(raw, &x); err != nil {
		return elements{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	buf, err := r.buffer(x.Buffer)
	if err != nil {
		return elements{}, err
	}
	if x.ByteOffset < 0 || x.ByteLength < 1 || x.ByteOffset > len(buf) || x.ByteLength > len(buf)-x.ByteOffset {
		return elements{}, fmt.Errorf("%w: bytes %d+%d of a buffer of %d", ErrInvalid, x.ByteOffset, x.ByteLength, len(buf))
	}
	const most = 1 << 31
	if x.Count < 1 || x.ByteStride < 1 || x.ByteStride > 256 || x.Count > most/x.ByteStride {
		return elements{}, fmt.Errorf("%w: %d elements of %d bytes", ErrInvalid, x.Count, x.ByteStride)
	}
	if err := r.src.charge(int64(x.Count)*int64(x.ByteStride), fmt.Sprintf("bufferView %d", view)); err != nil {
		return elements{}, err
	}
	in := buf[x.ByteOffset : x.ByteOffset+x.ByteLength]
	var out []byte
	switch x.Mode {
	case "ATTRIBUTES":
		out, err = meshopt.Attributes(in, x.Count, x.ByteStride)
	case "TRIANGLES":
		out, err = meshopt.Triangles(in, x.Count, x.ByteStride)
	case "INDICES":
		out, err = meshopt.Indices(in, x.Count, x.ByteStride)
	default:
		err = fmt.Errorf("%w: mode %q", ErrInvalid, x.Mode)
	}
	if err == nil {
		err = meshopt.Filter(x.Filter, out, x.ByteStride)
	}
	if err != nil {
		return elements{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	e := elements{data: out, count: x.Count, size: x.ByteStride, stride: r.doc.BufferViews[view].ByteStride}
	if r.views == nil {
		r.views = map[int]elements{}
	}
	r.views[view] = e
	return e, nil
}
