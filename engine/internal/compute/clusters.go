package compute

import (
	"context"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// ClusterBuildSizes is bvh's, as PrepareClusters and CmdBuildClusters are.
func (d *Driver) ClusterBuildSizes(in cluster.Input) (vk.BuildSizes, error) {
	s, err := d.builder.ClusterBuildSizes(in)
	return s, refused(err)
}

// PrepareClusters compiles the kernels.
func (d *Driver) PrepareClusters(ctx context.Context) error { return d.builder.PrepareClusters(ctx) }

// CmdBuildClusters records a command.
func (d *Driver) CmdBuildClusters(cb *vk.CommandBuffer, c cluster.Command) error {
	return refused(d.builder.CmdBuildClusters(cb, c))
}

// DecodeAt reads a structure anywhere in a buffer.
func (d *Driver) DecodeAt(ctx context.Context, b *vk.Buffer, offset uint64) (*inspect.Structure, error) {
	return inspect.Read(ctx, d.device, b, offset)
}
