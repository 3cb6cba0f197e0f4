package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/compare"
	"github.com/everray/everray/cmd/viewer/internal/embree"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/cmd/viewer/internal/report"
)

// embreeReport is what Embree does with the rays of a scene. Times are those of a clock on the wall.
type embreeReport struct {
	Version string         `json:"version"`
	Threads int            `json:"threads"`
	BuildMS float64        `json:"build_ms"`
	Series  []seriesReport `json:"series"`
}

// openEmbree opens the library, or notes why not.
func (b *run) openEmbree() {
	var err error
	if b.embree, err = embree.Open(); err != nil {
		b.report.EmbreeSkipped = fmt.Sprintf("%v (Debian's libembree3-3; scripts/setup.sh embree)", err)
	}
}

// embreeScene is a scene as Embree has built it.
type embreeScene struct {
	scene   *embree.Scene
	report  *embreeReport
	threads int
}

// newEmbreeScene returns nil where Embree is skipped.
func (b *run) newEmbreeScene(ctx context.Context, scene *assets.Scene) (*embreeScene, error) {
	if b.embree == nil {
		return nil, nil
	}
	// As many threads as lavapipe has.
	e := &embreeScene{threads: runtime.NumCPU()}
	start := time.Now()
	var err error
	if e.scene, err = b.embree.NewScene(ctx, scene); err != nil {
		return nil, fmt.Errorf("embree: %w", err)
	}
	e.report = &embreeReport{Version: b.embree.Version(), Threads: e.threads, BuildMS: report.Milliseconds(time.Since(start))}
	return e, nil
}

// describe is nil where Embree is skipped.
func (e *embreeScene) describe() *embreeReport {
	if e == nil {
		return nil
	}
	return e.report
}

func (e *embreeScene) destroy() {
	if e != nil {
		e.scene.Destroy()
	}
}

// timeEmbree compares Embree's hits with those of the last way, and then times it. It does so apart from the ways, since a GPU
// that waits lowers its clocks. Speeds are compared with that of the first way.
func (s *sceneBench) timeEmbree(ctx context.Context, set rays.Set, list []rays.Ray, hits []rays.Hit, firstSpeed float64) error {
	e := s.embree
	if e == nil {
		return nil
	}
	own, occluded := make([]rays.Hit, len(list)), make([]uint32, len(list))
	e.scene.Closest(list, own, e.threads)
	e.scene.Occluded(list, occluded, e.threads)
	contradict := 0
	for i := range own {
		// Embree has no hit kinds.
		own[i].Kind = hits[i].Kind
		if own[i].Missed() != (occluded[i] == 0) {
			contradict++
		}
	}
	c := rays.Compare(list, own, hits, s.ways[len(s.ways)-1].Scene)
	r := seriesReport{Set: set, Backend: "embree", Rays: c.Rays, Hits: c.Hits, Differ: c.Differ, Reasons: c.Reasons}
	if err := r.embreeVerdict(contradict); err != nil {
		return err
	}
	trace := func() { e.scene.Closest(list, own, e.threads) }
	if set.Occlusion() {
		trace = func() { e.scene.Occluded(list, occluded, e.threads) }
	}
	times, _, err := inTurn(ctx, warmUpBuildTime, nil, []launch{onHost(trace)})
	if err != nil {
		return err
	}
	r.summarise(times[0])
	r.Ratio = report.Per(r.Median, firstSpeed)
	e.report.Series = append(e.report.Series, r)
	return nil
}

// onHost is a launch of work on the host.
func onHost(work func()) launch {
	return func(ctx context.Context, n int) ([]time.Duration, error) {
		var out []time.Duration
		for range n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			start := time.Now()
			work()
			out = append(out, time.Since(start))
		}
		return out, nil
	}
}

// errReference is returned when Embree's hits are others than ours.
var errReference = errors.New("embree's hits are others")

// embreeVerdict tolerates as many differences of any reason as verify does by rounding: without its robust mode, Embree may see
// through edges.
func (s *seriesReport) embreeVerdict(contradict int) error {
	intolerable := contradict
	for _, reason := range rays.Reasons() {
		if reason != rays.SharedEdge && reason != rays.Coplanar && reason != rays.RayEnd {
			intolerable += s.Reasons[reason]
		}
	}
	if float64(intolerable) > compare.DefaultTolerance*float64(s.Rays) {
		return fmt.Errorf("%w: %d of %d rays differ: %v, rtcOccluded1 and rtcIntersect1 disagree on %d", errReference, s.Differ, s.Rays,
			s.Reasons, contradict)
	}
	return nil
}
