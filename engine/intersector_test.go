package engine_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/everray/everray/engine"
)

// A square of two triangles, seen from the front and missed.
func ExampleIntersector() {
	ctx := context.Background()
	dev, err := engine.Open(ctx, engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close() //nolint:errcheck // an example
	square := engine.Mesh{Positions: [][3]float32{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, Indices: []uint32{0, 1, 2, 0, 2, 3}}
	x, err := engine.NewIntersector(ctx, dev, square)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer x.Destroy()
	hits, err := x.Trace(ctx, []engine.Ray{{Origin: [3]float32{0.75, 0.25, 2}, Direction: [3]float32{0, 0, -1}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(hits[0].OK, hits[0].T, hits[0].Triangle)
}

func TestIntersector(t *testing.T) {
	backends(t, testIntersector)
}

func testIntersector(t *testing.T, dev *engine.Device) {
	square := engine.Mesh{Positions: [][3]float32{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, Indices: []uint32{0, 1, 2, 0, 2, 3}}
	behind := engine.Mesh{Positions: [][3]float32{{-4, -4, -3}, {4, -4, -3}, {0, 8, -3}}}
	x, err := engine.NewIntersector(t.Context(), dev, square, behind)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Destroy()
	rays := []engine.Ray{
		{Origin: [3]float32{0.75, 0.25, 2}, Direction: [3]float32{0, 0, -1}},
		{Origin: [3]float32{0.25, 0.75, -2}, Direction: [3]float32{0, 0, 2}},
		{Origin: [3]float32{-1, 0.25, 2}, Direction: [3]float32{0, 0, -1}},
		{Origin: [3]float32{-1, 0.25, 2}, Direction: [3]float32{0, 0, -1}, TMax: 4},
		{Origin: [3]float32{0.75, 0.25, 2}, Direction: [3]float32{0, 0, -1}, TMin: 2.5},
	}
	want := []engine.Hit{
		{OK: true, T: 2, U: 0.5, V: 0.25, Front: true},
		{OK: true, T: 1, U: 0.25, V: 0.5, Triangle: 1},
		{OK: true, T: 5, Mesh: 1, Front: true},
		{},
		{OK: true, T: 5, Mesh: 1, Front: true},
	}
	hits, err := x.Trace(t.Context(), rays)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range hits {
		w := want[i]
		if h.OK != w.OK || h.Triangle != w.Triangle || h.Mesh != w.Mesh || h.Front != w.Front || math.Abs(float64(h.T-w.T)) > 1e-5 {
			t.Errorf("ray %d: got %+v, want %+v", i, h, w)
		}
		if w.Mesh == 0 && w.OK && (math.Abs(float64(h.U-w.U)) > 1e-5 || math.Abs(float64(h.V-w.V)) > 1e-5) {
			t.Errorf("ray %d: barycentrics %g %g, want %g %g", i, h.U, h.V, w.U, w.V)
		}
	}
	if _, err := engine.NewIntersector(t.Context(), dev,
		engine.Mesh{Positions: [][3]float32{{}}, Indices: []uint32{0, 0, 1}}); err == nil {
		t.Error("an index beyond the vertices was accepted")
	}
	if _, err := engine.NewIntersector(t.Context(), dev, engine.Mesh{}); err == nil {
		t.Error("an empty mesh was accepted")
	}
}
