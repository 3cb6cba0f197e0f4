package link

import (
	"fmt"

	"github.com/everray/everray/fallback/spirv"
)

// loadRuntime decodes the runtime module, the beginning of the output, and reads its symbols.
func (l *normalStages) loadRuntime() (*loadedStages, error) {
	to, err := l.load(l.runtime, resolveSymbols)
	return &loadedStages{linked: to, stages: l.stages}, err
}

// load does that, for a runtime with these symbols.
func (j *job) load(runtime []uint32, resolve func(*spirv.Module) (*symbols, error)) (*linked, error) {
	m, err := spirv.Decode(runtime)
	if err != nil {
		return nil, fmt.Errorf("runtime module: %w: %w", ErrInvalid, err)
	}
	y, err := resolve(m)
	if err != nil {
		return nil, err
	}
	j.grows = m
	return &linked{job: j, out: m, symbols: y, types: newInterner(m), runtimeBound: spirv.ID(m.Bound)}, nil
}

// mergeStages appends all stages to the output.
func (l *loweredStages) mergeStages() (*mergedStages, error) {
	to := &mergedStages{linked: l.linked}
	err := each(l.job, l.stages, func(s *loweredStage) error {
		g, err := l.copyStage(s)
		if err != nil {
			return err
		}
		l.at = g.to
		to.stages = append(to.stages, g.to)
		return l.checkBuiltIns(g.to)
	})
	l.indexOutput()
	return to, err
}

// indexOutput notes what later passes look up in the merged module.
func (l *linked) indexOutput() {
	l.decorations, l.outer = map[spirv.ID][]spirv.Inst{}, map[spirv.ID]bool{}
	l.inputs = map[spirv.BuiltIn]spirv.ID{}
	for i := range l.out.Annotations {
		if in := &l.out.Annotations[i]; in.Op == spirv.OpDecorate || in.Op == spirv.OpDecorateId {
			target := in.Decorate().Target()
			l.decorations[target] = append(l.decorations[target], *in)
		}
	}
	for _, f := range l.out.Functions {
		l.outer[f.Def.Result] = true
	}
	for i := range l.out.ExtInstImports {
		l.outer[l.out.ExtInstImports[i].Result] = true
	}
}

// copyDecorations gives a copy of an instruction the decorations of the original.
func (l *linked) copyDecorations(from, to spirv.ID) {
	if from == to {
		return
	}
	for _, in := range l.decorations[from] {
		c := in.Clone()
		c.Decorate().SetTarget(to)
		l.out.Annotations = append(l.out.Annotations, c)
		l.decorations[to] = append(l.decorations[to], c)
	}
}

// merger copies one module into the output.
type merger struct {
	l     *linked
	s     *loweredStage
	to    *mergedStage
	ids   map[spirv.ID]spirv.ID
	decor map[spirv.ID]string
}

// copyStage appends a stage and returns the merger, which knows the ids that the stage's now are.
func (l *linked) copyStage(s *loweredStage) (*merger, error) {
	l.heed()
	g := &merger{l: l, s: s, ids: map[spirv.ID]spirv.ID{}, decor: decorationKeys(s.code)}
	l.heed()
	if err := g.header(); err != nil {
		return nil, err
	}
	g.globals()
	to := &mergedStage{
		given: s.given, functions: map[spirv.ID]*spirv.Function{}, names: map[spirv.ID]string{}, uses: map[spirv.ID]role{},
	}
	for _, f := range s.code.Functions {
		c := g.function(f)
		l.out.Functions = append(l.out.Functions, c)
		to.functions[c.Def.Result] = c
	}
	g.annotations()
	for i := range s.code.Names {
		in := &s.code.Names[i]
		if id, ok := g.ids[in.Annotation().Target()]; ok && in.Op == spirv.OpName {
			to.names[id] = in.Name().Name()
		}
	}
	for id, r := range s.uses {
		if new, ok := g.ids[id]; ok { // others were never used
			r.initializer = g.ids[r.initializer]
			to.uses[new] = r
		}
	}
	to.struc, to.function = g.ids[s.struc], to.functions[g.ids[s.entry]]
	g.to = to
	return g, nil
}

// id returns the output's id for one of the module, a new one at first sight.
func (g *merger) id(old spirv.ID) spirv.ID {
	if old == 0 {
		return 0
	}
	if id, ok := g.ids[old]; ok {
		return id
	}
	id := g.l.out.NewID()
	g.ids[old] = id
	return id
}

// inst copies an instruction with the output's ids.
func (g *merger) inst(in *spirv.Inst) spirv.Inst {
	g.l.work(1)
	g.l.inst = in
	c := in.Clone()
	c.Type, c.Result = g.id(c.Type), g.id(c.Result)
	c.EachID(func(p *uint32) { *p = uint32(g.id(spirv.ID(*p))) })
	return c
}

// header unites capabilities, extensions, instruction sets, version and memory model.
func (g *merger) header() error {
	out, m := g.l.out, g.s.code
	out.Version = max(out.Version, m.Version)
	out.Capabilities = united(out.Capabilities, m.Capabilities)
	out.Extensions = united(out.Extensions, m.Extensions)
	for i := range m.ExtInstImports {
		in := &m.ExtInstImports[i]
		for j := range out.ExtInstImports {
			if sameWords(in.Operands, out.ExtInstImports[j].Operands) {
				g.ids[in.Result] = out.ExtInstImports[j].Result
			}
		}
		if g.ids[in.Result] == 0 {
			out.ExtInstImports = append(out.ExtInstImports, g.inst(in))
		}
	}
	if err := g.l.uniteFloatControls(m, g.s.entry); err != nil {
		return fmt.Errorf("shader %s: %w", g.s.Name, err)
	}
	return g.memoryModel()
}

// memoryModel raises the output to the Vulkan memory model where a shader uses it.
func (g *merger) memoryModel() error {
	out, m := g.l.out, g.s.code
	model, have := m.MemoryModel.MemoryModel().MemoryModel(), out.MemoryModel.MemoryModel().MemoryModel()
	if model == have {
		return nil
	}
	if g.s.index > 0 && (usesCoherence(m) || usesCoherence(out)) {
		return g.s.unsupported("memory model %v beside %v, with coherent variables", model, have)
	}
	if model == spirv.MemoryModelVulkan {
		out.MemoryModel.MemoryModel().SetMemoryModel(spirv.MemoryModelVulkan)
	}
	return nil
}

func usesCoherence(m *spirv.Module) bool {
	for i := range m.Annotations {
		in := &m.Annotations[i]
		var d spirv.Decoration
		switch in.Op {
		case spirv.OpDecorate:
			d = in.Decorate().Decoration()
		case spirv.OpMemberDecorate:
			d = in.MemberDecorate().Decoration()
		default:
			continue
		}
		if d == spirv.DecorationCoherent || d == spirv.DecorationVolatile {
			return true
		}
	}
	return false
}

// globals copies types, constants and variables; those that the output has already are shared.
func (g *merger) globals() {
	forward := forwardPointers(g.s.code)
	for i := range g.s.code.Globals {
		in := &g.s.code.Globals[i]
		if in.Op == spirv.OpVariable && g.launchBuiltIn(in.Result, g.ids[in.Type]) {
			continue
		}
		if in.Op == spirv.OpTypeRayQueryKHR {
			g.ids[in.Result] = g.l.queryType()
			continue
		}
		if in.Op == spirv.OpTypeHitObjectEXT {
			g.ids[in.Result] = g.l.hitObjectType()
			continue
		}
		if !unique(in.Op) || forward[in.Result] {
			g.l.types.add(g.inst(in))
			continue
		}
		c := in.Clone()
		c.Type, c.Result = g.id(c.Type), 0
		c.EachID(func(p *uint32) { *p = uint32(g.id(spirv.ID(*p))) })
		key := keyOf(&c, g.decor[in.Result])
		if have := g.l.types.byKey[key]; have != 0 {
			g.ids[in.Result] = have
			continue
		}
		c.Result = g.id(in.Result)
		g.l.types.add(c)
		g.l.types.byKey[key] = c.Result
	}
}

// launchBuiltIn maps the launch built-ins, which never change for a lane, to the runtime's globals, where they are of the same
// type: unsigned.
func (g *merger) launchBuiltIn(id, pointer spirv.ID) bool {
	r, ok := g.s.uses[id]
	if !ok || r.kind != roleBuiltIn || pointer != g.l.types.get(g.l.symbols.RtLaunchId.id).Type {
		return false
	}
	switch r.builtIn {
	case spirv.BuiltInLaunchIdKHR:
		g.ids[id] = g.l.symbols.RtLaunchId.id
	case spirv.BuiltInLaunchSizeKHR:
		g.ids[id] = g.l.symbols.RtLaunchSize.id
	default:
		return false
	}
	delete(g.s.uses, id)
	return true
}

func (g *merger) function(f *spirv.Function) *spirv.Function {
	g.l.function = f.Def.Result
	c := &spirv.Function{Def: g.inst(&f.Def)}
	for i := range f.Params {
		c.Params = append(c.Params, g.inst(&f.Params[i]))
	}
	for _, b := range f.Blocks {
		nb := &spirv.Block{Label: g.id(b.Label)}
		for i := range b.Insts {
			if in := &b.Insts[i]; in.Op != spirv.OpLine && in.Op != spirv.OpNoLine {
				nb.Insts = append(nb.Insts, g.inst(in))
			}
		}
		c.Blocks = append(c.Blocks, nb)
	}
	return c
}

// annotations copies decorations, but not again for what is shared with the output.
func (g *merger) annotations() {
	shared := map[spirv.ID]bool{}
	for _, id := range g.ids {
		if i, ok := g.l.types.def[id]; ok && unique(g.l.types.m.Globals[i].Op) {
			shared[id] = true
		}
	}
	if g.l.annotated == nil {
		g.l.annotated = map[string]bool{}
		for i := range g.l.out.Annotations {
			g.l.annotated[keyOf(&g.l.out.Annotations[i], "")] = true
		}
	}
	have := g.l.annotated
	for i := range g.s.code.Annotations {
		if _, mapped := g.ids[g.s.code.Annotations[i].Annotation().Target()]; !mapped {
			continue
		}
		c := g.inst(&g.s.code.Annotations[i])
		if key := keyOf(&c, ""); !have[key] {
			have[key] = true
			g.l.out.Annotations = append(g.l.out.Annotations, c)
		}
	}
	if !g.l.options.KeepNames {
		return
	}
	for i := range g.s.code.Names {
		in := &g.s.code.Names[i]
		if new, mapped := g.ids[in.Annotation().Target()]; mapped && !shared[new] {
			g.l.out.Names = append(g.l.out.Names, g.inst(in))
		}
	}
}

// united returns a list of capabilities or extensions and those of another that it lacks.
func united(list, more []spirv.Inst) []spirv.Inst {
	have := map[string]bool{}
	for i := range list {
		have[keyOf(&list[i], "")] = true
	}
	for i := range more {
		if key := keyOf(&more[i], ""); !have[key] {
			have[key] = true
			list = append(list, more[i].Clone())
		}
	}
	return list
}

func sameWords(a, b []uint32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
