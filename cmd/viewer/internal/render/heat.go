package render

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// heatTile is the side of heat.comp's workgroups.
const heatTile = 8

// linkHeat compiles the kernel that counts. It walks the compute way's structures itself, and finds all it needs of the scene
// where the integrators' shaders find it.
func (r *Renderer) linkHeat(ctx context.Context) error {
	if b := r.dev.Backend(); b != engine.BackendCompute {
		return fmt.Errorf("%w: heat counts the steps of the compute way's traversal, the device is open for %v, whose driver does not "+
			"tell its own; choose the compute way", ErrInvalid, b)
	}
	code, err := shaders.Load("viewer/heat.comp")
	if err != nil {
		return err
	}
	r.heat, err = r.dev.NewComputePipeline(ctx, engine.ComputePipelineOptions{
		Name: string(Heat), Code: code, SetLayouts: []*engine.DescriptorSetLayout{r.layout},
		PushConstantBytes: uint32(unsafe.Sizeof(computePush{})),
		Specialization:    map[uint32][]byte{0: binary.LittleEndian.AppendUint32(nil, flag(r.source.HasThin()))},
	})
	if err != nil {
		return err
	}
	r.stats.Pipeline = r.heat.Stats()
	return nil
}

// recordHeat records one sample of an image of that size.
func (r *Renderer) recordHeat(cb *vk.CommandBuffer, sample uint32, width, height int) error {
	push := computePush{samplePush{sampleIndex: sample}, [2]uint32{uint32(width), uint32(height)}}
	groups := func(n int) uint32 { return uint32((n + heatTile - 1) / heatTile) }
	return r.dev.CmdDispatch(cb, engine.DispatchOptions{
		Pipeline: r.heat, Sets: []*engine.DescriptorSet{r.set}, PushConstants: vk.Bytes(&push), X: groups(width), Y: groups(height), Z: 1,
	})
}

// HeatPercentile is where a scale ends that is not given: so many percent of the pixels that are not as cold as the coldest
// have fewer steps. A few silhouettes far above would leave everything else dark.
const HeatPercentile = 99.5

// HeatMap is what the heat integrator counted: per pixel the mean over its rays of their steps.
type HeatMap struct {
	Width, Height int
	// Nodes, Primitives and Instances are means per ray over the image: inner nodes of both levels visited, triangles of
	// bottom levels and instances tested. Steps are their sum.
	Nodes, Primitives, Instances, Steps float64
	// Peak is the hottest pixel's steps, Max those at which the scale ends, Hotter the share of pixels beyond.
	Peak, Max, Hotter float64

	steps []float32 // by pixel, rows from the top; not a number where no ray could see the whole scene
}

// NewHeatMap reads a film of the heat integrator. The scale ends at most steps; 0 chooses by HeatPercentile.
func NewHeatMap(f *Film, most float64) *HeatMap {
	h := &HeatMap{Width: f.Width, Height: f.Height, steps: make([]float32, f.Width*f.Height)}
	seen := make([]float32, 0, len(h.steps))
	for i := range h.steps {
		c, ok := f.Mean(i)
		if !ok {
			h.steps[i] = float32(math.NaN())
			continue
		}
		h.Nodes += float64(c[0])
		h.Primitives += float64(c[1])
		h.Instances += float64(c[2])
		h.steps[i] = c[0] + c[1] + c[2]
		seen = append(seen, h.steps[i])
	}
	if n := float64(len(seen)); n > 0 {
		h.Nodes, h.Primitives, h.Instances = h.Nodes/n, h.Primitives/n, h.Instances/n
		slices.Sort(seen)
		h.Peak = float64(seen[len(seen)-1])
	}
	h.Steps = h.Nodes + h.Primitives + h.Instances
	if h.Max = most; most <= 0 {
		h.Max = chooseMax(seen)
	}
	beyond, _ := slices.BinarySearchFunc(seen, h.Max, func(a float32, b float64) int {
		if float64(a) <= b {
			return -1
		}
		return 1
	})
	if len(seen) > 0 {
		h.Hotter = float64(len(seen)-beyond) / float64(len(seen))
	}
	return h
}

// chooseMax returns the percentile of sorted steps as a whole number, at least 1.
func chooseMax(sorted []float32) float64 {
	if len(sorted) == 0 {
		return 1
	}
	first, _ := slices.BinarySearchFunc(sorted, sorted[0], func(a, b float32) int {
		if a <= b {
			return -1
		}
		return 1
	})
	if first == len(sorted) {
		first = 0 // all alike
	}
	warm := sorted[first:]
	at := min(int(float64(len(warm))*HeatPercentile/100), len(warm)-1)
	return max(math.Ceil(float64(warm[at])), 1)
}
