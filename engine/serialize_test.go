package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/vk"
)

func wordBytes(v ...uint64) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// TestSerialize moves a scene through blobs: the originals are gone when the copies are made, and the handles of the top
// level are those of the new bottom level.
func TestSerialize(t *testing.T) {
	eachBackend(t, func(t *testing.T, s *sheet) {
		blas := s.build(s.mesh)
		tlas := s.over(blas)
		want, old := s.hits(tlas), blas.Address()
		blobs, err := s.dev.Serialize(t.Context(), []*AccelerationStructure{blas, tlas})
		s.check(err)
		for _, b := range blobs {
			s.check(s.dev.CheckSerialized(b[:32]))
		}
		tlas.Destroy()
		// The old bottom level lives on, so that the new one lies elsewhere.
		bottom, err := s.dev.Deserialize(t.Context(), []SerializedInput{{Name: "bottom", Type: vk.BottomLevel, Blob: blobs[0]}})
		s.check(err)
		s.cleanup(bottom...)
		h, err := ReadSerializedHeader(blobs[1])
		s.check(err)
		if len(h.Handles) == 0 || slices.ContainsFunc(h.Handles, func(a vk.DeviceAddress) bool { return a != old }) {
			t.Fatalf("handles %#x, want %#x only", h.Handles, old)
		}
		for i := range h.Handles {
			h.Handles[i] = bottom[0].Address()
		}
		s.check(SetSerializedHandles(blobs[1], h.Handles))
		blas.Destroy()
		var tops []*AccelerationStructure
		for _, ready := range []bool{false, true} {
			top, err := s.dev.Deserialize(t.Context(),
				[]SerializedInput{{Name: "top", Type: vk.TopLevel, Blob: blobs[1], BottomLevelsReady: ready}})
			s.check(err)
			s.cleanup(top...)
			if top[0].Size() != h.DeserializedSize || top[0].Type() != vk.TopLevel {
				t.Errorf("a %v of %d bytes, the header says %d", top[0].Type(), top[0].Size(), h.DeserializedSize)
			}
			tops = append(tops, top[0])
		}
		compareHits(t, "deserialised bottom level", s.hits(s.over(bottom[0])), want, 0)
		for _, top := range tops {
			hits := s.hits(top)
			if p := s.dev.VK().Physical(); s.dev.Backend() == BackendNative && p.DriverID == driverNVIDIA && !slices.Equal(hits, want) {
				t.Skipf("rays in deserialised top levels of %s %s meet the bottom levels that were serialised, whatever the handles say",
					p.DriverName, p.DriverInfo)
			}
			compareHits(t, "deserialised", hits, want, 0)
		}
	})
}

// TestForeignBlobs gives each way the blobs of the other.
func TestForeignBlobs(t *testing.T) {
	native, compute := newSheet(t, openBackend(t, BackendNative)), newSheet(t, openBackend(t, BackendCompute))
	blob := func(s *sheet) []byte {
		blobs, err := s.dev.Serialize(t.Context(), []*AccelerationStructure{s.build(s.mesh)})
		s.check(err)
		return blobs[0]
	}
	own := map[*sheet][]byte{native: blob(native), compute: blob(compute)}
	for _, tt := range []struct {
		s, other *sheet
		want     string
	}{{native, compute, "the compute way has serialised it"}, {compute, native, "is not that of the compute way"}} {
		in := []SerializedInput{{Name: "foreign", Type: vk.BottomLevel, Blob: own[tt.other]}}
		if _, err := tt.s.dev.Deserialize(t.Context(), in); !errors.Is(err, ErrIncompatible) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want ErrIncompatible with %q", tt.s.dev.Backend(), err, tt.want)
		}
		if err := tt.s.dev.CheckSerialized(own[tt.other][:32]); !errors.Is(err, ErrIncompatible) {
			t.Errorf("%v: %v", tt.s.dev.Backend(), err)
		}
		if err := tt.s.dev.CheckSerialized(own[tt.s][:32]); err != nil {
			t.Errorf("%v: %v", tt.s.dev.Backend(), err)
		}
		if err := tt.s.dev.CheckSerialized(own[tt.s][:31]); !errors.Is(err, ErrInvalidBlob) {
			t.Errorf("31 bytes: %v", err)
		}
		t.Run("another version, "+tt.s.dev.Backend().String(), func(t *testing.T) { refusesOtherVersion(t, tt.s.dev, own[tt.s]) })
	}
}

// refusesOtherVersion changes the compatibility UUID of a blob.
func refusesOtherVersion(t *testing.T, dev *Device, blob []byte) {
	other := bytes.Clone(blob)
	other[17] ^= 1
	_, err := dev.Deserialize(t.Context(), []SerializedInput{{Name: "other", Type: vk.BottomLevel,
		Blob: other[:serializedHeaderSize]}})
	if dev.Backend() == BackendNative && dev.VK().Physical().DriverID == driverLavapipe && errors.Is(err, ErrInvalidBlob) {
		t.Skipf("vkGetDeviceAccelerationStructureCompatibilityKHR of %s compares the driver UUID only", dev.Info().DriverInfo)
	}
	if !errors.Is(err, ErrIncompatible) {
		t.Errorf("%v, want ErrIncompatible", err)
	}
}

// FuzzReadSerializedHeader reads anything, and writes the handles back as they were.
func FuzzReadSerializedHeader(f *testing.F) {
	f.Add(make([]byte, serializedHeaderSize))
	f.Add(append(make([]byte, 48), wordBytes(2, 3, 4)...))
	f.Add(append(make([]byte, 48), wordBytes(1<<61, 3)...))
	f.Fuzz(func(t *testing.T, input []byte) {
		blob := bytes.Clone(input)
		h, err := ReadSerializedHeader(blob)
		if err != nil {
			if !errors.Is(err, ErrInvalidBlob) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		handles := slices.Clone(h.Handles)
		for k := range h.Handles {
			h.Handles[k] = vk.DeviceAddress(k)
		}
		if err := SetSerializedHandles(blob, h.Handles); err != nil {
			t.Fatal(err)
		}
		if err := SetSerializedHandles(blob, handles); err != nil || !bytes.Equal(blob, input) {
			t.Fatalf("not what it was: %v", err)
		}
	})
}

// TestDeserializeRefuses spoils blobs. What is behind the header only the compute way checks.
func TestDeserializeRefuses(t *testing.T) {
	eachBackend(t, func(t *testing.T, s *sheet) {
		blas := s.build(s.mesh)
		blobs, err := s.dev.Serialize(t.Context(), []*AccelerationStructure{blas, s.over(blas)})
		s.check(err)
		put := func(at int, v uint64) func([]byte) []byte {
			return func(b []byte) []byte {
				binary.LittleEndian.PutUint64(b[at:], v)
				return b
			}
		}
		tests := []struct {
			name        string
			blob        int
			typ         vk.AccelerationStructureType
			edit        func(b []byte) []byte
			want        error
			text        string
			computeOnly bool
		}{
			{"nothing", 0, vk.BottomLevel, func([]byte) []byte { return nil }, ErrInvalidBlob, "0 bytes, the header has 56", false},
			{"half a header", 0, vk.BottomLevel, func(b []byte) []byte { return b[:40] }, ErrInvalidBlob, "40 bytes", false},
			{"half a blob", 0, vk.BottomLevel, func(b []byte) []byte { return b[:len(b)/2] }, ErrInvalidBlob, "the header says", false},
			{"one byte less", 1, vk.TopLevel, func(b []byte) []byte { return b[:len(b)-1] }, ErrInvalidBlob, "the header says", false},
			{"handles", 0, vk.BottomLevel, put(48, 1<<61), ErrInvalidBlob, "handles in", false},
			{"no structure", 0, vk.BottomLevel, put(40, 0), ErrInvalidBlob, "for a structure of 0", false},
			{"small blob", 1, vk.TopLevel, put(32, 56), ErrInvalidBlob, "for a structure of", false},
			{"type", 1, vk.BottomLevel, slices.Clone[[]byte], ErrInvalid, "Type is BLAS, but the blob has", false},
			{"generic", 0, vk.Generic, slices.Clone[[]byte], ErrInvalid, "Type is generic", false},
			{"type inside", 0, vk.TopLevel, slices.Clone[[]byte], ErrInvalid, "the blob holds a BLAS, Type says TLAS", true},
			{"size", 0, vk.BottomLevel, put(40, 1<<40), ErrInvalidBlob, "a structure of 1099511627776 bytes", true},
			{"bit in the middle", 0, vk.BottomLevel, func(b []byte) []byte { b[len(b)/2] ^= 4; return b }, ErrInvalidBlob, "copy 0: ", true},
			{"bit at the end", 1, vk.TopLevel, func(b []byte) []byte { b[len(b)-9] ^= 1; return b }, ErrInvalidBlob, "copy 0: ", true},
			{"handle", 1, vk.TopLevel, put(56, blas.Address()+256), ErrInvalid, "handle that is no bottom level", true},
		}
		for _, tt := range tests {
			if tt.computeOnly && s.dev.Backend() == BackendNative {
				continue // undefined
			}
			in := SerializedInput{Name: tt.name, Type: tt.typ, Blob: tt.edit(bytes.Clone(blobs[tt.blob])), BottomLevelsReady: true}
			out, err := s.dev.Deserialize(t.Context(), []SerializedInput{in})
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) || len(out) != 0 {
				t.Errorf("%s: %v, want %v with %q", tt.name, err, tt.want, tt.text)
			}
			destroyAll(out)
		}
		if err := SetSerializedHandles(blobs[0], []vk.DeviceAddress{1}); !errors.Is(err, ErrInvalid) ||
			!strings.Contains(err.Error(), "1 handles for a blob of 0") {
			t.Errorf("too many handles: %v", err)
		}
		if _, err := s.dev.Serialize(t.Context(), []*AccelerationStructure{nil}); !errors.Is(err, ErrInvalid) {
			t.Errorf("serialise nil: %v", err)
		}
	})
}

// TestCopyStatus asks the device what it thinks of a blob, in a command.
func TestCopyStatus(t *testing.T) {
	eachBackend(t, func(t *testing.T, s *sheet) {
		blobs, err := s.dev.Serialize(t.Context(), []*AccelerationStructure{s.build(s.mesh)})
		s.check(err)
		h, err := ReadSerializedHeader(blobs[0])
		s.check(err)
		buffer, err := s.dev.VK().NewBuffer(vk.BufferOptions{Name: "blob", Size: uint64(len(blobs[0]))})
		s.check(err)
		defer buffer.Destroy()
		status, err := s.dev.VK().NewBuffer(vk.BufferOptions{Name: "status", Size: 64, Memory: vk.Readback})
		s.check(err)
		defer status.Destroy()
		dst, err := s.dev.NewAccelerationStructure(vk.BottomLevel, h.DeserializedSize, "loaded")
		s.check(err)
		defer dst.Destroy()
		run := func(blob []byte) CopyStatus {
			copy(status.Mapped(), bytes.Repeat([]byte{0xa5}, 64))
			s.check(s.dev.VK().UploadBuffer(t.Context(), buffer, 0, blob))
			s.check(s.dev.Run(t.Context(), "load", func(cb *vk.CommandBuffer) error {
				return s.dev.CmdCopyAccelerationStructures(cb,
					[]Copy{{Mode: CopyDeserialize, Dst: dst, Memory: vk.Range{Buffer: buffer}, Status: vk.Range{Buffer: status, Offset: 12}}})
			}))
			if status.Mapped()[11] != 0xa5 || status.Mapped()[16] != 0xa5 {
				t.Error("the status is more than 4 bytes")
			}
			return CopyStatus(binary.LittleEndian.Uint32(status.Mapped()[12:]))
		}
		if got := run(blobs[0]); got != CopyOK {
			t.Errorf("a good blob: %v", got)
		}
		if s.dev.Backend() == BackendNative {
			return // a bad one is undefined
		}
		blobs[0][20]++
		if got := run(blobs[0]); got.String() != "incompatible" {
			t.Errorf("a foreign blob: %v", got)
		}
	})
}

// TestDecode reads the sheet back.
func TestDecode(t *testing.T) {
	eachBackend(t, func(t *testing.T, s *sheet) {
		blas := s.build(s.mesh)
		tlas := s.over(blas)
		low, err := s.dev.Decode(t.Context(), blas)
		if s.dev.Backend() == BackendNative {
			if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "its own affair") {
				t.Errorf("natively: %v", err)
			}
			return
		}
		s.check(err)
		c, err := low.Contents()
		s.check(err)
		if n := s.mesh.Ranges[0].PrimitiveCount; len(c.Triangles) != int(n) || low.Primitives != n {
			t.Errorf("%d triangles, want %d", len(c.Triangles), n)
		}
		high, err := s.dev.Decode(t.Context(), tlas)
		s.check(err)
		if c, err = high.Contents(); err != nil || len(c.Instances) != 3 || c.Instances[2].BottomLevel != blas.Address() ||
			c.Instances[2].CustomIndex != 2 {
			t.Errorf("instances %+v, %v", c.Instances, err)
		}
		if _, err := s.dev.Decode(t.Context(), nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("nil: %v", err)
		}
	})
}
