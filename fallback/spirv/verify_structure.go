package spirv

// structure checks the rules of structured control flow: headers have merge
// blocks of their own and dominate them, back edges are those of loops, and
// branches leave a construct only for its merge block, or for where a break or
// a continue may go.
func (v *verifier) structure(c *CFG) error {
	if !v.m.HasCapability(CapabilityShader) {
		return nil
	}
	merges := map[ID]ID{}
	s := c.structuralGraph()
	for i, b := range c.Function.Blocks {
		v.block = b.Label
		merge, cont := b.Merges()
		t := b.Terminator()
		if merge == 0 {
			if t.Op == OpSwitch && c.Reachable(i) {
				return v.fail(t, "no OpSelectionMerge ahead of it")
			}
			continue
		}
		if other := merges[merge]; other != 0 {
			return v.fail(b.Merge(), "%%%d is the merge block of %%%d already", merge, other)
		}
		merges[merge] = b.Label
		if merge == b.Label || merge == cont {
			return v.fail(b.Merge(), "merge block is header or continue target")
		}
		if !c.Reachable(i) {
			continue
		}
		if m := c.Index[merge]; s.Reachable(m) && !s.Dominates(i, m) {
			return v.fail(b.Merge(), "merge block %%%d is not dominated by its header", merge)
		}
		if cont != 0 && !s.Dominates(i, c.Index[cont]) {
			return v.fail(b.Merge(), "continue target %%%d is not dominated by its header", cont)
		}
	}
	if err := v.backEdges(c, s); err != nil {
		return err
	}
	return v.exits(c)
}

// backEdges checks that each loop has one back edge, from its continue
// construct, and that there are no others.
func (v *verifier) backEdges(c, s *CFG) error {
	for h, b := range c.Function.Blocks {
		if !c.Reachable(h) {
			continue
		}
		v.block = b.Label
		merge := b.Merge()
		loop := merge != nil && merge.Op == OpLoopMerge
		back := 0
		for _, p := range c.Preds[h] {
			if !c.Reachable(p) || !c.Dominates(h, p) {
				continue
			}
			back++
			from := c.Function.Blocks[p].Label
			if !loop {
				return v.fail(nil, "back edge from %%%d, but no OpLoopMerge", from)
			}
			if cont := c.Index[merge.LoopMerge().ContinueTarget()]; !s.Dominates(cont, p) {
				return v.fail(merge, "back edge from %%%d, which the continue target does not dominate", from)
			}
		}
		if back > 1 {
			return v.fail(merge, "%d back edges", back)
		}
	}
	return nil
}

// exits checks branches out of constructs.
func (v *verifier) exits(c *CFG) error {
	st := c.structure()
	for b := range c.Succs {
		if !c.Reachable(b) || st.inner[b] < 0 {
			continue
		}
		v.block = c.Function.Blocks[b].Label
		for _, t := range c.Succs[b] {
			if !st.mayBranch(b, t) {
				return v.fail(c.Function.Blocks[b].Terminator(),
					"branch to %%%d leaves the construct of %%%d other than by its merge block, a break or a continue",
					c.Function.Blocks[t].Label, c.Function.Blocks[st.list[st.inner[b]].Header].Label)
			}
		}
	}
	return nil
}

// mayBranch tells whether block b may branch to t: from the inside out, t lies
// in b's construct or is its merge block, a break ends at the innermost loop or
// switch, a continue at the innermost loop.
func (st *structure) mayBranch(b, t int) bool {
	inner := st.inner[b]
	if st.has(&st.list[inner], t) {
		return true
	}
	if l := &st.list[inner]; l.Kind != ConstructLoop && t == l.Merge {
		return true
	}
	if k := st.switches[inner]; k >= 0 {
		if l := &st.list[k]; t == l.Merge || st.has(l, t) {
			return true // a break, or falling through to the next case
		}
	}
	if k := st.loops[inner]; k >= 0 {
		l := &st.list[k]
		return t == l.Merge || t == l.Continue || t == l.Header
	}
	return false
}
