package pipelinetest_test

// moreCorners are cases of TestCorners about memory, nested calls and debug information.
func moreCorners() []corner {
	return []corner{
		{
			name: "addresses in payloads",
			types: `layout(buffer_reference, std430, buffer_reference_align = 4) buffer Node { uint value; uint other; };
				layout(buffer_reference) buffer Link;
				layout(buffer_reference, std430, buffer_reference_align = 8) buffer Link { Link next; Node node; uint depth; };
				struct Data { uint v; Node at; Node list[2]; uint64_t raw; };
				layout(shaderRecordEXT, std430) buffer Record { uint value; } record;
				`,
			raygen: `Node n = Node(push.scratchAddress); p.v = PIXEL; p.at = n; p.list[0] = n + 1u; p.list[1] = n + (PIXEL & 7u);
				p.raw = uint64_t(n + 2u);
				uvec2 mine = push.scratchAddress + uvec2(4096u + 64u * PIXEL, 0u); Link a = Link(mine); a.node = n + 3u;
				    a.next = Link(mine + uvec2(32u, 0u)); a.depth = 2u; a.next.node = n + (PIXEL & 3u); a.next.next = a; a.next.depth = PIXEL;
				TRACE(0u); note(p.at.value + p.list[p.v & 1u].other + Node(p.raw).value); Link w = a;
				    for (uint k = 0u; k < 3u + (PIXEL & 1u); k++) { w = w.next; TRACE(k); note(w.node.value + w.depth + p.v); }
				note(p.list[PIXEL & 1u].value); for (uint k = 0u; k < 8u; k++) { Node gone = Node(mine + uvec2(8u * k, 0u)); gone.value = 0u;
				    gone.other = 0u; }`,
			hit:  "p.v += p.at.value; p.at = p.list[p.v & 1u]; p.list[1] = Node(p.raw); p.raw += 8ul;",
			miss: "p.list[0] = p.at; p.v ^= p.list[1].other;", callable: "p.v++;",
		},
		{
			name: "one binding as several types",
			rayFunctions: "layout(set = 0, binding = 2, std430) buffer Vectors { uvec4 v[]; } vectors[3];\nlayout(set = 0, binding = 2, " +
				"scalar) buffer Small { uint16_t h[]; } small_[3];\nlayout(set = 0, binding = 2, std430) buffer Fixed { uint head; mat2 m; " +
				"uint tail[]; } fixed_[3];\n",
			hitFunctions: "layout(set = 0, binding = 2, std430) buffer Bytes { uint8_t b[]; } bytes[3];\n",
			raygen: "p = PIXEL; uint k = PIXEL & 31u; uvec4 q = vectors[1].v[k]; TRACE(0u); note(p + q.z + uint(small_[0].h[2u * k " +
				"+ 1u]) + fixed_[2].tail[k] + floatBitsToUint(fixed_[1].m[1].x)); TRACE(q.x & 3u); note(p + " +
				"vectors[nonuniformEXT(PIXEL % 2u)].v[k][p & 3u] + fixed_[1].tail.length());",
			hit: "p = p * 5u + uint(bytes[1].b[p & 63u]) + uint(gl_PrimitiveID);",
		},
		{
			name: "records and push constants by index",
			types: `#define Data uint
				struct Inner { uint a; uvec2 b[3]; };
				layout(shaderRecordEXT, std430) buffer Record { Inner inner[2]; uint rest[2]; } record;
				uint pick(uint k) { return record.inner[k & 1u].b[k % 3u].y * 3u + record.inner[1u - (k & 1u)].a; }
				`,
			raygen: "p = PIXEL; note(pick(p)); Inner whole = record.inner[PIXEL & 1u]; TRACE(0u); note(pick(p) + whole.b[p % 3u].x); " +
				"executeCallableEXT(PIXEL & 1u, 1); TRACE(1u); note(record.rest[p & 1u] + push.scratchAddress.y * 0u);",
			hit:  "p += pick(p) + uint(gl_PrimitiveID); p ^= record.rest[p & 1u];",
			miss: "Inner i = record.inner[p & 1u]; p += i.b[p % 3u].x + i.a;", callable: "p = pick(p);",
			record: func() (r []byte) {
				for i := range 72 {
					r = append(r, byte(i*7), byte(i), 0, 0)
				}
				return r[:72]
			}(),
		},
		{
			name: "ray queries in all shaders", depth: 2,
			common: `uint ask(vec3 o, vec3 d) { rayQueryEXT q;
				rayQueryInitializeEXT(q, scenes[1], gl_RayFlagsOpaqueEXT, 0xFFu, o, 0.01, d, 100.0); rayQueryProceedEXT(q);
				    return rayQueryGetIntersectionTypeEXT(q, true) == 0u ? 9u : uint(rayQueryGetIntersectionPrimitiveIndexEXT(q, true)); }
				uint askIn(accelerationStructureEXT s, vec3 o) { rayQueryEXT q[2];
				    for (uint i = 0u; i < 2u; i++) rayQueryInitializeEXT(q[i], s, gl_RayFlagsOpaqueEXT, 0xFFu,
				        o + vec3(0.1 * float(i), 0.0, 0.0), 0.01, vec3(0, 0, 1), 100.0);
				            while (rayQueryProceedEXT(q[1])) {} rayQueryProceedEXT(q[0]);
				                return rayQueryGetIntersectionTypeEXT(q[0], true) * 2u + rayQueryGetIntersectionTypeEXT(q[1], true); }
				`,
			raygen: "p = PIXEL; note(ask(origin(0u), direction(1u))); TRACE(0u); " +
				"note(p + askIn(scenes[nonuniformEXT(PIXEL & 1u)], origin(p & 3u))); c = p; executeCallableEXT(0u, 1); note(c);",
			hit:  "p = p * 5u + ask(gl_WorldRayOriginEXT, vec3(0.05, 0.0, 1.0));",
			miss: "p = p * 3u + askIn(scenes[0], vec3(0.1, -0.2, -3.0));",
			anyHit: "if ((ask(vec3(float(gl_PrimitiveID & 7) * 0.1 - 0.3, 0.0, -2.0), vec3(0.0, 0.1, 1.0)) & 1u) == 0u) " +
				"ignoreIntersectionEXT;", callable: "p = p * 7u + ask(vec3(float(p & 7u) * 0.1 - 0.3, 0.1, -2.0), vec3(0.0, 0.0, 1.0));",
		},
		{
			name: "deep recursion with locals", depth: 4,
			hitFunctions: "layout(location = 3) rayPayloadEXT uvec2 inner;\nlayout(location = 4) callableDataEXT uint called;\nuint " +
				"own[6];\n",
			raygen: "p = PIXEL & 3u; TRACE(0u); note(p); p = 0x300u | (PIXEL & 3u); TRACE(1u); note(p);",
			hit: `for (uint i = 0u; i < 6u; i++) own[i] = p * i; bvec3 b = bvec3(p > 2u, gl_PrimitiveID > 40, true); uint level = p >> 8;
				if (level > 1u) { called = p; executeCallableEXT(0u, 4); p += called & 15u; p -= 0x100u;
				    traceRayEXT(scenes[0], gl_RayFlagsOpaqueEXT, 0xFFu, 0u, 2u, 0u, gl_WorldRayOriginEXT + vec3(0.05, 0.0, 0.0), 0.001,
				        gl_WorldRayDirectionEXT, 100.0, 0); }
				p = p * 3u + own[gl_PrimitiveID % 6] + uint(gl_PrimitiveID) + (b.y ? 1u : 0u) + (any(b.xy) ? 4u : 0u);`,
			miss: "p = p * 7u + 1u;", callable: "uint n = p; for (uint i = 0u; i < (n & 3u); i++) p = p * 5u + i;",
		},
		{
			name:   "calls in expressions",
			common: "struct Pair { uint a; uvec2 b[2]; };\n",
			rayFunctions: "Pair shoot(uint k) { TRACE(k); return Pair(p, uvec2[2](uvec2(p, k), uvec2(k, p >> 1))); }\nbool odd(uint k) { " +
				"TRACE(k); return (p & 1u) == 1u; }\nuint big[150];\nuint count(uint k) { executeCallableEXT(k & 1u, 1); return c & 3u; }\n",
			raygen: `p = PIXEL; c = PIXEL; for (uint i = 0u; i < 150u; i++) big[i] = hash(i + PIXEL);
				uint v = odd(0u) && odd(1u) || !odd(2u) ? shoot(3u).b[PIXEL & 1u].x : shoot(1u).a + big[p % 150u];
				note(v); for (uint i = count(0u); i < count(i) + 2u && i < 9u; i += 1u + count(i)) {
				    big[i * 7u + (p & 3u)] ^= shoot(i & 3u).b[1].y; note(big[(p + i) % 150u]); }
				Pair pairs[2] = Pair[2](shoot(0u), shoot(2u)); note(pairs[p & 1u].b[p >> 1 & 1u].x); v = shoot(pairs[0].a & 3u).a;
				    note(v + big[v % 150u]); switch (count(v)) { case 0u: v = shoot(1u).a; case 1u: note(v); break; case 2u: note(count(p));
				        default: note(7u); }`,
			hit: "p = p * 5u + uint(gl_PrimitiveID);", callable: "p = p * 1664525u + 1013904223u; p ^= p >> 16;",
		},
		{
			name: "lines", target: []string{"--target-env", "vulkan1.2", "-g"},
			common: "uint twice(uint v) { for (uint i = 0u; i < 2u; i++) { if (v == 7u) return 3u; v += v; } return v; }\n",
			raygen: "p = PIXEL; Data keep = p; TRACE(0u); note(twice(p)); for (uint i = 0u; i < 2u; i++) { TRACE(i); if (p == keep) " +
				"continue; note(p + twice(keep)); }",
			hit: "p = twice(p) + uint(gl_PrimitiveID);",
		},
		{
			name: "barriers",
			raygen: "p = PIXEL; scratch[0].word[PIXEL] = p; memoryBarrierBuffer(); TRACE(0u); note(p + scratch[0].word[PIXEL] + " +
				"atomicAdd(scratch[1].word[5], 0u)); subgroupBarrier(); subgroupMemoryBarrierBuffer(); note(p);",
			hit: "scratch[0].word[p % 312u] += 0u; p = p * 5u + uint(gl_PrimitiveID);",
		},
		{
			name: "64-bit atomics and arithmetic",
			common: "#extension GL_EXT_shader_atomic_int64 : require\nlayout(set = 0, binding = 2, std430) buffer Wide { uint64_t w[]; } " +
				"wide[3];\n",
			raygen: "p = PIXEL; uint64_t old = atomicAdd(wide[0].w[100], 0ul); int64_t s = int64_t(PIXEL) - 100l; TRACE(0u); " +
				"atomicAdd(wide[0].w[101], uint64_t(p) << 20); atomicMax(wide[1].w[30], uint64_t(p) * 0x100000001ul); note(uint(old >> 32) " +
				"+ p); s = s / 7l + (s >> 2); double d = double(s); TRACE(1u); note(uint(s) + uint(int(d * 0.25LF)) + uint(bitCount(p))); " +
				"i64vec3 v = i64vec3(s, -s, s * s); note(uint(v.z + v.y) + uint(uint64_t(v.y) >> 40));",
			hit: "atomicAdd(wide[0].w[102 + (gl_PrimitiveID & 3)], 0x100000000ul); p = p * 5u + uint(gl_PrimitiveID);",
		},
	}
}
