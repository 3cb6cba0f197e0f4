package pipefuzz

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// shader writes one shader.
type shader struct {
	p          *plan
	r          *rand.Rand
	stage      string
	index      int
	ray        rayType // the type that the shader takes, where it takes a payload
	number     int     // and its index
	procedural bool

	scope      []variable
	functions  []function
	sites      []site
	text       []string // of functions
	globals    []string
	folds      []*typ
	names      int
	cost, size int // of the function being written: statements run at most, and statements with those of functions called
	most       int // size not to exceed by much
	tables     bool
	objects    bool // there are hit objects
	// specialization is the value of constant 0.
	specialization uint32
}

// site is a variable to trace or call with.
type site struct {
	name     string
	location int
	incoming bool
	callable bool
	index    int // of the ray or call type
}

func newShader(p *plan, stage string, number int, procedural bool, index int) *shader {
	s := &shader{p: p, r: rand.New(rand.NewPCG(p.out.Seed, uint64(index)+1)), stage: stage, index: index, number: number,
		procedural: procedural}
	if stage != "rgen" && stage != "rcall" {
		s.ray = p.rays[number]
	}
	return s
}

func (s *shader) name(prefix string) string {
	s.names++
	return fmt.Sprintf("%s%d", prefix, s.names)
}

// fold returns the number that a value folds into.
func (s *shader) fold(t *typ, path string) string {
	if t.elem == nil && t.kind != kindStruct {
		return leaf{path, t}.word()
	}
	if !slices.ContainsFunc(s.folds, func(f *typ) bool { return f.name == t.name }) {
		s.folds = append(s.folds, t)
	}
	return t.foldName() + "(" + path + ")"
}

func (s *shader) calling() bool { return len(s.sites) > 0 }

// prelude is what every shader begins with. hash is the PCG permutation; fx brings floats back into their range;
// rayOrigin and rayDirection draw from the lattice that scene.go speaks of.
const prelude = `uint hash(uint v) { v = v * 747796405u + 2891336453u; uint w = ((v >> ((v >> 28u) + 4u)) ^ v) * 277803737u;
    return (w >> 22u) ^ w; }
float fx(float v) { return float(int(v * 4.0) & 1023) * 0.25; }
vec2 fx(vec2 v) { return vec2(fx(v.x), fx(v.y)); }
vec3 fx(vec3 v) { return vec3(fx(v.x), fx(v.y), fx(v.z)); }
vec4 fx(vec4 v) { return vec4(fx(v.x), fx(v.y), fx(v.z), fx(v.w)); }
void note(uint v) { acc = acc * 31u + v; }
`

const rays = `vec3 rayOrigin(uint h) {
    return vec3((float(h & 63u) + 0.5) * 0.03125 - 1.0, (float((h >> 6) & 63u) + 0.5) * 0.03125 - 1.0,
        float((h >> 12) & %du) * 0.25 - 1.125); }
vec3 rayDirection(uint h) { vec2 slope = (h & 0x30000u) == 0u ? vec2(float((h >> 18) & 1u),
    float((h >> 19) & 1u)) * 0.5 - 0.25 : vec2(0.0); return vec3(slope,
        (h & 0x700000u) == 0u ? -1.0 : 1.0) * ((h & 0x800000u) == 0u ? 2.0 : 1.0); }
`

// generate writes the shader.
func (s *shader) generate() string {
	s.globals = append(s.globals, fmt.Sprintf("uint acc = %du;", s.r.IntN(1000)))
	s.scope = append(s.scope, variable{"acc", tUint, false})
	s.constants()
	s.builtins()
	begin, end := s.interfaces()
	s.most = 3 + s.p.o.Size/2
	if s.stage == "rgen" {
		s.most = 4 * s.p.o.Size
	}
	if s.p.has(Functions) {
		for range s.r.IntN(2 + s.p.o.Size/4) {
			s.declareFunction(1 + s.r.IntN(3))
		}
	}
	if s.stage == "rahit" {
		s.verdict()
	}
	statements := 1 + s.r.IntN(s.p.o.Size/3+1)
	if s.stage == "rgen" {
		statements = s.p.o.Size + s.r.IntN(s.p.o.Size)
	}
	s.line("void body() {")
	c := position{returns: true, times: 1}
	scope := len(s.scope)
	for range statements {
		s.statement(c)
	}
	if s.stage == "rgen" && s.p.has(HitObjects) {
		s.lastObjects()
	}
	for _, v := range s.scope[scope:] {
		s.line("note(%s);", s.fold(v.t, v.name))
	}
	s.scope = s.scope[:scope]
	s.line("}")
	s.line("void main() {")
	s.text = append(s.text, begin...)
	s.line("body();")
	s.text = append(s.text, end...)
	s.line("}")
	return s.source()
}

func (s *shader) source() string {
	var b strings.Builder
	b.WriteString("#version 460\n#extension GL_EXT_ray_tracing : require\n")
	if s.p.has(Wide) {
		b.WriteString("#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n")
	}
	for _, t := range s.p.structs {
		b.WriteString(t.declare())
	}
	for _, t := range s.structures() {
		b.WriteString(t.declare())
	}
	if s.tables {
		b.WriteString("const uint primes[8] = uint[8](2u, 3u, 5u, 7u, 11u, 13u, 17u, 19u);\n")
	}
	if s.objects {
		b.WriteString(s.hitObjectDeclarations())
	}
	for _, g := range s.globals {
		b.WriteString(g + "\n")
	}
	b.WriteString(prelude)
	if s.stage == "rgen" || s.stage == "rchit" || s.stage == "rmiss" {
		fmt.Fprintf(&b, rays, layers-1)
	}
	for _, t := range s.folds {
		b.WriteString(t.fold())
	}
	indent := 0
	for _, l := range s.text {
		if strings.HasPrefix(l, "}") {
			indent--
		}
		b.WriteString(strings.Repeat("    ", max(indent, 0)) + l + "\n")
		if strings.HasSuffix(l, "{") || strings.Count(l, "{") > strings.Count(l, "}") && !strings.HasPrefix(l, "}") {
			indent++
		}
	}
	return b.String()
}

// structures lists the structures that the shader's interface needs.
func (s *shader) structures() []*typ {
	var list []*typ
	for _, ray := range s.p.rays {
		list = append(list, ray.payload)
	}
	for _, call := range s.p.calls {
		list = append(list, call.data)
	}
	return list
}

// constants declares what the shader reads from outside. Blocks have names of their own, so that glslangValidator can
// compile shaders of several stages at once without comparing them.
func (s *shader) constants() {
	add := func(name string, t *typ) { s.scope = append(s.scope, variable{name, t, false}) }
	if s.p.has(Globals) {
		for range s.r.IntN(3) {
			t, name := s.p.typ(s.r, 1), s.name("g")
			s.globals = append(s.globals, fmt.Sprintf("%s %s = %s;", t.name, name, s.constant(t)))
			s.scope = append(s.scope, variable{name, t, true})
		}
	}
	if s.p.has(Specialisation) {
		s.globals = append(s.globals, fmt.Sprintf("layout(constant_id = 0) const uint constant = %du;\nuint special = constant; // "+
			"glslang 12 gets expressions of constants wrong", s.r.IntN(100)))
		s.specialization = s.r.Uint32()
		add("special", tUint)
	}
	if s.p.has(PushConstants) {
		layout := s.r.IntN(2)
		s.globals = append(s.globals, fmt.Sprintf("layout(push_constant) uniform Push%d { %s } push;", s.index,
			[]string{"uint a; int b; uvec2 c; vec4 d;", "layout(offset = 8) uint a; layout(offset = 16) mat2x2 d;"}[layout]))
		add("push.a", tUint)
		add("push.d", []*typ{vectorOf(tFloat, 4), matrixOf(2, 2)}[layout])
		if layout == 0 {
			add("push.b", tInt)
			add("push.c", vectorOf(tUint, 2))
		}
	}
	if s.p.has(Records) {
		layout := s.r.IntN(3)
		s.globals = append(s.globals, fmt.Sprintf("layout(shaderRecordEXT, std430) buffer Record%d { %s } record;", s.index,
			[]string{"uint a; uint b[3]; uvec4 c; vec4 d;", "uvec2 c; int b[6]; mat2x2 d;",
				"layout(offset = 4) uint a; layout(offset = 32) float d[4];"}[layout]))
		switch layout {
		case 0:
			add("record.a", tUint)
			add("record.b", arrayOf(tUint, 3))
			add("record.c", vectorOf(tUint, 4))
			add("record.d", vectorOf(tFloat, 4))
		case 1:
			add("record.b", arrayOf(tInt, 6))
			add("record.c", vectorOf(tUint, 2))
			add("record.d", matrixOf(2, 2))
		default:
			add("record.a", tUint)
			add("record.d", arrayOf(tFloat, 4))
		}
	}
}

// constant is a constant expression.
func (s *shader) constant(t *typ) string {
	scope := s.scope
	s.scope = nil
	defer func() { s.scope = scope }()
	return s.literal(t)
}

// builtins puts the stage's built-ins into the scope. gl_GeometryIndexEXT is read before any call: natively, lavapipe
// 25.0.7 gives the nested ray's afterwards. Directions and origins are multiples that rounding cannot change.
func (s *shader) builtins() {
	if !s.p.has(Builtins) {
		return
	}
	add := func(t *typ, names ...string) {
		for _, name := range names {
			s.scope = append(s.scope, variable{name, t, false})
		}
	}
	add(tUint, "gl_LaunchIDEXT.x", "gl_LaunchIDEXT.y", "gl_LaunchSizeEXT.x")
	add(vectorOf(tUint, 3), "gl_LaunchIDEXT")
	if s.stage == "rgen" || s.stage == "rcall" {
		return
	}
	add(tUint, "gl_IncomingRayFlagsEXT", "uint(gl_RayTminEXT * 4.0)", "uint(int(floor(gl_WorldRayOriginEXT.x * 32.0)))")
	add(tInt, "int(floor(gl_WorldRayDirectionEXT.x * 4.0 + 0.5))", "int(gl_WorldRayDirectionEXT.z)")
	if s.stage == "rmiss" {
		add(tUint, "uint(gl_RayTmaxEXT * 4.0)")
		return
	}
	s.globals = append(s.globals, "uint geometry = 0u;")
	add(tUint, "geometry", "uint(gl_PrimitiveID)", "uint(gl_InstanceID)")
	add(tInt, "gl_InstanceCustomIndexEXT", "int(floor(gl_ObjectRayOriginEXT.y * 32.0))",
		"int(floor(gl_ObjectRayDirectionEXT.y * 4.0 + 0.5))",
		"int(floor(gl_ObjectToWorldEXT[0].x + 0.5))", "int(floor(gl_WorldToObjectEXT[3].z * 4.0 + 0.5))")
	if s.stage != "rint" {
		s.globals = append(s.globals, "uint kind = 0u;") // lavapipe's own is the nested ray's after a call
		add(tUint, "kind", "uint(gl_HitTEXT * abs(gl_WorldRayDirectionEXT.z) * 4.0)")
	}
}
