package link

import (
	"fmt"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// eachFragmentBlock visits the blocks of all fragments.
func (l *cutStages) eachFragmentBlock(visit func(s *cutStage, fragment, block int) error) error {
	for _, s := range l.stages {
		for i, fr := range s.graph.fragments {
			for _, b := range fr.blocks {
				if err := visit(s, i, b); err != nil {
					return fmt.Errorf("shader %s, fragment %d, block %d: %w", s.Name, i, s.function.Blocks[b].Label, err)
				}
			}
		}
	}
	return nil
}

// checkFragments checks that each reachable block is in one fragment, that fragments are entered at their begin, and that cuts
// end them.
func checkFragments(at hasCut) error {
	l := at.cut()
	for _, s := range l.stages {
		if s.graph == nil {
			return fmt.Errorf("shader %s has no fragments", s.Name)
		}
		for _, b := range s.graph.cfg.RPO {
			if _, ok := s.graph.of[b]; !ok {
				return fmt.Errorf("shader %s: block %d is in no fragment", s.Name, s.function.Blocks[b].Label)
			}
		}
	}
	return l.eachFragmentBlock(func(s *cutStage, i, b int) error {
		g := s.graph
		fr := g.fragments[i]
		blk := s.function.Blocks[b]
		if l.cutOf(blk) != nil && (b != fr.last || g.whole[b] || fr.site == nil) {
			return fmt.Errorf("a cut inside a fragment")
		}
		if !g.cfg.Reachable(b) {
			return nil // of a construct that stays, for its structure
		}
		if g.of[b] != i {
			return fmt.Errorf("also in fragment %d", g.of[b])
		}
		for _, p := range g.cfg.Preds[b] {
			if b != fr.blocks[0] && g.cfg.Reachable(p) && g.of[p] != i {
				return fmt.Errorf("entered from fragment %d, in its middle", g.of[p])
			}
		}
		return nil
	})
}

// checkLocalised checks that what is left of a stage's globals is used elsewhere, too, or goes to a function.
func checkLocalised(at hasMerged) error {
	l := at.merged()
	for _, s := range l.stages {
		shared := s.sharedGlobals(func(int) {})
		for _, id := range sortedIDs(s.uses) {
			if in := l.types.get(id); s.uses[id].stored() && in != nil && in.Op == spirv.OpVariable && !shared[id] {
				return fmt.Errorf("shader %s: %v is a global", s.Name, in)
			}
		}
	}
	return nil
}

func checkNoPhis(at hasCut) error {
	l := at.cut()
	return l.eachFragmentBlock(func(s *cutStage, i, b int) error {
		if b == s.graph.fragments[i].blocks[0] && slices.ContainsFunc(s.function.Blocks[b].Insts,
			func(in spirv.Inst) bool { return in.Op == spirv.OpPhi }) {
			return fmt.Errorf("a phi at its begin")
		}
		return nil
	})
}

// checkApart checks that no instruction uses what another fragment makes, but for variables.
func checkApart(at hasCut) error {
	l := at.cut()
	for _, s := range l.stages {
		made := map[spirv.ID]int{}
		for i, fr := range s.graph.fragments {
			for _, b := range fr.blocks {
				for k := range s.function.Blocks[b].Insts {
					if in := &s.function.Blocks[b].Insts[k]; in.Result != 0 && in.Op != spirv.OpVariable {
						made[in.Result] = i
					}
				}
			}
		}
		for i, fr := range s.graph.fragments {
			for _, b := range fr.blocks {
				for k := range s.function.Blocks[b].Insts {
					var err error
					in := &s.function.Blocks[b].Insts[k]
					in.EachID(func(p *uint32) {
						if at, ok := made[spirv.ID(*p)]; ok && at != i {
							err = fmt.Errorf("shader %s: %v in fragment %d uses %d of fragment %d", s.Name, in, i, *p, at)
						}
					})
					if err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// checkFrames checks that every leaf has slots of its own, within the frame and behind the state to return to.
func checkFrames(l *framedStages) error {
	for _, s := range l.stages {
		for _, f := range s.frames {
			next := uint32(1)
			for _, sp := range f.spilled {
				if sp.slot < next {
					return fmt.Errorf("shader %s: slot %d of a frame of %d is taken twice", s.Name, sp.slot, f.size)
				}
				next = sp.slot + s.vars.leaves[sp.leaf].dwords
			}
			end := next
			if f.ownPayload {
				end = f.payloadAt + s.vars.size(f.payload)
			}
			if f.hit != nil {
				end += hitObjectWords
			}
			if next > f.size || end > f.size || f.ownPayload && f.payloadAt < next || f.size%quadSlots != 0 {
				return fmt.Errorf("shader %s: a frame of %d slots ends at %d, its payload at %d", s.Name, f.size, next, end)
			}
		}
	}
	return nil
}

func checkComputeOnly(at hasLinked) error {
	l := at.whole()
	var err error
	l.out.EachFunctionInst(func(in *spirv.Inst) {
		if leaves(in.Op) || endsRay(in.Op) {
			err = fmt.Errorf("%v", in)
		}
	})
	return err
}

// checkNumbers checks that no two states share a number, nor two any hit or intersection shaders.
func checkNumbers(at hasParts) error {
	l := at.all()
	owners := map[string]string{}
	take := func(kind string, number uint32, name string) error {
		key := fmt.Sprint(kind, " ", number)
		if have, taken := owners[key]; taken {
			return fmt.Errorf("%s is that of %s and of %s", key, have, name)
		}
		owners[key] = name
		return nil
	}
	for i := range l.parts {
		p := &l.parts[i]
		kind := "state"
		if p.model == AnyHit || p.model == Intersection {
			kind = p.model.String()
		}
		if err := take(kind, p.number, p.name); err != nil {
			return err
		}
		for _, r := range p.resumptions {
			if err := take("state", r.number, p.name); err != nil {
				return err
			}
			if n, ok := l.types.constantU32(r.constant); ok && n != r.number {
				return fmt.Errorf("state %d is %d in the code", r.number, n)
			}
		}
	}
	return nil
}
