package link

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/everray/everray/fallback/spirv"
)

// routine is a function of the runtime.
type routine struct {
	id     spirv.ID
	result spirv.ID // the type of what it returns
}

// global is a variable of the runtime.
type global struct{ id spirv.ID }

// symbols are the functions and globals of the runtime (shaders/fallback/runtime.comp) that the linker knows. A field is called as
// the symbol is in GLSL, but for the first letter: RtShade is rtShade. They are looked up once, when the runtime is loaded, and one
// that is missing is an error, unless it is marked as optional: then its id is 0.
type symbols struct {
	querySymbols
	hitObjectSymbols
	waveSymbols
	suspendSymbols
	sortedSymbols

	// The scheduler. The runtime for CPUs has no tiles.
	RtWhole, RtSchedule, RtShade, RtShadeMiss, RtContinue, RtRunCallable, RtUnknown, RtStructure routine
	RtAnyHit, RtIntersection                                                                     routine
	RtTraverse, RtPlaceLane                                                                      routine
	RtTiles                                                                                      routine `link:"optional"`
	RtLaunch, RtLaunchId, RtLaunchSize                                                           global
	// Calls of shaders, and what these return.
	RtReserve, RtReserveTrace, RtSetRay, RtCall, RtCallShader, RtResume, RtQuad, RtReturn, RtReturnCallable routine
	RtTrace, RtTraceMiss, RtCallable                                                                        routine
	RtReport, RtSetAttribute                                                                                routine
	RtFrame, RtReturnTo, RtPayload, RtRecord, RtPushAddress                                                 global
	// What shaders read of a ray and its hit.
	RtWorldRayOrigin, RtWorldRayDirection, RtObjectRayOrigin, RtObjectRayDirection routine
	RtRayTmin, RtRayTmaxHit, RtRayTmaxMiss, RtRayFlags, RtCullMask                 routine
	RtHitKind, RtInstanceId, RtInstanceCustomIndex, RtPrimitiveId, RtGeometryIndex routine
	RtObjectToWorld, RtWorldToObject, RtClusterId                                  routine
	RtVertex, RtBarycentrics, RtAttribute                                          routine
	// Constants that say what a pipeline can do without.
	RtIndirect, RtNullAnyHit, RtNullIntersection, RtUsesAttributes, RtCallsShaders routine
	RtFirst, RtFirstIsKnown                                                        routine
	RtFlagsSet, RtFlagsOpen, RtOperandsSet, RtOperandsOpen                         routine
	ErCandidate, ErUsesTriangles, ErUsesBoxes                                      routine

	builtIns   map[spirv.BuiltIn]getter
	hitGetters map[spirv.Op]hitGetter
}

// querySymbols are those of shaders/fallback/query.glsl, which is part of the runtime, and alone what LowerQueries merges with
// shaders.
type querySymbols struct {
	RqInitialize, RqProceed, RqTerminate, RqConfirmIntersection, RqGenerateIntersection, RqAbandon routine
	RqGetRayTMin, RqGetRayFlags, RqGetWorldRayOrigin, RqGetWorldRayDirection                       routine
	RqGetIntersectionType, RqGetIntersectionT, RqGetIntersectionInstanceCustomIndex                routine
	RqGetIntersectionInstanceId, RqGetIntersectionInstanceShaderBindingTableRecordOffset           routine
	RqGetIntersectionGeometryIndex, RqGetIntersectionPrimitiveIndex, RqGetIntersectionBarycentrics routine
	RqGetIntersectionFrontFace, RqGetIntersectionCandidateAABBOpaque                               routine
	RqGetIntersectionObjectRayDirection, RqGetIntersectionObjectRayOrigin                          routine
	RqGetIntersectionObjectToWorld, RqGetIntersectionWorldToObject                                 routine
	RqGetIntersectionClusterId, RqGetIntersectionTriangleVertexPositions                           routine

	queryCalls map[spirv.Op]queryCall
}

// hitObjectSymbols are those of shaders/fallback/hitobject.glsl.
type hitObjectSymbols struct {
	HoNothing, HoTrace, HoExecute, HoTraverse, HoMode, HoRecordsHits                       routine
	HoRecordMiss, HoRecordHit, HoRecordHitWithIndex, HoFromQuery, HoAttribute, HoSetRecord routine
	HoInstanceId, HoInstanceCustomIndex, HoObjectToWorld, HoWorldToObject                  routine
	HoObjectRayOrigin, HoObjectRayDirection, HoRecordIndex, HoRecordData, HoVertices       routine
	HoClusterId                                                                            routine
	HoKeyOfHint, HoKeyOfObject, HoReorder                                                  routine
	HoReorders, HoReorderFirst, HoReorderShift, HoKeyBits, HoHintBits, HoShaderShift       routine
	HoWords                                                                                global
}

// waveSymbols are those of shaders/fallback/wave.glsl.
type waveSymbols struct {
	RtWaveResume, RtWaveShade, RtWaveTail, RtPlaceWave                           routine
	RtWaveAddress, RtWaveArgument, RtWaveFirst, RtWaveEnd, RtWaveLanes           routine
	RtWaveReadsRay, RtWaveReadsHit, RtWaveReadsBarycentrics, RtWaveReadsInstance routine
	RtWaveAttributeQuads, RtWaveNested, RtWaveObjects, RtWaveGoesOn              routine
	RtWaveAnswers, RtWaveAnswerFirst, RtWaveAnswerMask                           routine
	RtWaveCounts                                                                 global
}

// suspendSymbols are those of shaders/fallback/wave_suspend.glsl.
type suspendSymbols struct {
	RtWaveResumeOn, RtWaveDecide, RtWaveTailOn, RtWalkStackQuads routine
	RtAskHere, RtAskFirst, RtAskStep, RtAskDrop, RtAskBoxes      routine
	RtAskAnyHits, RtAskIntersections                             routine
}

// sortedSymbols are those of shaders/fallback/sorted.glsl.
type sortedSymbols struct {
	RtSorted, RtPlaceSorted, RtSortedLanes, RtSortedBins, RtSortedShift routine
	RtSortedWords, RtSortedStarts, RtSortedOrder                        global
}

// resolveSymbols looks up the symbols of a whole runtime.
func resolveSymbols(m *spirv.Module) (*symbols, error) {
	y := &symbols{}
	if err := resolve(m, y); err != nil {
		return nil, err
	}
	y.queryCalls, y.hitGetters, y.builtIns = y.makeQueryCalls(), y.makeHitGetters(), y.makeBuiltIns()
	return y, nil
}

// resolveQuerySymbols looks up those of a library of ray queries alone.
func resolveQuerySymbols(m *spirv.Module) (*symbols, error) {
	y := &symbols{}
	if err := resolve(m, &y.querySymbols); err != nil {
		return nil, err
	}
	y.queryCalls = y.makeQueryCalls()
	return y, nil
}

// resolve fills the fields of a structure of symbols by the debug names of a module.
func resolve(m *spirv.Module, to any) error {
	names := map[string]spirv.ID{}
	for i := range m.Names {
		if in := &m.Names[i]; in.Op == spirv.OpName {
			name, _, _ := strings.Cut(in.Name().Name(), "(") // glslang mangles parameter types behind it
			if _, taken := names[name]; !taken {
				names[name] = in.Name().Target()
			}
		}
	}
	results := map[spirv.ID]spirv.ID{}
	for _, f := range m.Functions {
		results[f.Def.Result] = f.Def.Type
	}
	variables := map[spirv.ID]bool{}
	for i := range m.Globals {
		if in := &m.Globals[i]; in.Op == spirv.OpVariable {
			variables[in.Result] = true
		}
	}
	v := reflect.ValueOf(to).Elem()
	for _, field := range reflect.VisibleFields(v.Type()) {
		name := strings.ToLower(field.Name[:1]) + field.Name[1:]
		id, have := names[name]
		switch at := v.FieldByIndex(field.Index).Addr(); field.Type {
		case reflect.TypeFor[routine]():
			result, is := results[id]
			if !is && field.Tag.Get("link") != "optional" {
				return fmt.Errorf("runtime module: there is no function %s: %w", name, ErrInvalid)
			}
			if is {
				*at.Interface().(*routine) = routine{id, result}
			}
		case reflect.TypeFor[global]():
			if !have || !variables[id] {
				return fmt.Errorf("runtime module: there is no variable %s: %w", name, ErrInvalid)
			}
			*at.Interface().(*global) = global{id}
		}
	}
	return nil
}
