package cli

import (
	"fmt"
	"io"

	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
)

// pipelineReport is what there is to tell of a pipeline by compute: what --verbose prints.
type pipelineReport struct {
	Form string `json:"form"`
	// PathBytes is what a path takes in memory.
	PathBytes uint32         `json:"path_bytes"`
	Rounds    uint32         `json:"rounds,omitempty"`
	Bounded   bool           `json:"bounded,omitempty"`
	Reorders  bool           `json:"reorders,omitempty"`
	Suspends  bool           `json:"suspends,omitempty"`
	Kernels   []kernelReport `json:"kernels,omitempty"`
	// Calls say what lives across each call of another shader.
	Calls []engine.CallSite `json:"calls,omitempty"`
}

type kernelReport struct {
	Name  string             `json:"name"`
	Words int                `json:"words"`
	Code  []report.Statistic `json:"code,omitempty"`
}

func newPipelineReport(s engine.PipelineStats) *pipelineReport {
	if s.CodeWords == 0 { // natively nobody knows
		return nil
	}
	r := &pipelineReport{Form: s.Form.String(), PathBytes: s.PathBytes, Rounds: s.Rounds, Bounded: s.Bounded, Reorders: s.Reorders,
		Suspends: s.Suspends, Calls: s.Calls}
	for _, k := range s.Kernels {
		r.Kernels = append(r.Kernels, kernelReport{k.Name, k.CodeWords, report.Statistics(k.Driver)})
	}
	return r
}

// print writes lines for a table.
func (r *pipelineReport) print(w io.Writer) {
	if r == nil {
		return
	}
	rounds := ""
	if r.Rounds > 0 {
		rounds = fmt.Sprintf(", %d kernels, %d rounds", len(r.Kernels), r.Rounds)
		if r.Suspends {
			rounds += " with traversal suspended at candidates"
		}
		if !r.Bounded {
			rounds += " and a kernel for what is left"
		}
	}
	fmt.Fprintf(w, "form\t%s: %d bytes per path%s\n", r.Form, r.PathBytes, rounds)
	for _, k := range r.Kernels {
		fmt.Fprintf(w, "kernel\t%s: %d words %s\n", k.Name, k.Words, report.JoinStatistics(k.Code))
	}
	for _, c := range r.Calls {
		fmt.Fprintf(w, "lives\t%v\n", c)
	}
}
