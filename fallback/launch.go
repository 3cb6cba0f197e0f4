package fallback

import (
	"slices"
	"unsafe"

	"github.com/everray/everray/vk"
)

// launchParams is RtLaunch of shaders/fallback/launch.glsl, the push constants of the linked module. Indirect launches have it in
// memory, where shaders/fallback/indirect.comp completes it.
//
//glsl:fallback/runtime.comp RtLaunch
//glsl:fallback/wave_scan.comp Groups part
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

// launchBytes is the size of RtLaunch, as much as push constants have on every device.
const launchBytes = 128

var _ [launchBytes]byte = [unsafe.Sizeof(launchParams{})]byte{}

// encode returns the block as the shaders read it.
func (l *launchParams) encode() []byte { return slices.Clone(vk.Bytes(l)) }

// Words of the handle that a record begins with: numbers of shaders, 0 for none, and the pipeline's tag.
const (
	handleShader       = 0 //glsl:RT_HANDLE_SHADER
	handleAnyHit       = 1 //glsl:RT_HANDLE_ANY_HIT
	handleIntersection = 2 //glsl:RT_HANDLE_INTERSECTION
	handlePipeline     = 3 //glsl:RT_HANDLE_PIPELINE
)
