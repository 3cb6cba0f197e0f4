package cli

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/clusters"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
)

type clustersFlags struct {
	deviceFlags
	sceneFlags
	out       string
	frames    int
	triangles int
	statues   int
	window    bool
	quitAfter int // pictures of a window; 0 stays
}

const (
	mostDemoFrames  = 10000
	mostDemoStatues = 1000 // on a side
)

func (a *app) clustersCommand() *cobra.Command {
	var f clustersFlags
	cmd := &cobra.Command{
		Use:   "clusters SCENE",
		Short: "Animate a scene's triangles as clusters, beside refits and rebuilds, and show statues that share them",
		Long: `clusters cuts a scene's triangles into clusters and twists them, frame by frame on the GPU, in three ways:

  templates  a template of each cluster is instantiated with the frame's positions, and a bottom level built over them
  refit      a plain structure (fast-trace, allow-update) is updated
  rebuild    a plain structure (fast-build) is built again

Each frame's picture is of the first way, every cluster in a colour of its own; the others must see the same, to the bit of
the distances. Then comes a picture of many instances of the last frame's bottom level. Times are the GPU's, medians of
five; bytes are those of positions and structures without scratch memory.

With --window it is shown in a window, until that is closed or --frames are shown, with times and bytes in a panel. All ways
are animated in each frame, and one is painted:

  1 2 3  templates, refit, rebuild     S    stop, and go on
  4      the statues, which twist too  R    camera back to the start
  Tab    panel                         Esc  quit; mouse and arrows move the camera as in view`,
		Example: `  viewer clusters bunny.glb --out bunny.png           # bunny-000.png, bunny-001.png ..., bunny-statues.png
  viewer clusters dragon.glb --frames 60 --clusters 128 --statues 100 --json
  viewer clusters bunny.glb --window`,
		Args: sceneArg(&f.sceneFlags),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.window && cmd.Flags().Changed("frames") {
				f.quitAfter = f.frames
			}
			return a.clusters(cmd.Context(), &f)
		},
	}
	f.registerDevice(cmd.Flags())
	f.sceneFlags.register(cmd.Flags(), 1280, 720)
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "pictures to write, a .png name to which numbers are added; none: only times")
	cmd.Flags().IntVar(&f.frames, "frames", 4, "frames of the animation")
	cmd.Flags().BoolVar(&f.window, "window", false, "show it in a window instead")
	cmd.Flags().IntVar(&f.triangles, "clusters", 64, "triangles, and vertices, of a cluster at most")
	cmd.Flags().IntVar(&f.statues, "statues", 100, "statues on each side of the square; 0 leaves them out")
	return cmd
}

func (f *clustersFlags) check() error {
	if err := f.sceneFlags.check(); err != nil {
		return err
	}
	switch {
	case f.frames < 1 || f.frames > mostDemoFrames:
		return fmt.Errorf("%w: --frames %d: want 1 to %d", errUsage, f.frames, mostDemoFrames)
	case f.triangles < 3 || f.triangles > 256:
		return fmt.Errorf("%w: --clusters %d: want 3 to 256", errUsage, f.triangles)
	case f.statues < 0 || f.statues > mostDemoStatues:
		return fmt.Errorf("%w: --statues %d: want 0 to %d", errUsage, f.statues, mostDemoStatues)
	}
	if f.out == "" {
		return nil
	}
	if f.window {
		return fmt.Errorf("%w: --out goes without --window", errUsage)
	}
	return checkOutput("--out", f.out, ".png")
}

// clustersReport is what the command prints.
type clustersReport struct {
	report.Way
	Scene     string            `json:"scene"`
	Triangles int               `json:"triangles"`
	Clusters  int               `json:"clusters_of"`
	Frames    [][]clusters.Step `json:"frames"`
	Statues   *clusters.Step    `json:"statues,omitempty"`
}

func (a *app) clusters(ctx context.Context, f *clustersFlags) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	if f.window {
		return a.clustersWindow(ctx, f)
	}
	scene, view, err := f.loadTriangles(ctx, a)
	if err != nil {
		return err
	}
	f.byCompute()
	dev, closeDevice, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDevice()) }()
	mesh := clusters.Of(scene)
	bar := a.progress("clusters", 0)
	d, err := clusters.NewDemo(ctx, dev, mesh, f.triangles, f.width, f.height)
	bar.finish()
	if err != nil {
		return err
	}
	defer d.Destroy()
	r := clustersReport{Way: report.WayOf(dev), Scene: f.scene, Triangles: mesh.Triangles(), Clusters: f.triangles}
	for k := range f.frames {
		img, steps, err := d.Frame(ctx, view, math.Pi/2*math.Sin(2*math.Pi*float64(k)/float64(f.frames)))
		if err != nil {
			return fmt.Errorf("frame %d: %w", k, err)
		}
		r.Frames = append(r.Frames, steps)
		if err := f.write(fmt.Sprintf("%03d", k), img); err != nil {
			return err
		}
	}
	if f.statues > 0 {
		img, step, err := d.Statues(ctx, f.statues, d.Around())
		if err != nil {
			return fmt.Errorf("statues: %w", err)
		}
		r.Statues = &step
		if err := f.write("statues", img); err != nil {
			return err
		}
	}
	return a.printClusters(&r)
}

func (a *app) printClusters(r *clustersReport) error {
	if a.json {
		return a.printJSON(r)
	}
	return a.table(r.print)
}

// byCompute has the device be of the compute way, which clusters are of.
func (f *clustersFlags) byCompute() {
	f.backend, f.cache = engine.BackendCompute.String(), cacheNone
}

// write writes a picture under the name of --out with something added, if there is one.
func (f *clustersFlags) write(what string, img *image.NRGBA) error {
	if f.out == "" {
		return nil
	}
	ext := filepath.Ext(f.out)
	name := strings.TrimSuffix(f.out, ext) + "-" + what + ext
	return assets.WriteFile(name, func(w io.Writer) error { return assets.EncodePNG(w, img) })
}

func (r *clustersReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d triangles in clusters of up to %d; %s\n", r.Scene, r.Triangles, r.Clusters, r.Device)
	fmt.Fprintln(w, "frame\tway\tpositions ms\tstructures ms\ttop level ms\tpicture ms\tall ms\tMiB")
	row := func(frame string, s clusters.Step) {
		fmt.Fprintf(w, "%s\t%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.2f\n", frame, s.Way, s.Positions, s.Structures, s.Top, s.Picture, s.All,
			mebibytes(s.Bytes))
	}
	for k, steps := range r.Frames {
		for _, s := range steps {
			row(fmt.Sprint(k), s)
		}
	}
	if r.Statues != nil {
		row("", *r.Statues)
	}
}
