package clusters

import (
	"context"
	"fmt"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// Survey is what a mesh's clusters and a bottom level over them are like.
type Survey struct {
	Clusters  int `json:"clusters"`
	Triangles int `json:"triangles"`
	Vertices  int `json:"vertices"`
	// Nodes are those in clusters, Deepest the most on a path of one.
	Nodes   int `json:"nodes"`
	Deepest int `json:"deepest"`
	// Bytes are those of the clusters, BottomBytes of the bottom level.
	Bytes       uint64 `json:"bytes"`
	BottomBytes uint64 `json:"bottom_level_bytes"`
	// Of the bottom level, over clusters as primitives.
	SAH    float64 `json:"bottom_level_sah"`
	Height int     `json:"bottom_level_height"`
}

// Inspect builds clusters of up to so many triangles and a bottom level over them, reads all back and validates it.
func Inspect(ctx context.Context, dev *engine.Device, m *Mesh, triangles int, flags vk.BuildFlags) (s Survey, err error) {
	cut, err := NewCut(ctx, dev, m, triangles, triangles)
	if err != nil {
		return s, err
	}
	defer cut.Destroy()
	in := cut.Input
	in.Flags = flags & (vk.PreferFastBuild | vk.PreferFastTrace)
	made, err := NewCommand(ctx, dev, in, engine.ClusterArgs(cut.Args...))
	if err != nil {
		return s, err
	}
	defer made.Destroy()
	in, args := OverAll(in.Flags, made.List.Address(), cut.Input.MaxCount)
	bottom, err := NewCommand(ctx, dev, in, args)
	if err != nil {
		return s, err
	}
	defer bottom.Destroy()
	for _, c := range []*Command{made, bottom} {
		if err := c.Run(ctx); err != nil {
			return s, err
		}
	}
	objects, err := s.read(ctx, dev, made)
	if err != nil {
		return s, err
	}
	structure, err := dev.DecodeClusters(ctx, bottom.Memory, 0)
	if err != nil {
		return s, err
	}
	metrics, err := structure.ValidateClusters(objects)
	if err != nil {
		return s, err
	}
	s.BottomBytes, s.SAH, s.Height = structure.Bytes, metrics.SAH, metrics.Height
	return s, nil
}

// read reads clusters back.
func (s *Survey) read(ctx context.Context, dev *engine.Device, c *Command) (map[uint64]*engine.ClusterObject, error) {
	addresses, _, err := c.Results(ctx)
	if err != nil {
		return nil, err
	}
	data := make([]byte, c.Memory.Size())
	if err := dev.VK().ReadBuffer(ctx, c.Memory, 0, data); err != nil {
		return nil, err
	}
	objects := make(map[uint64]*engine.ClusterObject, len(addresses))
	for k, at := range addresses {
		o, err := engine.DecodeClusterBytes(data[at-c.Memory.Address():])
		if err == nil {
			err = o.Validate()
		}
		if err != nil {
			return nil, fmt.Errorf("cluster %d: %w", k, err)
		}
		objects[at] = o
		s.Clusters++
		s.Triangles, s.Vertices, s.Nodes = s.Triangles+len(o.Triangles), s.Vertices+len(o.Positions), s.Nodes+o.Nodes()
		s.Deepest, s.Bytes = max(s.Deepest, o.Depth()), s.Bytes+o.Bytes
	}
	return objects, nil
}
