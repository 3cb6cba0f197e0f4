package link

const (
	// blockBudget is the number of instructions that the state functions of one stage may have together, and blockGrowth how
	// many times those of the stage itself, before the block machine takes over.
	blockBudget = 20000
	blockGrowth = 3
)

// blocks is FormBlocks: the megakernel, with one function for all states of a stage.
type blocks struct {
	megakernel
	// always makes it so for all stages that have states to resume; otherwise only for those that are past the budget.
	always bool
}

func (b blocks) machine(s *cutStage) bool { return b.always || s.pastBudget() }

func (b blocks) finish(l *assembly) (*Result, error) {
	r, err := b.megakernel.finish(l)
	if err == nil && b.always {
		r.Form = FormBlocks // though no stage has states to resume
	}
	return r, err
}

// pastBudget tells whether the stage's state functions would be much more code than the stage is.
func (s *cutStage) pastBudget() bool {
	sizes := make([]int, len(s.graph.fragments))
	own := 0
	for i, fr := range s.graph.fragments {
		for _, b := range fr.blocks {
			sizes[i] += len(s.function.Blocks[b].Insts)
		}
		own += sizes[i]
	}
	most := max(blockBudget, blockGrowth*own)
	total := s.graph.reachableSize(0, sizes)
	for _, at := range s.sites {
		if total > most { // calls times code between them is soon too much to add up
			break
		}
		total += s.graph.reachableSize(s.graph.starts[at.resume], sizes)
	}
	return total > most
}

func (g *graph) reachableSize(start int, sizes []int) int {
	order, _ := g.reachable(start)
	n := 0
	for _, i := range order {
		n += sizes[i]
	}
	return n
}
