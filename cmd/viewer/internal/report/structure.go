package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// Structure is one structure.
type Structure struct {
	Name string `json:"name"`
	// Kind is what the structure is of: triangles or instances.
	Kind   string `json:"kind"`
	Inputs uint32 `json:"inputs"`
	Active uint32 `json:"active"`
	Nodes  int    `json:"nodes"`
	Leaves int    `json:"leaves"`
	// LeafSizes[i] is the number of leaves of i + 1 primitives.
	LeafSizes []int     `json:"leaf_sizes"`
	MeanDepth float64   `json:"depth_mean"`
	MaxDepth  int       `json:"depth_max"`
	SAH       float64   `json:"sah"`
	EPO       *EPO      `json:"epo,omitempty"`
	Overlap   float64   `json:"overlap"`
	Bytes     PartBytes `json:"bytes"`
}

// EPO is an estimate; absent where nothing was sampled.
type EPO struct {
	Value   float64 `json:"value"`
	Error   float64 `json:"standard_error"`
	Samples int     `json:"samples"`
}

// PartBytes are the bytes of a structure by part.
type PartBytes struct {
	Total  uint64 `json:"total"`
	Header uint64 `json:"header"`
	Nodes  uint64 `json:"nodes"`
	Leaves uint64 `json:"leaf_records"`
	// Vertices are those that the triangles of compacted structures share; others have theirs in the leaf records.
	Vertices uint64 `json:"vertices"`
	// Wide are the nodes of four children that structures for CPUs have besides.
	Wide   uint64 `json:"wide_nodes"`
	Unused uint64 `json:"unused"`
}

func newStructure(name string, s *inspect.Structure, q inspect.Quality) Structure {
	r := Structure{
		Name: name, Kind: "triangles", Inputs: s.Primitives, Active: s.Active, Nodes: q.InnerNodes, Leaves: q.LeafNodes,
		LeafSizes: slices.Clone(q.LeafSizes[:]), MeanDepth: q.MeanDepth, MaxDepth: q.Height, SAH: q.SAH, Overlap: q.Overlap,
		Bytes: newPartBytes(s.Bytes+q.Parts.Wide, q.Parts),
	}
	if s.Type == vk.TopLevel {
		r.Kind = "instances"
	}
	if q.EPO.Samples > 0 {
		r.EPO = &EPO{q.EPO.Value, q.EPO.Error, q.EPO.Samples}
	}
	return r
}

func newPartBytes(total uint64, p inspect.Parts) PartBytes {
	return PartBytes{Total: total, Header: p.Header, Nodes: p.Nodes, Leaves: p.Leaves, Vertices: p.Vertices, Wide: p.Wide,
		Unused: p.Unused}
}

// Plus adds.
func (p PartBytes) Plus(o PartBytes) PartBytes {
	return PartBytes{p.Total + o.Total, p.Header + o.Header, p.Nodes + o.Nodes, p.Leaves + o.Leaves, p.Vertices + o.Vertices,
		p.Wide + o.Wide, p.Unused + o.Unused}
}

// PerInput is the structure's bytes for each input.
func (s *Structure) PerInput() float64 { return PerPrimitive(s.Bytes.Total, uint64(s.Inputs)) }

// Measure reads a structure back and judges it; EPO is estimated at so many samples.
func Measure(ctx context.Context, dev *engine.Device, as *engine.AccelerationStructure, name string, samples int) (Structure,
	error) {
	s, err := dev.Decode(ctx, as)
	if err != nil {
		return Structure{}, fmt.Errorf("%s: %w", name, err)
	}
	q, err := s.Quality(samples)
	if err != nil {
		return Structure{}, fmt.Errorf("%s: %w", name, err)
	}
	return newStructure(name, s, q), nil
}
