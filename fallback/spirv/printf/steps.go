package printf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everray/everray/fallback/spirv"
)

// values collects the arguments of a step, with the text between them.
type values struct {
	w      *writer
	format strings.Builder
	args   []spirv.ID
	looked int // types that leaves was called for
}

func (v *values) text(s string) { v.format.WriteString(strings.ReplaceAll(s, "%", "%%")) }

// value adds a value, printed by a verb for each component.
func (v *values) value(label, verb string, id spirv.ID) {
	if t := v.w.types[v.w.values[id]]; t != nil && t.Op == spirv.OpTypeVector {
		verb = fmt.Sprintf("v%d%s", t.TypeVector().ComponentCount(), verb)
	}
	v.text(label)
	v.format.WriteString("%" + verb)
	v.args = append(v.args, id)
}

// builtIn adds the value of a built-in variable.
func (v *values) builtIn(label, verb string, b spirv.BuiltIn, typ spirv.ID) {
	v.value(label, verb, v.w.load(b, typ))
}

// step writes a step.
func (w *writer) step(fill func(v *values)) {
	v := &values{w: w}
	before := len(w.at)
	fill(v)
	w.declared()
	if !w.message(v.format.String(), v.args, true) {
		w.at = w.at[:before]
	}
}

// declared notes the types that were added since find.
func (w *writer) declared() {
	for i := range w.m.Globals {
		if in := &w.m.Globals[i]; in.Op.IsType() && w.types[in.Result] == nil {
			copied := in.Clone()
			w.types[in.Result] = &copied
		}
	}
}

// enter tells that the shader begins, and with what.
func (w *writer) enter() {
	m := w.m
	integer, unsigned, float := m.TypeInt(32, true), m.TypeInt(32, false), m.TypeFloat(32)
	vector := m.TypeVector(float, 3)
	w.declared()
	w.step(func(v *values) {
		v.text("begins")
		switch w.options.Model {
		case spirv.ExecutionModelRayGenerationKHR:
			v.builtIn(" at ", "u", spirv.BuiltInLaunchIdKHR, m.TypeVector(unsigned, 3))
		case spirv.ExecutionModelAnyHitKHR, spirv.ExecutionModelClosestHitKHR, spirv.ExecutionModelIntersectionKHR:
			v.builtIn(": instance ", "d", spirv.BuiltInInstanceId, integer)
			v.builtIn(" (custom index ", "d", spirv.BuiltInInstanceCustomIndexKHR, integer)
			v.builtIn("), geometry ", "d", spirv.BuiltInRayGeometryIndexKHR, integer)
			v.builtIn(", primitive ", "d", spirv.BuiltInPrimitiveId, integer)
			v.builtIn(", t ", "g", spirv.BuiltInRayTmaxKHR, float)
			if w.options.Model != spirv.ExecutionModelIntersectionKHR {
				v.builtIn(", kind ", "#x", spirv.BuiltInHitKindKHR, unsigned)
				v.variable(", attributes ", w.attribute)
			}
		case spirv.ExecutionModelMissKHR:
			v.builtIn(": ray from ", "g", spirv.BuiltInWorldRayOriginKHR, vector)
			v.builtIn(", direction ", "g", spirv.BuiltInWorldRayDirectionKHR, vector)
			v.builtIn(", t up to ", "g", spirv.BuiltInRayTmaxKHR, float)
		}
	})
}

// before tells what an instruction is about to do.
func (w *writer) before(f *spirv.Function, in *spirv.Inst) {
	switch in.Op {
	case spirv.OpTraceRayKHR:
		r := in.TraceRay()
		w.step(func(v *values) {
			v.text("traces: ")
			v.ray(&ray{r.RayFlags(), r.CullMask(), r.SBTOffset(), r.SBTStride(), r.MissIndex(), r.RayOrigin(), r.RayDirection(),
				r.RayTmin(), r.RayTmax()})
		})
	case spirv.OpReorderThreadWithHintNV, spirv.OpReorderThreadWithHintEXT:
		w.step(func(v *values) { v.hint("reorders by hint ", in.ReorderThreadWithHint()) })
	case spirv.OpExecuteCallableKHR:
		w.step(func(v *values) {
			v.value("calls: callable record ", "u", in.ExecuteCallable().SBTIndex())
			v.variable(", data ", w.global(in.ExecuteCallable().CallableData()))
		})
	case spirv.OpIgnoreIntersectionKHR, spirv.OpTerminateRayKHR:
		w.step(func(v *values) {
			v.text(map[spirv.Op]string{spirv.OpIgnoreIntersectionKHR: "ignores the hit", spirv.OpTerminateRayKHR: "ends the ray"}[in.Op])
			v.variable(", payload ", w.incoming)
		})
	case spirv.OpReturn:
		if f != w.entry {
			return
		}
		w.step(func(v *values) {
			v.text("ends")
			v.variable(", payload ", w.incoming)
		})
	default:
		w.beforeObject(in)
	}
}

// ray is what a trace call is given of a ray.
type ray struct{ flags, mask, offset, stride, miss, origin, direction, tMin, tMax spirv.ID }

// ray adds a ray that is traced.
func (v *values) ray(r *ray) {
	v.value("flags ", "#x", r.flags)
	v.value(", mask ", "#x", r.mask)
	v.value(", hit record ", "u", r.offset)
	v.value(" + geometry * ", "u", r.stride)
	v.value(" + the instance's, miss record ", "u", r.miss)
	v.value(", from ", "g", r.origin)
	v.value(", direction ", "g", r.direction)
	v.value(", t ", "g", r.tMin)
	v.value(" up to ", "g", r.tMax)
}

// after tells what an instruction has done.
func (w *writer) after(in *spirv.Inst) {
	switch in.Op {
	case spirv.OpTraceRayKHR:
		w.step(func(v *values) {
			v.text("goes on behind the ray")
			v.variable(", payload ", w.global(in.TraceRay().Payload()))
		})
	case spirv.OpExecuteCallableKHR:
		w.step(func(v *values) {
			v.text("goes on behind the call")
			v.variable(", data ", w.global(in.ExecuteCallable().CallableData()))
		})
	case spirv.OpReportIntersectionKHR:
		w.step(func(v *values) {
			v.value("reports t ", "g", in.ReportIntersection().Hit())
			v.value(", kind ", "#x", in.ReportIntersection().HitKind())
			v.value(": accepted ", "u", in.Result)
		})
	default:
		w.afterObject(in)
	}
}

// global returns a module's variable, nil for other pointers.
func (w *writer) global(id spirv.ID) *spirv.Inst {
	at := slices.IndexFunc(w.m.Globals, func(in spirv.Inst) bool { return in.Result == id && in.Op == spirv.OpVariable })
	if at < 0 {
		return nil
	}
	in := w.m.Globals[at].Clone()
	return &in
}

// mostShown bounds the words of a payload that a step tells.
const mostShown = 24

// mostLooked bounds the parts that it looks at for them: structures of nothing may have any number.
const mostLooked = 1000

// variable adds the scalars and vectors in a variable, the first of them if there are many; nothing if it is nil.
func (v *values) variable(label string, variable *spirv.Inst) {
	if variable == nil {
		return
	}
	pointer := v.w.types[variable.Type]
	if pointer == nil {
		return
	}
	v.text(label + "{")
	words := uint32(0)
	v.leaves(variable, pointer.TypePointer().Type(), nil, &words, 0)
	v.text("}")
}

// leaves adds what is behind a chain of indices.
func (v *values) leaves(variable *spirv.Inst, typ spirv.ID, chain []uint32, words *uint32, depth int) {
	w := v.w
	t := w.types[typ]
	if v.looked++; t == nil || *words >= mostShown || depth > 8 || v.looked > mostLooked {
		return
	}
	below := func(i uint32, part spirv.ID) {
		v.leaves(variable, part, append(slices.Clone(chain), uint32(w.m.ConstantU32(i))), words, depth+1)
	}
	switch t.Op {
	case spirv.OpTypeStruct:
		for i := range t.Operands {
			below(uint32(i), t.ID(i))
		}
	case spirv.OpTypeArray:
		for i := range min(w.constants[t.TypeArray().Length()], mostShown) {
			below(i, t.TypeArray().ElementType())
		}
	case spirv.OpTypeMatrix:
		for i := range t.TypeMatrix().ColumnCount() {
			below(i, t.TypeMatrix().ColumnType())
		}
	case spirv.OpTypeFloat, spirv.OpTypeInt, spirv.OpTypeBool, spirv.OpTypeVector:
		from := variable.Result
		if len(chain) > 0 {
			class := variable.Variable().StorageClass()
			from = w.emit(spirv.OpAccessChain, w.m.TypePointer(class, typ), append([]uint32{uint32(variable.Result)}, chain...)...)
		}
		value := w.emit(spirv.OpLoad, typ, uint32(from))
		label := ""
		if *words > 0 {
			label = " "
		}
		arg, ok := w.typeOf(t)
		if !ok || *words+arg.words() > mostShown {
			*words = mostShown
			return
		}
		*words += arg.words()
		v.value(label, map[Kind]string{Uint: "u", Int: "d", Float: "g", Bool: "u"}[arg.Kind], value)
	}
}
