package assets_test

import (
	"context"
	"fmt"
	"log"

	"github.com/everray/everray/assets"
)

// A built-in scene, ready for acceleration structures: one mesh is one
// bottom-level structure, one primitive one geometry.
func ExampleBuiltin() {
	s, err := assets.Builtin("cornell")
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range s.Meshes {
		fmt.Println(m.Name, len(m.Primitives), m.TriangleCount())
	}
	st := s.Stats()
	fmt.Println(st.Instances, "instances,", st.InstancedTriangles, "triangles")
	// Output:
	// room 3 10
	// lamp 1 2
	// tall block 1 12
	// short block 1 12
	// knot 1 16384
	// ball 1 20480
	// 6 instances, 36900 triangles
}

// Names of built-in scenes and paths of files go through one function.
func ExampleOpen() {
	_, err := assets.Open(context.Background(), "builtin:teapot", nil)
	fmt.Println(err)
	s, err := assets.Open(context.Background(), "builtin:field:500", func(done, total int) {})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Name, len(s.Instances))
	// Output:
	// unknown built-in scene "teapot": there are cornell, field:N, terrain:N
	// builtin:field:500 500
}

// What a renderer made becomes a picture that is seen as intended.
func ExampleFloatImage_SRGB() {
	f := assets.FloatImage{Width: 1, Height: 1, Pix: []float32{0.18, 1, 4}}
	for _, t := range []assets.ToneMap{assets.ToneClamp, assets.ToneReinhard, assets.ToneACES} {
		img, err := f.SRGB(assets.ToneOptions{ToneMap: t})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t, img.Pix)
	}
	// Output:
	// clamp [118 255 255 255]
	// reinhard [86 191 255 255]
	// aces [141 232 252 255]
}
