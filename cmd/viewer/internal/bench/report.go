package bench

import (
	"context"

	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
)

// Report is the result; what was not measured is absent.
type Report struct {
	Scenes   []sceneReport  `json:"scenes,omitempty"`
	Launches []launchReport `json:"small_launches,omitempty"`
	// Means are there for several scenes and ways.
	Means      []meanReport       `json:"geometric_means,omitempty"`
	Builds     []buildsScene      `json:"builds,omitempty"`
	Divergence []divergenceReport `json:"divergence,omitempty"`
	Clusters   []clustersReport   `json:"clusters,omitempty"`
	Pipelines  *pipelinesReport   `json:"pipelines,omitempty"`
	// Profiles of builds come with the ways that they are of.
	Profiles []profileReport `json:"build_profiles,omitempty"`
	Ways     []report.Way    `json:"ways,omitempty"`
	// EmbreeSkipped says why there is no reference for CPUs.
	EmbreeSkipped string `json:"embree_skipped,omitempty"`
	// Errors are those of what failed.
	Errors []string `json:"errors,omitempty"`
}

// Empty tells that nothing was measured.
func (r *Report) Empty() bool {
	return len(r.Scenes) == 0 && len(r.Launches) == 0 && len(r.Builds) == 0 && len(r.Divergence) == 0 &&
		len(r.Profiles) == 0 && len(r.Clusters) == 0 && r.Pipelines == nil
}

// device is that of the first way of whatever was measured.
func (r *Report) device() report.Way {
	switch {
	case len(r.Scenes) > 0:
		return r.Scenes[0].Ways[0].Way
	case len(r.Builds) > 0:
		return r.Builds[0].Ways[0]
	case len(r.Clusters) > 0:
		return r.Clusters[0].Way
	case len(r.Ways) > 0:
		return r.Ways[0]
	case r.Pipelines != nil && len(r.Pipelines.Ways) > 0:
		return r.Pipelines.Ways[0]
	case len(r.Divergence) > 0:
		return r.Divergence[0].Ways[0]
	}
	return report.Way{}
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
	Embree *embreeReport  `json:"embree,omitempty"`
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
	// Why and Bare are known of the compute way, Clocks where there is a tool for it.
	Why    *whyReport  `json:"why,omitempty"`
	Bare   *bareReport `json:"bare,omitempty"`
	Clocks *clocks     `json:"clocks,omitempty"`
}

// bareReport is the same traversal without a pipeline.
type bareReport struct {
	Timing
	// Differ counts rays with another hit than by the pipeline, where compilers fuse operations in one and not in the other.
	Differ int `json:"differ"`
	// Cost is the pipeline's time above that of the bare traversal, as a share of the latter.
	Cost float64 `json:"pipeline_cost"`
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
	report.Way
	BottomBuildMS  float64 `json:"blas_build_ms"`
	TopBuildMS     float64 `json:"tlas_build_ms"`
	Triangles      uint64  `json:"built_triangles"`
	StructureBytes uint64  `json:"structure_bytes"`
	LinkMS         float64 `json:"link_ms"`
	CompileMS      float64 `json:"compile_ms"`
	// Code is what the driver tells about the pipelines for closest hits, BareCode about the traversal without one, Tree says
	// how good the trees are: all of the compute way.
	Code     []report.Statistic `json:"code,omitempty"`
	BareCode []report.Statistic `json:"bare_code,omitempty"`
	Tree     *treeReport        `json:"tree,omitempty"`
}

// treeReport judges the structures of a scene on the compute way.
type treeReport struct {
	// BottomSAH is the mean over the bottom levels, by their triangles; 0 where they are too many to be read back.
	BottomSAH float64 `json:"blas_sah"`
	TopSAH    float64 `json:"tlas_sah"`
	// Sizes of what traversal reads.
	NodeBytes      float64 `json:"bytes_per_node"`
	PrimitiveBytes float64 `json:"bytes_per_triangle_record"`
	InstanceBytes  float64 `json:"bytes_per_instance_record"`
}

// mostReadBack is the most triangles of structures that are read back: the host takes a second for each million, and of large
// scenes nobody wants to wait so long for a first figure. viewer inspect tells.
const mostReadBack = 5_000_000

// newTreeReport reads all structures back.
func newTreeReport(ctx context.Context, dev *engine.Device, s *accel.Scene) (*treeReport, error) {
	if s.BottomReport.Primitives > mostReadBack {
		return &treeReport{NodeBytes: 64, PrimitiveBytes: 48, InstanceBytes: 128}, nil // those of structures that are not compacted
	}
	var r treeReport
	var nodes, innerNodes, leaves, primitives float64
	add := func(as *engine.AccelerationStructure) (report.Structure, error) {
		one, err := report.Measure(ctx, dev, as, as.Name(), 0)
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
	r.BottomSAH = report.Per(r.BottomSAH, primitives)
	r.NodeBytes, r.PrimitiveBytes, r.InstanceBytes = report.Per(nodes, innerNodes), report.Per(leaves, primitives),
		report.Per(float64(top.Bytes.Leaves), float64(top.Active))
	return &r, nil
}

func (r *treeReport) why(s rays.Steps) *whyReport {
	return &whyReport{Nodes: s.Nodes, Primitives: s.Primitives, Instances: s.Instances,
		Bytes: s.Nodes*r.NodeBytes + s.Primitives*r.PrimitiveBytes + s.Instances*r.InstanceBytes}
}

// addWays reports what the ways cost, and returns the trees of those that tell.
func (r *sceneReport) addWays(ctx context.Context, ways []*benchWay) ([]*treeReport, error) {
	trees := make([]*treeReport, len(ways))
	for i, w := range ways {
		one := w.describe()
		if w.Dev.Backend() == engine.BackendCompute {
			var err error
			if trees[i], err = newTreeReport(ctx, w.Dev, w.Scene); err != nil {
				return nil, err
			}
			one.Tree = trees[i]
		}
		r.Ways = append(r.Ways, one)
	}
	return trees, nil
}

func (w *benchWay) describe() wayReport {
	closest, occlusion := w.closest.Stats(), w.occlusion.Stats()
	r := wayReport{
		Way:           report.WayOf(w.Dev),
		BottomBuildMS: report.Milliseconds(w.bottom[len(w.bottom)/2]), TopBuildMS: report.Milliseconds(w.top[len(w.top)/2]),
		Triangles:      w.Scene.BottomReport.Primitives,
		StructureBytes: w.Scene.BottomReport.Bytes + w.Scene.TopReport.Bytes,
		LinkMS:         report.Milliseconds(closest.LinkTime + occlusion.LinkTime),
		CompileMS:      report.Milliseconds(closest.CompileTime + occlusion.CompileTime),
		Code:           report.Statistics(closest.Driver),
	}
	if w.bareClosest != nil {
		r.BareCode = report.Statistics(w.bareClosest.Stats().Driver)
	}
	return r
}

// summarise takes over the times of one series.
func (s *seriesReport) summarise(t Timing) {
	speed := func(ms float64) float64 { return report.Per(float64(s.Rays)/1e3, ms) }
	s.Launches, s.MedianMS = t.Launches, t.Median
	s.Median, s.Max, s.Min = speed(t.Median), speed(t.Min), speed(t.Max)
}
