package render

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/everray/everray/assets"
)

// idCount is how many samples of a pixel hit the thing of a number.
type idCount struct{ id, count uint32 }

// matteCounts gathers one kind of number over the samples of each pixel.
type matteCounts struct {
	of     int // index of the number
	pixels [][]idCount
}

// add counts a sample of all pixels, as aov.rgen leaves its numbers.
func (m *matteCounts) add(ids []byte) {
	for i := range m.pixels {
		id := binary.LittleEndian.Uint32(ids[4*(aovIDs*i+m.of):])
		if id == 0 {
			continue // nothing is no matte
		}
		at := slices.IndexFunc(m.pixels[i], func(c idCount) bool { return c.id == id })
		if at < 0 {
			at = len(m.pixels[i])
			m.pixels[i] = append(m.pixels[i], idCount{id: id})
		}
		m.pixels[i][at].count++
	}
}

// matte turns the counts into shares; names are those of the numbers from 1.
func (m *matteCounts) matte(layer string, names []string, samples int) *assets.Matte {
	out := &assets.Matte{Layer: layer, Names: names, Pixels: make([][]assets.MatteShare, len(m.pixels))}
	for i, counts := range m.pixels {
		slices.SortStableFunc(counts, func(a, b idCount) int { return cmp.Compare(b.count, a.count) })
		for _, c := range counts {
			out.Pixels[i] = append(out.Pixels[i], assets.MatteShare{Name: int(c.id) - 1, Share: float32(c.count) / float32(samples)})
		}
	}
	return out
}

// objectNames are the names of a scene's instances; those without one are called by their number.
func objectNames(scene *assets.Scene) []string {
	names := make([]string, len(scene.Instances))
	for i := range names {
		if names[i] = scene.Instances[i].Name; names[i] == "" {
			names[i] = fmt.Sprintf("object %d", i+1)
		}
	}
	return names
}

func materialNames(scene *assets.Scene) []string {
	names := make([]string, len(scene.Materials))
	for i := range names {
		if names[i] = scene.Materials[i].Name; names[i] == "" {
			names[i] = fmt.Sprintf("material %d", i+1)
		}
	}
	return names
}
