package rays

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// countPush are the push constants of count.comp.
//
//glsl:viewer/count.comp Push
type countPush struct {
	rays, counts    uint64
	count, rayFlags uint32
}

// Sizes of count.comp: the lanes of a workgroup, the counts of a ray, and the workgroups of a row, which
// every device has.
const (
	countLanes = 64
	countBytes = 16
	countRow   = 32768
)

// Counter counts the traversal steps of ray buffers on the compute way.
type Counter struct {
	dev      *engine.Device
	layout   *engine.DescriptorSetLayout
	set      *engine.DescriptorSet
	pipeline *engine.ComputePipeline
}

// Steps are means per ray.
type Steps struct {
	// Nodes are inner nodes of both levels, two boxes each; Primitives and Instances are those tested.
	Nodes, Primitives, Instances float64
}

// ErrUnseen is returned by Count when a ray could not see the whole scene.
var ErrUnseen = errors.New("rays could not see the whole scene")

// NewCounter compiles the kernel. The device is one of the compute way; the scene outlives the Counter.
func NewCounter(ctx context.Context, dev *engine.Device, scene *accel.Scene) (c *Counter, err error) {
	return NewTopCounter(ctx, dev, scene.TopLevel, false)
}

// NewTopCounter compiles the kernel for a top level, whose instances may have clusters. Those count as instances.
func NewTopCounter(ctx context.Context, dev *engine.Device, top *engine.AccelerationStructure, clusters bool) (c *Counter,
	err error) {
	if b := dev.Backend(); b != engine.BackendCompute {
		return nil, fmt.Errorf("%w: steps are counted in the compute way's traversal, the device is open for %v", engine.ErrInvalid, b)
	}
	c = &Counter{dev: dev}
	defer func() {
		if err != nil {
			c.Destroy()
			c = nil
		}
	}()
	if c.layout, err = dev.NewDescriptorSetLayout("counter", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Count: 1},
	}); err != nil {
		return c, fmt.Errorf("descriptor set layout: %w", err)
	}
	if c.set, err = dev.NewDescriptorSet(c.layout); err != nil {
		return c, fmt.Errorf("descriptor set: %w", err)
	}
	c.set.WriteAccelerationStructure(0, 0, top)
	if err = c.set.Err(); err != nil {
		return c, err
	}
	code, err := shaders.Load(shaders.VariantFor("viewer/count.comp", shaders.Any, clusters))
	if err != nil {
		return c, err
	}
	c.pipeline, err = dev.NewComputePipeline(ctx, engine.ComputePipelineOptions{
		Name: "count", Code: code, SetLayouts: []*engine.DescriptorSetLayout{c.layout},
		PushConstantBytes: uint32(unsafe.Sizeof(countPush{})),
	})
	return c, err
}

// Count traces the rays of a set, with the ray flags that the set's tracer uses, and returns the means.
func (c *Counter) Count(ctx context.Context, set Set, list []Ray) (Steps, error) {
	if len(list) == 0 {
		return Steps{}, fmt.Errorf("count steps: no rays")
	}
	in, err := c.dev.NewBuildInput(ctx, "rays to count", vk.BytesOf(list))
	if err != nil {
		return Steps{}, fmt.Errorf("%d rays to count: %w", len(list), err)
	}
	defer in.Destroy()
	out, err := c.dev.VK().NewBuffer(vk.BufferOptions{Name: "counts", Size: countBytes * uint64(len(list)), Memory: vk.DeviceLocal})
	if err != nil {
		return Steps{}, fmt.Errorf("counts of %d rays: %w", len(list), err)
	}
	defer out.Destroy()
	p := countPush{in.Address(), out.Address(), uint32(len(list)), rayFlags(set.Occlusion())}
	groups := uint32((len(list) + countLanes - 1) / countLanes)
	row := min(groups, countRow)
	if err := c.dev.Run(ctx, "count steps", func(cb *vk.CommandBuffer) error {
		c.dev.CmdBarrier(cb)
		defer c.dev.CmdBarrier(cb)
		return c.dev.CmdDispatch(cb, engine.DispatchOptions{
			Pipeline: c.pipeline, Sets: []*engine.DescriptorSet{c.set}, PushConstants: vk.Bytes(&p),
			X: row, Y: (groups + row - 1) / row, Z: 1,
		})
	}); err != nil {
		return Steps{}, fmt.Errorf("count steps of %d rays: %w", len(list), err)
	}
	return c.mean(ctx, out, len(list))
}

func (c *Counter) mean(ctx context.Context, counts *vk.Buffer, n int) (Steps, error) {
	list := make([][4]uint32, n)
	if err := c.dev.VK().ReadBuffer(ctx, counts, 0, vk.BytesOf(list)); err != nil {
		return Steps{}, fmt.Errorf("read counts: %w", err)
	}
	var sums [4]uint64
	for _, v := range list {
		for i := range sums {
			sums[i] += uint64(v[i])
		}
	}
	if sums[3] > 0 {
		return Steps{}, fmt.Errorf("count steps: %w: %d of %d", ErrUnseen, sums[3], n)
	}
	rays := float64(n)
	return Steps{Nodes: float64(sums[0]) / rays, Primitives: float64(sums[1]) / rays, Instances: float64(sums[2]) / rays}, nil
}

// Destroy releases everything but the scene. It may be called twice and on nil.
func (c *Counter) Destroy() {
	if c == nil {
		return
	}
	c.pipeline.Destroy()
	c.set.Destroy()
	c.layout.Destroy()
}
