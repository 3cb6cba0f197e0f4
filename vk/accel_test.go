package vk

import (
	"encoding/binary"
	"math"
	"testing"
	"unsafe"
)

func TestInstanceLayout(t *testing.T) {
	if n := unsafe.Sizeof(AccelerationStructureInstance{}); n != AccelerationStructureInstanceSize {
		t.Fatalf("the Go structure has %d bytes", n)
	}
	m := IdentityTransform()
	m[3] = 2.5
	i := NewAccelerationStructureInstance(m, 0x1abcdef, 0x81, 0x1000007, InstanceForceOpaque|InstanceTriangleFlipFacing,
		0x1122334455667788)
	if i.CustomIndex() != 0xabcdef || i.Mask() != 0x81 || i.SBTOffset() != 7 || i.Flags() != 6 {
		t.Errorf("packed as %#x %#x", i.CustomIndexAndMask, i.SBTOffsetAndFlags)
	}
	b := i.AppendTo(nil)
	if len(b) != 64 || math.Float32frombits(binary.LittleEndian.Uint32(b[12:])) != 2.5 ||
		binary.LittleEndian.Uint32(b[48:]) != 0x81abcdef || binary.LittleEndian.Uint32(b[52:]) != 0x06000007 ||
		binary.LittleEndian.Uint64(b[56:]) != 0x1122334455667788 {
		t.Errorf("bytes % x", b)
	}
}
