package bvh

import (
	"testing"

	"github.com/everray/everray/vk"
)

// BenchmarkTraceCompacted times the same rays through a build and through its compacted copy.
func BenchmarkTraceCompacted(b *testing.B) {
	for _, name := range []string{"bunny", "dragon", "sponza"} {
		for _, kind := range buildKinds {
			if kind.flags == vk.PreferFastTrace {
				continue
			}
			m := loadModel(b, name)
			r := newRig(b)
			built := r.build(r.indexedInput(m.positions, m.indices, kind.flags|vk.AllowCompaction))[0]
			tops := map[string]*vk.Buffer{"built": r.single(built), "compacted": r.single(r.copied(vk.CopyCompact, whole(built))[0].Buffer)}
			primary := m.primaryRays(benchSize(r))
			diffuse := diffuseRays(m, primary, r.trace(tops["built"], primary, TraceOptions{}))
			for _, form := range []string{"built", "compacted"} {
				b.Run(name+"/"+kind.name+"/"+form+"/primary", func(b *testing.B) { benchTrace(b, r, tops[form], primary) })
				b.Run(name+"/"+kind.name+"/"+form+"/diffuse", func(b *testing.B) { benchTrace(b, r, tops[form], diffuse) })
			}
		}
	}
}
