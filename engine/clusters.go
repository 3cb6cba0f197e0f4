package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// Clustered geometry, as VK_NV_cluster_acceleration_structure has it: package cluster has the arguments that the device reads, to
// the byte, and says what commands do. Bottom levels over clusters have addresses and no AccelerationStructure: instances refer to
// them by those. Pipelines and compute pipelines that may meet them ask for it (PipelineFlags.AllowClusters,
// ComputePipelineOptions.AllowClusters). To others an instance of clusters is a fault, and no hit.

// ClusterInput is what the host says of a command's operations: limits that none of them exceeds.
type ClusterInput = cluster.Input

// ClusterCommand is a command for clusters.
type ClusterCommand = cluster.Command

// ClusterObject is a cluster or a template, read back.
type ClusterObject = cluster.Object

// clusterWay is what a way offers that has clusters.
type clusterWay interface {
	ClusterBuildSizes(in cluster.Input) (vk.BuildSizes, error)
	PrepareClusters(ctx context.Context) error
	CmdBuildClusters(cb *vk.CommandBuffer, c cluster.Command) error
	DecodeAt(ctx context.Context, b *vk.Buffer, offset uint64) (*Structure, error)
}

func (d *Device) clusters() (clusterWay, error) {
	way, can := d.driver.(clusterWay)
	if !can {
		return nil, lacking("clusters natively (BackendCompute has them)")
	}
	return way, nil
}

// checkClusters refuses what a field asks for where the way has no clusters.
func (d *Device) checkClusters(asked bool, field string) error {
	if asked && !d.HasClusters() {
		return lacking("clusters, for %s natively (BackendCompute has them)", field)
	}
	return nil
}

// HasClusters tells whether the device's way has clusters: the compute way has, the native one has not, whatever the driver
// offers. Options.Clusters has BackendAuto choose accordingly.
func (d *Device) HasClusters() bool {
	_, err := d.clusters()
	return err == nil
}

// ClusterBuildSizes returns the memory that a command takes at most: AccelerationStructureSize is that of all results in mode
// cluster.Implicit and that of the largest in mode cluster.Explicit, BuildScratchSize that of the scratch memory.
func (d *Device) ClusterBuildSizes(in ClusterInput) (vk.BuildSizes, error) {
	if err := d.enter(); err != nil {
		return vk.BuildSizes{}, fmt.Errorf("sizes of clusters: %w", err)
	}
	defer d.leave()
	way, err := d.clusters()
	if err != nil {
		return vk.BuildSizes{}, fmt.Errorf("sizes of clusters: %w", err)
	}
	s, err := way.ClusterBuildSizes(in)
	if err != nil {
		return vk.BuildSizes{}, fmt.Errorf("sizes of clusters: %w", err)
	}
	return s, nil
}

// PrepareClusters compiles what CmdBuildClusters would compile when it is first recorded.
func (d *Device) PrepareClusters(ctx context.Context) error {
	if err := d.enter(); err != nil {
		return fmt.Errorf("prepare clusters: %w", err)
	}
	defer d.leave()
	way, err := d.clusters()
	if err == nil {
		err = way.PrepareClusters(ctx)
	}
	if err != nil {
		return fmt.Errorf("prepare clusters: %w", err)
	}
	return nil
}

// CmdBuildClusters records a command for clusters, with barriers between its own dispatches and none around them: CmdBarrier orders
// it with what writes its arguments and with what reads its results, other such commands included. Memory is the application's:
// buffers made with AccelerationStructureInput, or any others with device addresses.
func (d *Device) CmdBuildClusters(cb *vk.CommandBuffer, c ClusterCommand) error {
	if err := d.checkCommands(cb); err != nil {
		return fmt.Errorf("clusters: %w", err)
	}
	way, err := d.clusters()
	if err == nil {
		err = way.CmdBuildClusters(cb, c)
	}
	if err != nil {
		return fmt.Errorf("clusters: %w", err)
	}
	return nil
}

// DecodeCluster reads a cluster or a template back from a buffer, for tools that show it; no command that writes it is pending.
func (d *Device) DecodeCluster(ctx context.Context, b *vk.Buffer, offset uint64) (*ClusterObject, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("decode cluster: %w", err)
	}
	defer d.leave()
	if b == nil || offset >= b.Size() {
		return nil, fmt.Errorf("decode cluster: %w", invalid("offset %d is not in the buffer", offset))
	}
	data := make([]byte, min(b.Size()-offset, cluster.ClusterBytes(cluster.Most, cluster.Most, true, true)))
	if err := d.device.ReadBuffer(ctx, b, offset, data); err != nil {
		return nil, fmt.Errorf("decode cluster: %w", err)
	}
	o, err := cluster.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("decode cluster at offset %d of %q: %w", offset, b.Name(), driver.Mark(err, ErrInvalid))
	}
	return o, nil
}

// DecodeClusters reads a bottom level over clusters back from a buffer, as Decode does structures.
func (d *Device) DecodeClusters(ctx context.Context, b *vk.Buffer, offset uint64) (*Structure, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("decode bottom level over clusters: %w", err)
	}
	defer d.leave()
	way, err := d.clusters()
	if err != nil {
		return nil, fmt.Errorf("decode bottom level over clusters: %w", err)
	}
	if b == nil || offset >= b.Size() {
		return nil, fmt.Errorf("decode bottom level over clusters: %w", invalid("offset %d is not in the buffer", offset))
	}
	s, err := way.DecodeAt(ctx, b, offset)
	if errors.Is(err, inspect.ErrNotAStructure) {
		err = driver.Mark(err, ErrInvalid)
	}
	if err != nil {
		return nil, fmt.Errorf("decode bottom level over clusters: %w", err)
	}
	return s, nil
}
