package bvh

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/bvh/host"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// hostUpdateOf is the update of a structure's bytes by several joiners; out of place if dst is not src.
func (r *rig) hostUpdateOf(h hosted, src, dst []byte, address vk.DeviceAddress) []byte {
	r.Helper()
	h.Info.Update, h.Dst, h.Address = true, dst, address
	if &src[0] != &dst[0] {
		h.Src = src
	}
	o, err := host.Build([]host.BuildInput{h})
	if err != nil {
		r.Fatal(err)
	}
	runHost(r, o, 3)
	return dst
}

// dataOf is all of a structure.
func (r *rig) dataOf(m Range) []byte {
	r.Helper()
	s, err := inspect.Read(r.Context(), r.dev, bufferOf(m.Buffer), m.Offset)
	if err != nil {
		r.Fatal(err)
	}
	return s.Data
}

// meaning is what of a structure's bytes means something, but for its address. Inverse transforms are left out: divisions
// of devices need not be exact.
func meaning(t testing.TB, data []byte) []byte {
	t.Helper()
	s, err := inspect.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if layout.IsCompacted(s.LeafKind()) {
		return bytes.Clone(s.Data[8:])
	}
	used := used(s)
	if s.Type == vk.TopLevel {
		for at := len(used) - int(s.Active)*layout.InstanceSize; at < len(used); at += layout.InstanceSize {
			clear(used[at+layout.InstanceWorldToObject:][:layout.InstanceBLAS-layout.InstanceWorldToObject])
		}
	}
	return used
}

// sameUpdate updates a structure that was built from one input with another, by device and host, in place and out of
// place, and holds the results against each other, bit by bit.
func (r *rig) sameUpdate(what string, built Range, changed input, bottom func(vk.DeviceAddress) []byte) {
	r.Helper()
	src := r.memoryOf(built)
	h := r.hostOf(changed)
	h.BottomLevel = bottom
	device := r.poison("by device", built.Buffer.Size())
	r.run([]Build{r.updateOf(Build{Info: changed.info, Ranges: changed.ranges, Dst: device, Src: built.Buffer,
		SrcOffset: built.Offset})})
	d, _ := r.read(device)
	want := meaning(r, d.Data)
	before := bytes.Clone(src)
	out := r.hostUpdateOf(h, src, bytes.Repeat([]byte{0xa5}, len(src)), 0x1000)
	if !bytes.Equal(src, before) {
		r.Errorf("%s: an update out of place by the host changed its source", what)
	}
	if s, _ := inspect.Decode(out); s.Address != 0x1000 {
		r.Errorf("%s: the header's own address is %#x", what, s.Address)
	}
	if !bytes.Equal(meaning(r, out), want) {
		r.Errorf("%s: updated out of place by the host, it is something else than by the device", what)
	}
	in := r.hostUpdateOf(h, src, src, built.Address())
	if !bytes.Equal(meaning(r, in), want) {
		r.Errorf("%s: updated in place by the host, it is something else than by the device", what)
	}
	if wide := wideOf(r, r.memoryOf(whole(device))); !bytes.Equal(wideOf(r, out), wide) || !bytes.Equal(wideOf(r, in), wide) {
		r.Errorf("%s: updated by the host, it has other wide nodes than by the device", what)
	}
	if d.Type == vk.TopLevel {
		host := r.buffer("by host", uint64(len(in)))
		r.fill(host, in)
		r.nearHits(what, host, device)
	}
}

// nearHits traces through two top levels, whose transforms differ in their last bits.
func (r *rig) nearHits(what string, host, device *vk.Buffer) {
	r.Helper()
	rays := randomRays(rand.New(rand.NewPCG(211, 212)), 500)
	want := r.trace(device, rays, TraceOptions{})
	for i, h := range r.trace(host, rays, TraceOptions{}) {
		w := want[i]
		near := math.Abs(float64(h.T-w.T)) <= 1e-5*math.Max(1, float64(w.T))
		h.T, h.U, h.V, w.T, w.U, w.V = 0, 0, 0, 0, 0, 0
		if h != w || !near {
			r.Errorf("%s: ray %d hits %+v, with the device's structure %+v", what, i, h, want[i])
		}
	}
}

// TestHostUpdate updates structures of all kinds, that were built or compacted by the device, or built by the host.
func TestHostUpdate(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(201, 202))
	blas := r.build(r.soupInput(randomSoup(rng, 50, 0.2), 0, 0), r.soupInput(nil, 0, 0))
	list := r.movings()
	for name, m := range map[string]moving{"many": r.movingSoup(30000, 0, true), "many boxes": r.movingBoxes(9000, 0, true),
		"many instances": r.movingInstances(9000, 0, blas)} {
		m.name = name
		list = append(list, m)
	}
	for _, m := range list {
		for _, flags := range []vk.BuildFlags{vk.AllowUpdate, vk.AllowUpdate | vk.AllowCompaction} {
			m.info.Flags = m.info.Flags&^vk.AllowCompaction | flags
			if m.info.Type == vk.TopLevel { // of these structures, whose headers we have
				m.make = r.movingInstances(int(m.ranges[0].PrimitiveCount), 0, blas).make
			}
			first, second := m.make(rng), m.make(rng)
			r.uploads[m.data.Address()] = second
			r.fill(m.data, first)
			built := whole(r.build(m.input)[0])
			r.uploads[m.data.Address()] = first
			h := r.hostOf(m.input)
			h.BottomLevel = r.headers(blas...)
			host := whole(r.hostBuild(h))
			r.uploads[m.data.Address()] = second
			r.fill(m.data, second)
			r.sameUpdate(m.name, built, m.input, r.headers(blas...))
			r.sameUpdate(m.name+", compacted", r.copied(vk.CopyCompact, built)[0], m.input, r.headers(blas...))
			r.sameUpdate(m.name+", by the host", host, m.input, r.headers(blas...))
		}
	}
}

// TestHostUpdateFormats has all formats and index types, several geometries, and another transform.
func TestHostUpdateFormats(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(203, 204))
	for i, f := range formatCases {
		in := bottom(vk.AllowUpdate|vk.AllowCompaction, nil, nil)
		for k, ix := range indexCases {
			g, rg, _ := r.formatGeometry(rng, f, ix, 3*(k%2), (i+k)%2 == 0)
			in.info.Geometries, in.ranges = append(in.info.Geometries, g), append(in.ranges, rg)
		}
		built := whole(r.build(in)[0])
		for k := range in.info.Geometries { // every vertex becomes another one
			at := &in.info.Geometries[k].Triangles.VertexData
			for address, data := range r.uploads {
				if *at >= address && *at < address+uint64(len(data)) {
					stride := in.info.Geometries[k].Triangles.VertexStride
					*at = r.upload("moved", slices.Concat(data[stride:], data[:stride])) + *at - address
					break
				}
			}
		}
		r.sameUpdate(f.name, built, in, nil)
		r.sameUpdate(f.name+", compacted", r.copied(vk.CopyCompact, built)[0], in, nil)
	}
}

// TestHostUpdateDrift makes 100 updates in succession by the host and by the device in turn; the last one, with the first
// input, leaves the first structure.
func TestHostUpdateDrift(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(205, 206))
	m := r.movingSoup(2000, 0, false)
	first := m.make(rng)
	r.fill(m.data, first)
	bd := r.prepare(m.input)[0]
	r.run([]Build{bd})
	want := r.used(bufferOf(bd.Dst))
	for k := range 100 {
		data := m.make(rng)
		if k == 99 {
			data = first
		}
		r.uploads[m.data.Address()] = data
		r.fill(m.data, data)
		if k%2 == 0 {
			r.run([]Build{r.updateOf(bd)})
			continue
		}
		src := r.dataOf(whole(bufferOf(bd.Dst)))
		r.fill(bufferOf(bd.Dst), r.hostUpdateOf(r.hostOf(m.input), src, src, bd.Dst.Address()))
	}
	if s, _ := r.read(bufferOf(bd.Dst)); !bytes.Equal(used(s), want) {
		t.Error("after 100 updates the first input makes another structure")
	}
}

// TestHostUpdateHits holds a mesh and instances that the host has updated against the reference.
func TestHostUpdateHits(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(207, 208))
	s, moved := randomSoup(rng, 3000, 0.05), randomSoup(rng, 3000, 0.05)
	rays := randomRays(rng, 1000)
	h := hostSoup(s, vk.AllowUpdate, vk.GeometryOpaque)
	blas := r.hostBuild(h)
	h.Data[0].Vertices = floatBytes(moved)
	src := r.dataOf(whole(blas))
	r.fill(blas, r.hostUpdateOf(h, src, src, blas.Address()))

	place := func(x float32) []byte {
		tr := vk.IdentityTransform()
		tr[3] = x
		return vk.NewAccelerationStructureInstance(tr, 0, 0xff, 0, 0, blas.Address()).AppendTo(nil)
	}
	top := hosted{
		Info:   vk.BuildInfo{Type: vk.TopLevel, Flags: vk.AllowUpdate, Geometries: []vk.Geometry{{Type: vk.GeometryInstances}}},
		Ranges: []vk.BuildRange{{PrimitiveCount: 1}}, Data: []host.Geometry{{Instances: place(5)}}, BottomLevel: r.headers(blas),
	}
	tlas := r.hostBuild(top)
	top.Data[0].Instances = place(0.25)
	src = r.dataOf(whole(tlas))
	r.fill(tlas, r.hostUpdateOf(top, src, src, tlas.Address()))
	tr := vk.IdentityTransform()
	tr[3] = 0.25
	answers := traceAll(inspect.Reference{{Transform: tr, Mask: 0xff, Triangles: moved.triangles(0, true)}}, rays, 0, 0xff, nil)
	if hit, _ := r.compareHits(r.trace(tlas, rays, TraceOptions{}), answers, rays); hit < 100 {
		t.Errorf("only %d rays hit", hit)
	}
}

// TestHostUpdateRefuses edits an update that is right. What needs a look at the source or the input, the operation says,
// and leaves the structure as it is.
func TestHostUpdateRefuses(t *testing.T) {
	indices := []uint32{0, 1, 2, 0, 1, 3}
	built := hostMesh(make([]float32, 12), indices, vk.AllowUpdate)
	place(&built, t, 1<<20)
	o, err := host.Build([]host.BuildInput{built})
	if err != nil {
		t.Fatal(err)
	}
	runHost(t, o, 1)
	for _, tt := range []struct {
		name  string
		edit  func(h *hosted)
		want  string
		joins bool // refused when it is joined
	}{
		{"flags", func(h *hosted) { h.Info.Flags = 0 }, "AllowUpdate in Info.Flags", false},
		{"no update", func(h *hosted) { h.Info.Update, h.Src = false, h.Dst }, "Src is for updates", false},
		{"no source", func(h *hosted) { h.Src = []byte{1} }, "the source has 1 bytes", false},
		{"no destination", func(h *hosted) { h.Dst, h.Src = nil, h.Dst }, "the destination has 0 bytes", false},
		{"address", func(h *hosted) { h.Address = 64 }, "destination address", false},
		{"vertices", func(h *hosted) { h.Data[0].Indices = nil }, "bytes of indices", false},
		{"not a structure", func(h *hosted) { clear(h.Dst) }, "not an acceleration structure", true},
		{"other flags", func(h *hosted) { h.Info.Flags |= vk.PreferFastBuild }, "the source was built with 0x1", true},
		{"not updatable", func(h *hosted) { layout.PutWord(h.Dst, layout.HeaderFlags, 0) }, "without AllowUpdate", true},
		{"count", func(h *hosted) { h.Ranges[0].PrimitiveCount = 1 }, "the source has 2 primitives", true},
		{"geometries", func(h *hosted) {
			h.Info.Geometries = append(h.Info.Geometries, h.Info.Geometries[0])
			h.Ranges, h.Data = append(h.Ranges, vk.BuildRange{}), append(h.Data, host.Geometry{})
		}, "in 1 geometries, the update", true},
		{"kind", func(h *hosted) {
			h.Info.Geometries[0] = vk.Geometry{Type: vk.GeometryAABBs, AABBs: vk.AABBs{Stride: 24}}
			h.Data[0].AABBs = make([]byte, 48)
		}, "of kind 0 in 1", true},
		{"small destination", func(h *hosted) { h.Src, h.Dst = h.Dst, make([]byte, layout.HeaderSize) },
			"the destination has 256 bytes", true},
		{"nodes", func(h *hosted) { layout.PutWord(h.Dst, layout.HeaderNodeCount, 1000) }, "1000 nodes", true},
		{"leaf records", func(h *hosted) { layout.PutWord(h.Dst, layout.HeaderActive, 1000) }, "1000 leaf records", true},
		{"root", func(h *hosted) { layout.PutWord(h.Dst, layout.HeaderRoot, 7) }, "no node 7", true},
		{"index", func(h *hosted) { h.Data[0].Indices = uintBytes([]uint32{0, 1, 2, 0, 1, 4}) }, "triangle 1: vertex 4", true},
	} {
		h := built
		h.Info.Update, h.Info.Geometries, h.Ranges, h.Data = true, slices.Clone(h.Info.Geometries), slices.Clone(h.Ranges),
			slices.Clone(h.Data)
		h.Dst = bytes.Clone(built.Dst)
		tt.edit(&h)
		before := bytes.Clone(h.Dst)
		o, err := host.Build([]host.BuildInput{h})
		if tt.joins && err == nil {
			err = o.Run(t.Context())
		} else if tt.joins {
			t.Errorf("%s: refused before it is joined: %v", tt.name, err)
		}
		if !errors.Is(err, ErrInvalidBuild) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want ErrInvalidBuild with %q", tt.name, err, tt.want)
		}
		if tt.name != "root" && !bytes.Equal(before, h.Dst) {
			t.Errorf("%s: the refused update wrote something", tt.name)
		}
	}
	a, b := built, built
	a.Info.Update, b.Info.Update, b.Src, b.Dst, b.Address = true, true, a.Dst, bytes.Clone(a.Dst), 1<<24
	if _, err := host.Build([]host.BuildInput{a, b}); !errors.Is(err, ErrInvalidBuild) ||
		!strings.Contains(err.Error(), "Src of host build 1") {
		t.Errorf("an update of what another one writes: %v", err)
	}
}

// TestHostUpdateForged updates structures whose nodes are not what they should be: an error or not, it ends.
func TestHostUpdateForged(t *testing.T) {
	rng := rand.New(rand.NewPCG(209, 210))
	h := hostSoup(randomSoup(rng, 300, 0.1), vk.AllowUpdate, 0)
	place(&h, t, 1<<20)
	o, err := host.Build([]host.BuildInput{h})
	if err != nil {
		t.Fatal(err)
	}
	runHost(t, o, 1)
	good, refused := h.Dst, 0
	h.Info.Update = true
	s, err := inspect.Decode(good)
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		h.Dst = bytes.Clone(good)
		for range 1 + rng.IntN(3) {
			at := layout.HeaderRoot + 4*rng.IntN(3)
			if rng.IntN(4) > 0 {
				at = layout.HeaderSize + layout.NodeSize*rng.IntN(int(s.Word(layout.HeaderNodeCount))) + layout.NodeChild0 + 4*rng.IntN(4)
			}
			layout.PutWord(h.Dst, at, []uint32{rng.Uint32(), rng.Uint32N(300), layout.RefNone,
				layout.LeafRef(rng.Uint32N(300), 1+rng.Uint32N(8), 300), math.MaxInt32}[rng.IntN(5)])
		}
		o, err := host.Build([]host.BuildInput{h})
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Run(t.Context()); err != nil {
			refused++
		}
	}
	if refused < 1000 {
		t.Errorf("%d of 2000 forged structures were refused", refused)
	}
}
