package bvh

import (
	"fmt"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// CmdWriteProperties records one query per structure. The answers come one behind the other, PropertySize bytes each, to
// dst at offset, a multiple of 8. Of memory that holds no structure the answer is 0. It records barriers between its own
// dispatches, none before the first and none after the last.
func (b *Builder) CmdWriteProperties(cb Recorder, structures []Range, p Property, dst vk.Memory, offset uint64) error {
	if len(structures) == 0 {
		return nil
	}
	if p > BottomLevelPointers {
		return fmt.Errorf("%w: property %d", ErrInvalidCopy, p)
	}
	if missing(dst) {
		return fmt.Errorf("%w: no buffer for the properties", ErrInvalidCopy)
	}
	need := uint64(len(structures)) * PropertySize
	if have := dst.Size(); offset%PropertySize != 0 || offset > have || have-offset < need {
		return fmt.Errorf("%w: %d properties at offset %d of buffer %q take %d bytes at a multiple of %d, it has %d",
			ErrInvalidCopy, len(structures), offset, dst.Name(), need, PropertySize, have)
	}
	batch := copyBatch{block: b.lanes}
	for i, s := range structures {
		if err := completeRange("structure", &s, layout.HeaderSize); err != nil {
			return fmt.Errorf("query %d: %w", i, err)
		}
		to := Range{Buffer: dst, Offset: offset + uint64(i)*PropertySize, Size: PropertySize}
		if err := batch.add(copyJob{mode: queryMode + uint32(p), src: s, dst: to}); err != nil {
			return fmt.Errorf("query %d: %w", i, err)
		}
	}
	if err := b.recordCopies(cb, &batch, "bvh properties"); err != nil {
		return fmt.Errorf("properties of %d acceleration structures: %w", len(structures), err)
	}
	return nil
}
