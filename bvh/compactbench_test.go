package bvh

import (
	"fmt"
	"testing"

	"github.com/everray/everray/vk"
)

// BenchmarkTraceCompacted times the same rays through a build, through its compacted copy, and through that of the mesh in
// a thousand geometries.
func BenchmarkTraceCompacted(b *testing.B) {
	for _, name := range []string{"bunny", "dragon", "sponza"} {
		for _, kind := range buildKinds {
			if kind.flags == vk.PreferFastTrace {
				continue
			}
			m := loadModel(b, name)
			r := newRig(b)
			built := r.build(r.indexedInput(m.positions, m.indices, kind.flags|vk.AllowCompaction))[0]
			parts := r.build(r.sliced(mesh{name, m.positions, m.indices}, 1000, kind.flags|vk.AllowCompaction))[0]
			tops := map[string]*vk.Buffer{"built": r.single(built),
				"compacted": r.single(bufferOf(r.copied(vk.CopyCompact, whole(built))[0].Buffer)),
				"parts":     r.single(bufferOf(r.copied(vk.CopyCompact, whole(parts))[0].Buffer))}
			primary := m.primaryRays(benchSize(r))
			diffuse := diffuseRays(m, primary, r.trace(tops["built"], primary, TraceOptions{}))
			for _, form := range []string{"built", "compacted", "parts"} {
				b.Run(name+"/"+kind.name+"/"+form+"/primary", func(b *testing.B) { benchTrace(b, r, tops[form], primary) })
				b.Run(name+"/"+kind.name+"/"+form+"/diffuse", func(b *testing.B) { benchTrace(b, r, tops[form], diffuse) })
			}
		}
	}
}

// BenchmarkTraceSoup times rays through builds that may be updated, of triangles without indices, and through their compacted
// copies.
func BenchmarkTraceSoup(b *testing.B) {
	for _, name := range []string{"bunny", "dragon", "sponza", "house"} {
		for _, kind := range buildKinds {
			m := loadModel(b, name)
			r := newRig(b)
			var s soup
			for _, i := range m.indices {
				s = append(s, m.positions[3*i:3*i+3]...)
			}
			built := r.build(r.soupInput(s, kind.flags|vk.AllowUpdate|vk.AllowCompaction, vk.GeometryOpaque))[0]
			compacted := bufferOf(r.copied(vk.CopyCompact, whole(built))[0].Buffer)
			tops := map[string]*vk.Buffer{"built": r.single(built), "compacted": r.single(compacted)}
			primary := m.primaryRays(benchSize(r))
			diffuse := diffuseRays(m, primary, r.trace(tops["built"], primary, TraceOptions{}))
			for _, form := range []string{"built", "compacted"} {
				b.Run(name+"/"+kind.name+"/"+form+"/primary", func(b *testing.B) { benchTrace(b, r, tops[form], primary) })
				b.Run(name+"/"+kind.name+"/"+form+"/diffuse", func(b *testing.B) { benchTrace(b, r, tops[form], diffuse) })
			}
		}
	}
}

// BenchmarkBuildSourced times builds that note which corners have the same source, and such that need not.
func BenchmarkBuildSourced(b *testing.B) {
	r := newRig(b)
	m := loadModel(b, "dragon")
	for _, kind := range buildKinds {
		for _, flags := range []vk.BuildFlags{vk.AllowUpdate, vk.AllowUpdate | vk.AllowCompaction} {
			builds := r.prepare(r.indexedInput(m.positions, m.indices, kind.flags|flags))
			b.Run(fmt.Sprintf("%s/flags %d", kind.name, flags), func(b *testing.B) {
				r.timeCommand(b, builds[0].Dst.Size(), func(cb *vk.CommandBuffer) error { return r.builder.CmdBuild(cb, builds) })
			})
		}
	}
}
