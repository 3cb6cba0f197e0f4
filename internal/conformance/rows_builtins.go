package conformance

import "github.com/everray/everray/sbt"

// Words of the built-ins program: one per component of what a stage reads. Matrices are written column by column.
const (
	inStage       = 0
	inLaunch      = 1 // id, size
	inPrimitive   = 7
	inInstance    = 8
	inCustom      = 9
	inGeometry    = 10
	inWorldRay    = 11 // origin, direction
	inObjectRay   = 17
	inTMin        = 23
	inTMax        = 24
	inHitT        = 25
	inKind        = 26
	inFlags       = 27
	inMask        = 28
	inToWorld     = 29 // 4 columns of 3
	inToWorld3x4  = 41 // 3 columns of 4
	inToObject    = 53
	inToObject3x4 = 65
	inPayload     = 77
	inAttributes  = 78
	builtinWords  = 80
)

// Parts of shaders that dump built-ins; a stage takes those that it may read.
const (
	dumpRay = `
    for (uint k = 0u; k < 3u; k++) { OUT(1u + k) = gl_LaunchIDEXT[k]; OUT(4u + k) = gl_LaunchSizeEXT[k]; }
    for (uint k = 0u; k < 3u; k++) { OUT(11u + k) = BITS(gl_WorldRayOriginEXT[k]); OUT(14u + k) = BITS(gl_WorldRayDirectionEXT[k]);
        }
    OUT(23) = BITS(gl_RayTminEXT); OUT(24) = BITS(gl_RayTmaxEXT); OUT(27) = gl_IncomingRayFlagsEXT; OUT(28) = gl_CullMaskEXT;
`
	dumpObject = `
    OUT(7) = gl_PrimitiveID; OUT(8) = gl_InstanceID; OUT(9) = gl_InstanceCustomIndexEXT; OUT(10) = gl_GeometryIndexEXT;
    for (uint k = 0u; k < 3u; k++) { OUT(17u + k) = BITS(gl_ObjectRayOriginEXT[k]);
        OUT(20u + k) = BITS(gl_ObjectRayDirectionEXT[k]); }
    for (uint c = 0u; c < 4u; c++) for (uint r = 0u; r < 3u; r++) {
        OUT(29u + 3u * c + r) = BITS(gl_ObjectToWorldEXT[c][r]); OUT(41u + 4u * r + c) = BITS(gl_ObjectToWorld3x4EXT[r][c]);
        OUT(53u + 3u * c + r) = BITS(gl_WorldToObjectEXT[c][r]); OUT(65u + 4u * r + c) = BITS(gl_WorldToObject3x4EXT[r][c]);
    }
`
	dumpHit = `
    OUT(25) = BITS(gl_HitTEXT); OUT(26) = gl_HitKindEXT; OUT(78) = BITS(at.x); OUT(79) = BITS(at.y);
`
	builtinRaygen = `
layout(location = 0) rayPayloadEXT uint p;
void main() {
    for (uint k = 0u; k < WORDS; k++) OUT(k) = 0u;
    for (uint k = 0u; k < 3u; k++) { OUT(1u + k) = gl_LaunchIDEXT[k]; OUT(4u + k) = gl_LaunchSizeEXT[k]; }
    p = 1u;
    TRACE(RAY, 0);
    OUT(77) = p;
}
`
	builtinMiss    = "layout(location = 0) rayPayloadInEXT uint p;\nvoid main() { p += 10u; OUT(0) = 4u;" + dumpRay + "}\n"
	builtinHit     = "layout(location = 0) rayPayloadInEXT uint p;\nhitAttributeEXT vec2 at;\n"
	builtinClosest = builtinHit + "void main() { p += 20u; OUT(0) = 2u;" + dumpRay + dumpObject + dumpHit + "}\n"
	// The any hit shader leaves its stage's number and then accepts; the group has no closest hit shader.
	builtinAny = builtinHit + "void main() { p += 40u; OUT(0) = 3u;" + dumpRay + dumpObject + dumpHit + "}\n"
	// The intersection shader dumps and reports nothing.
	builtinIntersection = "void main() { OUT(0) = 5u;" + dumpRay + dumpObject + "}\n"
)

// matrix is a row-major affine transform.
type matrix [12]float64

func (m matrix) apply(v [3]float64, w float64) [3]float64 {
	var out [3]float64
	for r := range 3 {
		out[r] = m[4*r]*v[0] + m[4*r+1]*v[1] + m[4*r+2]*v[2] + m[4*r+3]*w
	}
	return out
}

// inverse solves by cofactors.
func (m matrix) inverse() matrix {
	a := func(r, c int) float64 { return m[4*r+c] }
	cofactor := func(r, c int) float64 {
		r1, r2, c1, c2 := (r+1)%3, (r+2)%3, (c+1)%3, (c+2)%3
		return a(r1, c1)*a(r2, c2) - a(r1, c2)*a(r2, c1)
	}
	det := a(0, 0)*cofactor(0, 0) + a(0, 1)*cofactor(0, 1) + a(0, 2)*cofactor(0, 2)
	var out matrix
	for r := range 3 {
		for c := range 3 {
			out[4*r+c] = cofactor(c, r) / det
		}
	}
	moved := out.apply([3]float64{m[3], m[7], m[11]}, 0)
	for r := range 3 {
		out[4*r+3] = -moved[r]
	}
	return out
}

// words writes the matrix as the shaders do: 4 columns of 3 and 3 columns of 4.
func (m matrix) words() (columns, rows []Word) {
	for c := range 4 {
		for r := range 3 {
			columns = append(columns, F(m[4*r+c]))
		}
	}
	for _, v := range m {
		rows = append(rows, F(v))
	}
	return columns, rows
}

func (m matrix) floats() (out [12]float32) {
	for i, v := range m {
		out[i] = float32(v)
	}
	return out
}

// transforms are the instances that built-ins are read in.
var transforms = []struct {
	name string
	m    matrix
}{
	{"identity", matrix{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
	{"moved", matrix{1, 0, 0, 3, 0, 1, 0, -2, 0, 0, 1, 5}},
	{"scaled", matrix{2, 0, 0, 1, 0, 0.5, 0, 0, 0, 0, 4, -1}},
	{"mirrored", matrix{-1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, 3}},
	{"rotated", matrix{0, 0, 1, 0, 1, 0, 0, 4, 0, 1, 0, 0}},
	{"sheared", matrix{1, 0.5, 0, 0, -0.25, 1, 2, 1, 0.5, 0, -2, 6}},
}

// builtinRow aims at (0, 0, 0) of the transformed object along an oblique ray and lists what the stage reads; the words of
// other stages stay 0.
func builtinWant(m matrix, stage uint32, flags, mask uint32) (Ray, []Word) {
	direction := [3]float64{0.25, 0.125, 1}
	origin := [3]float64{-4 * direction[0], -4 * direction[1], -4 * direction[2]}
	world := m.apply(origin, 1)
	toward := m.apply(direction, 0)
	r := Ray{TMin: 0.5, TMax: 100, Flags: flags, Mask: mask}
	for k := range 3 {
		r.Origin[k], r.Direction[k] = float32(world[k]), float32(toward[k])
	}
	want := us(make([]uint32, builtinWords)...)
	put := func(at int, w ...Word) { copy(want[at:], w) }
	floats := func(at int, v [3]float64) { put(at, F(v[0]), F(v[1]), F(v[2])) }
	put(inStage, U(stage))
	put(inLaunch, us(0, 0, 0, 1, 1, 1)...)
	put(inPrimitive, us(2, 1, 0xABCDEF, 1)...)
	floats(inWorldRay, world)
	floats(inWorldRay+3, toward)
	floats(inObjectRay, origin)
	floats(inObjectRay+3, direction)
	put(inTMin, F(0.5), F(4))
	put(inHitT, F(4), U(frontFace))
	put(inFlags, U(flags), U(mask&0xFF))
	columns, rows := m.words()
	put(inToWorld, columns...)
	put(inToWorld3x4, rows...)
	columns, rows = m.inverse().words()
	put(inToObject, columns...)
	put(inToObject3x4, rows...)
	put(inPayload, U(map[uint32]uint32{2: 21, 3: 41}[stage]))
	put(inAttributes, F(0.5), F(0.25))
	return r, want
}

// builtinScene has the object as instance 1 of 2, its hit at primitive 2 of geometry 1.
func builtinScene(m matrix, hit, far Geometry) *Scene {
	target := place(0).custom(0xABCDEF)
	target.Transform = m.floats()
	return &Scene{Models: []Model{{far, hit}}, Instances: []Instance{place(0).at(500, 500, 500), target}}
}

func builtinRows() []Row {
	p := newProgram("built-ins", builtinWords, "stage", "launch id x", "launch id y", "launch id z", "launch size x", "launch size y",
		"launch size z",
		"primitive", "instance id", "custom index", "geometry", "world origin x", "world origin y", "world origin z", "world direction x",
		"world direction y",
		"world direction z", "object origin x", "object origin y", "object origin z", "object direction x", "object direction y",
		"object direction z",
		"tmin", "tmax", "hit t", "hit kind", "ray flags", "cull mask")
	table := sbt.Layout{Raygen: []sbt.Record{{Group: p.raygen(builtinRaygen)}}, Miss: []sbt.Record{{Group: p.miss(builtinMiss)}}}
	closest, any := p.hit(builtinClosest, ""), p.hit("", builtinAny)
	far := front(100, 100, 0)
	var out []Row
	for _, t := range transforms {
		scene := builtinScene(t.m, mesh(once, far, far, front(0, 0, 0)), mesh(once, far))
		for _, s := range []struct {
			name  string
			stage uint32
			group int
			flags uint32
			mask  uint32
		}{{"closest-hit", 2, closest, 0x10, 0xF3}, {"any-hit", 3, any, 0x2, 0xFFFFFF81}} {
			r, want := builtinWant(t.m, s.stage, s.flags, s.mask)
			with := table
			with.Hit = []sbt.Record{{Group: s.group}}
			out = append(out, Row{
				Name: t.name + "/" + s.name, Rule: vulkan + "Built-In Variables and their stages; GL_EXT_ray_cull_mask: the low 8 bits",
				Program: p, Scene: scene, Table: with, Rays: []Ray{r}, Want: want,
			})
		}
	}
	table.Hit = []sbt.Record{{Group: closest}}
	return append(out, builtinMissRow(p, table))
}

// builtinAfterRows: what a closest hit shader reads after calls of its own is still its own ray's. The nested ray hits geometry
// 0 of the other instance.
func builtinAfterRows() []Row {
	p := newProgram("built-ins-after-calls", builtinWords)
	p.Depth = 2
	closest := builtinHit + `
layout(location = 1) rayPayloadEXT uint q;
layout(location = 0) callableDataEXT uint d;
void main() {
    p += 20u; OUT(0) = 2u;
    q = 0u; d = 0u;
    traceRayEXT(scene, 0x1u, 0xFFu, 1u, 0u, 1u, vec3(600.0, 600.0, 496.0), 0.0, vec3(0.0, 0.0, 2.0), 50.0, 1);
    executeCallableEXT(0u, 0);
    p += q + d;
` + dumpRay + dumpObject + dumpHit + "}\n"
	table := sbt.Layout{
		Raygen: []sbt.Record{{Group: p.raygen(builtinRaygen)}}, Miss: []sbt.Record{{Group: sbt.NullGroup}, {Group: sbt.NullGroup}},
		Hit: []sbt.Record{
			{Group: p.hit(closest, "")},
			{Group: p.hit("layout(location = 1) rayPayloadInEXT uint q;\nvoid main() { q = 100u + uint(gl_GeometryIndexEXT); }", "")},
		},
		Callable: []sbt.Record{{Group: p.callable("layout(location = 0) callableDataInEXT uint d;\nvoid main() { d = 1000u; }")}},
	}
	far := front(100, 100, 0)
	var out []Row
	for _, t := range transforms {
		r, want := builtinWant(t.m, 2, 0x10, 0xF3)
		want[inPayload] = U(1121)
		out = append(out, Row{
			Name: t.name, Rule: vulkan + "Built-In Variables belong to the invocation, before and after shader calls",
			Program: p, Scene: builtinScene(t.m, mesh(once, far, far, front(0, 0, 0)), mesh(once, far)), Table: table, Rays: []Ray{r},
			Want: want,
			NativeDiffers: map[Driver]Difference{
				Lavapipe25: {Reason: "`gl_PrimitiveID`, `gl_InstanceID`, `gl_InstanceCustomIndexEXT`, `gl_GeometryIndexEXT`, " +
					"`gl_CullMaskEXT` and the matrices read after a nested trace are the nested ray's"},
				NVIDIA: {Reason: "`gl_GeometryIndexEXT` in the closest hit shader of a nested ray is 1 where geometry 0 was hit"},
			},
		})
	}
	return out
}

// builtinMissRow reads what a miss shader may, over a launch with three dimensions.
func builtinMissRow(p *Program, table sbt.Layout) Row {
	row := Row{
		Name: "miss", Rule: vulkan + "Built-In Variables: RayTmaxKHR is the trace call's parameter; launch id and size in every stage",
		Program: p, Table: table, Launch: [3]uint32{3, 2, 2},
	}
	for i := range uint32(12) {
		r := down(float32(i), 0.5)
		r.TMin, r.TMax, r.Flags, r.Mask = 0.25, float32(i+1), 0x21, 0x100|i
		row.Rays = append(row.Rays, r)
		want := us(make([]uint32, builtinWords)...)
		copy(want, us(4, i%3, i/3%2, i/6, 3, 2, 2))
		copy(want[inWorldRay:], []Word{Exactly(float32(i)), Exactly(0.5), U(0), U(0), U(0), Exactly(1)})
		copy(want[inTMin:], []Word{Exactly(0.25), Exactly(float32(i + 1))})
		copy(want[inFlags:], us(0x21, i))
		want[inPayload] = U(11)
		row.Want = append(row.Want, want...)
	}
	return row
}
