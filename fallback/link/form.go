package link

import (
	"fmt"

	"github.com/everray/everray/fallback/spirv"
)

// Form is how the shaders of a pipeline become one compute module. All forms give the same results.
type Form int

// The forms of linking.
const (
	// FormAuto takes the monolithic form where it can run the pipeline, the megakernel otherwise, and the block machine
	// for stages that would grow past a budget in it.
	FormAuto Form = iota
	// FormMonolithic calls traversal and hit shaders from the ray generation shader: no stack, payloads in registers. For
	// pipelines where only ray generation shaders trace rays, with a maximum recursion depth of 1, and callable shaders
	// call no others.
	FormMonolithic
	// FormMegakernel cuts shaders at their calls into state functions, one for each point to resume at, that a loop
	// schedules; what lives across calls is on a stack in memory.
	FormMegakernel
	// FormBlocks is the megakernel with one function per shader, a loop over a switch of fragments: its size is linear in
	// the shader's, whatever the number of calls.
	FormBlocks
)

func (f Form) String() string {
	switch f {
	case FormAuto:
		return "auto"
	case FormMonolithic:
		return "monolithic"
	case FormMegakernel:
		return "megakernel"
	case FormBlocks:
		return "blocks"
	}
	return fmt.Sprintf("form %d", int(f))
}

// Flags are an application's promises about a pipeline, as VkPipelineCreateFlagBits.
type Flags struct {
	// NoNullAnyHit and NoNullIntersection: whenever such a shader would run, the hit group has one.
	NoNullAnyHit, NoNullIntersection bool
	// NoNullClosestHit and NoNullMiss are the same for those; nothing is saved by them.
	NoNullClosestHit, NoNullMiss bool
	// SkipTriangles and SkipAABBs leave out geometry of that kind for all rays.
	SkipTriangles, SkipAABBs bool
}

const (
	// monolithicSites bounds the trace calls of a pipeline in the monolithic form if it is chosen automatically: compilers
	// copy traversal and all hit shaders to each.
	monolithicSites = 2
	// blockBudget is the number of instructions that the state functions of one stage may have together, and blockGrowth how
	// many times those of the stage itself, before the block machine takes over.
	blockBudget = 20000
	blockGrowth = 3
)

// chooseForm decides between the monolithic form and the others; which stages become block machines is decided when they
// have been cut.
func (l *linker) chooseForm() error {
	l.form = l.options.Form
	sites, obstacle := l.monolithicObstacle()
	switch l.form {
	case FormAuto:
		l.form = FormMegakernel
		if obstacle == nil && sites <= monolithicSites {
			l.form = FormMonolithic
		}
	case FormMonolithic:
		return obstacle
	case FormMegakernel, FormBlocks:
	default:
		return fmt.Errorf("unknown %v: %w", l.form, ErrInvalid)
	}
	return nil
}

// monolithicObstacle counts the trace calls and says what keeps the pipeline from the monolithic form, nil if nothing does.
func (l *linker) monolithicObstacle() (sites int, obstacle error) {
	if l.library || len(l.options.Libraries) > 0 {
		obstacle = fmt.Errorf("monolithic form of a pipeline with libraries: %w", ErrUnsupported)
	}
	if l.options.MaxDepth != 1 {
		obstacle = fmt.Errorf("monolithic form with a maximum recursion depth of %d, want 1: %w", l.options.MaxDepth, ErrUnsupported)
	}
	for _, s := range l.stages {
		for _, f := range s.functions {
			for _, b := range f.Blocks {
				for i := range b.Insts {
					switch op := b.Insts[i].Op; {
					case op == spirv.OpTraceRayKHR && s.Model != Raygen:
						obstacle = s.unsupported("monolithic form of a pipeline whose %v shaders trace rays", s.Model)
					case op == spirv.OpExecuteCallableKHR && s.Model == Callable:
						obstacle = s.unsupported("monolithic form of a pipeline whose callable shaders call others")
					case op == spirv.OpTraceRayKHR:
						sites++
					}
				}
			}
		}
	}
	return sites, obstacle
}

// chooseBlocks decides which stages become block machines.
func (l *linker) chooseBlocks() {
	for _, s := range l.stages {
		if len(s.sites) == 0 {
			continue
		}
		s.blocks = l.form == FormBlocks
		if l.options.Form != FormAuto {
			continue
		}
		sizes := make([]int, len(s.graph.fragments))
		own := 0
		for i, fr := range s.graph.fragments {
			for _, b := range fr.blocks {
				sizes[i] += len(s.function.Blocks[b].Insts)
			}
			own += sizes[i]
		}
		total := s.graph.reachableSize(0, sizes)
		for _, at := range s.sites {
			total += s.graph.reachableSize(s.graph.starts[at.resume], sizes)
		}
		if total > blockBudget && total > blockGrowth*own {
			s.blocks = true
			l.form = FormBlocks
		}
	}
}

func (g *graph) reachableSize(start int, sizes []int) int {
	order, _ := g.reachable(start)
	n := 0
	for _, i := range order {
		n += sizes[i]
	}
	return n
}
