package render

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// AOV are the arbitrary output variables of an image: what camera rays see, rows from the top.
type AOV struct {
	Width, Height int
	// Albedo and Normal are means over the pixel's samples: linear base colour, and the world's shading normal (zero of nothing).
	Albedo, Normal [][3]float32
	// Position in the world and Depth along the view axis are those of the ray through the pixel's middle; 1e10 deep is nothing.
	Position [][3]float32
	Depth    []float32
	// Object (instance), Material and Primitive count from 1; 0 is nothing.
	Object, Material, Primitive []uint32
	// Mattes are the shares of objects and of materials over the pixel's samples, where they were asked for.
	Mattes []*assets.Matte
}

// AOVOptions configures Renderer.AOV.
type AOVOptions struct {
	// Samples is the number of camera rays per pixel.
	Samples int
	// Mattes asks for AOV.Mattes: the numbers are then read back with every sample.
	Mattes bool
}

// The sizes of aov.glsl.
const (
	aovVectors = 3
	aovIDs     = 3
)

// AOV traces camera rays, at the size and camera of the image.
func (r *Renderer) AOV(ctx context.Context, opt AOVOptions) (a *AOV, err error) {
	if opt.Samples < 1 {
		return nil, fmt.Errorf("%w: %d samples", ErrInvalid, opt.Samples)
	}
	fail := func(err error) (*AOV, error) { return nil, fmt.Errorf("output variables: %w", err) }
	pixels := uint64(r.width) * uint64(r.height)
	if err := r.checkRange(fmt.Sprintf("the variables of %d x %d pixels", r.width, r.height), 16*aovVectors*pixels); err != nil {
		return fail(err)
	}
	set, err := r.newSet()
	if err != nil {
		return fail(err)
	}
	defer set.Destroy()
	vectors, err1 := r.dev.VK().NewBuffer(vk.BufferOptions{Name: "variables", Size: 16 * aovVectors * pixels, Memory: vk.DeviceLocal})
	defer vectors.Destroy()
	ids, err2 := r.dev.VK().NewBuffer(vk.BufferOptions{Name: "numbers", Size: 4 * aovIDs * pixels, Memory: vk.DeviceLocal})
	defer ids.Destroy()
	if err := errors.Join(err1, err2); err != nil {
		return fail(err)
	}
	set.WriteBuffer(bindAccumulation, 0, vectors, 0, 0)
	set.WriteBuffer(bindRayCounts, 0, ids, 0, 0)
	set.WriteBuffer(bindUnlit, 0, r.unlit, 0, 0)
	set.WriteBuffer(bindGuides, 0, r.guides, 0, 0)
	o := Options{Integrator: variables}
	pipeline, g, err := newPipeline(ctx, r.dev, &o, r.layout, r.source, r.features, engine.PipelineOptions{})
	if err != nil {
		return fail(err)
	}
	defer pipeline.Destroy()
	table, err := r.dev.NewTable(ctx, pipeline, tableLayout(r.scene, g))
	if err != nil {
		return fail(err)
	}
	defer table.Destroy()
	if a, err = r.sampleAOVs(ctx, &aovPass{pipeline, table, set, vectors, ids}, opt); err != nil {
		return fail(err)
	}
	return a, nil
}

// aovPass is what draws the variables, and where they go.
type aovPass struct {
	pipeline     *engine.Pipeline
	table        *engine.Table
	set          *engine.DescriptorSet
	vectors, ids *vk.Buffer
}

// sampleAOVs takes the samples and reads what they leave.
func (r *Renderer) sampleAOVs(ctx context.Context, p *aovPass, opt AOVOptions) (*AOV, error) {
	pixels := r.width * r.height
	vectors, first := make([]byte, p.vectors.Size()), make([]byte, p.ids.Size())
	objects := &matteCounts{of: 0, pixels: make([][]idCount, pixels)}
	materials := &matteCounts{of: 1, pixels: make([][]idCount, pixels)}
	n := first
	for i := range opt.Samples {
		if err := r.sampleAOV(ctx, p, uint32(i)); err != nil {
			return nil, err
		}
		if i > 0 && !opt.Mattes {
			continue
		}
		if err := r.dev.VK().ReadBuffer(ctx, p.ids, 0, n); err != nil {
			return nil, err
		}
		if opt.Mattes {
			objects.add(n)
			materials.add(n)
		}
		if i == 0 {
			n = make([]byte, len(first)) // the first, of pixels' middles, is kept
		}
	}
	if err := r.dev.VK().ReadBuffer(ctx, p.vectors, 0, vectors); err != nil {
		return nil, err
	}
	a := decodeAOV(r.width, r.height, vectors, first)
	if opt.Mattes {
		a.Mattes = []*assets.Matte{objects.matte("CryptoObject", objectNames(r.source), opt.Samples),
			materials.matte("CryptoMaterial", materialNames(r.source), opt.Samples)}
	}
	return a, nil
}

func (r *Renderer) sampleAOV(ctx context.Context, p *aovPass, sample uint32) error {
	return r.dev.Run(ctx, "variables", func(cb *vk.CommandBuffer) error {
		if err := r.prepare(cb); err != nil {
			return err
		}
		r.dev.CmdBarrier(cb)
		push := samplePush{sampleIndex: sample}
		return r.dev.CmdTraceRays(cb, engine.TraceOptions{
			Pipeline: p.pipeline, Table: p.table, Sets: []*engine.DescriptorSet{p.set}, PushConstants: vk.Bytes(&push),
			Width: uint32(r.width), Height: uint32(r.height), Depth: 1,
		})
	})
}

func decodeAOV(width, height int, vectors, ids []byte) *AOV {
	a := &AOV{Width: width, Height: height}
	f := func(i int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(vectors[4*i:])) }
	mean := func(at int) (m [3]float32) {
		if n := f(at + 3); n > 0 {
			m = [3]float32{f(at) / n, f(at+1) / n, f(at+2) / n}
		}
		return m
	}
	for i := range width * height {
		at := 4 * aovVectors * i
		a.Albedo = append(a.Albedo, mean(at))
		normal := mean(at + 4)
		if l := math.Sqrt(float64(normal[0]*normal[0] + normal[1]*normal[1] + normal[2]*normal[2])); l > 0 {
			for k := range normal {
				normal[k] /= float32(l)
			}
		}
		a.Normal = append(a.Normal, normal)
		a.Position = append(a.Position, [3]float32{f(at + 8), f(at + 9), f(at + 10)})
		a.Depth = append(a.Depth, f(at+11))
		id := func(k int) uint32 { return binary.LittleEndian.Uint32(ids[4*(aovIDs*i+k):]) }
		a.Object, a.Material, a.Primitive = append(a.Object, id(0)), append(a.Material, id(1)), append(a.Primitive, id(2))
	}
	return a
}
