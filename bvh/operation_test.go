package bvh

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/bvh/host"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// operationInputs are builds large enough for many tasks, of every kind.
func operationInputs(t *testing.T, rng *rand.Rand) []host.BuildInput {
	s := randomSoup(rng, 16000, 0.02)
	for i := range 5000 { // a third in one spot, and what is inactive
		copy(s[9*i:9*i+9], s[9*15999:])
		if i%5 == 0 {
			s[9*i] = float32(math.NaN())
		}
	}
	var out []host.BuildInput
	for i, flags := range hostFlags {
		h := hostSoup(s, flags, vk.GeometryOpaque)
		place(&h, t, vk.DeviceAddress(i+1)<<24)
		out = append(out, h)
	}
	boxes := hosted{
		Info:   vk.BuildInfo{Type: vk.BottomLevel, Geometries: []vk.Geometry{{Type: vk.GeometryAABBs, AABBs: vk.AABBs{Stride: 24}}}},
		Ranges: []vk.BuildRange{{PrimitiveCount: 9000}}, Data: []host.Geometry{{AABBs: boxBytes(rng, 9000, 24, true)}},
	}
	place(&boxes, t, 1<<30)
	return append(out, boxes)
}

// TestHostDeterminism joins with one and with many: every byte is the same.
func TestHostDeterminism(t *testing.T) {
	builds := operationInputs(t, rand.New(rand.NewPCG(191, 192)))
	var first [][]byte
	for _, joiners := range []int{1, 2, 7} {
		for i := range builds {
			for k := range builds[i].Dst {
				builds[i].Dst[k] = byte(joiners)
			}
		}
		o, err := host.Build(builds)
		if err != nil {
			t.Fatal(err)
		}
		runHost(t, o, joiners)
		for i, h := range builds {
			s, _ := decodeHost(t, h)
			if len(first) <= i {
				first = append(first, bytes.Clone(s.Data))
			} else if !bytes.Equal(first[i], s.Data) {
				t.Errorf("build %d by %d joiners differs from that by one", i, joiners)
			}
			for k := s.Bytes; k < uint64(len(h.Dst)); k++ {
				if h.Dst[k] != byte(joiners) {
					t.Fatalf("build %d: byte %d behind %d in use is written", i, k, s.Bytes)
				}
			}
		}
	}
}

// TestOperation follows an operation through its life.
func TestOperation(t *testing.T) {
	builds := operationInputs(t, rand.New(rand.NewPCG(193, 194)))
	o, err := host.Build(builds)
	if err != nil {
		t.Fatal(err)
	}
	if n := o.MaxConcurrency(); n < 16000/4096 {
		t.Errorf("%d could join at first", n)
	}
	if err := o.Result(); !errors.Is(err, host.ErrNotReady) {
		t.Errorf("before: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if status, err := o.Join(stopped); status != host.JoinStopped || !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v, %v", status, err)
	}
	if err := o.Run(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("run with an ended context: %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if status, err := o.Join(short); status == host.JoinStopped && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a short context: %v, %v", status, err)
	}
	if status, err := o.Join(t.Context()); status != host.JoinDone || err != nil {
		t.Errorf("alone: %v, %v", status, err)
	}
	if err := o.Result(); err != nil || o.MaxConcurrency() != 0 {
		t.Errorf("after: %v, %d could join", err, o.MaxConcurrency())
	}
	if status, err := o.Join(t.Context()); status != host.JoinDone || err != nil {
		t.Errorf("again: %v, %v", status, err)
	}
	for _, h := range builds {
		decodeHost(t, h)
	}
	if o, err := host.Build(nil); err != nil || o.Result() != nil {
		t.Errorf("of nothing: %v, %v", err, o.Result())
	}
}

// TestHostInputErrors has input that only the operation sees to be wrong. The first build's error counts.
func TestHostInputErrors(t *testing.T) {
	mesh := func() hosted { return hostMesh(make([]float32, 9), []uint32{0, 1, 2, 0, 1, 3}, 0) }
	instances := func(header []byte) hosted {
		a := vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xff, 0, 0, 0x1000)
		return hosted{
			Info:   vk.BuildInfo{Type: vk.TopLevel, Geometries: []vk.Geometry{{Type: vk.GeometryInstances}}},
			Ranges: []vk.BuildRange{{PrimitiveCount: 1}}, Data: []host.Geometry{{Instances: a.AppendTo(nil)}},
			BottomLevel: func(vk.DeviceAddress) []byte { return header },
		}
	}
	far := mesh()
	far.Data[0].Indices = uintBytes([]uint32{0, 1, 2, 0, 1, 0xffffffff})
	pointer := instances(nil)
	pointer.Info.Geometries[0].Instances.ArrayOfPointers = true
	pointer.Data[0].Pointers = []*vk.AccelerationStructureInstance{nil}
	for name, tt := range map[string]struct {
		build hosted
		want  string
	}{
		"index":        {mesh(), "geometry 0, triangle 1: vertex 3"},
		"far index":    {far, "geometry 0, triangle 1: vertex 4294967295"},
		"no header":    {instances(nil), "instance 0: BottomLevel returns 0 bytes for address 0x1000"},
		"not a header": {instances(make([]byte, layout.HeaderSize)), "instance 0: structure at 0x1000: not an acceleration structure"},
		"nil pointer":  {pointer, "instance 0: its pointer is nil"},
	} {
		good := hostSoup(make(soup, 9*20000), 0, 0)
		also := mesh()
		place(&good, t, 1<<20)
		place(&tt.build, t, 1<<24)
		place(&also, t, 1<<26)
		o, err := host.Build([]host.BuildInput{good, tt.build, also})
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Run(t.Context()); !errors.Is(err, ErrInvalidBuild) || !strings.Contains(err.Error(), "host build 1: ") ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
		decodeHost(t, good)
	}
}

// TestHostBuildErrors refuses what is wrong without a look at the input.
func TestHostBuildErrors(t *testing.T) {
	for name, f := range map[string]func(h *hosted){
		"type":             func(h *hosted) { h.Info.Type = vk.Generic },
		"geometry type":    func(h *hosted) { h.Info.Geometries[0].Type = vk.GeometryInstances },
		"ranges":           func(h *hosted) { h.Ranges = nil },
		"no memory":        func(h *hosted) { h.Data = nil },
		"update":           func(h *hosted) { h.Info.Update = true },
		"small":            func(h *hosted) { h.Dst = h.Dst[:len(h.Dst)-1] },
		"null address":     func(h *hosted) { h.Address = 0 },
		"address":          func(h *hosted) { h.Address += 64 },
		"format":           func(h *hosted) { h.Info.Geometries[0].Triangles.VertexFormat = 1 },
		"stride":           func(h *hosted) { h.Info.Geometries[0].Triangles.VertexStride = 13 },
		"vertices":         func(h *hosted) { h.Data[0].Vertices = h.Data[0].Vertices[:35] },
		"first vertex":     func(h *hosted) { h.Ranges[0].FirstVertex = 1 },
		"offset":           func(h *hosted) { h.Ranges[0].PrimitiveOffset = 2 },
		"offset beyond":    func(h *hosted) { h.Ranges[0].PrimitiveOffset = 4 },
		"index type":       func(h *hosted) { h.Info.Geometries[0].Triangles.IndexType = 77 },
		"no indices":       func(h *hosted) { h.Info.Geometries[0].Triangles.IndexType = vk.IndexUint16 },
		"transform":        func(h *hosted) { h.Data[0].Transform = make([]byte, 47) },
		"transform offset": func(h *hosted) { h.Data[0].Transform, h.Ranges[0].TransformOffset = make([]byte, 48), 4 },
		"boxes": func(h *hosted) {
			h.Info.Geometries[0] = vk.Geometry{Type: vk.GeometryAABBs, AABBs: vk.AABBs{Stride: 24}}
			h.Data[0].AABBs = make([]byte, 23)
		},
		"box offset": func(h *hosted) {
			h.Info.Geometries[0] = vk.Geometry{Type: vk.GeometryAABBs, AABBs: vk.AABBs{Stride: 24}}
			h.Data[0].AABBs, h.Ranges[0].PrimitiveOffset = make([]byte, 48), 4
		},
		"instances": func(h *hosted) {
			h.Info = vk.BuildInfo{Type: vk.TopLevel, Geometries: []vk.Geometry{{Type: vk.GeometryInstances}}}
			h.Data[0].Instances, h.BottomLevel = make([]byte, 63), func(vk.DeviceAddress) []byte { return nil }
		},
		"bottom levels": func(h *hosted) {
			h.Info = vk.BuildInfo{Type: vk.TopLevel, Geometries: []vk.Geometry{{Type: vk.GeometryInstances}}}
			h.Data[0].Instances = make([]byte, 64)
		},
	} {
		h := hostSoup(make(soup, 9), 0, 0)
		h.Dst, h.Address = make([]byte, 1024), 1<<20
		if name == "small" {
			place(&h, t, 1<<20)
		}
		f(&h)
		if _, err := host.Build([]host.BuildInput{h}); !errors.Is(err, ErrInvalidBuild) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a := hostSoup(make(soup, 9), 0, 0)
	place(&a, t, 1<<20)
	b := a
	b.Address += 256
	if _, err := host.Build([]host.BuildInput{b, a}); !errors.Is(err, ErrInvalidBuild) {
		t.Errorf("builds into the same memory: %v", err)
	}
}
