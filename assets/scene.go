package assets

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Scene is a set of instances of meshes with what is needed to see them.
type Scene struct {
	// Name is the file's base name, or "builtin:..." for a built-in scene.
	Name string
	// Meshes are those that at least one instance shows.
	Meshes    []Mesh
	Instances []Instance
	Materials []Material
	// Textures pair an image with a sampler; materials refer to them.
	Textures []Texture
	Images   []Image
	Lights   []Light
	// Cameras is never empty; the first is the one to start with.
	Cameras     []Camera
	Environment Environment
	// Bounds encloses all instances (see Scene.ComputeBounds for how tightly).
	Bounds Bounds
	// Up is the scene's up axis, a unit vector.
	Up mgl32.Vec3
	// Variants are the names of the file's material variants (KHR_materials_variants).
	Variants []string
	// Warnings say what of the file was skipped or replaced, a sentence each.
	Warnings []string
}

// Mesh is what becomes one bottom-level acceleration structure.
type Mesh struct {
	Name       string
	Primitives []Primitive
	// Bounds encloses the primitives in object space.
	Bounds Bounds
}

// Primitive is what becomes one geometry: an indexed triangle list with one
// material. With n vertices the lengths are 3n, 3n, 4n, 2n, 2n or 0, 4n or 0.
type Primitive struct {
	Positions []float32 // x y z
	Normals   []float32 // x y z, unit
	Tangents  []float32 // x y z unit, w = +1 or -1: bitangent = cross(n, t) * w
	UV0       []float32 // u v
	UV1       []float32 // u v; nil without a second set
	Colors    []float32 // linear r g b a; nil without vertex colours
	Indices   []uint32  // three a triangle
	Material  int       // into Scene.Materials
	// Ends are those of points and lines, which have no Indices, normals, tangents or texture coordinates: two vertices each, of
	// a point the same one twice. Radius is what they are given, in object space.
	Ends   []uint32
	Radius float32
	// Shared is the same triangles, corner for corner, with vertices that they share, where shading had to give each
	// triangle its own. Nil: nothing better is known than Positions and Indices.
	Shared *Surface
}

// Surface is what of triangles acceleration structures need.
type Surface struct {
	Positions []float32 // x y z
	Indices   []uint32  // three a triangle
}

// Surface returns the primitive's triangles with as few vertices as are known: Shared, or its own.
func (p *Primitive) Surface() Surface {
	if p.Shared != nil {
		return *p.Shared
	}
	return Surface{Positions: p.Positions, Indices: p.Indices}
}

// VertexCount is the number of vertices.
func (s Surface) VertexCount() int { return len(s.Positions) / 3 }

// VertexCount is the number of vertices.
func (p *Primitive) VertexCount() int { return len(p.Positions) / 3 }

// TriangleCount is the number of triangles.
func (p *Primitive) TriangleCount() int { return len(p.Indices) / 3 }

// TriangleCount is the number of triangles of all primitives.
func (m *Mesh) TriangleCount() int {
	n := 0
	for i := range m.Primitives {
		n += m.Primitives[i].TriangleCount()
	}
	return n
}

// Instance places a mesh in the world.
type Instance struct {
	Name string
	Mesh int // into Scene.Meshes
	// Transform takes object to world space; affine and invertible.
	Transform mgl32.Mat4
	// Mirrored tells that the transform's determinant is negative.
	Mirrored bool
}

// Rows34 is the transform as a row-major 3x4 matrix, the layout of
// VkTransformMatrixKHR.
func (in *Instance) Rows34() [12]float32 {
	var r [12]float32
	for row := range 3 {
		for col := range 4 {
			r[row*4+col] = in.Transform[col*4+row]
		}
	}
	return r
}

// NormalMatrix is the inverse transpose of the transform's linear part: it
// takes object-space normals to world space (normalise afterwards).
func (in *Instance) NormalMatrix() mgl32.Mat3 {
	return in.Transform.Mat3().Inv().Transpose()
}

// LightKind is the kind of a punctual light.
type LightKind int

// The kinds of KHR_lights_punctual.
const (
	DirectionalLight LightKind = iota
	PointLight
	SpotLight
)

// String names the kind as glTF does.
func (k LightKind) String() string {
	switch k {
	case DirectionalLight:
		return "directional"
	case PointLight:
		return "point"
	case SpotLight:
		return "spot"
	}
	return "unknown"
}

// Light is a punctual light in world space, in the units of
// KHR_lights_punctual: candela for point and spot lights, lux for directional.
type Light struct {
	Name      string
	Kind      LightKind
	Position  mgl32.Vec3
	Direction mgl32.Vec3 // unit, away from the light
	Color     mgl32.Vec3 // linear
	Intensity float32
	Range     float32 // 0 is unlimited
	// InnerCone and OuterCone are half angles in radians, of spot lights.
	InnerCone, OuterCone float32
}

// Environment is what rays that miss everything see: a gradient from Ground
// through Horizon to Zenith along the scene's up, and a sun. A proposal: the
// zero value is black.
type Environment struct {
	Zenith, Horizon, Ground mgl32.Vec3 // linear radiance
	SunDirection            mgl32.Vec3 // unit, towards the sun
	SunIrradiance           mgl32.Vec3 // on a surface facing the sun; zero is no sun
	SunAngularRadius        float32    // radians
	// Map replaces the gradient where it is not nil.
	Map *EnvironmentMap
	// Rotation turns the map around the scene's up, counter-clockwise seen from above, in radians.
	Rotation float32
}

// EnvironmentMap is the light from all directions, by longitude and latitude: rows from the zenith, columns to the right of
// the direction behind the front (which is -z, seen with y up).
type EnvironmentMap struct {
	Width, Height int       // Width is twice Height
	Pixels        []float32 // linear r g b
}

// FrontAround is the horizontal direction that is in the middle of the map.
func (e *Environment) FrontAround(up mgl32.Vec3) mgl32.Vec3 {
	front := mgl32.Vec3{0, 0, -1}
	if flat := front.Sub(up.Mul(up.Dot(front))); flat.Len() > 0.1 {
		front = flat.Normalize()
	} else {
		_, front = basis(up)
	}
	return mgl32.QuatRotate(e.Rotation, up).Rotate(front)
}

// IsBlack tells whether the environment gives no light at all.
func (e *Environment) IsBlack() bool {
	z := mgl32.Vec3{}
	if e.Map != nil {
		for _, v := range e.Map.Pixels {
			if v != 0 {
				return false
			}
		}
		return e.SunIrradiance == z
	}
	return e.Zenith == z && e.Horizon == z && e.Ground == z && e.SunIrradiance == z
}

// Radiance is the gradient sky in direction dir (unit), without the sun's disc:
// one definition that a shader and its test can share.
func (e *Environment) Radiance(dir, up mgl32.Vec3) mgl32.Vec3 {
	h := float64(dir.Dot(up))
	if h >= 0 {
		t := float32(math.Sqrt(h))
		return e.Horizon.Mul(1 - t).Add(e.Zenith.Mul(t))
	}
	t := float32(min(1, -h*8))
	return e.Horizon.Mul(1 - t).Add(e.Ground.Mul(t))
}

// Daylight is a sky with a sun.
func Daylight(up mgl32.Vec3) Environment { return daylight(up, true) }

// daylight is the environment of files that do not bring their own light.
func daylight(up mgl32.Vec3, sun bool) Environment {
	e := Environment{
		Zenith:  mgl32.Vec3{0.15, 0.26, 0.50},
		Horizon: mgl32.Vec3{0.52, 0.58, 0.66},
		Ground:  mgl32.Vec3{0.16, 0.15, 0.14},
	}
	if sun {
		side, front := basis(up)
		e.SunDirection = up.Mul(0.75).Add(side.Mul(0.45)).Add(front.Mul(0.48)).Normalize()
		e.SunIrradiance = mgl32.Vec3{2.7, 2.5, 2.2}
		e.SunAngularRadius = 0.012
	}
	return e
}

// Stats are the sizes of a scene.
type Stats struct {
	Meshes, Primitives, Instances int
	// Vertices, Triangles and Thin, the points and lines, count each mesh once.
	Vertices, Triangles, Thin int
	// InstancedTriangles counts a mesh as often as it is shown.
	InstancedTriangles int64
	// GeometryBytes and ImageBytes are the memory that slices take here.
	GeometryBytes, ImageBytes int64
}

// Stats counts.
func (s *Scene) Stats() Stats {
	st := Stats{Meshes: len(s.Meshes), Instances: len(s.Instances)}
	per := make([]int64, len(s.Meshes))
	for i := range s.Meshes {
		m := &s.Meshes[i]
		st.Primitives += len(m.Primitives)
		per[i] = int64(m.TriangleCount())
		st.Triangles += int(per[i])
		for j := range m.Primitives {
			p := &m.Primitives[j]
			st.Vertices += p.VertexCount()
			st.GeometryBytes += 4 * int64(len(p.Positions)+len(p.Normals)+len(p.Tangents)+
				len(p.UV0)+len(p.UV1)+len(p.Colors)+len(p.Indices)+len(p.Ends))
			st.Thin += p.ThinCount()
			if p.Shared != nil {
				st.GeometryBytes += 4 * int64(len(p.Shared.Positions)+len(p.Shared.Indices))
			}
		}
	}
	for i := range s.Instances {
		st.InstancedTriangles += per[s.Instances[i].Mesh]
	}
	for i := range s.Images {
		st.ImageBytes += int64(len(s.Images[i].Pixels))
	}
	return st
}
