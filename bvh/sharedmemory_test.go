package bvh

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
)

// leastSharedMemory is what every device has (Vulkan 1.2, table 53: maxComputeSharedMemorySize).
const leastSharedMemory = 16 << 10

// TestSharedMemory adds up the shared memory of all kernels: none takes more than every device has, but those that the
// builder leaves out, or makes smaller, where there is less (crownsOn, refitSmallLimit). The linker's runtimes are no kernels: it
// takes from them what a form needs, and no more shared memory than the device has.
func TestSharedMemory(t *testing.T) {
	chosen := map[string]uint32{
		"bvh/build/crown.comp.spv": crownBytes,
		"bvh/refit/small.comp.spv": smallRest + smallBytes*smallMost,
	}
	root := "../shaders/spv"
	modules := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".comp.spv") || strings.HasPrefix(d.Name(), "runtime.") {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if filepath.ToSlash(name) == "bvh/cluster/build.comp.spv" {
			return nil // made for one kind of clusters only: below
		}
		limit, ok := chosen[filepath.ToSlash(name)]
		if !ok {
			limit = leastSharedMemory
		}
		modules++
		if n := sharedBytes(t, path, nil); n > limit {
			t.Errorf("%s: %d bytes of shared memory, more than %d", name, n, limit)
		} else if ok && n <= leastSharedMemory {
			t.Errorf("%s: %d bytes, which every device has: no need of a choice", name, n)
		}
		return nil
	})
	if err != nil || modules < 40 {
		t.Fatalf("%d modules: %v", modules, err)
	}
	for _, kernel := range []int{kernelClusterBuild256, kernelClusterDirect256} {
		kinds := map[uint32][]byte{2: binary.LittleEndian.AppendUint32(nil, clusterKinds(kernel))}
		if n := sharedBytes(t, root+"/bvh/cluster/build.comp.spv", kinds); n > leastSharedMemory || n == 0 {
			t.Errorf("cluster/build.comp for kinds %d: %d bytes of shared memory, more than %d", clusterKinds(kernel), n, leastSharedMemory)
		}
	}
	lanes := map[uint32][]byte{3: binary.LittleEndian.AppendUint32(nil, leavesLanes)}
	if n := sharedBytes(t, root+"/bvh/refit/leaves.comp.spv", lanes); n > leastSharedMemory {
		t.Errorf("refit_leaves.comp for instances: %d bytes of shared memory, more than %d", n, leastSharedMemory)
	}
}

// sharedBytes is the size of a module's workgroup variables, with some specialisation constants and others that it has by
// default.
func sharedBytes(t *testing.T, path string, constants map[uint32][]byte) uint32 {
	t.Helper()
	code, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.DecodeBytes(code)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if err := spirv.FoldSpecConstants(m, constants); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	x := spirv.NewIndex(m)
	var size func(typ spirv.ID) uint32
	size = func(typ spirv.ID) uint32 {
		def := x.Def(typ)
		switch def.Op {
		case spirv.OpTypeInt, spirv.OpTypeFloat:
			return def.Operands[0] / 8
		case spirv.OpTypeBool:
			return 4
		case spirv.OpTypeVector:
			return size(def.ID(0)) * def.Operands[1]
		case spirv.OpTypeArray:
			return size(def.ID(0)) * x.Def(def.ID(1)).Operands[0]
		case spirv.OpTypeStruct:
			sum := uint32(0)
			for i := range def.Operands {
				sum += size(def.ID(i))
			}
			return sum
		}
		t.Fatalf("%s: shared memory of type %v", path, def.Op)
		return 0
	}
	sum := uint32(0)
	for _, in := range m.Globals {
		if in.Op == spirv.OpVariable && spirv.StorageClass(in.Operands[0]) == spirv.StorageClassWorkgroup {
			sum += size(x.Def(in.Type).ID(1))
		}
	}
	return sum
}
