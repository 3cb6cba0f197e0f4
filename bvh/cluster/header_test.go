package cluster

import (
	"testing"
	"unsafe"
)

// erClusterView is the header of a cluster, as kernels see it.
//
//glsl:bvh/cluster/build.comp ErClusterView
type erClusterView struct {
	magic, id, counts, flags uint32
	boundsMin                [3]float32
	geometry                 uint32
	boundsMax                [3]float32
	bytes, root, form        uint32
	_                        [2]uint32
}

// TestHeader holds the constants against it.
func TestHeader(t *testing.T) {
	var v erClusterView
	for what, pair := range map[string][2]uintptr{
		"magic": {unsafe.Offsetof(v.magic), headerMagic}, "id": {unsafe.Offsetof(v.id), headerID},
		"counts": {unsafe.Offsetof(v.counts), headerCounts}, "flags": {unsafe.Offsetof(v.flags), headerFlags},
		"boundsMin": {unsafe.Offsetof(v.boundsMin), headerBoundsMin}, "geometry": {unsafe.Offsetof(v.geometry), headerGeometry},
		"boundsMax": {unsafe.Offsetof(v.boundsMax), headerBoundsMax}, "bytes": {unsafe.Offsetof(v.bytes), headerBytes},
		"root": {unsafe.Offsetof(v.root), headerRoot}, "form": {unsafe.Offsetof(v.form), headerForm},
		"the size": {unsafe.Sizeof(v), headerSize},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is at %d in the kernels, %d here", what, pair[0], pair[1])
		}
	}
}
