package bvh

import (
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// BenchmarkOpaque times rays through triangles that are opaque, or not, by their geometry or their instance. Those that are
// not ask a candidate's shader, which here says yes.
func BenchmarkOpaque(b *testing.B) {
	for _, name := range []string{"bunny", "sponza"} {
		m := loadModel(b, name)
		r := newRig(b)
		build := func(flags vk.GeometryFlags) *vk.Buffer {
			in := r.indexedInput(m.positions, m.indices, 0)
			in.info.Geometries[0].Flags = flags
			return r.build(in)[0]
		}
		opaque, open := build(vk.GeometryOpaque), build(0)
		top := func(blas *vk.Buffer, flags vk.InstanceFlags) *vk.Buffer {
			return r.build(r.topInput(0, vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xff, 0, flags, blas.Address())))[0]
		}
		primary := m.primaryRays(benchSize(r))
		for _, tt := range []struct {
			name string
			top  *vk.Buffer
		}{{"opaque", top(opaque, 0)}, {"not opaque", top(open, 0)}, {"opaque by instance", top(open, inspect.InstanceForceOpaque)},
			{"not opaque by instance", top(opaque, inspect.InstanceForceNoOpaque)}} {
			diffuse := diffuseRays(m, primary, r.trace(tt.top, primary, TraceOptions{}))
			b.Run(name+"/"+tt.name+"/primary", func(b *testing.B) { benchTraceWith(b, r, tt.top, primary, TraceOptions{CullMask: 0xff}) })
			b.Run(name+"/"+tt.name+"/diffuse", func(b *testing.B) { benchTraceWith(b, r, tt.top, diffuse, TraceOptions{CullMask: 0xff}) })
		}
	}
}
