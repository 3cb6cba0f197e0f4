package pipelinetest_test

// corners returns the cases of TestCorners.
func corners() []corner {
	return []corner{
		{
			name: "payload of small and wide types",
			types: cornerStruct("uint8_t a; int8_t b; uint16_t c; i16vec3 d; f16vec2 e; double f; i64vec2 g; u8vec4 h; dmat2 m; bool " +
				"flags[3]; f16mat2x3 hm;"),
			raygen: `uint n = PIXEL;
				p.a = uint8_t(n); p.b = int8_t(n * 7u); p.c = uint16_t(n * 300u); p.d = i16vec3(n, -int(n), 5); p.e = f16vec2(n & 15u, 0.5);
				p.f = double(n) / 3.0LF; p.g = i64vec2(int64_t(n) << 33, -int64_t(n)); p.h = u8vec4(n, n + 1u, n + 2u, n + 3u);
				p.m = dmat2(1.0LF, double(n), 2.0LF, 3.0LF); p.flags = bool[3](n % 2u == 0u, false, true); p.hm = f16mat2x3(1, 2, 3, 4, 5, 6);
				int8_t keep = int8_t(n * 3u); double wide = double(n) * 1.25LF; f16vec3 half_ = f16vec3(n & 7u);
				    i16vec2 sh = i16vec2(-int(n), n);
				for (uint k = 0u; k < 3u; k++) { TRACE(k); keep += p.b; wide += p.f; half_ += f16vec3(p.e.x); sh -= p.d.xy; }
				note(uint(p.a)); note(uint(int(p.b))); note(uint(p.c)); note(uint(int(p.d.x + p.d.y * p.d.z)));
				    note(uint(int(p.e.x * float16_t(4)))); note(uint(p.f * 64.0LF));
				note(uint(p.g.x >> 33)); note(uint(p.g.y)); note(pack32(p.h)); note(uint(p.m[0][1] + p.m[1][0]));
				    note(p.flags[n % 3u] ? 1u : 0u);
				note(uint(p.hm[1].z)); note(uint(int(keep))); note(uint(wide)); note(uint(half_.y)); note(uint(int(sh.x)) + uint(int(sh.y)));`,
			hit: "p.a += uint8_t(3); p.b -= int8_t(5); p.d.y *= int16_t(3); p.e.x += float16_t(0.25); p.f += 0.5LF; p.g.x ^= " +
				"0x500000000l; p.h.z = uint8_t(9); p.m[0][1] += 1.0LF; p.flags[1] = !p.flags[1]; p.hm[1].z += float16_t(1);",
			miss: "p.c *= uint16_t(3); p.d = p.d.zxy; p.e = p.e.yx; p.g = p.g.yx; p.h = p.h.wxyz; p.flags[2] = !p.flags[2]; p.m = " +
				"transpose(p.m);",
			anyHit:   "p.h.x = p.h.x; p.b |= int8_t(0); if ((gl_PrimitiveID & 3) == 1) ignoreIntersectionEXT; p.c += uint16_t(0);",
			callable: "p.a += uint8_t(1);",
		},
		{
			name: "records of small types",
			types: `#define Data uint
				layout(shaderRecordEXT, scalar) buffer Record { uint8_t a; int8_t b; uint16_t c; f16vec3 d; uint8_t e;
				    layout(row_major) mat3x2 m; uint64_t w; double f; int16_t tail[3]; } record;
				`,
			common: `uint recordSum(uint i) {
				return uint(record.a) + uint(int(record.b)) * 3u + uint(record.c) + uint(int(record.d.y)) + uint(record.e)
				+ floatBitsToUint(record.m[2].x) + floatBitsToUint(record.m[i % 3u][i & 1u]) + uint(record.w >> 32) + uint(record.w) +
				    uint(unpackUint2x32(packDouble2x32(unpackDouble2x32(record.f)) == record.f ? 1ul : 0ul).x) +
				        uint(int(record.tail[i % 3u])); }
				`,
			raygen: "p = PIXEL; note(recordSum(p)); TRACE(1u); note(p); note(recordSum(p)); executeCallableEXT(1u, 1); " +
				"note(recordSum(PIXEL));",
			hit: "p += recordSum(p);", miss: "p ^= recordSum(p);", callable: "p += recordSum(p);",
			record: []byte{200, 0xF0, 1, 2, 0, 60, 0, 64, 0, 66, 77, 0, 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64, 0, 0, 160,
				64, 0, 0, 192, 64, 0, 0, 0, 0,
				1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 4, 64, 9, 0, 0xFF, 0xFF, 17, 0},
		},
		{
			name: "nonuniform descriptors",
			raygen: `uint i = PIXEL % 3u, j = PIXEL & 1u; p = PIXEL;
				for (uint k = 0u; k < 2u; k++) {
					vec4 c = textureLod(textures[nonuniformEXT(i)], vec2(0.3, 0.6), 0.0);
					uint before = scratch[nonuniformEXT(i)].word[PIXEL];
					traceRayEXT(scenes[nonuniformEXT(j)], 0u, 0xFFu, 0u, 2u, 0u, origin(k), 0.001, direction(k), 100.0, 0);
					vec4 d = textureLod(sampler2D(plain[nonuniformEXT(j)], samplers[nonuniformEXT(1u - j)]), vec2(0.7, 0.2), 0.0);
					note(uint(c.x * 255.0) + uint(d.y * 255.0) + before + p);
					note(blocks[nonuniformEXT(j)].v[i].y + scratch[2].word.length());
					i = (i + 1u) % 3u; j = 1u - j;
				}`,
			hit: "p += scratch[nonuniformEXT(p % 3u)].word[p & 31u] + uint(textureLod(textures[nonuniformEXT(p % 3u)], bary, 0.0).z * " +
				"255.0);",
		},
		{
			name: "images and atomics around calls",
			raygen: `p = PIXEL; ivec2 at = ivec2(gl_LaunchIDEXT.xy) & 15;
				uint old = imageAtomicAdd(images[0], ivec2(PIXEL & 15u, 9), 0u);
				TRACE(0u); imageAtomicAdd(images[nonuniformEXT(PIXEL & 1u)], ivec2(p & 15u, 3), 1u);
				atomicAdd(scratch[0].word[400u + (p & 7u)], p);
				atomicMax(scratch[1].word[p & 15u], p); atomicXor(scratch[2].word[20], hash(p)); note(old + p + uint(imageSize(images[1]).x));
				memoryBarrierImage(); TRACE(1u); imageAtomicMin(images[0], ivec2(3, 4), p); note(p);`,
			hit: "p = p * 5u + uint(gl_PrimitiveID); imageAtomicOr(images[1], ivec2(7, 7), 1u << (p & 31u)); " +
				"atomicAdd(scratch[0].word[300], 1u);",
		},
		{
			name: "spec constants",
			types: `layout(constant_id = 0) const uint count = 2u; layout(constant_id = 1) const bool flag = false;
				layout(constant_id = 2) const int scale = 3;
				layout(constant_id = 5) const float f = 1.5; layout(constant_id = 6) const uint64_t big = 5ul;
				    layout(constant_id = 7) const uint16_t small_ = uint16_t(3); layout(constant_id = 8) const double d = 2.0LF;
				const uint total = count * 2u + 1u; const ivec2 pair = ivec2(scale, -scale); const bool both = flag && total > 3u;
				    const uint picked = both ? total : 1u;
				struct Data { uint v; uint list[total]; uint wide[count]; };
				layout(shaderRecordEXT, std430) buffer Record { uint value; } record;
				`,
			common: "uint table[count + 2u]; uint fixed_[4] = uint[4](count, 3u, total, 9u);\n",
			raygen: `p.v = PIXEL; for (uint i = 0u; i < total; i++) p.list[i] = i * PIXEL; for (uint i = 0u; i < count; i++) {
				p.wide[i] = i; table[i] = hash(i); }
				TRACE(0u); note(p.v); note(p.list[PIXEL % total]); note(p.wide[PIXEL % count]); note(table[PIXEL % count]);
				    note(fixed_[PIXEL & 3u]);
				note(uint(pair.y)); note(picked); note(uint(f * 4.0)); note(uint(big >> 1)); note(uint(small_)); note(uint(d));
				    note(p.list.length());`,
			hit: "for (uint i = 0u; i < total; i++) p.list[i] += uint(gl_PrimitiveID) + fixed_[i & 3u]; if (flag) p.v += 3u; p.wide[p.v " +
				"% count] = 77u;", miss: "p.v += uint(scale);", callable: "p.v++;",
			specialization: map[uint32][]byte{0: {3, 0, 0, 0}, 1: {1, 0, 0, 0}, 2: {0xFE, 0xFF, 0xFF, 0xFF}, 5: {0, 0, 0x10, 0x41},
				6: {1, 0, 0, 0, 2, 0, 0, 0}, 7: {0x10, 0x01}},
		},
		{
			name: "callables in loops, recursion by data",
			raygen: "p = PIXEL; for (uint i = 0u; i < 4u; i++) { c = p + i; executeCallableEXT(i & 1u, 1); note(c); if ((c & 3u) == 1u) " +
				"continue; TRACE(c & 3u); p ^= c; note(p); if (c % 7u == 0u) break; }",
			hit:      "p = p * 3u + uint(gl_PrimitiveID);",
			callable: "uint n = p & 7u; while (n > 1u) { p = p * 3u + record.value; n >>= 1; if (p % 5u == 0u) return; } p++;",
		},
		{
			name: "returns everywhere",
			rayFunctions: "uint shoot(uint k) { switch (k % 5u) { case 0u: return 3u; case 1u: TRACE(k); return p; case 2u: TRACE(k + " +
				"1u); case 3u: if ((p & 1u) == 0u) return p + 1u; default: break; } for (uint i = 0u; i < 4u; i++) { if (((p >> i) & 3u) == " +
				"3u) return i; TRACE(i); } return 99u; }\n",
			hitFunctions: "uint pick(uint v) { if (v == 3u) return 1u; for (;;) { if (v > 100u) return v; v = v * 3u + 1u; } }\n",
			raygen: "p = PIXEL; for (uint k = 0u; k < 5u; k++) { note(shoot(k + PIXEL)); if (sum % 11u == 3u) { result.word[PIXEL] " +
				"= sum; return; } } do { if ((PIXEL & 3u) == 2u) break; TRACE(3u); note(p); } while (false);",
			hit:  "p = pick(p) + uint(gl_PrimitiveID); if ((p & 1u) == 0u) return; p += 7u;",
			miss: "if (p > 50u) { p = 3u; return; } p += 5u;",
			anyHit: "for (uint i = 0u; i < 3u; i++) { if ((uint(gl_PrimitiveID) >> i & 1u) == 0u) { if (i == 2u) terminateRayEXT; if (i " +
				"== 1u) { ignoreIntersectionEXT; } return; } }",
		},
		{
			name: "any hit ends in nested functions",
			anyFunctions: "bool inner(uint v) { if ((v & 3u) == 1u) { ignoreIntersectionEXT; } for (uint i = 0u; i < 2u; i++) { if (v % " +
				"5u == i) { if (v % 11u == 3u) terminateRayEXT; return true; } } return (v & 4u) == 0u; }\n" +
				"bool outer(uint v) { if (v == 7u) return false; if (inner(v)) return inner(v >> 1); return !inner(v + 1u); }\n",
			raygen: "p = PIXEL; TRACE(0u); note(p); TRACE(5u); note(p);",
			anyHit: "if (!outer(uint(gl_PrimitiveID))) { ignoreIntersectionEXT; }",
		},
		{
			name: "globals with initialisers and shared private state",
			common: "uint counter = 5u; uvec3 v = uvec3(1u, 2u, 3u); uint grid[2][3] = uint[2][3](uint[3](1u, 2u, 3u), uint[3](4u, 5u, " +
				"6u)); struct S { uint a; mat2 m; bool b; }; S state = S(3u, mat2(1.0, 2.0, 3.0, 4.0), true); bool once = false;\n" +
				"void bump(uint k) { counter += k; v = v.yzx + k; grid[k & 1u][k % 3u] ^= counter; state.a += uint(state.m[k & 1u][1]); " +
				"state.b = !state.b; once = true; }\nuint all() { return counter + v.x * 3u + grid[1][v.y % 3u] + state.a + (state.b ? 100u " +
				": 0u) + (once ? 1000u : 0u); }\n",
			raygen: "p = PIXEL; bump(PIXEL); TRACE(0u); bump(p); note(all()); TRACE(1u); note(all() + p);",
			hit:    "bump(p); p += all();", miss: "p += all(); bump(p); p ^= all();", callable: "bump(p); p = all();",
		},
		{
			name:  "payload by inout parameter and copies",
			types: "struct Inner { uint a; vec2 b; };\n" + cornerStruct("uint v; uvec3 w; float f[3]; Inner inner[2];"),
			rayFunctions: "void shoot(inout Data d, uint k) { p = d; TRACE(k); d = p; d.v += k; }\nvoid deep(inout uvec3 w, out float f) " +
				"{ w = w.zxy + 1u; f = float(w.x); }\n",
			raygen: "Data d; d.v = PIXEL; d.w = uvec3(PIXEL, 1u, 2u); d.f = float[3](1.0, 2.0, 3.0); d.inner[0].a = 1u; d.inner[1].a = " +
				"PIXEL; d.inner[0].b = vec2(2.0); d.inner[1].b = vec2(3.0, 4.0); p = d; deep(p.w, p.f[PIXEL % 3u]); TRACE(1u); note(p.v + " +
				"p.w.x); shoot(d, 2u); shoot(d, PIXEL & 3u); deep(d.w, d.f[1]); note(d.v); note(d.w.x + d.w.y * 3u); note(uint(d.f[PIXEL % " +
				"3u])); note(d.inner[PIXEL & 1u].a + uint(d.inner[1].b.y)); c = d; c.v ^= 3u; executeCallableEXT(0u, 1); note(c.v); " +
				"note(uint(c.f[1]));",
			hit: "p.v = p.v * 5u + uint(gl_PrimitiveID); p.w.yz += 3u; p.f[p.v % 3u] += 1.0; p.inner[p.v & 1u].a += 7u; p.inner[p.w.x & " +
				"1u].b.y *= 2.0;", miss: "p.v += 3u; p.inner[1] = p.inner[0]; p.f[p.v % 3u] = 9.0;",
			callable: "p.inner[0].a += p.v; p.v = p.inner[0].a; p.f[1] += 2.0;",
		},
		{
			name: "pointers to pointers",
			common: "layout(buffer_reference, std430, buffer_reference_align = 4) buffer Node { uint value; uint other; " +
				"};\nlayout(buffer_reference) buffer Link;\nlayout(buffer_reference, std430, buffer_reference_align = 8) buffer Link { Node " +
				"node; Link next; uvec2 raw; };\n",
			raygen: `Node n = Node(push.scratchAddress); Node m = n + (PIXEL & 15u); p = PIXEL; Node list[2]; list[0] = n; list[1] = m;
				struct Holder { Node a; uint b; } h; h.a = m; h.b = 3u;
				TRACE(0u); note(m.value + p); Node w = (p & 1u) == 0u ? n : m; TRACE(1u);
				    note(w.value + w.other + list[p & 1u].value + h.a.other * h.b); list[PIXEL & 1u] = list[0] + 2u; TRACE(2u);
				note(list[1].value + p); uvec2 raw = uvec2(w); note(raw == uvec2(m) ? 1u : 0u); note(Node(raw).other);`,
			hit: "Node n = Node(push.scratchAddress); p = p * 3u + n[p & 7u].value;",
		},
		{
			name: "matrices and layouts",
			types: `struct Data { uint v; mat3x2 a; mat2x4 b; mat4 c[2]; };
				layout(shaderRecordEXT, std430, row_major) buffer Record { mat3x2 a; layout(column_major) mat2x3 b; } record;
				`,
			raygen: "p.v = PIXEL; p.a = mat3x2(1, 2, 3, 4, 5, 6) * float(PIXEL & 7u); p.b = mat2x4(1, 2, 3, 4, 5, 6, 7, 8); p.c[0] = " +
				"mat4(2.0); p.c[1] = mat4(float(PIXEL & 3u)); p.c[1][2].w = 9.0; mat4 keep = p.c[1] * 2.0; TRACE(0u); note(p.v); " +
				"note(uint(p.a[PIXEL % 3u].y)); note(uint(p.b[1][PIXEL & 3u])); note(uint(p.c[PIXEL & 1u][2].w + keep[2].w + keep[PIXEL & " +
				"3u][1])); note(uint(record.a[PIXEL % 3u].y + record.b[1].z));",
			hit: "p.v += uint(record.a[1].x); p.a[gl_PrimitiveID % 3] += vec2(1.0, 2.0); p.b = p.b * 2.0; p.c[p.v & 1u][1] = " +
				"vec4(gl_PrimitiveID); p.c[0] = transpose(p.c[0]);",
			miss: "p.a = mat3x2(record.b[0].xy, record.b[1].yz, vec2(3.0)); p.v ^= 5u;", callable: "p.v++;",
			record: []byte{0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 0, 0, 0, 0, 128, 64, 0, 0, 160, 64, 0, 0, 192, 64, 0, 0, 0, 0, 0,
				0, 224, 64, 0, 0, 0, 65, 0, 0, 16, 65, 0, 0, 0, 0, 0, 0, 32, 65, 0, 0, 48, 65, 0, 0, 64, 65, 0, 0, 0, 0},
		},
		{
			name: "ray queries beside traces",
			raygen: `p = PIXEL; rayQueryEXT a, b; rayQueryInitializeEXT(a, scenes[0], 0u, 0xFFu, origin(0u), 0.001, direction(0u), 100.0);
				rayQueryProceedEXT(a); TRACE(1u); while (rayQueryProceedEXT(a)) {
				    if ((rayQueryGetIntersectionPrimitiveIndexEXT(a, false) & 1) == 0) rayQueryConfirmIntersectionEXT(a); }
				rayQueryInitializeEXT(b, scenes[1], gl_RayFlagsOpaqueEXT, 0xFFu, origin(p & 3u), 0.001, direction(2u), 100.0);
				    while (rayQueryProceedEXT(b)) {}
				TRACE(3u); note(p); note(rayQueryGetIntersectionTypeEXT(b, true));
				    if (rayQueryGetIntersectionTypeEXT(a, true) != 0u) note(uint(rayQueryGetIntersectionPrimitiveIndexEXT(a, true)));
				        if (rayQueryGetIntersectionTypeEXT(b, true) != 0u) note(uint(rayQueryGetIntersectionPrimitiveIndexEXT(b, true)));`,
			hit: "rayQueryEXT q; rayQueryInitializeEXT(q, scenes[0], gl_RayFlagsOpaqueEXT | gl_RayFlagsTerminateOnFirstHitEXT, 0xFFu, " +
				"gl_WorldRayOriginEXT + vec3(0, 0, 50), 0.01, vec3(0.1, 0.05, -1.0), 100.0); rayQueryProceedEXT(q); p = p * 5u + " +
				"uint(gl_PrimitiveID) + rayQueryGetIntersectionTypeEXT(q, true);",
		},
		{
			name: "subgroups", alone: true,
			raygen: "p = PIXEL; uint s = subgroupAdd(1u); TRACE(0u); bool any = subgroupAny(p > 0u); uvec4 b = subgroupBallot(true); " +
				"note(p + (any ? 1u : 0u) + (s > 0u ? 1u : 0u) + (subgroupBallotBitCount(b) <= gl_SubgroupSize ? 5u : 0u) + " +
				"(gl_SubgroupInvocationID < gl_SubgroupSize ? 1u : 9u)); if (subgroupElect()) p++; else p++; note(p + subgroupMax(0u) + " +
				"subgroupBroadcastFirst(4u));",
			hit: "p = p * 5u + uint(gl_PrimitiveID) + (subgroupAll(true) ? 3u : 0u);",
		},
		{
			name: "const arrays, unrolled loops, large switch",
			common: "const vec3 dirs[6] = vec3[6](vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1), vec3(-1, 0, 0), vec3(0, -1, 0), vec3(0, " +
				"0, -1)); const uint primes[8] = uint[8](2u, 3u, 5u, 7u, 11u, 13u, 17u, 19u);\nuint pick(uint v) { switch (v & 31u) { case " +
				"0u: return 1u; case 1u: case 2u: case 3u: v += 7u; case 4u: v *= 3u; break; case 5u: case 9u: return primes[v & 7u]; case " +
				"6u: v ^= 5u; break; case 17u: { uint k = v; while (k > 3u) k >>= 1; return k; } case 31u: v -= 1u; default: v += 100u; " +
				"break; case 20u: v = 0u; } return v; }\n",
			raygen: "p = PIXEL; uint acc[8]; [[unroll]] for (uint i = 0u; i < 8u; i++) acc[i] = primes[i] * PIXEL; [[dont_unroll]] for " +
				"(uint i = 0u; i < 3u; i++) { TRACE(i); acc[p & 7u] += pick(p); note(pick(acc[i] + p)); } [[unroll]] for (uint i = 0u; i < " +
				"3u; i++) { TRACE(i); note(p + uint(dirs[p % 6u].x + 2.0)); } note(acc[PIXEL & 7u]); [[flatten]] if ((p & 1u) == 0u) note(1u);",
			hit: "p = pick(p) + uint(gl_PrimitiveID) + primes[gl_PrimitiveID & 7];",
		},
		{
			name: "handles as parameters",
			common: "float look(sampler2D s, vec2 at) { return textureLod(s, at, 0.0).x; }\nfloat both(texture2D t, sampler s) { " +
				"return textureLod(sampler2D(t, s), vec2(0.4), 0.0).y; }\n",
			rayFunctions: "uint shoot(accelerationStructureEXT scene, uint k) { traceRayEXT(scene, 0u, 0xFFu, 0u, 2u, 0u, origin(k), " +
				"0.001, direction(k), 100.0, 0); return p; }\nfloat lookAfter(sampler2D s, uint k) { TRACE(k); return textureLod(s, " +
				"vec2(0.2, 0.8), 0.0).z + look(s, vec2(p & 3u) * 0.25); }\n",
			raygen: "p = PIXEL; note(shoot(scenes[nonuniformEXT(PIXEL & 1u)], 0u)); note(uint(lookAfter(textures[1], 1u) * 255.0)); " +
				"note(uint(look(textures[2], vec2(0.1)) * 255.0) + imageLoad(images[0], ivec2(p & 3u)).x); note(uint(both(plain[1], " +
				"samplers[0]) * 255.0));",
			hit: "p = p * 5u + uint(gl_PrimitiveID) + uint(look(textures[1], bary) * 255.0);",
		},
		{
			name: "extended instructions with pointers",
			raygen: "p = PIXEL; float whole; float fr = modf(float(PIXEL) * 0.37, whole); int e; float m = frexp(float(PIXEL) + 0.5, e); " +
				"uint carry; uint s = uaddCarry(PIXEL * 0x10000001u, 0xF0000000u, carry); uint hi, lo; umulExtended(PIXEL * 77777777u, " +
				"99999999u, hi, lo); TRACE(0u); note(uint(whole) + uint(fr * 100.0) + uint(e) + uint(m * 64.0) + s + carry + hi + lo + p); " +
				"vec2 w2; vec2 f2 = modf(vec2(p & 7u) * 1.3, w2); TRACE(1u); note(uint(w2.x) + uint(f2.y * 10.0) + p + bitfieldExtract(p, " +
				"3, 5) + findMSB(p) + bitCount(PIXEL));",
		},
		{
			name: "debug information and printf", target: []string{"--target-env", "vulkan1.2", "-g"},
			raygen: "p = PIXEL; if (PIXEL > 100000u) debugPrintfEXT(\"pixel %u\", PIXEL); TRACE(0u); note(p); for (uint i = 0u; i < 2u; " +
				"i++) { TRACE(i); note(p); }",
		},
		{
			name: "SPIR-V 1.4", target: []string{"--target-env", "spirv1.4"},
			types: cornerStruct("uint v; uint w[2];"),
			raygen: "p.v = PIXEL; p.w = uint[2](1u, 2u); Data keep = p; TRACE(0u); if (p.v == keep.v) note(3u); Data q = (p.v & 1u) == " +
				"0u ? p : keep; TRACE(1u); note(q.v + q.w[p.v & 1u]); note(p.v);",
			hit: "p.v = p.v * 5u + uint(gl_PrimitiveID); p.w[1]++;", miss: "p.v++; p.w[0] += p.v;", callable: "p.v++;",
		},
	}
}
