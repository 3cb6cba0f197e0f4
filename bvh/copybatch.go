package bvh

import (
	"fmt"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// Mirror of shaders/bvh/copy/copy.glsl; TestCopyLayoutMatchesGLSL compares.

const (
	copyRecordSize = 128
	copyPlanSize   = 384
	copyReady      = 1
	copyChunks     = 16 // of a task of copy/share.comp

	queryMode = 4 // + Property
)

// copyJob is a copy or a query.
type copyJob struct {
	mode     uint32
	src, dst Range
	status   vk.DeviceAddress
	ready    bool

	pieces, nodes, marks, chunks uint64 // see copyBatch.add
	number                       uint32
}

func (j copyJob) isQuery() bool { return j.mode >= queryMode }

// links tells whether somebody has to find out which node slots are in use.
func (j copyJob) links() bool {
	return j.mode != uint32(vk.CopyClone) && (!j.isQuery() || j.mode == queryMode+uint32(CompactedSize))
}

// numbers tells whether later kernels ask which.
func (j copyJob) numbers() bool {
	return j.mode == uint32(vk.CopyCompact) || j.mode == uint32(vk.CopySerialize)
}

// shares tells whether triangles have to be indexed.
func (j copyJob) shares() bool {
	return j.mode == uint32(vk.CopyCompact) || j.mode == queryMode+uint32(CompactedSize)
}

// copyBatch is what the kernels read of a set of copies, and the sizes of what they keep.
type copyBatch struct {
	driver [16]byte
	block  uint32 // pieces of 64 bytes of a task: lanes of a workgroup
	jobs   []copyJob

	words   uint64 // of parents and marks
	numbers uint32 // entries of the scan

	plan, link, share, write []byte // tasks, uvec2: record, block
	widened                  []byte // tasks of clones, see widen.go
}

// add lays out a job. The host does not know a structure's size, only that of the range it lies in.
func (b *copyBatch) add(j copyJob) error {
	structure := j.src.Size
	if j.mode == uint32(vk.CopyDeserialize) {
		structure = min(j.src.Size, j.dst.Size)
	}
	most := structure
	if j.mode == uint32(vk.CopyDeserialize) {
		most = j.dst.Size // all of it is spoilt if the blob is refused
	}
	j.pieces = (max(most, layout.HeaderSize) + layout.PieceSize - 1) / layout.PieceSize
	if j.links() {
		j.nodes = (max(structure, layout.HeaderSize) - layout.HeaderSize) / layout.NodeSize
		if j.mode == uint32(vk.CopyDeserialize) {
			j.marks = (structure/(4*layout.IndexedWords) + 31) / 32
		}
	}
	if j.shares() { // erChunkLimit
		most := (units(structure) - layout.HeaderSize/layout.UnitSize) / (layout.TriangleSize / layout.UnitSize)
		j.chunks = (most + layout.ChunkRecords - 1) / layout.ChunkRecords
	}
	block := uint64(b.block)
	blocks := (j.pieces + block - 1) / block
	if j.pieces >= 1<<32-block || uint64(b.numbers)+j.nodes+j.chunks+2 >= 1<<32 {
		return fmt.Errorf("%w: the batch has more than 2^32 pieces of %d bytes; name the ranges' sizes, or split it",
			ErrInvalidCopy, layout.PieceSize)
	}
	record := uint32(len(b.jobs))
	for k := range uint32(blocks) {
		if k == 0 || j.links() {
			b.plan = appendWords(b.plan, record, k)
		}
		if j.links() {
			b.link = appendWords(b.link, record, k)
		}
		if !j.isQuery() {
			b.write = appendWords(b.write, record, k)
		}
	}
	if j.shares() {
		for k := range uint32(j.chunks/copyChunks + 1) { // one more than chunks, for the scan's last entry
			b.share = appendWords(b.share, record, k)
		}
	}
	if j.mode == uint32(vk.CopyClone) {
		room := min(j.src.Size, j.dst.Size)
		b.widened = appendWiden(b.widened, j.dst.Address(), j.dst.Size,
			(max(room, layout.HeaderSize)-layout.HeaderSize)/(layout.NodeSize+layout.WideSize), false)
	}
	j.number = b.numbers
	if j.numbers() {
		b.numbers += uint32(j.nodes) + 1
	}
	if j.numbers() && j.shares() {
		b.numbers += uint32(j.chunks) + 1
	}
	b.words += j.nodes + j.marks
	b.jobs = append(b.jobs, j)
	return nil
}

// units are what the kernels count memory in, at most 2^32-1.
func units(bytes uint64) uint64 { return min(bytes/layout.UnitSize, 1<<32-1) }

// records are the bytes of all ErCopy.
func (b *copyBatch) records(plans, words vk.DeviceAddress) []byte {
	take := func(n uint64) (at vk.DeviceAddress) {
		if n > 0 {
			at = words
			words += 4 * n
		}
		return at
	}
	var out []byte
	for i, j := range b.jobs {
		rec := erCopy{
			Src: j.src.Address(), Dst: j.dst.Address(), Plan: plans + uint64(i)*copyPlanSize,
			Parents: take(j.nodes), Marks: take(j.marks), Status: j.status,
			Mode: j.mode, SrcUnits: uint32(units(j.src.Size)), DstUnits: uint32(units(j.dst.Size)), NodeLimit: 1<<32 - 1,
			MarkWords:   uint32(j.marks),
			FirstNumber: j.number, Pieces: uint32(layout.AlignUp(j.pieces, uint64(b.block))),
			Driver: b.driver, Compat: layout.Compatibility, StructureCompat: layout.CompatWords,
		}
		if j.links() {
			rec.NodeLimit = uint32(j.nodes)
		}
		if j.ready {
			rec.Flags = copyReady
		}
		out = appendRecord(out, rec)
	}
	return out
}

// recordCopies records a batch.
func (b *Builder) recordCopies(cb Recorder, batch *copyBatch, label string) error {
	r := recorder{b: b, cb: cb}
	plans, err := cb.TransientDevice(uint64(len(batch.jobs))*copyPlanSize, 64)
	if err != nil {
		return err
	}
	var words vk.DeviceAddress
	if batch.words > 0 {
		if words, err = cb.TransientDevice(4*batch.words, 64); err != nil {
			return err
		}
	}
	if batch.numbers > 0 {
		if r.exchange, err = cb.TransientDevice(4*uint64(batch.numbers), 64); err != nil {
			return err
		}
		if r.sums, err = cb.TransientDevice(4*uint64(batch.numbers/layout.ScanChunk+1), 64); err != nil {
			return err
		}
	}
	var plan, link, share, write vk.DeviceAddress
	for _, u := range []struct {
		data []byte
		to   *vk.DeviceAddress
	}{
		{batch.records(plans, words), &r.records}, {batch.plan, &plan}, {batch.link, &link}, {batch.share, &share}, {batch.write, &write},
	} {
		if len(u.data) == 0 {
			continue
		}
		address, mapped, err := cb.TransientUpload(uint64(len(u.data)), 64)
		if err != nil {
			return err
		}
		copy(mapped, u.data)
		*u.to = address
	}
	cb.BeginLabel(label)
	defer cb.EndLabel()
	r.copyTasks(kernelCopyPlan, plan, batch.plan, 0)
	r.copyTasks(kernelCopyLink, link, batch.link, 0)
	r.shareVertices(share, batch.share, 0)
	if len(batch.share) > 0 {
		r.copyTasks(kernelCopyUsed, link, batch.link, 0)
	}
	r.copyTasks(kernelCopyUsed, link, batch.link, 1)
	if batch.numbers > 0 {
		r.scan(batch.numbers)
		r.barrier()
		r.shareVertices(share, batch.share, 1)
	}
	r.copyTasks(kernelCopyWrite, write, batch.write, 0)
	n := uint32(len(batch.jobs))
	r.run(kernelCopyFinish, 0, n, (n+63)/64, 0)
	if !b.wide {
		return r.err
	}
	return r.finish(batch.widened)
}

// copyTasks runs a kernel, one workgroup to a task, and waits for it.
func (r *recorder) copyTasks(kernel int, address vk.DeviceAddress, tasks []byte, pass uint32) {
	if n := uint32(len(tasks) / 8); n > 0 {
		r.run(kernel, address, n, n, pass)
		r.barrier()
	}
}

// shareVertices runs a pass of copy/share.comp, one workgroup to a chunk. What it writes nobody reads before the next
// barrier.
func (r *recorder) shareVertices(address vk.DeviceAddress, tasks []byte, pass uint32) {
	if n := uint32(len(tasks) / 8); n > 0 {
		r.run(kernelCopyShare, address, n, n*copyChunks, pass)
	}
}

// scan makes exclusive sums of n words, in place.
func (r *recorder) scan(n uint32) {
	chunks := (n + layout.ScanChunk - 1) / layout.ScanChunk
	several := uint32(0)
	if chunks > 1 {
		several = 1
		r.run(kernelScanSum, 0, n, chunks, 0)
		r.barrier()
	}
	r.run(kernelScanApply, 0, n, chunks, several)
}
