package conformance

import "github.com/everray/everray/vk"

// Scene is a top level structure. Scenes are told apart by their address: rows that share one build it once.
type Scene struct {
	Models    []Model
	Instances []Instance
	// Positions asks for builds that let shaders fetch vertex positions.
	Positions bool
}

// Model is a bottom level structure.
type Model []Geometry

// Geometry holds triangles or boxes.
type Geometry struct {
	Flags     vk.GeometryFlags
	Triangles []Triangle
	Boxes     []Box
	// Transform is applied to triangles at the build; nil is none.
	Transform *[12]float32
}

// Triangle holds three vertices, Box the least and the largest corner.
type (
	Triangle [3][3]float32
	Box      [6]float32
)

// Instance places a model.
type Instance struct {
	Model     int
	Transform [12]float32
	Custom    uint32
	Mask      uint8
	Offset    uint32
	Flags     vk.InstanceFlags
}

// place is an instance without peculiarities.
func place(model int) Instance {
	return Instance{Model: model, Transform: vk.IdentityTransform(), Mask: 0xFF}
}

// at moves the instance.
func (i Instance) at(x, y, z float32) Instance {
	i.Transform[3], i.Transform[7], i.Transform[11] = x, y, z
	return i
}

// flagged sets instance flags, offset the table offset, custom the custom index, masked the mask.
func (i Instance) flagged(f vk.InstanceFlags) Instance {
	i.Flags = f
	return i
}
func (i Instance) offset(n uint32) Instance {
	i.Offset = n
	return i
}
func (i Instance) custom(n uint32) Instance {
	i.Custom = n
	return i
}
func (i Instance) masked(m uint8) Instance {
	i.Mask = m
	return i
}

// front is a triangle around (x, y, z) that a ray along +z meets from the front: its vertices appear clockwise from there
// in a left-handed coordinate system. At (x, y) the weights of its second and third vertex are 0.5 and 0.25.
func front(x, y, z float32) Triangle {
	return Triangle{{x - 1, y - 1, z}, {x, y + 1, z}, {x + 1, y - 1, z}}
}

// back is front with the other winding; its weights at (x, y) are 0.25 and 0.5.
func back(x, y, z float32) Triangle {
	t := front(x, y, z)
	return Triangle{t[0], t[2], t[1]}
}

// cube is a box of size 2 around (x, y, z).
func cube(x, y, z float32) Box { return Box{x - 1, y - 1, z - 1, x + 1, y + 1, z + 1} }

// once makes any hit shaders run once per primitive, so that invocations can be counted.
const once = vk.GeometryNoDuplicateAnyHit

// opaqueOnce is once with opacity.
const opaqueOnce = once | vk.GeometryOpaque

// mesh and boxes are geometries with flags.
func mesh(flags vk.GeometryFlags, t ...Triangle) Geometry {
	return Geometry{Flags: flags, Triangles: t}
}
func boxes(flags vk.GeometryFlags, b ...Box) Geometry { return Geometry{Flags: flags, Boxes: b} }

// single is the scene of one model, placed once.
func single(g ...Geometry) *Scene {
	return &Scene{Models: []Model{g}, Instances: []Instance{place(0)}}
}
