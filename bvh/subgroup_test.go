package bvh

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// lavapipe reads this variable once, when it is loaded: the bits of the CPU's vectors that it uses, 32 for each lane of
// a subgroup.
const vectorWidth = "LP_NATIVE_VECTOR_WIDTH"

// subgroupChild in the environment makes TestSubgroupSizes the child that builds.
const subgroupChild = "EVERRAY_SUBGROUP_CHILD"

// TestSubgroupSizes builds a hundred times with subgroups of four and of eight, in processes of their own: structures
// are the same to the byte, and rays meet the same candidates in the same order.
func TestSubgroupSizes(t *testing.T) {
	if os.Getenv(subgroupChild) != "" {
		buildForParent(t)
		return
	}
	if newRig(t).dev.Physical().DriverID != vk.DriverLavapipe {
		t.Skip("only lavapipe's subgroups have a size that one can choose")
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, size := range []int{4, 8} {
		cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^TestSubgroupSizes$", "-test.v")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", vectorWidth, 32*size), subgroupChild+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("subgroups of %d: %v\n%s", size, err, out)
		}
		m := regexp.MustCompile(`subgroups of (\d+) make ([0-9a-f]{64})`).FindSubmatch(out)
		if m == nil || string(m[1]) != fmt.Sprint(size) {
			t.Fatalf("the child with subgroups of %d says\n%s", size, out)
		}
		said = append(said, string(m[2]))
	}
	if said[0] != said[1] {
		t.Errorf("subgroups of 4 and of 8 make different structures or hits: %s, %s", said[0], said[1])
	}
}

// buildForParent logs a hash of everything.
func buildForParent(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(201, 202))
	s := randomSoup(rng, 2500, 0.05)
	copy(s[9*1000:], slices.Repeat(s[:9], 200)) // equal codes, too
	var m boxMesh
	r.addBoxes(&m, randomBoxes(rng, 1500, 0.1), 24, 0, 0)
	var bottoms []input
	for _, flags := range []vk.BuildFlags{0, vk.PreferFastBuild, vk.LowMemory} {
		bottoms = append(bottoms, r.soupInput(s, flags, 0), m.input(flags))
	}
	bottoms = append(bottoms, r.soupInput(beams(rng, 45, 200), vk.PreferFastTrace, 0)) // moves and splits
	builds := r.prepare(bottoms...)
	r.run(builds)
	var instances []vk.AccelerationStructureInstance
	for i := range 600 {
		instances = append(instances,
			vk.NewAccelerationStructureInstance(randomTransform(rng, false), 0, 0xff, 0, 0, builds[i%len(builds)].Dst.Address()))
	}
	tops := r.prepare(r.topInput(0, instances...), r.topInput(vk.PreferFastBuild, instances...))
	var first []byte
	for k := range 100 {
		r.run(builds)
		r.run(tops)
		var all []byte
		for _, b := range slices.Concat(builds, tops) {
			all = append(all, r.withoutAddresses(bufferOf(b.Dst))...)
		}
		if first == nil {
			first = all
		} else if !bytes.Equal(all, first) {
			t.Fatalf("build %d differs", k)
		}
	}
	hash := sha256.New()
	hash.Write(first)
	rays := randomRays(rng, 2000)
	lister := newBoxLister(r)
	for _, top := range tops {
		fmt.Fprint(hash, r.trace(bufferOf(top.Dst), rays, TraceOptions{}))
		fmt.Fprint(hash, r.trace(bufferOf(top.Dst), rays, TraceOptions{Candidates: TerminateAtFirst})) // the first of an order
	}
	for _, b := range builds {
		fmt.Fprint(hash, lister.list(r.single(bufferOf(b.Dst)), rays, 0, 0xff)) // of triangles, nothing
	}
	t.Logf("subgroups of %d make %x", r.dev.Physical().Limits.SubgroupSize, hash.Sum(nil))
}

// withoutAddresses are a structure's bytes in use but for addresses, which are others in every process.
func (r *rig) withoutAddresses(b *vk.Buffer) []byte {
	s, _ := r.read(b)
	if s.Type == vk.TopLevel {
		for i := range uint64(s.Active) {
			at := s.Leaves + i*layout.InstanceSize + layout.InstanceBLAS
			clear(s.Data[at : at+8])
		}
	}
	return used(s)
}
