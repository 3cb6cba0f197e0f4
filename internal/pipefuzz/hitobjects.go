package pipefuzz

import (
	"fmt"
	"strings"
)

// Hit objects. What an object is traced for and then executed is a trace call in two parts, so a pipeline with hit objects says the
// same without: each use stands in the source both ways, and Compile and CompilePlain choose one. So the result of ways that know
// no hit objects is that of those that do.
const (
	// hitObjectMacro chooses hit objects in the source.
	hitObjectMacro = "HIT_OBJECTS"
	// hitObjectCallFuel bounds what a callable shader may spend that is called while an object is kept.
	hitObjectCallFuel = 3
)

// hitObjectHead declares the instructions of SPV_EXT_shader_invocation_reorder, which the compiler does not know.
const hitObjectHead = `#extension GL_EXT_spirv_intrinsics : require
#define X(n) spirv_instruction(extensions = ["SPV_EXT_shader_invocation_reorder"], capabilities = [5388], id = n)
#define HO spirv_type(extensions = ["SPV_EXT_shader_invocation_reorder"], capabilities = [5388], id = 5313)
#define R spirv_by_reference
X(5315) void hoReorder(R HO h);
X(5314) void hoReorderHint(uint hint, uint bits);
X(5315) void hoReorderBoth(R HO h, uint hint, uint bits);
X(5305) void hoMiss(R HO h, uint fl, uint miss, vec3 o, float t0, vec3 d, float t1);
X(5318) void hoEmpty(R HO h);
X(5309) void hoSetRecordIndex(R HO h, uint index);
X(5350) bool hoIsEmpty(R HO h);
X(5351) bool hoIsHit(R HO h);
X(5352) bool hoIsMiss(R HO h);
X(5347) float hoTMin(R HO h);
X(5333) float hoTMax(R HO h);
X(5308) uint hoFlags(R HO h);
X(5330) vec3 hoWorldOrigin(R HO h);
X(5329) vec3 hoWorldDirection(R HO h);
X(5327) vec3 hoObjectOrigin(R HO h);
X(5331) mat4x3 hoObjectToWorld(R HO h);
X(5348) uint hoRecordIndex(R HO h);
`

// hitObjectPayload declares those that take a payload, of a type.
const hitObjectPayload = `X(5316) void hoTrace(R HO h, accelerationStructureEXT a, uint fl, uint mask, uint off, uint stride,
    uint miss, vec3 o, float t0, vec3 d, float t1, R %[1]s p);
X(5311) void hoTraceReorderExecute(R HO h, accelerationStructureEXT a, uint fl, uint mask, uint off, uint stride, uint miss,
    vec3 o, float t0, vec3 d, float t1, R %[1]s p);
X(5319) void hoExecute(R HO h, R %[1]s p);
X(5310) void hoReorderExecute(R HO h, R %[1]s p);
`

// hitObjectDeclarations is what a shader with hit objects begins with, behind its structures.
func (s *shader) hitObjectDeclarations() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#ifdef %s\n%s", hitObjectMacro, hitObjectHead)
	for _, ray := range s.p.rays {
		fmt.Fprintf(&b, hitObjectPayload, ray.payload.name)
	}
	b.WriteString("#endif\n")
	return b.String()
}

// either writes lines for those who have hit objects, and lines that say the same for others.
func (s *shader) either(with, without []string) {
	s.line("#ifdef %s", hitObjectMacro)
	s.text = append(s.text, with...)
	s.line("#else")
	s.text = append(s.text, without...)
	s.line("#endif")
}

// hitObject writes a trace in two parts, or another use of a hit object.
func (s *shader) hitObject(site site, ray rayType, restore string) {
	s.objects = true
	o, h, m, p := s.name("o"), s.name("h"), s.name("m"), site.name
	if s.r.IntN(8) == 0 { // nothing is executed
		s.either([]string{fmt.Sprintf("{ HO %s; hoEmpty(%s); note(hoIsEmpty(%s) ? 1u : 0u); hoExecute(%s, %s); }", o, o, o, o, p)},
			[]string{"note(1u);"})
		return
	}
	flags := s.one("0u", "0u", "0u", "gl_RayFlagsOpaqueEXT", "gl_RayFlagsNoOpaqueEXT", "gl_RayFlagsCullNoOpaqueEXT",
		"gl_RayFlagsCullBackFacingTrianglesEXT", "gl_RayFlagsCullFrontFacingTrianglesEXT | gl_RayFlagsNoOpaqueEXT")
	mask, t0, t1 := s.one("0xFFu", "0xFFu", "0x0Fu"), s.one("0.0", "0.5"), s.one("64.0", "64.0", "2.5")
	s.line("if (fuel > 0u && depth < %du) { %s.fuel = fuel - 1u; %s.depth = depth + 1u; uint %s = hash(%s); uint %s = %du + %s %% "+
		"%du;", s.p.out.Depth, p, p, h, s.expr(tUint, 2), m, ray.firstMiss, s.expr(tUint, 1), ray.misses)
	operands := func(mask string) string {
		return fmt.Sprintf("scene, %s, %s, %du, %du, %s, rayOrigin(%s), %s, rayDirection(%s), %s", flags, mask, site.index,
			len(s.p.rays), m, h, t0, h, t1)
	}
	recorded := s.r.IntN(4) == 0 // a miss of the same ray, which no structure has
	trace := fmt.Sprintf("hoTrace(%s, %s, %s);", o, operands(mask), p)
	plain := fmt.Sprintf("traceRayEXT(%s, %d);", operands(mask), site.location)
	if recorded {
		trace = fmt.Sprintf("hoMiss(%s, %s, %s, rayOrigin(%s), %s, rayDirection(%s), %s);", o, flags, m, h, t0, h, t1)
		plain = fmt.Sprintf("traceRayEXT(%s, %d);", operands("0u"), site.location)
	}
	execute := fmt.Sprintf("hoExecute(%s, %s);", o, p)
	switch pick := s.r.IntN(6); {
	case pick == 0 && s.stage == "rgen" && !recorded:
		trace, execute = "", fmt.Sprintf("hoTraceReorderExecute(%s, %s, %s);", o, operands(mask), p)
	case pick == 1 && s.stage == "rgen":
		execute = fmt.Sprintf("hoReorderExecute(%s, %s);", o, p)
	case pick == 2:
		copied := s.name("o")
		execute = fmt.Sprintf("HO %s; %s = %s; hoEmpty(%s); hoExecute(%s, %s);", copied, copied, o, o, copied, p)
	case pick == 3 && trace != "":
		trace += fmt.Sprintf(" hoSetRecordIndex(%s, hoRecordIndex(%s));", o, o)
	}
	with, without := []string{"HO " + o + ";"}, []string{}
	if trace != "" {
		with = append(with, trace)
		for range s.r.IntN(3) {
			with = append(with, fmt.Sprintf("note(%s ? 1u : 0u);", s.hitObjectFact(o, m, h, flags, t0, t1, recorded)))
			without = append(without, "note(1u);")
		}
		if s.stage == "rgen" && s.r.IntN(2) == 0 {
			with = append(with, s.one("hoReorder("+o+");", "hoReorderBoth("+o+", "+h+" & 3u, 2u);", "hoReorderHint("+h+", 4u);"))
		}
	}
	s.either(with, without)
	s.meanwhile()
	s.either([]string{execute}, []string{plain})
	s.line("fuel = %s.fuel;%s }", p, restore)
}

// lastObjects ends a ray generation shader with a use of a hit object for each payload, as statements of their own.
func (s *shader) lastObjects() {
	for _, site := range s.sites {
		if site.callable {
			continue
		}
		number, begin := s.p.statements, len(s.text)
		s.p.statements++
		s.hitObject(site, s.p.rays[site.index], "")
		if s.p.o.Drop[number] {
			s.text = s.text[:begin]
		}
	}
}

// hitObjectFact returns what is true of an object, whatever the ray meets.
func (s *shader) hitObjectFact(o, miss, h, flags, t0, t1 string, recorded bool) string {
	facts := []string{
		"(uint(hoIsHit(O)) + uint(hoIsMiss(O)) == 1u && !hoIsEmpty(O))",
		"(hoTMin(O) == " + t0 + ")",
		"(hoFlags(O) == (" + flags + "))",
		"(hoIsHit(O) ? hoTMax(O) <= " + t1 + " : hoTMax(O) == " + t1 + ")",
		"(hoIsHit(O) || hoRecordIndex(O) == " + miss + ")",
		"(!hoIsHit(O) || hoRecordIndex(O) < " + fmt.Sprint(len(s.p.out.Hit)) + "u)",
		"(hoWorldOrigin(O) == rayOrigin(" + h + ") && hoWorldDirection(O) == rayDirection(" + h + "))",
		"(!hoIsHit(O) || distance(hoObjectToWorld(O) * vec4(hoObjectOrigin(O), 1.0), hoWorldOrigin(O)) < 0.01)",
	}
	if recorded {
		facts = append(facts, "hoIsMiss(O)")
	}
	return strings.ReplaceAll(s.one(facts...), "O)", o+")")
}

// meanwhile writes, now and then, a call of a callable shader while an object is kept. It spends what nobody asks back.
func (s *shader) meanwhile() {
	for _, site := range s.sites {
		if !site.callable || site.incoming || s.r.IntN(2) > 0 {
			continue
		}
		call := s.p.calls[site.index]
		s.cost += 4
		s.line("{ %s.fuel = min(fuel, %du) - 1u; %s.depth = 1u; executeCallableEXT(%du + %s %% %du, %d); }", site.name,
			hitObjectCallFuel, site.name, call.first, s.expr(tUint, 1), call.count, site.location)
		return
	}
}
