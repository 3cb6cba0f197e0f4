package engine

import (
	"fmt"
	"slices"
	"sync"

	"github.com/everray/everray/vk"
)

// history is what a structure was last built from, as far as commands were recorded: updates and copies are held against it.
// Clones and compacted copies have that of their source; of what was deserialised nothing is known.
type history struct {
	mu    sync.Mutex
	known bool
	info  vk.BuildInfo
	count []uint32 // nil after an indirect build: the device alone knows
}

// note remembers a build.
func (h *history) note(info vk.BuildInfo, count []uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known, h.info, h.count = true, info, count
	h.info.Geometries = slices.Clone(info.Geometries)
}

// take remembers a copy of a structure.
func (h *history) take(src *history) {
	info, count, known := src.get()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.info, h.count, h.known = info, count, known
}

// forget is for contents that nothing is known of.
func (h *history) forget() { h.take(&history{}) }

// get returns what note remembered.
func (h *history) get() (info vk.BuildInfo, count []uint32, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.info, h.count, h.known
}

// checkUpdate applies the rules of updates. size is that of a build with these counts; structures that were compacted
// have less.
func checkUpdate(b Build, size uint64) error {
	if !b.Info.Update {
		return invalid("Src is for updates, Info.Update is false")
	}
	src := b.Src
	if src == nil {
		src = b.Dst
	}
	if src.kind != b.Info.Type {
		return invalid("Src %q is a %v, Info.Type says %v", src.name, src.kind, b.Info.Type)
	}
	if need := min(size, src.size); b.Dst.size < need {
		return invalid("Dst %q has %d bytes, the update of Src %q needs %d", b.Dst.name, b.Dst.size, src.name, need)
	}
	before, count, known := src.history.get()
	if !known {
		return nil
	}
	return compareBuilds(src.name, before, count, b)
}

// compareBuilds refuses what an update may not change.
func compareBuilds(name string, before vk.BuildInfo, count []uint32, b Build) error {
	if before.Flags&vk.AllowUpdate == 0 {
		return invalid("Info.Update: %q was built without AllowUpdate in Info.Flags", name)
	}
	if before.Flags != b.Info.Flags {
		return invalid("Info.Flags is %#x, %q was built with %#x", uint32(b.Info.Flags), name, uint32(before.Flags))
	}
	if len(before.Geometries) != len(b.Info.Geometries) {
		return invalid("Info.Geometries has %d elements, %q was built from %d", len(b.Info.Geometries), name, len(before.Geometries))
	}
	for i, g := range b.Info.Geometries {
		if count != nil && b.Ranges != nil && b.Ranges[i].PrimitiveCount != count[i] {
			return invalid("Ranges[%d].PrimitiveCount is %d, %q was built from %d", i, b.Ranges[i].PrimitiveCount, name, count[i])
		}
		was := before.Geometries[i]
		for _, f := range updateFields(was, g) {
			if f.was != f.is {
				return invalid("Info.Geometries[%d].%s is %d, %q was built with %d", i, f.name, f.is, name, f.was)
			}
		}
	}
	return nil
}

// updateField is a number that an update may not change.
type updateField struct {
	name    string
	was, is uint64
}

func updateFields(was, is vk.Geometry) []updateField {
	list := []updateField{
		{"Type", uint64(was.Type), uint64(is.Type)},
		{"Flags", uint64(was.Flags), uint64(is.Flags)},
	}
	if was.Type != vk.GeometryTriangles || is.Type != vk.GeometryTriangles {
		return list
	}
	a, b := was.Triangles, is.Triangles
	return append(list,
		updateField{"Triangles.VertexFormat", uint64(a.VertexFormat), uint64(b.VertexFormat)},
		updateField{"Triangles.MaxVertex", uint64(a.MaxVertex), uint64(b.MaxVertex)},
		updateField{"Triangles.IndexType", uint64(a.IndexType), uint64(b.IndexType)},
		updateField{"Triangles.TransformData != 0", flag(a.TransformData != 0), flag(b.TransformData != 0)},
	)
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// buildTargets are the structures that the builds of one command write, each by the index of its build, and those that updates
// read.
type buildTargets struct {
	builds  []Build
	written map[*AccelerationStructure]int
}

func (t *buildTargets) add(b Build) { t.builds = append(t.builds, b) }

// check refuses a structure that two builds write, or that one writes and another one reads.
func (t *buildTargets) check() error {
	if len(t.builds) < 2 {
		return nil
	}
	fail := func(i int, err error) error { return fmt.Errorf("build %d of %d: %w", i, len(t.builds), err) }
	t.written = make(map[*AccelerationStructure]int, len(t.builds))
	scratch := make(map[vk.DeviceAddress]int, len(t.builds))
	for i, b := range t.builds {
		if k, ok := t.written[b.Dst]; ok {
			return fail(i, invalid("Dst %q is that of build %d, too; builds of one command are independent", b.Dst.name, k))
		}
		if k, ok := scratch[b.Scratch]; ok {
			return fail(i, invalid("Scratch %#x is that of build %d, too; builds of one command run at the same time", b.Scratch, k))
		}
		t.written[b.Dst], scratch[b.Scratch] = i, i
	}
	for i, b := range t.builds {
		if k, ok := t.written[b.Src]; ok && b.Src != nil && k != i {
			return fail(i, invalid("Src %q is the Dst of build %d; builds of one command are independent", b.Src.name, k))
		}
	}
	return nil
}
