package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/everray/everray/cmd/viewer/internal/clusters"
	"github.com/everray/everray/cmd/viewer/internal/report"
)

// spread is how a number is distributed over the bottom levels.
type spread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// totals sums the bottom levels up.
type totals struct {
	Structures int              `json:"structures"`
	Inputs     uint64           `json:"inputs"`
	Active     uint64           `json:"active"`
	Nodes      int              `json:"nodes"`
	Leaves     int              `json:"leaves"`
	LeafSizes  []int            `json:"leaf_sizes"`
	Bytes      report.PartBytes `json:"bytes"`
	// The spreads are over structures that are not empty; that of EPO over those with samples.
	Triangles   spread  `json:"triangles"`
	MeanDepth   spread  `json:"depth_mean"`
	MaxDepth    spread  `json:"depth_max"`
	SAH         spread  `json:"sah"`
	EPO         *spread `json:"epo,omitempty"`
	Overlap     spread  `json:"overlap"`
	BytesPerTri spread  `json:"bytes_per_triangle"`
}

type inspectReport struct {
	report.Way
	Scene     string `json:"scene"`
	Build     string `json:"build"`
	Compacted bool   `json:"compacted"`
	Instances int    `json:"instances"`
	// The prices of SAH and EPO.
	NodeCost      float64 `json:"node_cost"`
	PrimitiveCost float64 `json:"primitive_cost"`
	Samples       int     `json:"epo_samples"`
	BottomBuildMS float64 `json:"blas_build_ms"`
	TopBuildMS    float64 `json:"tlas_build_ms"`
	// Before is the storage of all structures as they were built, before compaction.
	Before     uint64             `json:"built_bytes"`
	Bottom     totals             `json:"bottom_levels"`
	Top        report.Structure   `json:"top_level"`
	Structures []report.Structure `json:"structures"`
	// Clusters are those of the scene's triangles, if they were asked for.
	Clusters *clusters.Survey `json:"clusters,omitempty"`
}

// summarise sums the structures up.
func (r *inspectReport) summarise() {
	t := totals{Structures: len(r.Structures)}
	var triangles, mean, most, sah, epo, overlap, bytes []float64
	for i := range r.Structures {
		s := &r.Structures[i]
		t.Inputs += uint64(s.Inputs)
		t.Active += uint64(s.Active)
		t.Nodes += s.Nodes
		t.Leaves += s.Leaves
		t.Bytes = t.Bytes.Plus(s.Bytes)
		t.LeafSizes = addSizes(t.LeafSizes, s.LeafSizes)
		if s.Active == 0 {
			continue
		}
		triangles = append(triangles, float64(s.Inputs))
		mean, most = append(mean, s.MeanDepth), append(most, float64(s.MaxDepth))
		sah, overlap, bytes = append(sah, s.SAH), append(overlap, s.Overlap), append(bytes, s.PerInput())
		if s.EPO != nil {
			epo = append(epo, s.EPO.Value)
		}
	}
	t.Triangles, t.MeanDepth, t.MaxDepth = spreadOf(triangles), spreadOf(mean), spreadOf(most)
	t.SAH, t.Overlap, t.BytesPerTri = spreadOf(sah), spreadOf(overlap), spreadOf(bytes)
	if len(epo) > 0 {
		e := spreadOf(epo)
		t.EPO = &e
	}
	r.Bottom = t
}

func addSizes(a, b []int) []int {
	if len(a) < len(b) {
		a = append(a, make([]int, len(b)-len(a))...)
	}
	for i, n := range b {
		a[i] += n
	}
	return a
}

func spreadOf(v []float64) spread {
	if len(v) == 0 {
		return spread{}
	}
	slices.Sort(v)
	return spread{Min: v[0], Median: v[len(v)/2], Max: v[len(v)-1]}
}

// manyStructures is from how many on bottom levels are summarised instead of listed.
const manyStructures = 16

func (a *app) printInspect(r *inspectReport) error {
	if a.json {
		return a.printJSON(r)
	}
	if err := a.table(r.printHead); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	if err := a.table(r.printStructures); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	if err := a.table(r.printParts); err != nil || r.Clusters == nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	return a.table(r.printClusters)
}

func (r *inspectReport) printClusters(w io.Writer) {
	c := r.Clusters
	fmt.Fprintln(w, "clusters\ttriangles\tvertices\tnodes\tdeepest\tB/triangle\tbottom level SAH\theight\tB/triangle")
	fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%.1f\t%.2f\t%d\t%.1f\n", c.Clusters, c.Triangles, c.Vertices, c.Nodes, c.Deepest,
		report.PerPrimitive(c.Bytes, uint64(c.Triangles)), c.SAH, c.Height, report.PerPrimitive(c.BottomBytes, uint64(c.Triangles)))
}

func (r *inspectReport) printHead(w io.Writer) {
	fmt.Fprintf(w, "device\t%s\n", r.Device)
	fmt.Fprintf(w, "driver\t%s\n", r.Driver)
	fmt.Fprintf(w, "scene\t%s: %d triangles in %d bottom levels, %d instances\n", r.Scene, r.Bottom.Inputs, r.Bottom.Structures,
		r.Instances)
	fmt.Fprintf(w, "builds\t%s: bottom levels %.3f ms (%.1f Mtriangles/s), top level %.3f ms\n", r.Build, r.BottomBuildMS,
		float64(r.Bottom.Inputs)/max(r.BottomBuildMS, 1e-9)/1e3, r.TopBuildMS)
	after := r.Bottom.Bytes.Total + r.Top.Bytes.Total
	if r.Compacted {
		fmt.Fprintf(w, "memory\t%.2f MiB, compacted from %.2f MiB\n", mebibytes(after), mebibytes(r.Before))
	} else {
		fmt.Fprintf(w, "memory\t%.2f MiB\n", mebibytes(after))
	}
	fmt.Fprintf(w, "prices\tSAH and EPO: %g for a node, %g for a primitive; EPO at %d random points\n", r.NodeCost, r.PrimitiveCost,
		r.Samples)
}

func mebibytes(n uint64) float64 { return float64(n) / (1 << 20) }

func (r *inspectReport) printStructures(w io.Writer) {
	fmt.Fprintln(w, "structure\tinputs\tactive\tnodes\tleaves\tper leaf\tdepth\tdeepest\tSAH\tEPO\toverlap\tB/primitive")
	if len(r.Structures) < manyStructures {
		for i := range r.Structures {
			printStructure(&r.Structures[i], w)
		}
	} else {
		r.Bottom.printSpread(w)
	}
	if b := &r.Bottom; b.Structures > 1 {
		fmt.Fprintf(w, "bottom levels\t%d\t%d\t%d\t%d\t%.2f\t\t\t\t\t\t%.1f\n", b.Inputs, b.Active, b.Nodes, b.Leaves,
			report.PerPrimitive(b.Active, uint64(b.Leaves)), report.PerPrimitive(b.Bytes.Total, b.Inputs))
	}
	printStructure(&r.Top, w)
}

func printStructure(s *report.Structure, w io.Writer) {
	epo := ""
	if s.EPO != nil {
		epo = fmt.Sprintf("%.3f ± %.3f", s.EPO.Value, s.EPO.Error)
	}
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.2f\t%.1f\t%d\t%.2f\t%s\t%.3f\t%.1f\n", shortName(s.Name), s.Inputs, s.Active, s.Nodes,
		s.Leaves,
		report.PerPrimitive(uint64(s.Active), uint64(s.Leaves)), s.MeanDepth, s.MaxDepth, s.SAH, epo, s.Overlap, s.PerInput())
}

func (t *totals) printSpread(w io.Writer) {
	for _, row := range []struct {
		name string
		of   func(s spread) float64
	}{
		{"minimum", func(s spread) float64 { return s.Min }},
		{"median", func(s spread) float64 { return s.Median }},
		{"maximum", func(s spread) float64 { return s.Max }},
	} {
		epo := ""
		if t.EPO != nil {
			epo = fmt.Sprintf("%.3f", row.of(*t.EPO))
		}
		fmt.Fprintf(w, "%s of %d\t%.0f\t\t\t\t\t%.1f\t%.0f\t%.2f\t%s\t%.3f\t%.1f\n", row.name, t.Structures, row.of(t.Triangles),
			row.of(t.MeanDepth), row.of(t.MaxDepth), row.of(t.SAH), epo, row.of(t.Overlap), row.of(t.BytesPerTri))
	}
}

// longestName is how much of a mesh's name fits into the table.
const longestName = 24

func shortName(name string) string {
	r := []rune(strings.Map(func(c rune) rune {
		if c < ' ' { // tabs and line ends would break the table
			return ' '
		}
		return c
	}, name))
	if len(r) > longestName {
		return string(r[:longestName-1]) + "…"
	}
	return string(r)
}

func (r *inspectReport) printParts(w io.Writer) {
	fmt.Fprintln(w, "bytes per primitive\ttotal\theader\tnodes\tleaf records\tvertices\twide nodes\tunused")
	for _, p := range []struct {
		name   string
		bytes  report.PartBytes
		inputs uint64
	}{{"bottom levels", r.Bottom.Bytes, r.Bottom.Inputs}, {"top level", r.Top.Bytes, uint64(r.Top.Inputs)}} {
		fmt.Fprint(w, p.name)
		for _, n := range []uint64{p.bytes.Total, p.bytes.Header, p.bytes.Nodes, p.bytes.Leaves, p.bytes.Vertices, p.bytes.Wide,
			p.bytes.Unused} {
			fmt.Fprintf(w, "\t%.2f", report.PerPrimitive(n, p.inputs))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	fmt.Fprint(w, "leaves by their primitives")
	most := len(r.Bottom.LeafSizes)
	for most > 1 && r.Bottom.LeafSizes[most-1] == 0 && r.Top.LeafSizes[most-1] == 0 {
		most--
	}
	for i := range most {
		fmt.Fprintf(w, "\t%d", i+1)
	}
	fmt.Fprintln(w)
	for _, s := range []struct {
		name  string
		sizes []int
	}{{"bottom levels", r.Bottom.LeafSizes}, {"top level", r.Top.LeafSizes}} {
		fmt.Fprint(w, s.name)
		for i := range most {
			fmt.Fprintf(w, "\t%d", s.sizes[i])
		}
		fmt.Fprintln(w)
	}
}
