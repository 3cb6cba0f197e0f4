package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/engine"
)

// benchReport is bench's result.
type benchReport struct {
	Scenes   []sceneReport  `json:"scenes"`
	Launches []launchReport `json:"small_launches"`
	// Means are there for several scenes and ways.
	Means []meanReport `json:"geometric_means,omitempty"`
}

// sceneReport is one scene measured.
type sceneReport struct {
	Scene     string `json:"scene"`
	Triangles int    `json:"triangles"`
	Instances int    `json:"instances"`
	// Shared tells that meshes have several instances.
	Shared bool           `json:"shared_meshes"`
	Width  int            `json:"width"`
	Height int            `json:"height"`
	Ways   []wayReport    `json:"ways"`
	Series []seriesReport `json:"series"`
}

// seriesReport is one ray set traced by one way. Speeds are in Mrays/s, of the median, the slowest and the fastest launch.
type seriesReport struct {
	Set      rays.Set  `json:"set"`
	Backend  string    `json:"backend"`
	Rays     int       `json:"rays"`
	Hits     int       `json:"hits"`
	Median   float64   `json:"mrays_per_second"`
	Min      float64   `json:"mrays_per_second_min"`
	Max      float64   `json:"mrays_per_second_max"`
	MedianMS float64   `json:"median_ms"`
	Launches []float64 `json:"launches_ms"`
	Ratio    float64   `json:"ratio"` // to the first way
	// Differ counts rays whose hits differ from the first way's, Reasons says why, as in verify.
	Differ  int                 `json:"differ"`
	Reasons map[rays.Reason]int `json:"reasons,omitempty"`
	// Why is known of the compute way, Clocks where there is a tool for it.
	Why    *whyReport `json:"why,omitempty"`
	Clocks *clocks    `json:"clocks,omitempty"`
}

// whyReport is what a ray of a set does on the compute way, on average. Bytes are those of the nodes and leaf records that
// it reads; caches serve many.
type whyReport struct {
	Nodes      float64 `json:"nodes_per_ray"`
	Primitives float64 `json:"triangles_per_ray"`
	Instances  float64 `json:"instances_per_ray"`
	Bytes      float64 `json:"bytes_per_ray"`
}

// wayReport is what preparing one way cost.
type wayReport struct {
	deviceReport
	BottomBuildMS  float64 `json:"blas_build_ms"`
	TopBuildMS     float64 `json:"tlas_build_ms"`
	Triangles      uint64  `json:"built_triangles"`
	StructureBytes uint64  `json:"structure_bytes"`
	LinkMS         float64 `json:"link_ms"`
	CompileMS      float64 `json:"compile_ms"`
	// Code is what the driver tells about the pipelines for closest hits, Tree about the trees, of the compute way.
	Code []codeStatistic `json:"code,omitempty"`
	Tree *treeReport     `json:"tree,omitempty"`
}

// treeReport judges the structures of a scene on the compute way.
type treeReport struct {
	// BottomSAH is the mean over the bottom levels, by their triangles.
	BottomSAH float64 `json:"blas_sah"`
	TopSAH    float64 `json:"tlas_sah"`
	// Sizes of what traversal reads.
	NodeBytes      float64 `json:"bytes_per_node"`
	PrimitiveBytes float64 `json:"bytes_per_triangle_record"`
	InstanceBytes  float64 `json:"bytes_per_instance_record"`
}

// newTreeReport reads all structures back.
func newTreeReport(ctx context.Context, dev *engine.Device, s *accel.Scene) (*treeReport, error) {
	var r treeReport
	var nodes, innerNodes, leaves, primitives float64
	add := func(as *engine.AccelerationStructure) (structureReport, error) {
		one, err := measureOne(ctx, dev, as, as.Name(), 0)
		nodes += float64(one.Bytes.Nodes)
		innerNodes += float64(one.Nodes)
		return one, err
	}
	for m := range s.Source.Meshes {
		one, err := add(s.Bottom(m))
		if err != nil {
			return nil, err
		}
		leaves += float64(one.Bytes.Leaves)
		primitives += float64(one.Active)
		r.BottomSAH += one.SAH * float64(one.Active)
	}
	top, err := add(s.TopLevel)
	if err != nil {
		return nil, err
	}
	r.TopSAH = top.SAH
	r.BottomSAH = per(r.BottomSAH, primitives)
	r.NodeBytes, r.PrimitiveBytes, r.InstanceBytes = per(nodes, innerNodes), per(leaves, primitives), per(float64(top.Bytes.Leaves), float64(top.Active))
	return &r, nil
}

// per is a quotient, or 0 of nothing.
func per(sum, n float64) float64 {
	if n == 0 {
		return 0
	}
	return sum / n
}

func (r *treeReport) why(s rays.Steps) *whyReport {
	return &whyReport{Nodes: s.Nodes, Primitives: s.Primitives, Instances: s.Instances,
		Bytes: s.Nodes*r.NodeBytes + s.Primitives*r.PrimitiveBytes + s.Instances*r.InstanceBytes}
}

// addWays reports what the ways cost, and returns the trees of those that tell.
func (r *sceneReport) addWays(ctx context.Context, ways []*benchWay) ([]*treeReport, error) {
	trees := make([]*treeReport, len(ways))
	for i, w := range ways {
		report := w.report()
		if w.dev.Backend() == engine.BackendCompute {
			var err error
			if trees[i], err = newTreeReport(ctx, w.dev, w.scene); err != nil {
				return nil, err
			}
			report.Tree = trees[i]
		}
		r.Ways = append(r.Ways, report)
	}
	return trees, nil
}

func (w *benchWay) report() wayReport {
	closest, occlusion := w.closest.Stats(), w.occlusion.Stats()
	return wayReport{
		deviceReport:  reportDevice(w.dev),
		BottomBuildMS: milliseconds(w.bottom[len(w.bottom)/2]), TopBuildMS: milliseconds(w.top[len(w.top)/2]),
		Triangles:      w.scene.BottomReport.Primitives,
		StructureBytes: w.scene.BottomReport.Bytes + w.scene.TopReport.Bytes,
		LinkMS:         milliseconds(closest.LinkTime + occlusion.LinkTime),
		CompileMS:      milliseconds(closest.CompileTime + occlusion.CompileTime),
		Code:           codeStatistics(closest.Driver),
	}
}

// summarise takes over the times of one series.
func (s *seriesReport) summarise(t timing) {
	speed := func(ms float64) float64 { return per(float64(s.Rays)/1e3, ms) }
	s.Launches, s.MedianMS = t.Launches, t.Median
	s.Median, s.Max, s.Min = speed(t.Median), speed(t.Min), speed(t.Max)
}

// meanReport is the geometric mean of a set's ratios over scenes.
type meanReport struct {
	Over    string   `json:"over"`
	Scenes  int      `json:"scenes"`
	Set     rays.Set `json:"set"`
	Backend string   `json:"backend"`
	Ratio   float64  `json:"ratio"` // to the first way
}

// meansOver averages over scenes that all have the same series.
func meansOver(over string, scenes []sceneReport) []meanReport {
	ways := len(scenes[0].Ways)
	var out []meanReport
	for i, s := range scenes[0].Series {
		if i%ways == 0 {
			continue // the first way, to which the others are compared
		}
		sum := 0.0
		for _, scene := range scenes {
			sum += math.Log(scene.Series[i].Ratio)
		}
		out = append(out, meanReport{Over: over, Scenes: len(scenes), Set: s.Set, Backend: s.Backend, Ratio: math.Exp(sum / float64(len(scenes)))})
	}
	return out
}

// verdict is verify's, of each scene.
func (r *benchReport) verdict() (err error) {
	for _, scene := range r.Scenes {
		v := verifyReport{Tolerance: defaultTolerance}
		for _, s := range scene.Series {
			v.Sets = append(v.Sets, setReport{Set: s.Set, Reasons: s.Reasons})
			v.Rays += s.Rays
			v.Differ += s.Differ
		}
		if bad := v.verdict(); bad != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", scene.Scene, bad))
		}
	}
	return err
}

func (a *app) printBench(r *benchReport) error {
	if a.json {
		return a.printJSON(r)
	}
	fmt.Fprintf(a.stdout, "%s, %s; %s\n", r.Scenes[0].Ways[0].Device, r.Scenes[0].Ways[0].Driver, r.clockText())
	for i := range r.Scenes {
		if err := a.printScene(&r.Scenes[i]); err != nil {
			return err
		}
	}
	return a.table(func(w io.Writer) {
		if len(r.Launches) > 0 {
			fmt.Fprintln(w, "\nsmall launch\tway\tus\tmin\tmax\tratio")
		}
		for _, l := range r.Launches {
			fmt.Fprintf(w, "%d rays\t%s\t%.2f\t%.2f\t%.2f\t%.2f\n", l.Rays, l.Backend, 1e3*l.Median, 1e3*l.Min, 1e3*l.Max, l.Ratio)
		}
		if len(r.Means) > 0 {
			fmt.Fprintln(w, "\ngeometric mean\tscenes\trays\tway\tratio")
		}
		for _, m := range r.Means {
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%.2f\n", m.Over, m.Scenes, m.Set, m.Backend, m.Ratio)
		}
	})
}

// clockText says which clocks the GPU had while it traced.
func (r *benchReport) clockText() string {
	var all []*clocks
	for _, scene := range r.Scenes {
		for _, s := range scene.Series {
			all = append(all, s.Clocks)
		}
	}
	return clockRange(all)
}

func (a *app) printScene(r *sceneReport) error {
	return a.table(func(w io.Writer) {
		fmt.Fprintf(w, "\n%s: %d triangles, %d instances; %d x %d = %d rays per launch\n\n", r.Scene, r.Triangles, r.Instances, r.Width, r.Height, r.Width*r.Height)
		fmt.Fprintln(w, "way\tBLAS builds\tTLAS build\tstructures\tlink\tcompile\tSAH BLAS, TLAS")
		for _, way := range r.Ways {
			sah := "-"
			if t := way.Tree; t != nil {
				sah = fmt.Sprintf("%.1f, %.1f", t.BottomSAH, t.TopSAH)
			}
			fmt.Fprintf(w, "%s\t%.3f ms\t%.3f ms\t%.1f MiB\t%.1f ms\t%.1f ms\t%s\n", way.Backend, way.BottomBuildMS, way.TopBuildMS,
				float64(way.StructureBytes)/(1<<20), way.LinkMS, way.CompileMS, sah)
		}
		for _, way := range r.Ways {
			if len(way.Code) > 0 {
				fmt.Fprintf(w, "%s code: %s\n", way.Backend, joinStatistics(way.Code))
			}
		}
		fmt.Fprintln(w, "\nrays\tway\tMrays/s\tmin\tmax\tms\thits\tdiffer\tratio\tper ray: nodes\ttriangles\tinstances\tbytes")
		for _, s := range r.Series {
			fmt.Fprintf(w, "%s\t%s\t%.2f\t%.2f\t%.2f\t%.3f\t%.1f%%\t%d\t%.2f\t%s\n", s.Set, s.Backend, s.Median, s.Min, s.Max, s.MedianMS,
				100*per(float64(s.Hits), float64(s.Rays)), s.Differ, s.Ratio, s.Why)
		}
	})
}

// String returns the columns of a table.
func (r *whyReport) String() string {
	if r == nil {
		return strings.Join([]string{"-", "-", "-", "-"}, "\t")
	}
	return fmt.Sprintf("%.1f\t%.1f\t%.1f\t%.0f", r.Nodes, r.Primitives, r.Instances, r.Bytes)
}
