package fallback

import "context"

// LinkForBenchmark links stages, and a library if it is not nil, without compiling the result.
func LinkForBenchmark(ctx context.Context, stages []Stage, library *Library) (int, error) {
	o := PipelineOptions{Stages: stages, MaxRecursionDepth: 4}
	if library != nil {
		o.Libraries = []*Library{library}
	}
	o.expand()
	r, _, err := o.link(ctx, false)
	if err != nil {
		return 0, err
	}
	return len(r.Code), nil
}
