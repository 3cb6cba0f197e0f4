package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/clusters"
	"github.com/everray/everray/cmd/viewer/internal/compare"
	"github.com/everray/everray/cmd/viewer/internal/measure"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// clustersReport is what clusters of one scene cost by compute, beside plain structures of the same mesh.
type clustersReport struct {
	Scene     string       `json:"scene"`
	Way       report.Way   `json:"way"`
	Triangles int          `json:"triangles"`
	Vertices  int          `json:"vertices"`
	Rows      []clusterRow `json:"rows"`
}

// clusterRow is one thing measured. Speed is of triangles or rays, in millions a second; Ratio is to a plain structure of the same
// triangles: FAST_BUILD's time over that of builds, rays in a FAST_TRACE structure over those in clusters, as speeds.
type clusterRow struct {
	What   string  `json:"what"`
	Size   int     `json:"cluster_triangles,omitempty"` // at most
	Timing Timing  `json:"timing"`
	Speed  float64 `json:"millions_per_second"`
	Ratio  float64 `json:"ratio,omitempty"`
	Bytes  float64 `json:"bytes_per_triangle,omitempty"`
	Differ int     `json:"differing_rays"`
	// Steps of a ray, in clusters and in the plain structure; clusters count as instances.
	Steps *[2]rays.Steps `json:"steps,omitempty"`
}

// clusterBench measures the clusters of one scene.
type clusterBench struct {
	way    *buildWay
	timer  *measure.Timer
	mesh   *clusters.Mesh
	report clustersReport
	reader *clockReader
	owned  []interface{ Destroy() }

	input    engine.BuildInput // of a plain structure
	fast     Timing            // FAST_BUILD of it
	plainTop *engine.AccelerationStructure
	series   []*clusterSeries
}

// clusterSeries is a ray set, in a plain structure.
type clusterSeries struct {
	set           rays.Set
	rays          []rays.Ray
	width, height int
	plain         *rays.Tracer
	results       any
	steps         rays.Steps
}

func (c *clusterBench) own(d interface{ Destroy() }) { c.owned = append(c.owned, d) }

func (c *clusterBench) close() error {
	for _, d := range slices.Backward(c.owned) {
		d.Destroy()
	}
	if c.way == nil {
		return nil
	}
	return c.way.destroy()
}

// clustersOfScene measures a scene's triangles as clusters.
func (b *run) clustersOfScene(ctx context.Context, l *loadedScene) (err error) {
	c := &clusterBench{}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := b.step(l.name, "one mesh", func() error { c.mesh = clusters.Of(l.scene); return nil }); err != nil {
		return err
	}
	if c.way, err = newBuildWay(ctx, b.o, engine.BackendCompute, l.scene); err != nil {
		return err
	}
	if c.timer, err = measure.NewTimer(c.way.Dev); err != nil {
		return err
	}
	c.own(c.timer)
	c.reader = findClocks(c.way.Dev.Info().Name)
	c.report = clustersReport{Scene: l.name, Way: report.WayOf(c.way.Dev), Triangles: c.mesh.Triangles(),
		Vertices: len(c.mesh.Positions) / 3}
	defer func() { b.report.Clusters = append(b.report.Clusters, c.report) }()
	if err := c.plain(ctx); err != nil {
		return fmt.Errorf("plain structures: %w", err)
	}
	width, height := compare.Size(c.way.Dev, b.o.Width, b.o.Height, [2]int{64, 36}, [2]int{1920, 1080})
	maker := &rays.Maker{Scene: l.scene, Camera: l.camera, Width: width, Height: height}
	for _, set := range b.o.Sets {
		if err := c.addSeries(ctx, set, maker); err != nil {
			return fmt.Errorf("rays %s: %w", set, err)
		}
	}
	if err := c.rays(ctx, "plain structure by what knows clusters", 0, c.plainTop); err != nil {
		return err
	}
	for _, size := range b.o.ClusterSizes {
		if err := c.size(ctx, b, l.name, size); err != nil {
			return fmt.Errorf("clusters of %d: %w", size, err)
		}
	}
	return nil
}

// row times something, in turn with nothing else.
func (c *clusterBench) row(ctx context.Context, what string, size, count int, work launch) (*clusterRow, error) {
	times, _, err := inTurn(ctx, warmTime(c.way.Dev, 2*warmUpTime), c.reader, []launch{work})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	r := clusterRow{What: what, Size: size, Timing: times[0], Speed: report.Per(float64(count)/1e3, times[0].Median)}
	c.report.Rows = append(c.report.Rows, r)
	return &c.report.Rows[len(c.report.Rows)-1], nil
}

// plain builds and measures plain structures of the mesh.
func (c *clusterBench) plain(ctx context.Context) error {
	dev := c.way.Dev
	positions, err := dev.NewBuildInput(ctx, "mesh", clusters.Bytes(c.mesh.Positions))
	if err != nil {
		return err
	}
	c.own(positions)
	indices, err := dev.NewBuildInput(ctx, "mesh", clusters.Bytes(c.mesh.Indices))
	if err != nil {
		return err
	}
	c.own(indices)
	c.input = engine.BuildInput{Name: "mesh", Ranges: []vk.BuildRange{{PrimitiveCount: uint32(c.mesh.Triangles())}},
		Info: vk.BuildInfo{Type: vk.BottomLevel, Geometries: []vk.Geometry{{Type: vk.GeometryTriangles, Flags: vk.GeometryOpaque,
			Triangles: vk.Triangles{VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: positions.Address(), VertexStride: 12,
				MaxVertex: uint32(len(c.mesh.Positions)/3) - 1, IndexType: vk.IndexUint32, IndexData: indices.Address()}}}}}
	for _, f := range []FlagSet{{"plain fast-build", vk.PreferFastBuild}, {"plain fast-trace", vk.PreferFastTrace},
		{"plain fast-build, refit", vk.PreferFastBuild | vk.AllowUpdate}} {
		in := c.input
		in.Info.Flags = f.Flags
		batch, err := accel.NewBatch(dev, f.Name, []engine.BuildInput{in})
		if err != nil {
			return err
		}
		work := batch.Build
		if f.Flags&vk.AllowUpdate != 0 {
			_, err = batch.Build(ctx, 1)
			work = batch.Refit
		}
		var row *clusterRow
		if err == nil {
			row, err = c.row(ctx, f.Name, 0, c.mesh.Triangles(), work)
		}
		if err == nil {
			row.Bytes = report.PerPrimitive(batch.Bytes, uint64(c.mesh.Triangles()))
			if f.Flags == vk.PreferFastBuild {
				c.fast = row.Timing
			}
		}
		batch.Destroy()
		if err != nil {
			return err
		}
	}
	in := c.input
	in.Info.Flags = vk.PreferFastTrace
	made, _, err := dev.BuildAccelerationStructures(ctx, []engine.BuildInput{in})
	if err != nil {
		return err
	}
	c.own(made[0])
	c.plainTop, err = c.top(ctx, made[0].Address())
	return err
}

// top is a top level of one instance.
func (c *clusterBench) top(ctx context.Context, bottom vk.DeviceAddress) (*engine.AccelerationStructure, error) {
	in := vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xff, 0, 0, bottom)
	instances, err := c.way.Dev.NewBuildInput(ctx, "instance", in.AppendTo(nil))
	if err != nil {
		return nil, err
	}
	c.own(instances)
	made, _, err := c.way.Dev.BuildAccelerationStructures(ctx, []engine.BuildInput{{Name: "top level",
		Info: vk.BuildInfo{Type: vk.TopLevel, Flags: vk.PreferFastTrace, Geometries: []vk.Geometry{{Type: vk.GeometryInstances,
			Instances: vk.Instances{Data: instances.Address()}}}},
		Ranges: []vk.BuildRange{{PrimitiveCount: 1}}}})
	if err != nil {
		return nil, err
	}
	c.own(made[0])
	return made[0], nil
}

// addSeries makes a ray set and traces it in the plain structure.
func (c *clusterBench) addSeries(ctx context.Context, set rays.Set, maker *rays.Maker) error {
	list, err := maker.Make(ctx, set, c.way.verify, c.way.Scene)
	if err != nil {
		return err
	}
	s := &clusterSeries{set: set, rays: list, width: maker.Width, height: maker.Height}
	if s.plain, err = c.tracer(ctx, s, c.plainTop, engine.PipelineFlags{}); err != nil {
		return err
	}
	if s.results, err = resultsOf(ctx, s.plain, set); err != nil {
		return err
	}
	s.steps, err = c.count(ctx, s, c.plainTop, false)
	c.series = append(c.series, s)
	return err
}

func (c *clusterBench) tracer(ctx context.Context, s *clusterSeries, top *engine.AccelerationStructure,
	flags engine.PipelineFlags) (*rays.Tracer, error) {
	kind := rays.ClosestHit
	if s.set.Occlusion() {
		kind = rays.Occlusion
	}
	t, err := rays.NewTopTracer(ctx, c.way.Dev, top, kind, flags)
	if err != nil {
		return nil, err
	}
	c.own(t)
	return t, t.SetRays(ctx, s.rays, s.width, s.height)
}

// count counts what the rays of a set do in a top level.
func (c *clusterBench) count(ctx context.Context, s *clusterSeries, top *engine.AccelerationStructure,
	ofClusters bool) (rays.Steps, error) {
	counter, err := rays.NewTopCounter(ctx, c.way.Dev, top, ofClusters)
	if err != nil {
		return rays.Steps{}, err
	}
	defer counter.Destroy()
	return counter.Count(ctx, s.set, s.rays)
}

// resultsOf traces once.
func resultsOf(ctx context.Context, t *rays.Tracer, set rays.Set) (any, error) {
	if _, err := t.Trace(ctx, 1); err != nil {
		return nil, err
	}
	if set.Occlusion() {
		return t.Occluded(ctx)
	}
	return t.Closest(ctx)
}

// differing counts the rays that hit at another distance, or only in one.
func differing(a, b any) (n int) {
	switch a := a.(type) {
	case []uint32:
		for i, v := range b.([]uint32) {
			if v != a[i] {
				n++
			}
		}
	case []rays.ClosestResult:
		for i, v := range b.([]rays.ClosestResult) {
			if v.T != a[i].T {
				n++
			}
		}
	}
	return n
}

// size measures clusters of up to so many triangles.
func (c *clusterBench) size(ctx context.Context, b *run, scene string, size int) error {
	var cut *clusters.Cut
	if err := b.step(scene, fmt.Sprintf("cut into clusters of %d", size), func() (err error) {
		cut, err = clusters.NewCut(ctx, c.way.Dev, c.mesh, size, size)
		return err
	}); err != nil {
		return err
	}
	defer cut.Destroy()
	for _, f := range []FlagSet{{"", 0}, {" fast-trace", vk.PreferFastTrace}} {
		if err := c.templates(ctx, size, cut, f); err != nil {
			return err
		}
	}
	for _, f := range []FlagSet{{"", 0}, {" fast-trace", vk.PreferFastTrace}} {
		in := cut.Input
		in.Flags = f.Flags
		built, err := c.command(ctx, "clusters"+f.Name, size, in, engine.ClusterArgs(cut.Args...))
		if err != nil {
			return err
		}
		in, args := clusters.OverAll(vk.PreferFastTrace, built.List.Address(), cut.Input.MaxCount)
		bottom, err := c.command(ctx, "bottom level fast-trace", size, in, args)
		if err != nil {
			return err
		}
		top, err := c.top(ctx, bottom.Memory.Address())
		if err != nil {
			return err
		}
		if err := c.rays(ctx, "clusters"+f.Name, size, top); err != nil {
			return err
		}
	}
	return nil
}

// command measures a command, checks that all its operations have results, and returns it.
func (c *clusterBench) command(ctx context.Context, what string, size int, in engine.ClusterInput,
	args []byte) (*clusters.Command, error) {
	made, err := clusters.NewCommand(ctx, c.way.Dev, in, args)
	if err != nil {
		return nil, err
	}
	c.own(made)
	row, err := c.row(ctx, what, size, c.mesh.Triangles(), func(ctx context.Context, n int) ([]time.Duration, error) {
		return c.timer.Repeat(ctx, what, n, made.Record)
	})
	if err != nil {
		return nil, err
	}
	_, bytes, err := made.Results(ctx)
	if err != nil {
		return nil, err
	}
	row.Bytes, row.Ratio = report.PerPrimitive(bytes, uint64(c.mesh.Triangles())), report.Per(c.fast.Median, row.Timing.Median)
	return made, nil
}

// templates measures building templates, and instantiating them with the mesh's own positions.
func (c *clusterBench) templates(ctx context.Context, size int, cut *clusters.Cut, f FlagSet) error {
	args := make([]engine.ClusterBuildTemplate, len(cut.Args))
	for i, a := range cut.Args {
		args[i] = engine.ClusterBuildTemplate{BuildTriangles: a}
	}
	in := cut.Input
	in.Op, in.Flags = engine.ClusterOpTemplates, f.Flags
	made, err := c.command(ctx, "templates"+f.Name, size, in, engine.ClusterArgs(args...))
	if err != nil {
		return err
	}
	addresses, _, err := made.Results(ctx)
	if err != nil {
		return err
	}
	instances := make([]engine.ClusterInstantiate, len(addresses))
	for i, a := range addresses {
		instances[i] = engine.ClusterInstantiate{Template: a, Vertices: cut.Args[i].Vertices, VertexStride: 12}
	}
	in.Op = engine.ClusterOpInstantiate
	moved, err := c.command(ctx, "instantiate"+f.Name, size, in, engine.ClusterArgs(instances...))
	if err != nil {
		return err
	}
	in, args2 := clusters.OverAll(vk.PreferFastBuild, moved.List.Address(), cut.Input.MaxCount)
	bottom, err := c.command(ctx, "bottom level fast-build", size, in, args2)
	if err != nil || f.Flags != 0 {
		return err
	}
	row, err := c.row(ctx, "animated frame: instantiate, bottom level", size, c.mesh.Triangles(), func(ctx context.Context, n int) (
		[]time.Duration, error) {
		return c.timer.Repeat(ctx, "frame", n, func(cb *vk.CommandBuffer) error {
			if err := moved.Record(cb); err != nil {
				return err
			}
			c.way.Dev.CmdBarrier(cb)
			return bottom.Record(cb)
		})
	})
	if err != nil {
		return err
	}
	row.Ratio = report.Per(c.fast.Median, row.Timing.Median)
	return c.statues(ctx, size, moved, bottom)
}

// statues measures a top level of many instances of one bottom level over clusters. Bytes are those of all structures for each
// triangle that is there to be seen.
func (c *clusterBench) statues(ctx context.Context, size int, built, bottom *clusters.Command) error {
	const side = 100
	var data []byte
	for i := range side * side {
		at := vk.IdentityTransform()
		at[3], at[11] = float32(i%side)*100, float32(i/side)*100
		in := vk.NewAccelerationStructureInstance(at, uint32(i), 0xff, 0, 0, bottom.Memory.Address())
		data = in.AppendTo(data)
	}
	instances, err := c.way.Dev.NewBuildInput(ctx, "statues", data)
	if err != nil {
		return err
	}
	defer instances.Destroy()
	batch, err := accel.NewBatch(c.way.Dev, "statues", []engine.BuildInput{{Name: "statues",
		Info: vk.BuildInfo{Type: vk.TopLevel, Flags: vk.PreferFastTrace, Geometries: []vk.Geometry{{Type: vk.GeometryInstances,
			Instances: vk.Instances{Data: instances.Address()}}}}, Ranges: []vk.BuildRange{{PrimitiveCount: side * side}}}})
	if err != nil {
		return err
	}
	defer batch.Destroy()
	row, err := c.row(ctx, "top level of 10000 that share clusters", size, side*side*c.mesh.Triangles(), batch.Build)
	if err != nil {
		return err
	}
	_, bytes, err := built.Results(ctx)
	if err != nil {
		return err
	}
	_, more, err := bottom.Results(ctx)
	row.Bytes = report.PerPrimitive(bytes+more+batch.Bytes, uint64(side*side*c.mesh.Triangles()))
	return err
}

// rays traces all sets in a top level by a pipeline that knows clusters, in turn with the plain structure by one that does not.
func (c *clusterBench) rays(ctx context.Context, what string, size int, top *engine.AccelerationStructure) error {
	for _, s := range c.series {
		t, err := c.tracer(ctx, s, top, engine.PipelineFlags{AllowClusters: true})
		if err != nil {
			return err
		}
		results, err := resultsOf(ctx, t, s.set)
		if err != nil {
			return err
		}
		times, _, err := inTurn(ctx, warmTime(c.way.Dev, warmUpTime), c.reader, []launch{s.plain.Trace, t.Trace})
		if err != nil {
			return err
		}
		steps, err := c.count(ctx, s, top, true)
		if err != nil {
			return err
		}
		c.report.Rows = append(c.report.Rows, clusterRow{Steps: &[2]rays.Steps{steps, s.steps},
			What: fmt.Sprintf("%s rays, %s", s.set, what), Size: size, Timing: times[1],
			Speed: report.Per(float64(len(s.rays))/1e3, times[1].Median), Ratio: report.Per(times[0].Median, times[1].Median),
			Differ: differing(s.results, results)})
	}
	return nil
}

func (r *clusterRow) steps() string {
	if r.Steps == nil {
		return "-"
	}
	a, b := r.Steps[0], r.Steps[1]
	return fmt.Sprintf("%.1f %.1f %.1f, %.1f %.1f %.1f", a.Nodes, a.Primitives, a.Instances, b.Nodes, b.Primitives, b.Instances)
}

func (r *clustersReport) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s: %d triangles, %d vertices, as clusters by compute; ratios to plain FAST_BUILD and FAST_TRACE\n\n", r.Scene,
		r.Triangles, r.Vertices)
	fmt.Fprintln(w, "what\tclusters of\tms\tmin\tmax\tM/s\tratio\tbytes a triangle\tdiffer\t"+
		"nodes, triangles, clusters a ray, and in the plain structure")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.1f\t%.2f\t%.2f\t%d\t%s\n", row.What, row.Size, row.Timing.Median, row.Timing.Min,
			row.Timing.Max, row.Speed, row.Ratio, row.Bytes, row.Differ, row.steps())
	}
}
