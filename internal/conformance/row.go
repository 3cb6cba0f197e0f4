package conformance

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/everray/everray/sbt"
)

// Specifications that rows cite.
const (
	vulkan = "Vulkan "                 // VK_KHR_ray_tracing_pipeline in the Vulkan specification
	glsl   = "GLSL_EXT_ray_tracing: "  // the GLSL extension
	dxr    = "DXR functional spec: "   // says the same in more words
	spirv  = "SPV_KHR_ray_tracing: "   // the SPIR-V extension
	sbtAt  = "Vulkan Indexing Rules: " // shader binding table
	calls  = "Vulkan Shader Call Instructions: "
)

// Row is one rule and how it shows.
type Row struct {
	// Name is unique within the program.
	Name string
	// Rule cites the specification: the section and what it says.
	Rule    string
	Program *Program
	// Scene is nil for the null acceleration structure.
	Scene *Scene
	// Table holds the program's groups; Raygen chooses among its raygen records.
	Table  sbt.Layout
	Raygen int
	// Addressed lays the device address of the rays' buffer over the first 8 bytes of every record's data.
	Addressed bool
	// Rays is one per launch index, in the order x, y, z; shaders read theirs as `ray`.
	Rays []Ray
	// Launch is the launch size; zero is len(Rays) x 1 x 1.
	Launch [3]uint32
	// Command is how the launch is recorded.
	Command Command
	// Want holds Program.Words words per launch index. Without it Check judges them; without both native and compute must agree.
	Want  []Word
	Check func(got []uint32) error
	// NativeDiffers tells, by driver, why its native way does not do what the row expects.
	NativeDiffers map[Driver]Difference
}

// Command is a way of recording a launch.
type Command int

// Ways of recording launches.
const (
	Direct Command = iota
	// Indirect reads the size from device memory, IndirectTable the table's regions too.
	Indirect
	IndirectTable
	// StridesZero is IndirectTable with strides of 0 for miss, hit and callable records: each section's first is every one.
	StridesZero
	// Secondary records into a secondary command buffer that is executed twice, with a barrier between.
	Secondary
	// Together records the launch three times without a barrier, each into a result of its own; all must be equal.
	Together
)

// String returns the name that rows use.
func (c Command) String() string {
	return [...]string{"direct", "indirect", "indirect-table", "strides-zero", "secondary", "together"}[c]
}

// Driver is a part of "DriverName DriverInfo" as Vulkan reports them.
type Driver string

// Drivers with known differences.
const (
	Lavapipe25  Driver = "llvmpipe Mesa 25.0.7"
	NVIDIA      Driver = "NVIDIA"
	SwiftShader Driver = "SwiftShader"
)

// is tells whether a device's driver is this one.
func (d Driver) is(name, info string) bool { return strings.Contains(name+" "+info, string(d)) }

// Difference explains what a native way does otherwise.
type Difference struct {
	Reason string
	// Fatal marks a row that would end the process; it is not run natively.
	Fatal bool
}

// DifferenceOn returns what is known of the row's native run on a driver.
func (r *Row) DifferenceOn(driverName, driverInfo string) (Difference, bool) {
	for driver, d := range r.NativeDiffers {
		if driver.is(driverName, driverInfo) {
			return d, true
		}
	}
	return Difference{}, false
}

// Size returns the launch size.
func (r *Row) Size() (width, height, depth uint32) {
	if r.Launch == [3]uint32{} {
		return uint32(len(r.Rays)), 1, 1
	}
	return r.Launch[0], r.Launch[1], r.Launch[2]
}

// Ray is what a launch index traces; Data is free for the program's use.
type Ray struct {
	Origin                            [3]float32
	TMin                              float32
	Direction                         [3]float32
	TMax                              float32
	Flags, Mask, Offset, Stride, Miss uint32
	Data                              [3]uint32
}

// RaySize is the size of one ray in the shaders' buffer.
const RaySize = 64

// AppendTo appends the bytes that shaders read.
func (r Ray) AppendTo(b []byte) []byte {
	f := func(values ...float32) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	f(r.Origin[:]...)
	f(r.TMin)
	f(r.Direction[:]...)
	f(r.TMax)
	for _, v := range []uint32{r.Flags, r.Mask, r.Offset, r.Stride, r.Miss, r.Data[0], r.Data[1], r.Data[2]} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// down is a ray along +z through (x, y) from z = 0 on, which sees everything.
func down(x, y float32) Ray {
	return Ray{Origin: [3]float32{x, y, 0}, Direction: [3]float32{0, 0, 1}, TMax: 1000, Mask: 0xFF}
}

// with returns the ray with ray flags.
func (r Ray) with(flags uint32) Ray {
	r.Flags = flags
	return r
}

// data returns the ray with the program's own data.
func (r Ray) data(values ...uint32) Ray {
	copy(r.Data[:], values)
	return r
}

// Word is an expected 32-bit word of the result.
type Word struct {
	bits uint32
	kind wordKind
}

type wordKind uint8

const (
	exact wordKind = iota
	float
	ignored
)

// tolerance of floats, relative to the larger of the value and 1: two intersection tests and two inversions of a matrix
// differ in their last bits.
const tolerance = 4e-6

// U expects a word to the bit.
func U(v uint32) Word { return Word{bits: v} }

// F expects a float, but for its last bits.
func F(v float64) Word { return Word{bits: math.Float32bits(float32(v)), kind: float} }

// Exactly expects a float to the bit.
func Exactly(v float32) Word { return Word{bits: math.Float32bits(v)} }

// Any expects nothing: the specification leaves the word open.
func Any() Word { return Word{kind: ignored} }

// us expects words to the bit.
func us(values ...uint32) []Word {
	out := make([]Word, len(values))
	for i, v := range values {
		out[i] = U(v)
	}
	return out
}

// Accepts reports whether got is what the word expects.
func (w Word) Accepts(got uint32) bool {
	switch w.kind {
	case ignored:
		return true
	case float:
		a, b := float64(math.Float32frombits(w.bits)), float64(math.Float32frombits(got))
		return a == b || math.Abs(a-b) <= tolerance*max(1, math.Abs(a))
	}
	return w.bits == got
}

// String returns the value as one reads it.
func (w Word) String() string {
	switch w.kind {
	case ignored:
		return "anything"
	case float:
		return fmt.Sprint(math.Float32frombits(w.bits))
	}
	return fmt.Sprintf("%#x", w.bits)
}

// Judge compares a result with what the row expects.
func (r *Row) Judge(got []uint32) error {
	if r.Check != nil {
		return r.Check(got)
	}
	if len(got) < len(r.Want) {
		return fmt.Errorf("%d words, want %d", len(got), len(r.Want))
	}
	words := r.Program.Words
	var text []string
	for i, w := range r.Want {
		if w.Accepts(got[i]) {
			continue
		}
		value := fmt.Sprintf("%#x", got[i])
		if w.kind == float {
			value = fmt.Sprint(math.Float32frombits(got[i]))
		}
		text = append(text, fmt.Sprintf("ray %d word %d (%s): got %s, want %v", i/words, i%words, r.Program.name(i%words), value, w))
	}
	const most = 6
	switch {
	case len(text) == 0:
		return nil
	case len(text) > most:
		text = append(text[:most], fmt.Sprintf("and %d more", len(text)-most))
	}
	return fmt.Errorf("%s", strings.Join(text, "\n"))
}

// Compared reports whether the specification leaves the row's answer to the implementations, which must agree.
func (r *Row) Compared() bool { return r.Want == nil && r.Check == nil }

// repeat lists what f returns for 0 to n-1.
func repeat[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// join appends lists of words.
func join(lists ...[]Word) []Word {
	var out []Word
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// le returns words in memory, for record data.
func le(words ...uint32) []byte {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}
