package link

import (
	"cmp"
	"slices"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/rt"
)

// Call is a place where a shader is left for another. Its Shader is left to who knows the stages' names: what is linked is kept for
// pipelines that have others.
type Call struct {
	rt.CallSite
	Stage uint32 // index of the stage, those of libraries behind the pipeline's own
}

// callKinds say what the cuts are.
var callKinds = map[spirv.Op]string{
	spirv.OpTraceRayKHR: "trace", spirv.OpExecuteCallableKHR: "call", spirv.OpHitObjectTraceRayEXT: "trace of a hit object",
	spirv.OpHitObjectExecuteShaderEXT:       "execution of a hit object",
	spirv.OpHitObjectTraceReorderExecuteEXT: "trace and execution of a hit object", spirv.OpReorderThreadWithHintEXT: "reorder",
}

// reportCalls says what lives across the cuts of a stage.
func (s *framedStage) reportCalls() []Call {
	var list []Call
	for _, f := range s.frames {
		c := Call{CallSite: rt.CallSite{Kind: callKinds[f.call.Op], Bytes: 4 * f.size}}
		if f.ownPayload {
			c.Payload = 4 * s.vars.size(f.payload)
		}
		bytes := map[*variable]uint32{}
		var order []*variable
		for _, sp := range f.spilled {
			leaf := &s.vars.leaves[sp.leaf]
			if bytes[leaf.variable] == 0 {
				order = append(order, leaf.variable)
			}
			bytes[leaf.variable] += 4 * leaf.dwords
		}
		for _, x := range order {
			c.Live = append(c.Live, rt.LiveValue{Name: s.liveName(x), Bytes: bytes[x]})
		}
		slices.SortStableFunc(c.Live, func(a, b rt.LiveValue) int { return cmp.Compare(b.Bytes, a.Bytes) })
		list = append(list, c)
	}
	return list
}

// liveName returns what a variable is called in the shader.
func (s *framedStage) liveName(x *variable) string {
	switch x.role.kind {
	case roleRecordAddress:
		return "address of the shader record"
	case roleIncomingSlot:
		return "place of the incoming payload"
	}
	return s.names[x.id]
}
