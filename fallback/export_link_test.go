package fallback

import (
	"context"

	"github.com/everray/everray/rt"
)

// LinkForBenchmark links stages, and a library if it is not nil, without compiling the result.
func LinkForBenchmark(ctx context.Context, stages []Stage, library *Library) (int, error) {
	o := PipelineOptions{Pipeline: rt.Pipeline{Stages: stages, MaxRecursionDepth: 4}}
	if library != nil {
		o.Libraries = []*Library{library}
	}
	job := o.resolve(Target{})
	r, _, err := job.link(ctx, false)
	if err != nil {
		return 0, err
	}
	return len(r.Code), nil
}
