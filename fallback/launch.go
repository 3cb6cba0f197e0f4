package fallback

import "encoding/binary"

// launchParams mirrors RtLaunch of shaders/fallback/launch.glsl, the push constants of the linked module, field by field;
// the layout test compares both. Indirect launches have it in memory, where shaders/fallback/indirect.comp completes it.
type launchParams struct {
	launchSize    [3]uint32
	stackDwords   uint32
	stackBase     uint64
	faults        uint64
	raygenRecord  uint64
	pushConstants uint64
	miss          tableRegion
	hit           tableRegion
	callable      tableRegion
	pipelineTag   uint32
	maxDepth      uint32
	tileWidthLog2 uint32
	tilesPerRow   uint32
	tilesPerSlice uint32
	firstGroup    uint32
	groupStride   uint32
	groupCount    uint32
}

type tableRegion struct {
	base         uint64
	stride, size uint32
}

// launchBytes is the size of RtLaunch.
const launchBytes = 128

// encode returns the block as the shaders read it.
func (l *launchParams) encode() []byte {
	e := binary.LittleEndian
	b := make([]byte, 0, launchBytes)
	for _, v := range l.launchSize {
		b = e.AppendUint32(b, v)
	}
	b = e.AppendUint32(b, l.stackDwords)
	for _, v := range []uint64{l.stackBase, l.faults, l.raygenRecord, l.pushConstants} {
		b = e.AppendUint64(b, v)
	}
	for _, r := range []tableRegion{l.miss, l.hit, l.callable} {
		b = e.AppendUint64(b, r.base)
		b = e.AppendUint32(b, r.stride)
		b = e.AppendUint32(b, r.size)
	}
	for _, v := range []uint32{l.pipelineTag, l.maxDepth, l.tileWidthLog2, l.tilesPerRow, l.tilesPerSlice, l.firstGroup, l.groupStride,
		l.groupCount} {
		b = e.AppendUint32(b, v)
	}
	return b
}
