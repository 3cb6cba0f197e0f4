package link

import "github.com/everray/everray/fallback/spirv"

// laneNeeds are what is kept of a lane because some hit or miss shader reads it.
type laneNeeds struct {
	ray, hit, instance bool
	barycentrics       bool   // of the hit
	attributes         uint32 // words
	nested             bool   // rays go to traversal through memory
}

// laneGroups say which group of values a function of the runtime reads: 'r' the ray, 'h' the hit, 'b' its barycentrics, 'i' the
// instance.
func (y *symbols) laneGroups() map[spirv.ID]string {
	return map[spirv.ID]string{
		y.RtWorldRayOrigin.id: "r", y.RtWorldRayDirection.id: "r", y.RtObjectRayOrigin.id: "ri", y.RtObjectRayDirection.id: "ri",
		y.RtRayTmin.id: "r", y.RtRayTmaxMiss.id: "r", y.RtRayTmaxHit.id: "h", y.RtBarycentrics.id: "hb", y.RtPrimitiveId.id: "h",
		y.RtHitKind.id: "i", y.RtInstanceId.id: "i", y.RtInstanceCustomIndex.id: "i", y.RtGeometryIndex.id: "i",
		y.RtObjectToWorld.id: "i", y.RtWorldToObject.id: "i", y.RtVertex.id: "i", y.RtClusterId.id: "i",
	}
}

// laneNeeds looks through the hit and miss shaders.
func (l *assembly) laneNeeds() laneNeeds {
	var n laneNeeds
	groups := l.symbols.laneGroups()
	entries := map[spirv.ID]bool{}
	for i := range l.parts {
		p := &l.parts[i]
		n.nested = n.nested || p.traces && p.model != Raygen
		if p.model == ClosestHit || p.model == Miss {
			entries[p.entry] = true
		}
	}
	for _, f := range l.out.Functions {
		if !entries[f.Def.Result] {
			continue
		}
		for _, b := range f.Blocks {
			for i := range b.Insts {
				in := &b.Insts[i]
				if in.Op != spirv.OpFunctionCall {
					continue
				}
				callee := in.FunctionCall().Function()
				for _, c := range groups[callee] {
					n.ray, n.hit, n.instance = n.ray || c == 'r', n.hit || c == 'h', n.instance || c == 'i'
					n.barycentrics = n.barycentrics || c == 'b'
				}
				if callee == l.symbols.RtAttribute.id {
					word, _ := l.types.constantU32(in.FunctionCall().Argument(0))
					n.attributes = max(n.attributes, word+1)
				}
			}
		}
	}
	return n
}

// all are the needs of a lane of which everything may be asked, but for attributes.
func (n laneNeeds) all() laneNeeds {
	n.ray, n.hit, n.instance, n.barycentrics, n.nested = true, true, true, true, true
	return n
}

// quads returns how many a lane has, as the runtime counts them (rtWaveAttributesAt).
func (n laneNeeds) quads() uint32 {
	q := uint32(2)
	if n.ray || n.nested {
		q += 2
	}
	if n.hit {
		q++
	}
	if n.instance {
		q++
	}
	return q + (n.attributes+quadSlots-1)/quadSlots
}
