package clusters

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"math"
	"time"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/measure"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// deformPush are the push constants of deform.comp.
//
//glsl:viewer/deform.comp Push
type deformPush struct {
	rest, moved uint64
	centre      mgl32.Vec3
	angle, size float32
	count       uint32
}

// picturePush are those of clusters.comp.
//
//glsl:viewer/clusters.comp Push
type picturePush struct {
	eye     mgl32.Vec3
	width   uint32
	forward mgl32.Vec3
	height  uint32
	right   mgl32.Vec3
	shift   float32
	up      mgl32.Vec3
	_       uint32
	pixels  uint64
}

// Sizes of deform.comp and clusters.comp: lanes and tiles of a workgroup, bytes of a pixel.
const (
	deformLanes  = 64
	deformRow    = 32768
	pictureTile  = 8
	pictureBytes = 16
)

// mover animates positions.
type mover struct {
	dev      *engine.Device
	pipeline *engine.ComputePipeline
	lo, hi   mgl32.Vec3 // of the mesh
}

func newMover(ctx context.Context, dev *engine.Device, m *Mesh) (*mover, error) {
	if len(m.Positions) == 0 {
		return nil, fmt.Errorf("%w: the scene has no triangles", engine.ErrInvalid)
	}
	v := &mover{dev: dev, lo: mgl32.Vec3(m.Positions[:3]), hi: mgl32.Vec3(m.Positions[:3])}
	for i, x := range m.Positions {
		v.lo[i%3], v.hi[i%3] = min(v.lo[i%3], x), max(v.hi[i%3], x)
	}
	code, err := shaders.Load("viewer/deform.comp")
	if err != nil {
		return nil, err
	}
	v.pipeline, err = dev.NewComputePipeline(ctx, engine.ComputePipelineOptions{Name: "deform", Code: code,
		PushConstantBytes: uint32(unsafe.Sizeof(deformPush{}))})
	return v, err
}

// move turns a way's positions n times, and returns the times.
func (v *mover) move(ctx context.Context, t *measure.Timer, w *way, angle float64, n int) ([]time.Duration, error) {
	centre := v.lo.Add(v.hi).Mul(0.5)
	push := deformPush{rest: w.rest, moved: w.moved.Address(), centre: centre, angle: float32(angle),
		size: max(v.hi[1]-centre[1], 1e-30), count: uint32(w.count)}
	groups := uint32((w.count + deformLanes - 1) / deformLanes)
	row := min(groups, deformRow)
	return t.Repeat(ctx, "deform", n, func(cb *vk.CommandBuffer) error {
		return v.dev.CmdDispatch(cb, engine.DispatchOptions{Pipeline: v.pipeline, PushConstants: pushBytes(&push), X: row,
			Y: (groups + row - 1) / row, Z: 1})
	})
}

// Destroy releases the pipeline.
func (v *mover) Destroy() {
	if v != nil {
		v.pipeline.Destroy()
	}
}

// ErrUnseen is returned when a ray of a picture could not see the whole scene.
var ErrUnseen = errors.New("rays could not see the whole scene")

// painter traces a picture of a top level.
type painter struct {
	dev           *engine.Device
	layout        *engine.DescriptorSetLayout
	set           *engine.DescriptorSet
	pipeline      *engine.ComputePipeline
	pixels        *vk.Buffer
	width, height int
}

func newPainter(ctx context.Context, dev *engine.Device, top *engine.AccelerationStructure, width, height int, ofClusters bool) (
	p *painter, err error) {
	p = &painter{dev: dev, width: width, height: height}
	defer func() {
		if err != nil {
			p.Destroy()
			p, err = nil, fmt.Errorf("picture: %w", err)
		}
	}()
	if b := dev.Backend(); b != engine.BackendCompute {
		return p, fmt.Errorf("%w: clusters are of the compute way, the device is open for %v", engine.ErrInvalid, b)
	}
	if p.layout, err = dev.NewDescriptorSetLayout("picture", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Count: 1}}); err != nil {
		return p, err
	}
	if p.set, err = dev.NewDescriptorSet(p.layout); err != nil {
		return p, err
	}
	p.set.WriteAccelerationStructure(0, 0, top)
	if err = p.set.Err(); err != nil {
		return p, err
	}
	if err = p.resize(width, height); err != nil {
		return p, err
	}
	code, err := shaders.Load(shaders.VariantFor("viewer/clusters.comp", shaders.Any, ofClusters))
	if err != nil {
		return p, err
	}
	p.pipeline, err = dev.NewComputePipeline(ctx, engine.ComputePipelineOptions{Name: "picture", Code: code,
		SetLayouts: []*engine.DescriptorSetLayout{p.layout}, PushConstantBytes: uint32(unsafe.Sizeof(picturePush{}))})
	return p, err
}

// resize makes room for pictures of a size.
func (p *painter) resize(width, height int) error {
	b, err := p.dev.VK().NewBuffer(vk.BufferOptions{Name: "picture", Size: pictureBytes * uint64(width) * uint64(height),
		Memory: vk.DeviceLocal})
	if err != nil {
		return err
	}
	p.pixels.Destroy()
	p.pixels, p.width, p.height = b, width, height
	return nil
}

// paint traces the picture n times, and returns the times.
func (p *painter) paint(ctx context.Context, t *measure.Timer, c camera.Camera, shift float32, n int) ([]time.Duration, error) {
	b := c.Basis(float32(p.width) / float32(p.height))
	if b.Orthographic {
		return nil, fmt.Errorf("%w: the camera is orthographic", engine.ErrInvalid)
	}
	push := picturePush{eye: b.Eye, width: uint32(p.width), forward: b.Forward, height: uint32(p.height), right: b.Right, shift: shift,
		up: b.Up, pixels: p.pixels.Address()}
	tiles := func(n int) uint32 { return uint32((n + pictureTile - 1) / pictureTile) }
	return t.Repeat(ctx, "picture", n, func(cb *vk.CommandBuffer) error {
		return p.dev.CmdDispatch(cb, engine.DispatchOptions{Pipeline: p.pipeline, Sets: []*engine.DescriptorSet{p.set},
			PushConstants: pushBytes(&push), X: tiles(p.width), Y: tiles(p.height), Z: 1})
	})
}

// pushBytes are push constants as the device reads them.
func pushBytes[T deformPush | picturePush](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// unseenColour is what clusters.comp paints where it could not see.
const unseenColour = 0xffff00ff

// read reads the picture, and the distances of what is seen.
func (p *painter) read(ctx context.Context) (*image.NRGBA, []float32, error) {
	data := make([]byte, p.pixels.Size())
	if err := p.dev.VK().ReadBuffer(ctx, p.pixels, 0, data); err != nil {
		return nil, nil, err
	}
	img := image.NewNRGBA(image.Rect(0, 0, p.width, p.height))
	distances := make([]float32, p.width*p.height)
	for i := range distances {
		at := data[pictureBytes*i:]
		if binary.LittleEndian.Uint32(at) == unseenColour {
			return nil, nil, ErrUnseen
		}
		copy(img.Pix[4*i:4*i+4], at)
		distances[i] = math.Float32frombits(binary.LittleEndian.Uint32(at[4:]))
	}
	return img, distances, nil
}

// Destroy releases everything but the top level. It may be called twice and on nil.
func (p *painter) Destroy() {
	if p == nil {
		return
	}
	p.pipeline.Destroy()
	p.set.Destroy()
	p.layout.Destroy()
	p.pixels.Destroy()
}
