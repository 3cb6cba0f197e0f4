package bvh

import (
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// DXR 2.0's arguments (cluster.DirectX): cluster/translate.comp writes those that all other kernels read, to scratch memory.

// Passes of cluster/translate.comp.
const (
	translateArguments = iota
	translateTemplates
)

// dialectScratch places what the kernel writes, as offsets from the scratch memory.
type dialectScratch struct{ args, words, vertices uint64 }

// translates tells whether a command's arguments are written anew. Those of other operations are the same in all dialects.
func translates(in cluster.Input) bool {
	return in.Dialect == cluster.DirectX &&
		(in.Op == cluster.BuildClusters || in.Op == cluster.BuildTemplates || in.Op == cluster.InstantiateOp)
}

// unpacks tells whether the kernel writes vertices, too.
func unpacks(in cluster.Input) bool {
	return translates(in) && (in.Op == cluster.InstantiateOp || in.VertexFormat == cluster.Compressed1)
}

// place takes room, by a function that does.
func (s *dialectScratch) place(in cluster.Input, part func(at *uint64, bytes uint64)) {
	n := uint64(in.MaxCount)
	if translates(in) {
		part(&s.args, n*in.Op.ArgBytes())
		if in.Op != cluster.InstantiateOp {
			part(&s.words, n*4*uint64(in.MaxTriangles))
		}
	}
	if unpacks(in) {
		part(&s.vertices, n*12*uint64(in.MaxVertices))
	}
}

// checkDialect judges what is of a dialect.
func checkDialect(in cluster.Input) error {
	switch in.Dialect {
	case cluster.Vulkan:
		if in.IndexBytes != 0 || in.GeometryIndexBytes != 0 || in.InstanceFormat != 0 {
			return fmt.Errorf("%w: IndexBytes, GeometryIndexBytes and InstanceFormat are of the dialect DirectX", ErrInvalidClusters)
		}
		return nil
	case cluster.DirectX:
	default:
		return fmt.Errorf("%w: dialect %d; there are Vulkan (0) and DirectX (1)", ErrInvalidClusters, in.Dialect)
	}
	if in.Op != cluster.BuildClusters && in.Op != cluster.BuildTemplates {
		return nil
	}
	width := func(b uint32) bool { return b == 1 || b == 2 || b == 4 }
	if !width(in.IndexBytes) || !width(in.GeometryIndexBytes) && in.GeometryIndexBytes != 0 {
		return fmt.Errorf("%w: IndexBytes is %d and GeometryIndexBytes %d, want 1, 2 or 4; the second may be 0", ErrInvalidClusters,
			in.IndexBytes, in.GeometryIndexBytes)
	}
	if _, ok := formatOf(in.InstanceFormat, in.Dialect); in.InstanceFormat != 0 && !ok {
		return fmt.Errorf("%w: instance format %d (see VertexFormats)", ErrInvalidClusters, in.InstanceFormat)
	}
	return nil
}

// formatWord is a format as kernels have it.
type formatWord struct{ word, bytes uint32 }

// formatOf is a vertex format of a dialect, and whether it is one.
func formatOf(f vulkan.Format, d cluster.Dialect) (w formatWord, ok bool) {
	if f == cluster.Compressed1 {
		return formatWord{cluster.FormatCompressed1, 4 << 8}, d == cluster.DirectX
	}
	word, ok := layout.FormatWords[f]
	component := uint32(layout.ComponentSize(f))
	return formatWord{word, component*(word>>4) | component<<8}, ok
}

// translate describes the dialect of a command for the kernel, and turns the command into the one that all others do.
func (r *clusterRecorder) translate(rec *erClusterCommand) error {
	in := r.c.Input
	if in.Dialect != cluster.DirectX {
		return nil
	}
	s := r.scratch.dialect
	format, _ := formatOf(in.VertexFormat, in.Dialect)
	instance, _ := formatOf(in.InstanceFormat, in.Dialect)
	d := erClusterDialect{Infos: rec.Infos, Words: r.memory + s.words, Vertices: r.memory + s.vertices, InfoStride: rec.InfoStride,
		Resolve: rec.Resolve & uint32(cluster.ResolveInfos), Format: format.word, FormatBytes: format.bytes, IndexBytes: in.IndexBytes,
		WordIndexBytes: in.GeometryIndexBytes, MostWords: in.MaxGeometries, InstanceFormat: instance.word}
	if translates(in) {
		rec.Infos, rec.InfoStride, rec.Resolve = r.memory+s.args, uint32(in.Op.ArgBytes()), rec.Resolve&^uint32(cluster.ResolveInfos)
	}
	if unpacks(in) {
		rec.Format, rec.FormatBytes = layout.FormatFloat32|3<<4, 12|4<<8
	}
	var err error
	r.dialect, err = uploaded(r.cb, &d)
	return err
}

// uploaded copies a record to memory that lives as long as the recording.
func uploaded[T record](cb Recorder, rec *T) (vk.DeviceAddress, error) {
	address, mapped, err := cb.TransientUpload(uint64(len(bytesOf(rec))), 64)
	if err == nil {
		copy(mapped, bytesOf(rec))
	}
	return address, err
}

// runTranslation runs a pass of the kernel, and has what follows wait for it, or it for what was before.
func (r *clusterRecorder) runTranslation(pass uint32) {
	in := r.c.Input
	switch {
	case in.Dialect != cluster.DirectX:
	case pass == translateArguments:
		r.run(kernelClusterTranslate, r.dialect, in.MaxCount, in.MaxCount, pass)
		r.barrier()
	case in.Op == cluster.BuildTemplates && in.InstanceFormat != 0:
		r.barrier()
		r.run(kernelClusterTranslate, r.dialect, in.MaxCount, in.MaxCount, pass)
	}
}
