package conformance

import (
	"fmt"
	"strings"

	"github.com/everray/everray/engine"
)

// Program is a pipeline that rows share.
type Program struct {
	Name   string
	Stages []Stage
	Groups []engine.Group
	// Depth is the recursion depth that the pipeline declares.
	Depth uint32
	// StackBytes is the stack that the pipeline sets; 0 is Vulkan's default.
	StackBytes uint32
	// Flags are the pipeline's.
	Flags engine.PipelineFlags
	// Words is the number of result words per launch index, Labels names the first of them.
	Words  int
	Labels []string
	// Feature names what a device must have for the program to run.
	Feature Feature
	// Fatal lists the ways in which making the pipeline would end the process, for want of something that the driver ought to
	// refuse by an error.
	Fatal []FatalForm
}

// FatalForm is a way of the suite ("monolithic") in which a driver's compiler dies.
type FatalForm struct {
	Driver      Driver
	Way, Reason string
}

// FatalOn returns why the program cannot be made in a way on a driver; "" where it can.
func (p *Program) FatalOn(driverName, driverInfo, way string) string {
	for _, f := range p.Fatal {
		if f.Way == way && f.Driver.is(driverName, driverInfo) {
			return f.Reason
		}
	}
	return ""
}

// Feature is something that not every device has.
type Feature int

// Features that programs need.
const (
	Everywhere Feature = iota
	// WideTypes are 64-bit integers and floats, and 16- and 8-bit types.
	WideTypes
	// PositionFetch is VK_KHR_ray_tracing_position_fetch, and spirv-as to assemble shaders that glslang 12 cannot compile.
	PositionFetch
	// HitObjectsNV and HitObjectsEXT are hit objects and reordering of either extension.
	HitObjectsNV
	HitObjectsEXT
)

// Stage is a shader: GLSL, or SPIR-V assembly.
type Stage struct {
	Kind     engine.StageKind
	Source   string
	Assembly bool
	// Specialization as in engine.Stage.
	Specialization map[uint32][]byte
}

// Extension returns the stage as glslangValidator names it.
func (s Stage) Extension() string {
	return map[engine.StageKind]string{
		engine.Raygen: "rgen", engine.AnyHit: "rahit", engine.ClosestHit: "rchit", engine.Miss: "rmiss",
		engine.Intersection: "rint", engine.Callable: "rcall",
	}[s.Kind]
}

func newProgram(name string, words int, labels ...string) *Program {
	return &Program{Name: name, Words: words, Labels: labels, Depth: 1}
}

func (p *Program) name(word int) string {
	if word < len(p.Labels) {
		return p.Labels[word]
	}
	return "no name"
}

// stage adds a shader, once, and returns its index; no source is no shader.
func (p *Program) stage(kind engine.StageKind, body string) int {
	if body == "" {
		return engine.Unused
	}
	s := Stage{Kind: kind, Source: p.prelude(kind) + body}
	for i, old := range p.Stages {
		if old.Kind == kind && old.Source == s.Source {
			return i
		}
	}
	p.Stages = append(p.Stages, s)
	return len(p.Stages) - 1
}

func (p *Program) group(g engine.Group) int {
	p.Groups = append(p.Groups, g)
	return len(p.Groups) - 1
}

// raygen, miss and callable add a general group and return its index; hit and box add hit groups, whose shaders may be "".
func (p *Program) raygen(body string) int {
	return p.group(engine.GeneralGroup(p.stage(engine.Raygen, body)))
}
func (p *Program) miss(body string) int {
	return p.group(engine.GeneralGroup(p.stage(engine.Miss, body)))
}
func (p *Program) callable(body string) int {
	return p.group(engine.GeneralGroup(p.stage(engine.Callable, body)))
}
func (p *Program) hit(closest, any string) int {
	return p.group(engine.TrianglesGroup(p.stage(engine.ClosestHit, closest), p.stage(engine.AnyHit, any)))
}
func (p *Program) box(intersection, closest, any string) int {
	return p.group(engine.ProceduralGroup(p.stage(engine.Intersection, intersection), p.stage(engine.ClosestHit, closest),
		p.stage(engine.AnyHit, any)))
}

// prelude is what every shader begins with: the extensions, the scene, the result, and the launch index's ray. OUT(k) is
// the launch index's word k.
func (p *Program) prelude(kind engine.StageKind) string {
	var b strings.Builder
	b.WriteString("#version 460\n")
	extensions := []string{
		"ray_tracing", "ray_cull_mask", "buffer_reference", "scalar_block_layout",
		"shader_explicit_arithmetic_types", "shader_16bit_storage", "shader_8bit_storage",
	}
	if kind == engine.Raygen {
		extensions = append(extensions, "ray_flags_primitive_culling")
	}
	for _, e := range extensions {
		fmt.Fprintf(&b, "#extension GL_EXT_%s : require\n", e)
	}
	fmt.Fprintf(&b, "#define WORDS %du\n", p.Words)
	b.WriteString(`
struct Ray { vec3 origin; float tmin; vec3 direction; float tmax; uint flags, mask, offset, stride, miss, a, b, c; };
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) buffer Result { uint word[]; } result;
layout(set = 0, binding = 2, std430) readonly buffer Rays { Ray ray[]; } rays;
#define INDEX ((gl_LaunchIDEXT.z * gl_LaunchSizeEXT.y + gl_LaunchIDEXT.y) * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x)
#define OUT(k) result.word[INDEX * WORDS + (k)]
#define RAY rays.ray[INDEX]
#define TRACE(r, location) traceRayEXT(scene, r.flags, r.mask, r.offset, r.stride, r.miss, r.origin, r.tmin, \
    r.direction, r.tmax, location)
#define BITS(f) floatBitsToUint(f)
`)
	return b.String()
}
