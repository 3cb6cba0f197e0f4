package fallback

import "encoding/binary"

// launchParams mirrors RtLaunch of shaders/fallback/launch.glsl, field by field; the layout test compares both.
type launchParams struct {
	launchSize    [3]uint32
	stackDwords   uint32
	stackBase     uint64
	faults        uint64
	raygenRecord  uint64
	pipelineTag   uint32
	maxDepth      uint32
	miss          tableRegion
	hit           tableRegion
	callable      tableRegion
	tileWidthLog2 uint32
	tilesPerRow   uint32
	tilesPerSlice uint32
	reserved      uint32
	pushConstants [MaxPushConstantBytes]byte
}

type tableRegion struct {
	base         uint64
	stride, size uint32
}

// launchBytes is the size of RtLaunch.
const launchBytes = 112 + MaxPushConstantBytes

// encode writes the block as the shaders read it.
func (l *launchParams) encode(b []byte) {
	e := binary.LittleEndian
	at := 0
	u32 := func(v uint32) { e.PutUint32(b[at:], v); at += 4 }
	u64 := func(v uint64) { e.PutUint64(b[at:], v); at += 8 }
	for _, v := range l.launchSize {
		u32(v)
	}
	u32(l.stackDwords)
	u64(l.stackBase)
	u64(l.faults)
	u64(l.raygenRecord)
	u32(l.pipelineTag)
	u32(l.maxDepth)
	for _, r := range []tableRegion{l.miss, l.hit, l.callable} {
		u64(r.base)
		u32(r.stride)
		u32(r.size)
	}
	u32(l.tileWidthLog2)
	u32(l.tilesPerRow)
	u32(l.tilesPerSlice)
	u32(l.reserved)
	copy(b[at:], l.pushConstants[:])
}
