package pipefuzz

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
)

// The scene: triangles under two instances, boxes under two more. Coordinates x and y of all vertices are multiples of
// 1/32 (the lattice), and those of rays lie halfway between, in every plane that holds a primitive: origins lie halfway
// between planes, whose distance is 1/4, and slopes are multiples of 1/4. No edge of a triangle passes through such a
// point (see clear), so that no ray comes nearer to an edge than 1/200 of the lattice's step.
const (
	// PrimitivesPerGeometry is the number of triangles, and of boxes, in each of two geometries.
	PrimitivesPerGeometry = 8
	lattice               = 32
	layers                = 4 * 2 * PrimitivesPerGeometry
)

// Instance is an instance of the scene.
type Instance struct {
	Transform   [12]float32
	CustomIndex uint32
	Mask        uint8
	// Geometry is the first of the instance's records; trace calls with n ray types have n records a geometry.
	Geometry int
	Boxes    bool
	// NoCulling and FlipFacing are instance flags.
	NoCulling, FlipFacing bool
}

// Instances returns the scene's instances; their planes interleave. Matrices keep the lattice.
func Instances(boxes bool) []Instance {
	list := []Instance{
		{Transform: [12]float32{0: 1, 5: 1, 10: 1}, CustomIndex: 5, Mask: 0xFF, Geometry: 0},
		{Transform: [12]float32{0: -1, 5: 1, 10: 1, 11: 0.25}, CustomIndex: 77, Mask: 0x0F, Geometry: 2, FlipFacing: true},
	}
	if boxes {
		list = append(list,
			Instance{Transform: [12]float32{1: -1, 4: 1, 10: 1, 11: 0.5}, CustomIndex: 300, Mask: 0xFF, Geometry: 4, Boxes: true},
			Instance{Transform: [12]float32{0: 1, 3: 0.25, 5: 1, 10: 1, 11: 0.75}, CustomIndex: 0xFFFFFF, Mask: 0xF0, Geometry: 6,
				Boxes: true, NoCulling: true},
		)
	}
	return list
}

// Triangles returns the vertices of both geometries, 3 floats each; plane z = i holds triangle i.
func Triangles() []byte {
	r := rand.New(rand.NewPCG(3, 4))
	var b []byte
	for i := range 2 * PrimitivesPerGeometry {
		corners := [3][2]int{}
		for ok := false; !ok; ok = clear(corners) {
			for k := range corners {
				corners[k] = [2]int{r.IntN(2*lattice+1) - lattice, r.IntN(2*lattice+1) - lattice}
			}
		}
		for _, c := range corners {
			b = appendFloats(b, float32(c[0])/lattice, float32(c[1])/lattice, float32(i))
		}
	}
	return b
}

// clear reports whether a triangle is large and no edge passes through a point halfway between the lattice's. For an
// edge (x, y) the cross product with such a point is a half of x * odd - y * odd plus an integer multiple of neither;
// it is never zero where x and y hold different powers of two.
func clear(c [3][2]int) bool {
	for k := range c {
		x, y := c[(k+1)%3][0]-c[k][0], c[(k+1)%3][1]-c[k][1]
		if x == 0 && y == 0 || x != 0 && y != 0 && bits.TrailingZeros(uint(x)) == bits.TrailingZeros(uint(y)) {
			return false
		}
	}
	area := (c[1][0]-c[0][0])*(c[2][1]-c[0][1]) - (c[2][0]-c[0][0])*(c[1][1]-c[0][1])
	return max(area, -area) > lattice*lattice
}

// Boxes returns the boxes of both geometries, 6 floats each: around plane z = i lies box i.
func Boxes() []byte {
	r := rand.New(rand.NewPCG(5, 6))
	var b []byte
	for i := range 2 * PrimitivesPerGeometry {
		x, y := r.IntN(lattice)-lattice, r.IntN(lattice)-lattice
		w, h := lattice/2+r.IntN(lattice/2), lattice/2+r.IntN(lattice/2)
		z := float32(i)
		b = appendFloats(b, float32(x)/lattice, float32(y)/lattice, z-0.0625, float32(x+w)/lattice, float32(y+h)/lattice, z+0.0625)
	}
	return b
}

func appendFloats(b []byte, values ...float32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}
