package bvh

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// ErrTraversal is returned when a ray could not see the whole scene.
var ErrTraversal = errors.New("traversal fault")

// Sizes of the records that Tracer's kernel reads and writes.
const (
	RaySize        = 32
	HitSize        = 32
	ClusterHitSize = HitSize + 4 // of a Tracer for clusters
	tracerPushSize = 48
	faultWords     = 4
)

// Hit is what Tracer's kernel writes.
type Hit struct {
	T, U, V     float32
	Primitive   uint32
	Geometry    uint32
	Instance    uint32 // NoInstance: a miss, and nothing else but T counts
	CustomIndex uint32
	TableOffset uint32
	Kind        uint8
	Cluster     uint32 // id of the cluster, cluster.NoID of what is none's and of Tracers that know no clusters
}

// Candidates says what happens to triangles that are not opaque.
type Candidates uint32

// Values of Candidates.
const (
	AcceptCandidates    Candidates = 0
	IgnoreOddPrimitives Candidates = 1
	TerminateAtFirst    Candidates = 2
	IgnoreCandidates    Candidates = 3
)

// TraceOptions are common to all rays of a trace.
type TraceOptions struct {
	Flags      uint32 // ray flags
	CullMask   uint8
	Candidates Candidates
}

// Tracer is bare traversal: rays in, hits out, no shaders. For tests and benchmarks.
type Tracer struct {
	dev     *vk.Device
	kernel  vk.Kernel
	hitSize uint64
}

// NewTracer creates the kernel, in the variant for the device.
func NewTracer(dev *vk.Device) (*Tracer, error) { return newTracer(dev, targetOf(dev)) }

func targetOf(dev *vk.Device) shaders.Target {
	return shaders.TargetOf(dev.SIMD(), dev.Features().Int64)
}

// NewClusterTracer creates the kernel that knows clusters. Its hits have ClusterHitSize bytes.
func NewClusterTracer(dev *vk.Device) (*Tracer, error) {
	return tracerOf(dev, shaders.VariantFor(tracerName, targetOf(dev), true), ClusterHitSize)
}

const tracerName = "bvh/trace/trace.comp"

func newTracer(dev *vk.Device, target shaders.Target) (*Tracer, error) {
	return tracerOf(dev, shaders.Variant(tracerName, target), HitSize)
}

func tracerOf(dev *vk.Device, name string, hitSize uint64) (*Tracer, error) {
	code, err := shaders.Load(name)
	if err != nil {
		return nil, fmt.Errorf("bvh tracer: %w", err)
	}
	k, err := dev.NewKernel(vk.KernelOptions{Name: "bvh trace", Code: code, Push: tracerPushSize})
	if err != nil {
		return nil, fmt.Errorf("bvh tracer: %w", err)
	}
	return &Tracer{dev: dev, kernel: k, hitSize: hitSize}, nil
}

// Destroy frees the kernel.
func (t *Tracer) Destroy() {
	if t.kernel != nil {
		t.kernel.Destroy()
		t.kernel = nil
	}
}

// CmdTrace records a trace of count rays. faults is the address of 4 zeroed words: faults seen, kind and value of the
// first, candidates decided.
func (t *Tracer) CmdTrace(cb vk.Recorder, tlas, rays, hits, faults vk.DeviceAddress, count uint32, o TraceOptions) {
	push := erTracePush{
		Tlas: tlas, Rays: rays, Hits: hits, Faults: faults, Count: count, Flags: o.Flags, CullMask: uint32(o.CullMask),
		Candidates: uint32(o.Candidates),
	}
	x, y := foldGroups((count + 63) / 64)
	cb.BindKernel(t.kernel)
	cb.RunKernel(bytesOf(&push), x, y, 1)
}

// Trace traces rays and waits. It returns the hits and how many candidates were decided.
func (t *Tracer) Trace(ctx context.Context, tlas vk.DeviceAddress, rays []inspect.Ray, o TraceOptions) ([]Hit, int, error) {
	n := uint64(len(rays))
	if n == 0 {
		return nil, 0, nil
	}
	in, err := t.dev.NewBuffer(vk.BufferOptions{Name: "bvh rays", Size: n * RaySize})
	if err != nil {
		return nil, 0, err
	}
	defer in.Destroy()
	out, err := t.dev.NewBuffer(vk.BufferOptions{Name: "bvh hits", Size: n*t.hitSize + faultWords*4})
	if err != nil {
		return nil, 0, err
	}
	defer out.Destroy()
	if err := t.dev.UploadBuffer(ctx, in, 0, EncodeRays(rays)); err != nil {
		return nil, 0, err
	}
	if err := t.dev.UploadBuffer(ctx, out, n*t.hitSize, make([]byte, faultWords*4)); err != nil {
		return nil, 0, err
	}
	err = t.dev.Run(ctx, "bvh trace", func(cb *vk.CommandBuffer) error {
		t.CmdTrace(cb, tlas, in.Address(), out.Address(), out.Address()+n*t.hitSize, uint32(n), o)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	data := make([]byte, out.Size())
	if err := t.dev.ReadBuffer(ctx, out, 0, data[:n*t.hitSize+faultWords*4]); err != nil {
		return nil, 0, err
	}
	f := data[n*t.hitSize:]
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(f[4*i:]) }
	hits := decodeHits(data[:n*t.hitSize], int(t.hitSize))
	if word(0) != 0 {
		return hits, int(word(3)), fmt.Errorf("%w: %d rays, the first of kind %d with value %d",
			ErrTraversal, word(0), word(1), word(2))
	}
	return hits, int(word(3)), nil
}

// EncodeRays returns the bytes that the kernel reads.
func EncodeRays(rays []inspect.Ray) []byte {
	b := make([]byte, 0, len(rays)*RaySize)
	for _, r := range rays {
		b = appendRecord(b, erRay{OriginTMin: [4]float32{r.Origin[0], r.Origin[1], r.Origin[2], r.TMin},
			DirectionTMax: [4]float32{r.Direction[0], r.Direction[1], r.Direction[2], r.TMax}})
	}
	return b
}

// DecodeHits reads what the kernel wrote.
func DecodeHits(b []byte) []Hit { return decodeHits(b, HitSize) }

func decodeHits(b []byte, size int) []Hit {
	hits := make([]Hit, len(b)/size)
	for i := range hits {
		var h erClusterHit
		h.Cluster = cluster.NoID
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)), b[i*size:][:size])
		hits[i] = Hit{T: h.T, U: h.U, V: h.V, Primitive: h.Primitive, Geometry: h.Geometry, Instance: h.Instance,
			CustomIndex: h.CustomIndex, TableOffset: h.RecordOffsetKind & 0xffffff, Kind: uint8(h.RecordOffsetKind >> 24),
			Cluster: h.Cluster}
	}
	return hits
}
