package native

import (
	"context"
	"fmt"
	"slices"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// pipeline is a ray tracing VkPipeline with its layout.
type pipeline struct {
	layout *vk.PipelineLayout
	impl   *vk.Pipeline
	groups int
	// stack is set before each launch; 0 leaves it to the driver.
	stack uint32
	stats driver.Stats
}

// stageBits are VkShaderStageFlagBits by stage kind.
var stageBits = [...]vulkan.ShaderStageFlags{
	driver.Raygen: vk.StageRaygen, driver.AnyHit: vk.StageAnyHit, driver.ClosestHit: vk.StageClosestHit,
	driver.Miss: vk.StageMiss, driver.Intersection: vk.StageIntersection, driver.Callable: vk.StageCallable,
}

// groupTypes are VkRayTracingShaderGroupTypeKHR by group kind.
var groupTypes = [...]vk.ShaderGroupType{
	driver.General: vk.GeneralGroup, driver.TrianglesHit: vk.TrianglesHitGroup, driver.ProceduralHit: vk.ProceduralHitGroup,
}

// NewPipeline compiles. The driver cannot be interrupted: the context is looked at before and after.
func (d *Driver) NewPipeline(ctx context.Context, o driver.PipelineOptions) (driver.Pipeline, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d.device.Physical().DriverID == vk.DriverLavapipe {
		if err := fillEmptyGroups(&o); err != nil {
			return nil, err
		}
	}
	p := &pipeline{groups: len(o.Groups)}
	if err := p.create(d.device, o); err != nil {
		p.Destroy()
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		p.Destroy()
		return nil, err
	}
	return p, nil
}

// fillEmptyGroups gives an empty closest hit shader to triangle groups without any shader.
func fillEmptyGroups(o *driver.PipelineOptions) error {
	dummy := -1
	o.Groups = slices.Clone(o.Groups)
	for i := range o.Groups {
		g := &o.Groups[i]
		if g.Kind != driver.TrianglesHit || g.ClosestHit >= 0 || g.AnyHit >= 0 {
			continue
		}
		if dummy < 0 {
			code, err := shaders.Load("native/empty.rchit")
			if err != nil {
				return err
			}
			dummy = len(o.Stages)
			o.Stages = append(slices.Clone(o.Stages), driver.Stage{Name: "empty", Kind: driver.ClosestHit, Code: code, Entry: "main"})
		}
		g.ClosestHit = dummy
	}
	return nil
}

func (p *pipeline) create(dev *vk.Device, o driver.PipelineOptions) (err error) {
	var push []vk.PushRange
	if o.PushConstantBytes > 0 {
		push = []vk.PushRange{{Stages: driver.RayTracingStages, Size: o.PushConstantBytes}}
	}
	if p.layout, err = dev.NewPipelineLayout(o.Name, o.SetLayouts, push); err != nil {
		return fmt.Errorf("layout: %w", err)
	}
	options := vk.RayTracingPipelineOptions{
		Name: o.Name, Layout: p.layout, MaxRecursionDepth: o.MaxRecursionDepth, DynamicStackSize: o.StackBytes > 0,
	}
	for _, s := range o.Stages {
		options.Stages = append(options.Stages, vk.ShaderStage{
			Name: s.Name, Stage: stageBits[s.Kind], Code: s.Code, Entry: s.Entry, Specialization: s.Specialization,
		})
	}
	for _, g := range o.Groups {
		options.Groups = append(options.Groups, vk.ShaderGroup{
			Type: groupTypes[g.Kind], General: g.General, ClosestHit: g.ClosestHit, AnyHit: g.AnyHit, Intersection: g.Intersection,
		})
	}
	start := time.Now()
	if p.impl, err = dev.NewRayTracingPipeline(options); err != nil {
		return err
	}
	p.stats.CompileTime = time.Since(start)
	p.stack = o.StackBytes
	if p.stats.StackBytes = o.StackBytes; p.stack == 0 {
		p.stats.StackBytes, err = p.defaultStack(o)
	}
	return err
}

// Handle asks the driver.
func (p *pipeline) Handle(group int) ([]byte, error) {
	if group < 0 || group >= p.groups {
		return nil, fmt.Errorf("group %d of %d: %w", group, p.groups, driver.ErrInvalid)
	}
	h, err := p.impl.GroupHandles(uint32(group), 1)
	if err == nil && len(h) != sbt.HandleSize {
		err = fmt.Errorf("group %d: handle of %d bytes", group, len(h))
	}
	return h, err
}

func (p *pipeline) Stats() driver.Stats { return p.stats }

func (p *pipeline) Destroy() {
	if p.impl != nil {
		p.impl.Destroy()
	}
	if p.layout != nil {
		p.layout.Destroy()
	}
}

// CmdTraceRays binds everything and records the command.
func (d *Driver) CmdTraceRays(cb *vk.CommandBuffer, t driver.Trace) error {
	p, ok := t.Pipeline.(*pipeline)
	if !ok {
		return fmt.Errorf("pipeline of another device: %w", driver.ErrInvalid)
	}
	cb.BeginLabel("trace rays natively")
	defer cb.EndLabel()
	cb.BindRayTracingPipeline(p.impl)
	if len(t.Sets) > 0 {
		cb.BindDescriptorSets(vk.BindPointRayTracing, p.layout, 0, t.Sets...)
	}
	if len(t.PushConstants) > 0 {
		cb.PushConstants(p.layout, driver.RayTracingStages, 0, t.PushConstants)
	}
	if p.stack > 0 {
		cb.SetStackSize(p.stack)
	}
	cb.TraceRays(t.Raygen, t.Miss, t.Hit, t.Callable, t.Width, t.Height, t.Depth)
	return nil
}
