package bench

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/everray/everray/cmd/viewer/internal/compare"
	"github.com/everray/everray/cmd/viewer/internal/report"
)

// Verdict is verify's, of each scene and of the builds, and that of the divergence test.
func (r *Report) Verdict() (err error) {
	for _, scene := range r.Scenes {
		v := compare.Report{Tolerance: compare.DefaultTolerance}
		for _, s := range scene.Series {
			v.Sets = append(v.Sets, compare.Set{Set: s.Set, Reasons: s.Reasons})
			v.Rays += s.Rays
			v.Differ += s.Differ
		}
		if bad := v.Verdict(); bad != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", scene.Scene, bad))
		}
	}
	for i := range r.Builds {
		err = errors.Join(err, r.Builds[i].verdict())
	}
	return err
}

// clockText says which clocks the GPU had while it worked.
func (r *Report) clockText() string {
	var all []*clocks
	for _, scene := range r.Scenes {
		for _, s := range scene.Series {
			all = append(all, s.Clocks)
		}
	}
	for i := range r.Builds {
		for _, b := range r.Builds[i].Builds {
			all = append(all, b.Clocks)
		}
	}
	for i := range r.Divergence {
		for _, s := range r.Divergence[i].Series {
			all = append(all, s.Clocks)
		}
	}
	return clockRange(all)
}

// Print writes what was measured as tables.
func (r *Report) Print(to io.Writer) error {
	device := r.device()
	fmt.Fprintf(to, "%s, %s; %s\n", device.Device, device.Driver, r.clockText())
	if r.EmbreeSkipped != "" {
		fmt.Fprintf(to, "Embree is left out: %s\n", r.EmbreeSkipped)
	}
	var parts []func(w io.Writer)
	for i := range r.Scenes {
		parts = append(parts, r.Scenes[i].printWays, r.Scenes[i].printSeries)
	}
	parts = append(parts, r.printLaunches, r.printMeans, r.printProfiles)
	for i := range r.Builds {
		parts = append(parts, r.Builds[i].print)
	}
	if r.Pipelines != nil {
		parts = append(parts, r.Pipelines.print)
	}
	for i := range r.Divergence {
		parts = append(parts, r.Divergence[i].print)
	}
	for i := range r.Clusters {
		parts = append(parts, r.Clusters[i].print)
	}
	for _, print := range parts {
		if err := report.Table(to, print); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) printLaunches(w io.Writer) {
	if len(r.Launches) == 0 {
		return
	}
	fmt.Fprintln(w, "\nlaunch\tway\tus\tmin\tmax\tratio")
	for _, l := range r.Launches {
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%.2f\t%.2f\t%.2f\n", l.what(), l.Backend, 1e3*l.Median, 1e3*l.Min, 1e3*l.Max, l.Ratio)
	}
}

func (r *Report) printMeans(w io.Writer) {
	if len(r.Means) == 0 {
		return
	}
	fmt.Fprintln(w, "\ngeometric mean\tscenes\trays\tway\tratio\tleast\tmost\tover bare traversal")
	for _, m := range r.Means {
		cost := "-"
		if m.OverBare > 0 {
			cost = percent(m.OverBare - 1)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%.2f\t%.2f\t%.2f\t%s\n", m.Over, m.Scenes, m.Set, m.Backend, m.Ratio, m.Least, m.Most, cost)
	}
}

// percent is a share with its sign.
func percent(v float64) string { return fmt.Sprintf("%+.1f%%", 100*v) }

func (r *sceneReport) printWays(w io.Writer) {
	fmt.Fprintf(w, "\n%s: %d triangles, %d instances; %d x %d = %d rays per launch\n\n", r.Scene, r.Triangles, r.Instances, r.Width,
		r.Height, r.Width*r.Height)
	fmt.Fprintln(w, "way\tBLAS builds\tTLAS build\tstructures\tlink\tcompile\tSAH BLAS, TLAS")
	for _, way := range r.Ways {
		sah := "-"
		if t := way.Tree; t != nil && t.BottomSAH > 0 {
			sah = fmt.Sprintf("%.1f, %.1f", t.BottomSAH, t.TopSAH)
		}
		fmt.Fprintf(w, "%s\t%.3f ms\t%.3f ms\t%.1f MiB\t%.1f ms\t%.1f ms\t%s\n", way.Backend, way.BottomBuildMS, way.TopBuildMS,
			float64(way.StructureBytes)/(1<<20), way.LinkMS, way.CompileMS, sah)
	}
	if e := r.Embree; e != nil {
		fmt.Fprintf(w, "Embree %s\t%.3f ms\t\t\t\t\t%d threads\n", e.Version, e.BuildMS, e.Threads)
	}
	for _, way := range r.Ways {
		if len(way.Code) > 0 {
			fmt.Fprintf(w, "%s code: %s\n", way.Backend, report.JoinStatistics(way.Code))
		}
		if len(way.BareCode) > 0 {
			fmt.Fprintf(w, "bare traversal: %s\n", report.JoinStatistics(way.BareCode))
		}
	}
}

func (r *sceneReport) printSeries(w io.Writer) {
	fmt.Fprintln(w, "\nrays\tway\tMrays/s\tmin\tmax\tms\thits\tdiffer\tratio\tover bare\tper ray: nodes\ttriangles\tinstances\tbytes")
	for i := range r.Series {
		s := &r.Series[i]
		s.print(w)
		if e := r.Embree; e != nil && i%len(r.Ways) == len(r.Ways)-1 {
			for k := range e.Series {
				if e.Series[k].Set == s.Set {
					e.Series[k].print(w)
				}
			}
		}
	}
}

func (s *seriesReport) print(w io.Writer) {
	cost := "-"
	if s.Bare != nil {
		cost = percent(s.Bare.Cost)
	}
	fmt.Fprintf(w, "%s\t%s\t%.2f\t%.2f\t%.2f\t%.3f\t%.1f%%\t%d\t%.2f\t%s\t%s\n", s.Set, s.Backend, s.Median, s.Min, s.Max, s.MedianMS,
		100*report.Per(float64(s.Hits), float64(s.Rays)), s.Differ, s.Ratio, cost, s.Why)
}

// String returns the columns of a table.
func (r *whyReport) String() string {
	if r == nil {
		return strings.Join([]string{"-", "-", "-", "-"}, "\t")
	}
	return fmt.Sprintf("%.1f\t%.1f\t%.1f\t%.0f", r.Nodes, r.Primitives, r.Instances, r.Bytes)
}
