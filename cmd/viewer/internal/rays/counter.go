package rays

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// Sizes of count.comp: its push constants, the lanes of a workgroup, the counts of a ray, and the workgroups of a row, which
// every device has.
const (
	countPush  = 24
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
	code, err := shaders.Load(shaders.VariantFor("viewer/count.comp", false, clusters))
	if err != nil {
		return c, err
	}
	c.pipeline, err = dev.NewComputePipeline(ctx, engine.ComputePipelineOptions{
		Name: "count", Code: code, SetLayouts: []*engine.DescriptorSetLayout{c.layout}, PushConstantBytes: countPush,
	})
	return c, err
}

// Count traces the rays of a set, with the ray flags that the set's tracer uses, and returns the means.
func (c *Counter) Count(ctx context.Context, set Set, list []Ray) (Steps, error) {
	if len(list) == 0 {
		return Steps{}, fmt.Errorf("count steps: no rays")
	}
	in, err := c.dev.NewBuildInput(ctx, "rays to count", rayBytes(list))
	if err != nil {
		return Steps{}, fmt.Errorf("%d rays to count: %w", len(list), err)
	}
	defer in.Destroy()
	out, err := c.dev.VK().NewBuffer(vk.BufferOptions{Name: "counts", Size: countBytes * uint64(len(list)), Memory: vk.DeviceLocal})
	if err != nil {
		return Steps{}, fmt.Errorf("counts of %d rays: %w", len(list), err)
	}
	defer out.Destroy()
	push := binary.LittleEndian.AppendUint64(nil, in.Address())
	push = binary.LittleEndian.AppendUint64(push, out.Address())
	push = binary.LittleEndian.AppendUint32(push, uint32(len(list)))
	push = binary.LittleEndian.AppendUint32(push, rayFlags(set.Occlusion()))
	groups := uint32((len(list) + countLanes - 1) / countLanes)
	row := min(groups, countRow)
	if err := c.dev.Run(ctx, "count steps", func(cb *vk.CommandBuffer) error {
		c.dev.CmdBarrier(cb)
		defer c.dev.CmdBarrier(cb)
		return c.dev.CmdDispatch(cb, engine.DispatchOptions{
			Pipeline: c.pipeline, Sets: []*engine.DescriptorSet{c.set}, PushConstants: push, X: row, Y: (groups + row - 1) / row, Z: 1,
		})
	}); err != nil {
		return Steps{}, fmt.Errorf("count steps of %d rays: %w", len(list), err)
	}
	return c.mean(ctx, out, len(list))
}

func (c *Counter) mean(ctx context.Context, counts *vk.Buffer, n int) (Steps, error) {
	list := make([][4]uint32, n)
	if err := c.dev.VK().ReadBuffer(ctx, counts, 0, unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), countBytes*n)); err != nil {
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
