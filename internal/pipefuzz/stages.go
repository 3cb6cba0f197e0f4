package pipefuzz

import (
	"fmt"
	"strings"
)

// interfaces declares what connects the shader with others, and returns what main does before and after the body.
func (s *shader) interfaces() (begin, end []string) {
	switch s.stage {
	case "rgen":
		return s.raygen()
	case "rchit", "rmiss":
		return s.shading()
	case "rcall":
		return s.callable()
	case "rahit":
		return s.anyHit()
	}
	return s.intersection()
}

const sceneBinding = "layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;"

// outgoing declares variables to trace and call with, and returns their initialisation.
func (s *shader) outgoing(location int) (begin []string) {
	add := func(t *typ, qualifier, name string, callable bool, index int) {
		s.globals = append(s.globals, fmt.Sprintf("layout(location = %d) %s %s %s;", location, qualifier, t.name, name))
		s.sites = append(s.sites, site{name: name, location: location, callable: callable, index: index})
		s.scope = append(s.scope, variable{name, t, true})
		var parts []string
		for _, m := range t.members {
			parts = append(parts, s.constant(m.t))
		}
		begin = append(begin, fmt.Sprintf("%s = %s(%s);", name, t.name, strings.Join(parts, ", ")))
		location++
	}
	if s.stage != "rcall" {
		s.globals = append(s.globals, sceneBinding)
		for i, ray := range s.p.rays {
			if s.stage == "rgen" || s.r.IntN(2) == 0 {
				add(ray.payload, "rayPayloadEXT", fmt.Sprintf("p%d", i), false, i)
			}
		}
		if s.stage == "rgen" && s.r.IntN(3) == 0 {
			add(s.p.rays[0].payload, "rayPayloadEXT", "again", false, 0)
		}
	}
	for i, call := range s.p.calls {
		if s.r.IntN(3) > 0 {
			add(call.data, "callableDataEXT", fmt.Sprintf("c%d", i), true, i)
		}
	}
	return begin
}

func (s *shader) raygen() (begin, end []string) {
	s.globals = append(s.globals, fmt.Sprintf("uint fuel = %du;", maxFuel), "const uint depth = 0u;",
		"layout(set = 0, binding = 1, std430) buffer Result { uint word[]; } result;")
	begin = s.outgoing(s.r.IntN(3))
	begin = append(begin, "note(hash(gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x));")
	end = append(end, fmt.Sprintf("uint at = (gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x) * %du;", ResultWords))
	folds := [2]string{"1u", "2u"}
	for _, site := range s.sites {
		t, k := s.siteType(site), 0
		if site.callable {
			k = 1
		}
		folds[k] += " ^ hash(" + s.fold(t, site.name) + ")"
	}
	for i, word := range []string{"acc", folds[0], folds[1], "fuel"} {
		end = append(end, fmt.Sprintf("result.word[at + %du] = %s;", i, word))
	}
	return begin, end
}

// siteType is the type of a site's variable.
func (s *shader) siteType(site site) *typ {
	if site.callable {
		return s.p.calls[site.index].data
	}
	return s.p.rays[site.index].payload
}

// shading is the interface of closest hit and miss shaders.
func (s *shader) shading() (begin, end []string) {
	location := s.r.IntN(4)
	s.globals = append(s.globals, fmt.Sprintf("layout(location = %d) rayPayloadInEXT %s pin;", location, s.ray.payload.name),
		"uint fuel = 0u;", "uint depth = 0u;")
	s.scope = append(s.scope, variable{"pin", s.ray.payload, true})
	begin = append(begin, "fuel = pin.fuel; depth = pin.depth;", "note(pin.acc);")
	if s.stage == "rchit" {
		if s.p.has(Builtins) {
			begin = append(begin, "geometry = uint(gl_GeometryIndexEXT);", "kind = gl_HitKindEXT;")
		}
		s.hitAttributes()
	}
	begin = append(begin, s.outgoing(location+1)...)
	if s.p.has(PassOn) && s.r.IntN(2) == 0 {
		s.globals = append(s.globals, sceneBinding)
		s.sites = append(s.sites, site{name: "pin", location: location, incoming: true, index: s.number})
	}
	s.withoutTraces()
	return begin, []string{"pin.acc = acc;", "pin.fuel = fuel; pin.depth = depth;"}
}

// withoutTraces drops the sites that the features forbid.
func (s *shader) withoutTraces() {
	var kept []site
	for _, site := range s.sites {
		if site.callable && (s.stage != "rcall" || s.p.has(NestedCallables)) || !site.callable && s.p.has(Recursion) {
			kept = append(kept, site)
		}
	}
	s.sites = kept
	seen := false
	var globals []string
	for _, g := range s.globals {
		if g == sceneBinding && seen {
			continue
		}
		seen = seen || g == sceneBinding
		globals = append(globals, g)
	}
	s.globals = globals
}

func (s *shader) hitAttributes() {
	v := variable{"(attributes.x + attributes.y < 1.5)", tBool, false}
	declaration := "hitAttributeEXT vec2 attributes;"
	if s.procedural {
		v = variable{"attributes", s.p.attributes, false}
		declaration = fmt.Sprintf("hitAttributeEXT %s attributes;", s.p.attributes.name)
	}
	s.globals = append(s.globals, declaration)
	if s.stage == "rahit" || s.p.attributesLast || !s.p.out.Procedural {
		s.scope = append(s.scope, v)
	}
}

func (s *shader) callable() (begin, end []string) {
	location := s.r.IntN(4)
	data := s.p.calls[s.number].data
	s.globals = append(s.globals, fmt.Sprintf("layout(location = %d) callableDataInEXT %s pin;", location, data.name),
		"uint fuel = 0u;", "uint depth = 0u;")
	s.scope = append(s.scope, variable{"pin", data, true})
	begin = append(begin, "fuel = pin.fuel; depth = pin.depth;", "note(pin.acc);")
	begin = append(begin, s.outgoing(location+1)...)
	if s.p.has(PassOn) && s.r.IntN(2) == 0 {
		s.sites = append(s.sites, site{name: "pin", location: location, incoming: true, callable: true, index: s.number})
	}
	s.withoutTraces()
	return begin, []string{"pin.acc = acc;", "pin.fuel = fuel; pin.depth = depth;"}
}

func (s *shader) anyHit() (begin, end []string) {
	s.globals = append(s.globals, fmt.Sprintf("layout(location = %d) rayPayloadInEXT %s pin;", s.r.IntN(4), s.ray.payload.name))
	s.scope = append(s.scope, variable{"pin", s.ray.payload, true})
	s.hitAttributes()
	if s.p.has(Builtins) {
		begin = append(begin, "geometry = uint(gl_GeometryIndexEXT);", "kind = gl_HitKindEXT;")
	}
	return begin, []string{"verdict(hash(acc ^ uint(gl_PrimitiveID) * 64u ^ uint(gl_InstanceID)));", "pin.scratch ^= acc;"}
}

// verdict writes what an any hit shader decides by: the identity of the candidate, given as a number. Rays that cull
// what is opaque meet all other candidates if each is ignored: sums and bits are then the same in any order. Rays
// without opaque candidates and closest hit shader ask whether there is a hit: every any hit shader leaves the same bit.
func (s *shader) verdict() {
	s.line("void refuse(uint id) { if (id %% 3u == 0u) ignoreIntersectionEXT; pin.scratch += id; }")
	s.line("void verdict(uint id) {")
	if s.ray.allAnyHit {
		count := "pin.sum += id & 0xFFFFu;"
		if s.procedural { // asked once for each report, and for a box perhaps twice
			count = "pin.answers |= 2u << (uint(gl_PrimitiveID) & 15u);"
		}
		s.line("if ((gl_IncomingRayFlagsEXT & gl_RayFlagsCullOpaqueEXT) != 0u) { %s ignoreIntersectionEXT; }", count)
		s.line("if ((gl_IncomingRayFlagsEXT & 10u) == 10u) {")
		s.line("refuse(id);")
		s.line("pin.answers |= 1u;")
		s.line("if ((id & 8u) != 0u) terminateRayEXT;")
		s.line("return; }")
	}
	s.line("pin.scratch = id;")
	if s.procedural && s.p.attributesLast { // then what is reported is accepted
		s.line("}")
		return
	}
	switch s.r.IntN(4) {
	case 0:
		s.line("refuse(id);")
	case 1:
		s.line("for (uint i = 0u; i < id %% 4u; i++) { if (i == 2u) ignoreIntersectionEXT; acc += i; }")
		s.line("refuse(id >> 3);")
	case 2:
		s.line("switch (id %% 4u) { case 0u: acc++; case 1u: if ((id & 16u) != 0u) ignoreIntersectionEXT; break; case 2u: refuse(id " +
			">> 4); default: acc += 3u; }")
	default:
		s.line("if ((id & 4u) != 0u) return;")
		s.line("do { refuse(id); id >>= 3; } while ((id & 3u) == 1u);")
	}
	s.line("}")
}

// intersection is the interface of an intersection shader: a hit where the ray passes the box's middle plane, and
// perhaps one on either side. What it reports next lies behind what was refused, and does not matter if it was not.
func (s *shader) intersection() (begin, end []string) {
	s.globals = append(s.globals, "layout(set = 0, binding = 2, std430) readonly buffer Boxes { float edge[]; } boxes;",
		fmt.Sprintf("hitAttributeEXT %s attributes;", s.p.attributes.name))
	if s.p.has(Builtins) {
		begin = append(begin, "geometry = uint(gl_GeometryIndexEXT);")
	}
	attributes := func() string { return fmt.Sprintf("attributes = %s;", s.expr(s.p.attributes, 2)) }
	end = append(end,
		fmt.Sprintf("uint box = 6u * (uint(gl_PrimitiveID) + %du * uint(gl_GeometryIndexEXT));", PrimitivesPerGeometry),
		"float slope = 1.0 / gl_ObjectRayDirectionEXT.z;",
		"float t = ((boxes.edge[box + 2u] + boxes.edge[box + 5u]) * 0.5 - gl_ObjectRayOriginEXT.z) * slope;",
		"vec2 at = gl_ObjectRayOriginEXT.xy + gl_ObjectRayDirectionEXT.xy * t;",
		"if (any(lessThan(at, vec2(boxes.edge[box], boxes.edge[box + 1u]))) || any(greaterThan(at, vec2(boxes.edge[box + 3u], "+
			"boxes.edge[box + 4u])))) return;",
		attributes())
	report := func(offset float64) string {
		return fmt.Sprintf("reportIntersectionEXT(t + %.5f * abs(slope), %du)", offset, s.r.IntN(128))
	}
	if s.p.attributesLast { // nothing is written that is not accepted, see plan
		guard := "if (t <= gl_RayTminEXT || t >= gl_RayTmaxEXT) return;"
		end = append(end[:len(end)-1], guard, end[len(end)-1], report(0)+";")
		if s.p.has(SeveralReports) && s.r.IntN(2) == 0 {
			end = append(end, report(0.03125)+";")
		}
		return begin, end
	}
	if !s.p.has(SeveralReports) {
		return begin, append(end, report(0)+";")
	}
	switch s.r.IntN(4) {
	case 0:
		end = append(end, report(0)+";")
	case 1:
		end = append(end, fmt.Sprintf("if (!%s) { %s %s; }", report(-0.03125), attributes(), report(0.03125)))
	case 2:
		end = append(end, report(0)+";", attributes(), report(0.03125)+";")
	default:
		end = append(end, fmt.Sprintf("for (uint i = 0u; i < 3u; i++) { if (reportIntersectionEXT(t + (float(i) - 1.0) * 0.03125 * "+
			"abs(slope), i * 7u)) break; %s }", attributes()))
	}
	return begin, end
}

// shoot writes one call of another shader, for as long as there is fuel.
func (s *shader) shoot(c position) {
	s.cost += 4 * c.times
	site := s.sites[s.r.IntN(len(s.sites))]
	h := s.name("h")
	restore := ""
	if site.incoming {
		restore = " pin.depth = depth;"
	}
	if site.callable {
		call := s.p.calls[site.index]
		guard := "fuel > 0u"
		next := "1u"
		if s.stage == "rcall" {
			guard, next = "fuel > 0u && depth < 2u", "depth + 1u"
		}
		if s.stage != "rcall" && site.incoming {
			restore = ""
		}
		s.line("if (%s) { %s.fuel = fuel - 1u; %s.depth = %s; executeCallableEXT(%du + %s %% %du, %d); fuel = %s.fuel;%s }",
			guard, site.name, site.name, next, call.first, s.expr(tUint, 2), call.count, site.location, site.name, restore)
		return
	}
	ray := s.p.rays[site.index]
	if s.p.has(HitObjects) && s.r.IntN(2) == 0 {
		s.hitObject(site, ray, restore)
		return
	}
	s.line("if (fuel > 0u && depth < %du) { %s.fuel = fuel - 1u; %s.depth = depth + 1u; uint %s = hash(%s);", s.p.out.Depth, site.name,
		site.name, h, s.expr(tUint, 2))
	s.line("traceRayEXT(scene, %s, %s, %du, %du, %du + %s %% %du, rayOrigin(%s), %s, rayDirection(%s), %s, %d); fuel = %s.fuel;%s }",
		s.flags(ray), s.one("0xFFu", "0xFFu", "0xFFu", "0x0Fu", "0x1F0u"), site.index, len(s.p.rays), ray.firstMiss, s.expr(tUint, 1),
		ray.misses,
		h, s.one("0.0", "0.0", "0.5"), h, s.one("64.0", "64.0", "64.0", "2.5"), site.location, site.name, restore)
}

// flags draws ray flags of which no result depends on the order of candidates: see verdict.
func (s *shader) flags(ray rayType) string {
	if ray.allAnyHit && s.r.IntN(4) == 0 {
		return s.one("gl_RayFlagsCullOpaqueEXT", "14u", "10u")
	}
	list := []string{
		"0u", "0u", "0u", "gl_RayFlagsOpaqueEXT", "gl_RayFlagsNoOpaqueEXT", "gl_RayFlagsCullNoOpaqueEXT",
		"gl_RayFlagsSkipClosestHitShaderEXT",
		"gl_RayFlagsCullBackFacingTrianglesEXT", "gl_RayFlagsCullFrontFacingTrianglesEXT | gl_RayFlagsNoOpaqueEXT",
	}
	return s.one(list...)
}
