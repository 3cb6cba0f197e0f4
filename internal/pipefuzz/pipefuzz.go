// Package pipefuzz generates random ray tracing pipelines for comparing the ways to run them: GLSL of every stage, hit
// groups, table records and push constants, all from one seed.
//
// A generated pipeline is valid, ends, and has one right result, which follows from the specification's words alone:
//
//   - every variable is initialised, indices are masked, divisors are never zero, loops are bounded by counters that
//     nothing else writes; a budget of rays and calls (fuel) travels with the payloads;
//   - integers wrap; floats are multiples of 1/4 below 256, whose sums and products are exact, and are brought back
//     into that range (fx) before they are kept. Barycentrics are not used, t only rounded;
//   - rays come from a lattice that keeps its distance from every edge of the scene (see scene.go), and no two
//     primitives lie in one plane, so that the nearest hit is beyond doubt;
//   - nothing depends on which candidates a traversal meets before the nearest. An any hit shader decides by the
//     identity of the primitive. It changes what others see of the payload only for rays whose candidates are all
//     met (all are ignored, sums and bits commute) and for rays that only ask whether anything is hit (one bit).
//
// Contract: pure Go, no Vulkan; Generate is deterministic and safe for concurrent use.
package pipefuzz

import (
	"math/rand/v2"
	"strings"
)

// Feature is a set of things that generated shaders may do.
type Feature uint32

// The features.
const (
	Loops Feature = 1 << iota
	Switches
	Functions
	EarlyReturns
	Jumps          // break and continue
	CallsInHeaders // calls in loop conditions, continue expressions and conditions of if
	Recursion      // closest hit and miss shaders that trace
	PassOn         // incoming payloads and callable data passed on to nested calls
	SeveralPayloads
	AnyHits
	Callables
	NestedCallables
	Procedural // boxes: intersection shaders and their attributes
	SeveralReports
	Records
	PushConstants
	Specialisation
	Wide // 64-bit integers
	Matrices
	Structs
	Arrays
	Builtins
	Globals
	HitObjects // traces in two parts; ways without them run what says the same
	featureEnd
)

// All is every feature.
const All = featureEnd - 1

var featureNames = []string{
	"loops", "switches", "functions", "early-returns", "jumps", "calls-in-headers", "recursion", "pass-on", "several-payloads",
	"any-hits", "callables", "nested-callables", "procedural", "several-reports", "records", "push-constants", "specialisation",
	"wide", "matrices", "structs", "arrays", "builtins", "globals", "hit-objects",
}

// String lists the features by name.
func (f Feature) String() string {
	var names []string
	for i, name := range featureNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// Each returns the features of the set one by one.
func (f Feature) Each() []Feature {
	var list []Feature
	for i := range featureNames {
		if f&(1<<i) != 0 {
			list = append(list, 1<<i)
		}
	}
	return list
}

// Options says what a pipeline may contain. The zero value of Size is 4, of Features none.
type Options struct {
	Features Feature
	// Size is roughly the number of statements of the ray generation shader's body at its first level.
	Size int
	// Drop holds the numbers of statements to leave out (of declarations: their initialisers), 0 to Pipeline.Statements-1.
	// Everything else stays as it is, which a shrinker makes use of.
	Drop map[int]bool
}

// Shader is one stage.
type Shader struct {
	// Stage is the stage as glslangValidator names it: rgen, rmiss, rchit, rahit, rint or rcall.
	Stage  string
	Source string
	// Specialization is the value of constant 0.
	Specialization uint32
}

// NoShader is the index of a group's absent shader.
const NoShader = -1

// Group is a shader group, by indices of Pipeline.Shaders. A group with General has nothing else, one with Intersection
// is for boxes, any other for triangles.
type Group struct {
	General, ClosestHit, AnyHit, Intersection int
}

// Record is one record of the table.
type Record struct {
	Group int
	Data  []byte
}

// Pipeline is a generated pipeline with its table. Descriptors: binding 0 the scene, 1 the result (ResultWords words a
// pixel), 2 the boxes of the scene as they are built, 6 floats each.
type Pipeline struct {
	Seed                        uint64
	Shaders                     []Shader
	Groups                      []Group
	Raygen, Miss, Hit, Callable []Record
	// Depth is the recursion depth.
	Depth uint32
	// RayTypes is the record stride of trace calls, which decides the record offsets of the scene's instances.
	RayTypes   int
	Procedural bool
	// HitObjects says that shaders have hit objects, unless CompilePlain compiles them.
	HitObjects    bool
	PushConstants []byte
	// Statements is how many numbered statements the shaders hold.
	Statements int
}

// The launch that a pipeline is made for.
const (
	Width       = 16
	Height      = 8
	ResultWords = 4
)

// maxFuel bounds the rays and calls of one pixel.
const maxFuel = 24

// Generate returns the pipeline of a seed.
func Generate(seed uint64, o Options) *Pipeline {
	if o.Size <= 0 {
		o.Size = 4
	}
	p := &plan{o: o, r: rand.New(rand.NewPCG(seed, 0)), out: &Pipeline{Seed: seed}}
	p.choose()
	p.build()
	p.out.Statements = p.statements
	return p.out
}
