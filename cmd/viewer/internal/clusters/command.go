package clusters

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// Command is a command with implicit results and the memory that it takes.
type Command struct {
	Input engine.ClusterInput
	// Memory has the results, List their addresses, Sizes their sizes.
	Memory, List, Sizes *vk.Buffer
	// ScratchBytes is what the size query says of scratch memory.
	ScratchBytes uint64

	dev           *engine.Device
	scratch, args *vk.Buffer
}

// NewCommand takes memory for a command, and uploads its arguments.
func NewCommand(ctx context.Context, dev *engine.Device, in engine.ClusterInput, args []byte) (c *Command, err error) {
	c = &Command{Input: in, dev: dev}
	defer func() {
		if err != nil {
			c.Destroy()
			c, err = nil, fmt.Errorf("%v: %w", in.Op, err)
		}
	}()
	if c.args, err = dev.NewBuildInput(ctx, "cluster arguments", args); err != nil {
		return c, err
	}
	return c, c.allocate()
}

func (c *Command) allocate() error {
	sizes, err := c.dev.ClusterBuildSizes(c.Input)
	if err != nil {
		return err
	}
	c.ScratchBytes = sizes.BuildScratchSize
	for _, b := range []struct {
		to   **vk.Buffer
		name string
		size uint64
	}{
		{&c.Memory, "clusters", sizes.AccelerationStructureSize}, {&c.List, "cluster addresses", 8 * uint64(c.Input.MaxCount)},
		{&c.Sizes, "cluster sizes", 4 * uint64(c.Input.MaxCount)}, {&c.scratch, "cluster scratch", sizes.BuildScratchSize},
	} {
		if *b.to, err = c.dev.VK().NewBuffer(vk.BufferOptions{Name: b.name, Size: max(b.size, 4), Memory: vk.DeviceLocal,
			AccelerationStructureInput: true, Alignment: 256}); err != nil {
			return err
		}
	}
	return nil
}

// Record records the command. Barriers around it are the caller's.
func (c *Command) Record(cb *vk.CommandBuffer) error {
	return c.dev.CmdBuildClusters(cb, engine.ClusterCommand{
		Input: c.Input, Implicit: c.Memory.Address(), Scratch: c.scratch.Address(),
		Addresses: engine.ClusterStrided{Address: c.List.Address()},
		Sizes:     engine.ClusterStrided{Address: c.Sizes.Address()}, Infos: engine.ClusterStrided{Address: c.args.Address()},
	})
}

// Run runs the command alone and waits.
func (c *Command) Run(ctx context.Context) error {
	return c.dev.Run(ctx, c.Input.Op.String(), func(cb *vk.CommandBuffer) error {
		c.dev.CmdBarrier(cb)
		if err := c.Record(cb); err != nil {
			return err
		}
		c.dev.CmdBarrier(cb)
		return nil
	})
}

// Results reads addresses and sizes of what was built.
func (c *Command) Results(ctx context.Context) (addresses []uint64, bytes uint64, err error) {
	n := int(c.Input.MaxCount)
	list, sizes := make([]byte, 8*n), make([]byte, 4*n)
	if err := c.dev.VK().ReadBuffer(ctx, c.List, 0, list); err != nil {
		return nil, 0, err
	}
	if err := c.dev.VK().ReadBuffer(ctx, c.Sizes, 0, sizes); err != nil {
		return nil, 0, err
	}
	for k := range n {
		size := binary.LittleEndian.Uint32(sizes[4*k:])
		if size == 0 {
			return nil, 0, fmt.Errorf("%v: operation %d of %d has no result", c.Input.Op, k, n)
		}
		addresses = append(addresses, binary.LittleEndian.Uint64(list[8*k:]))
		bytes += uint64(size)
	}
	return addresses, bytes, nil
}

// Destroy releases the memory. It may be called twice and on nil.
func (c *Command) Destroy() {
	if c == nil {
		return
	}
	for _, b := range []*vk.Buffer{c.Memory, c.List, c.Sizes, c.scratch, c.args} {
		b.Destroy()
	}
	c.Memory, c.List, c.Sizes, c.scratch, c.args = nil, nil, nil, nil, nil
}

// OverAll is the input and the arguments of a command that builds one bottom level over so many clusters.
func OverAll(flags vk.BuildFlags, list vk.DeviceAddress, count uint32) (engine.ClusterInput, []byte) {
	in := engine.ClusterInput{MaxCount: 1, Flags: flags, Op: engine.ClusterOpBottomLevels, MaxClusters: count, MaxTotalClusters: count}
	return in, engine.ClusterArgs(engine.ClusterBuildBottomLevel{Count: count, Clusters: list})
}
