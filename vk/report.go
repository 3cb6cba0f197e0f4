package vk

import (
	"context"
	"fmt"
	"slices"
)

// reportHead is the part of a report that is zero when an execution begins.
const reportHead = 16

// report is where the shaders of one recording tell the host what happened to them.
type report struct {
	own Range
	// copies are those of the secondaries that a primary executes: their own memory belongs to all primaries at once.
	copies []Range
}

// Report returns memory in which shaders report to the host, one piece for each recording: the first call takes it, and the
// others must ask for the same size, a multiple of 4 of at least 16 bytes. Its first 16 bytes are zero whenever an execution
// begins. Reports reads it.
func (cb *CommandBuffer) Report(size uint64) (Range, error) {
	if r := cb.report.own; r.Buffer != nil {
		if r.Size != size {
			return Range{}, fmt.Errorf("command buffer %q: %w: a report of %d bytes, it has one of %d", cb.name, ErrInvalid, size, r.Size)
		}
		return r, nil
	}
	if size < reportHead || size%4 != 0 {
		return Range{}, fmt.Errorf("command buffer %q: %w: a report of %d bytes, want a multiple of 4 of at least %d", cb.name,
			ErrInvalid, size, reportHead)
	}
	r, err := cb.Transient(UploadNear, size, 16)
	if err != nil {
		return Range{}, fmt.Errorf("command buffer %q: report: %w", cb.name, err)
	}
	clear(r.Mapped()[:reportHead])
	cb.report.own = r
	return r, nil
}

// Reports waits for the last submission of a primary command buffer and returns what its execution left: its own report, and
// one for each secondary that it executes, none of those that never asked for one. They are valid until the buffer is submitted
// again, reset or destroyed.
func (cb *CommandBuffer) Reports(ctx context.Context) ([][]byte, error) {
	t := cb.submitted()
	if t.d == nil {
		return nil, ctx.Err() // never submitted since it was recorded
	}
	if err := t.Wait(ctx); err != nil {
		return nil, fmt.Errorf("command buffer %q: %w", cb.name, err)
	}
	var out [][]byte
	for _, r := range append([]Range{cb.report.own}, cb.report.copies...) {
		if r.Buffer != nil {
			out = append(out, r.Mapped())
		}
	}
	return out, nil
}

// collectReports has a primary copy the reports of its secondaries, and clear them for the next primary that executes the
// same. Both primaries may be in flight: its barriers also hold back launches of what is submitted later.
func (cb *CommandBuffer) collectReports() {
	var from []Range
	for i, s := range cb.executes {
		if s.report.own.Buffer != nil && !slices.Contains(cb.executes[:i], s) {
			from = append(from, s.report.own)
		}
	}
	if len(from) == 0 {
		return
	}
	cb.MemoryBarrier(StageComputeShader, AccessShaderWrite, StageTransfer, AccessTransferRead)
	for _, r := range from {
		to, err := cb.Transient(UploadNear, r.Size, 16)
		if err != nil {
			cb.Fail(fmt.Errorf("report of a secondary command buffer: %w", err))
			return
		}
		cb.report.copies = append(cb.report.copies, to)
		cb.CopyBuffer(r.Buffer, r.Offset, to.Buffer, to.Offset, r.Size)
	}
	cb.MemoryBarrier(StageTransfer, AccessTransferRead, StageTransfer, AccessTransferWrite)
	for _, r := range from {
		cb.FillBuffer(r.Buffer, r.Offset, reportHead, 0)
	}
	cb.MemoryBarrier(StageTransfer, AccessTransferWrite, StageComputeShader, AccessShaderRead|AccessShaderWrite)
}

// clearReport is for a submission: the GPU does not execute the buffer now.
func (cb *CommandBuffer) clearReport() {
	if r := cb.report.own; r.Buffer != nil {
		clear(r.Mapped()[:reportHead])
	}
}
