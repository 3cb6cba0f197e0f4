package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/render"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
)

// lookFlags choose the integrator and how its values are shown; render and view share them.
type lookFlags struct {
	integrator, tone, build string
	bounces                 int
	exposure, clamp         float64
	lightFlags
	reorder bool
}

type renderFlags struct {
	deviceFlags
	sceneFlags
	lookFlags
	outs, layers               []string
	previousEye                string
	previousTarget             string
	denoise                    string // as given, then denoiseOIDN, denoiseBuiltin or empty
	verbose, float             bool
	spp                        int
	heatMax                    float64
	pixel                      string
	timeLimit                  time.Duration
	noiseTarget                float64
	checkpointFile, resumeFile string
}

// Bounds of numbers that make no sense beyond.
const (
	maxSamples = 1 << 24 // where float32 sums stop counting
	maxBounces = 1024
)

func (f *lookFlags) register(cmd *cobra.Command, headlight string) {
	flags := cmd.Flags()
	f.lightFlags.register(flags, headlight)
	flags.StringVar(&f.integrator, "integrator", "path", "what to draw: path, ao, primary or normals; render also has heat")
	flags.IntVar(&f.bounces, "bounces", render.DefaultBounces, "bounces of a path after its first hit")
	flags.BoolVar(&f.reorder, "reorder", false,
		"path with hit objects, and a reorder before each runs its shader; --form wavefront then changes the order of rays")
	flags.StringVar(&f.tone, "tonemap", "pbr-neutral", "tone mapping of path: pbr-neutral, agx, aces, reinhard or clamp")
	flags.Float64Var(&f.exposure, "exposure", 0, "exposure of path in stops")
	flags.Float64Var(&f.clamp, "clamp", render.DefaultClamp,
		"largest contribution of a bounce after the first, against fireflies; 0 is unlimited")
	flags.StringVar(&f.build, "build", "fast-trace", "bottom level builds: "+buildNames)
}

// options checks the flags and returns what they ask for. The environment is set when the scene is known.
func (f *lookFlags) options() (render.Options, render.Look, error) {
	var o render.Options
	var look render.Look
	integrator, err := render.ParseIntegrator(f.integrator)
	if err != nil {
		return o, look, fmt.Errorf("%w: --integrator: %w", errUsage, err)
	}
	tone, err := assets.ParseToneMap(f.tone)
	if err != nil {
		return o, look, fmt.Errorf("%w: --tonemap: %w", errUsage, err)
	}
	flags, err := buildFlags(f.build)
	if err != nil {
		return o, look, err
	}
	if f.bounces < 0 || f.bounces > maxBounces {
		return o, look, fmt.Errorf("%w: --bounces %d: want 0 to %d", errUsage, f.bounces, maxBounces)
	}
	if !(math.Abs(f.exposure) <= 64) {
		return o, look, fmt.Errorf("%w: --exposure %g: want -64 to 64 stops", errUsage, f.exposure)
	}
	if !(f.clamp >= 0) {
		return o, look, fmt.Errorf("%w: --clamp %g: it may not be negative", errUsage, f.clamp)
	}
	if err := f.lightFlags.check(); err != nil {
		return o, look, err
	}
	if f.reorder && integrator != render.Path {
		return o, look, fmt.Errorf("%w: --reorder: only --integrator path has hit objects", errUsage)
	}
	o = render.Options{Integrator: integrator, Bounces: f.bounces, Clamp: float32(f.clamp), BuildFlags: flags, Reorder: f.reorder}
	if f.bounces == 0 {
		o.Bounces = -1
	}
	if f.clamp == 0 {
		o.Clamp = -1
	}
	return o, integrator.Look(tone, float32(f.exposure)), nil
}

func (a *app) renderCommand() *cobra.Command {
	var f renderFlags
	cmd := &cobra.Command{
		Use:   "render SCENE",
		Short: "Render a scene to a picture",
		Long: `render renders a scene to a picture, and prints what the structures, the pipeline and the rays cost.

Without --out the picture is SCENE.png in the current folder. It ends after --spp samples per pixel, or
earlier at --time-limit or --noise-target. Interrupted (Ctrl-C), it writes what is there and says so; twice,
it stops at once.

--integrator heat maps what traversal costs: for every pixel the mean number of steps of its camera
rays, that is inner nodes visited and instances and triangles tested, with a scale below the picture.
The scale ends where all but half a percent of the pixels are below, unless --heat-max fixes it, as is
needed to compare two pictures. Only the compute way can be counted.

--pixel X,Y follows one pixel, from the top left corner: each step of its shaders and rays is a line, with what
the ray is, what it hit, and the payload. All else is as without; --spp 1 is enough to see a path.`,
		Example: `  viewer render helmet.glb
  viewer render builtin:cornell -o cornell.png -o cornell.exr --time-limit 2m --noise-target 0.01
  viewer render city.glb --spp 10000 --checkpoint city.checkpoint --resume city.checkpoint
  viewer render builtin:cornell --spp 1 --pixel 480,270
  viewer render sponza.glb --out heat.png --integrator heat --build fast-build --heat-max 200`,
		Args: sceneArg(&f.sceneFlags),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.render(cmd.Context(), &f) },
	}
	f.deviceFlags.register(cmd.Flags(), true)
	f.sceneFlags.register(cmd.Flags(), 960, 540)
	f.lookFlags.register(cmd, headlightOff)
	cmd.Flags().StringArrayVarP(&f.outs, "out", "o", nil,
		"picture to write, .png as shown, .exr or .hdr as light; may be given several times (default the scene's name, .png)")
	cmd.Flags().StringVar(&f.denoise, "denoise", "", "take out noise: oidn (Open Image Denoise), builtin (a filter of this program's "+
		"own), auto: the first where it is installed, else the second")
	cmd.Flags().Lookup("denoise").NoOptDefVal = denoiseAuto
	cmd.Flags().StringSliceVar(&f.layers, "aov", nil,
		"layers of .exr files beside the colour: all, or some of "+strings.Join(layerNames(), ", "))
	cmd.Flags().StringVar(&f.previousEye, "previous-eye", "", "position of the eye before, x,y,z, for the layer motion")
	cmd.Flags().StringVar(&f.previousTarget, "previous-target", "", "point that was looked at before, x,y,z, for the layer motion")
	cmd.Flags().BoolVar(&f.float, "float", false, "colours in .exr are floats, not halves")
	cmd.Flags().DurationVar(&f.timeLimit, "time-limit", 0,
		"end after so long, counted from the start, with what is there; such as 90s")
	cmd.Flags().Float64Var(&f.noiseTarget, "noise-target", 0,
		"end when a pixel's brightness, 0 to 1, is uncertain by so much, such as 0.01; --spp stays the most")
	cmd.Flags().StringVar(&f.checkpointFile, "checkpoint", "", "file to keep what is there in, every minute and at the end")
	cmd.Flags().StringVar(&f.resumeFile, "resume", "",
		"checkpoint to go on from, called with the same flags; the result has the same bits")
	cmd.Flags().IntVar(&f.spp, "spp", 64, "samples per pixel")
	cmd.Flags().Float64Var(&f.heatMax, "heat-max", 0,
		"steps per ray at which the scale of heat ends (default chosen from the picture)")
	cmd.Flags().BoolVar(&f.verbose, "verbose", false,
		"tell of the pipeline, too: form, bytes per path, kernels, rounds, and what lives across each trace call")
	cmd.Flags().StringVar(&f.pixel, "pixel", "", "follow the pixel X,Y: print each step of its shaders and rays")
	return cmd
}

func (f *renderFlags) check() error {
	if err := f.sceneFlags.check(); err != nil {
		return err
	}
	if err := f.size(); err != nil {
		return err
	}
	if f.spp < 1 || f.spp > maxSamples {
		return fmt.Errorf("%w: --spp %d: want 1 to %d", errUsage, f.spp, maxSamples)
	}
	return errors.Join(f.checkLimits(), f.checkOuts())
}

// newRenderer shows what making a renderer does.
func (a *app) newRenderer(ctx context.Context, dev *engine.Device, scene *assets.Scene,
	o render.Options) (*render.Renderer, error) {
	var step *bar
	o.OnStep = func(what string) {
		if step != nil {
			step.finish()
		}
		step = a.progress(what, 0)
	}
	defer func() {
		if step != nil {
			step.finish()
		}
	}()
	return render.New(ctx, dev, scene, o)
}

func (a *app) render(ctx context.Context, f *renderFlags) (err error) {
	began := time.Now()
	if err := f.check(); err != nil {
		return err
	}
	options, look, err := f.lookFlags.options()
	if err != nil {
		return err
	}
	if err := f.checkHeat(options.Integrator); err != nil {
		return err
	}
	if f.denoise, err = chooseDenoiser(f.denoise, options.Integrator); err != nil {
		return err
	}
	options.Guides = f.denoise != ""
	if options.Pixel, err = f.followed(); err != nil {
		return err
	}
	scene, cam, distance, err := f.load(ctx, a)
	if err != nil {
		return err
	}
	if err := f.lightFlags.apply(ctx, scene, &options, &cam, distance); err != nil {
		return err
	}
	f.hitObjects = options.Reorder
	dev, closeDevice, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDevice()) }()
	r, err := a.newRenderer(ctx, dev, scene, options)
	if err != nil {
		return err
	}
	defer r.Destroy()
	if err := errors.Join(r.Resize(f.width, f.height), r.SetCamera(cam)); err != nil {
		return err
	}
	s := &sampling{renderFlags: f, app: a, r: r, started: began, camera: cam, scene: scene}
	if f.checkpointFile != "" || f.resumeFile != "" {
		if s.key, err = f.pictureKey(dev); err != nil {
			return err
		}
		if err := f.resume(ctx, r, s.key); err != nil {
			return err
		}
	}
	start := time.Now()
	if err := s.run(ctx); err != nil {
		return err
	}
	// What is there is written, also when somebody has interrupted.
	if err := a.keep(context.WithoutCancel(ctx), s, dev, look, time.Since(start)); err != nil {
		return err
	}
	return s.closing()
}

// keep writes the pictures and prints the summary.
func (a *app) keep(ctx context.Context, s *sampling, dev *engine.Device, look render.Look, wall time.Duration) error {
	film, err := s.r.Film(ctx)
	if err != nil {
		return err
	}
	if s.integrator == string(render.Path) && film.IsBlack() {
		a.warn(dark)
	}
	rays, err := s.r.Rays(ctx)
	if err != nil {
		return err
	}
	dropped := film.Dropped(s.r.Stats().Samples)
	if err := s.clean(ctx, film); err != nil {
		return err
	}
	integrator, err := render.ParseIntegrator(s.integrator)
	if err != nil {
		return err
	}
	img, heat, err := s.picture(integrator, film, look)
	if err != nil {
		return err
	}
	aov, err := a.variables(ctx, s)
	if err != nil {
		return err
	}
	for _, out := range s.outs {
		if err := s.writePicture(out, film, img, aov); err != nil {
			return err
		}
	}
	out := newRenderReport(s.renderFlags, report.WayOf(dev), s.scene, s.r.Stats(), rays, wall)
	out.setForm(s.r.Stats().Pipeline)
	out.Heat, out.DroppedSamples, out.Noise, out.Denoiser = heat, dropped, s.noise, s.denoise
	if out.Steps, err = a.steps(ctx, s.renderFlags, s.r); err != nil {
		return err
	}
	return a.printRender(out)
}

// renderReport is render's summary.
type renderReport struct {
	report.Way
	Scene          string  `json:"scene"`
	Triangles      int64   `json:"triangles"`
	Thin           int     `json:"points_and_lines,omitempty"`
	Instances      int     `json:"instances"`
	Output         string  `json:"output"`
	Width          int     `json:"width"`
	Height         int     `json:"height"`
	Samples        int     `json:"samples"`
	Noise          float64 `json:"noise,omitempty"`
	Denoiser       string  `json:"denoiser,omitempty"`
	Integrator     string  `json:"integrator"`
	Rays           uint64  `json:"rays"`
	Mrays          float64 `json:"mrays_per_second"`
	GPUSeconds     float64 `json:"gpu_seconds"`
	WallSeconds    float64 `json:"wall_seconds"`
	BottomBuildMS  float64 `json:"blas_build_ms"`
	TopBuildMS     float64 `json:"tlas_build_ms"`
	StructureBytes uint64  `json:"structure_bytes"`
	BuiltByHost    bool    `json:"built_by_host"`
	LinkMS         float64 `json:"link_ms"`
	CompileMS      float64 `json:"compile_ms"`
	FirstLaunchMS  float64 `json:"first_launch_ms"`
	StackBytes     uint32  `json:"stack_bytes"`
	// Code is what the driver tells about the compiled code; empty where it tells nothing.
	Code []report.Statistic `json:"code,omitempty"`
	// Pipeline is what --verbose prints.
	Pipeline *pipelineReport `json:"pipeline,omitempty"`
	// Form is that of linking, Choices what it is for launches of a size, where that is measured (compute way).
	Form           string         `json:"form,omitempty"`
	Choices        []choiceReport `json:"choices,omitempty"`
	Lights         int            `json:"lights"`
	LightTriangles int            `json:"light_triangles"`
	DroppedSamples uint64         `json:"dropped_samples"`
	Heat           *heatReport    `json:"heat,omitempty"`
	// Steps are those of --pixel: the shader, and what it does.
	Steps   []string `json:"steps,omitempty"`
	verbose bool
}

// choiceReport is how launches of a size run.
type choiceReport struct {
	Places       uint64  `json:"places"`
	Form         string  `json:"form"`
	WavefrontMS  float64 `json:"wavefront_ms"`
	MonolithicMS float64 `json:"monolithic_ms,omitempty"`
	SortedMS     float64 `json:"sorted_ms,omitempty"`
}

// buildTime is the GPU's, or the clock's of what the host has built.
func buildTime(b engine.BuildReport) time.Duration {
	if b.GPUTime == 0 {
		return b.Wall
	}
	return b.GPUTime
}

// setForm notes how the compute way links, and what it has learned of launches of the picture's size and others.
func (r *renderReport) setForm(s engine.PipelineStats) {
	if r.Backend != engine.BackendCompute.String() {
		return
	}
	r.Form = s.Form.String()
	for _, c := range s.Choices {
		if c.Wavefront > 0 && max(c.Alone, c.Sorted) > 0 {
			r.Choices = append(r.Choices, choiceReport{c.Places, c.Form.String(), report.Milliseconds(c.Wavefront),
				report.Milliseconds(c.Alone), report.Milliseconds(c.Sorted)})
		}
	}
}

func newRenderReport(f *renderFlags, d report.Way, scene *assets.Scene, s render.Stats, rays uint64,
	wall time.Duration) renderReport {
	st := scene.Stats()
	return renderReport{
		Way: d, Scene: f.scene, Triangles: st.InstancedTriangles, Thin: st.Thin, Instances: st.Instances,
		Output: strings.Join(f.outs, ", "), Width: f.width, Height: f.height, Samples: s.Samples, Integrator: f.integrator,
		Rays: rays, Mrays: report.MegaraysPerSecond(rays, s.TraceGPU), GPUSeconds: s.TraceGPU.Seconds(), WallSeconds: wall.Seconds(),
		BottomBuildMS: report.Milliseconds(buildTime(s.Bottom)), TopBuildMS: report.Milliseconds(buildTime(s.Top)),
		BuiltByHost:    s.Bottom.GPUTime == 0,
		StructureBytes: s.Bottom.Bytes + s.Top.Bytes,
		LinkMS:         report.Milliseconds(s.Pipeline.LinkTime), CompileMS: report.Milliseconds(s.Pipeline.CompileTime),
		FirstLaunchMS: report.Milliseconds(s.FirstLaunch), StackBytes: s.Pipeline.StackBytes,
		Code: report.Statistics(s.Pipeline.Driver), Pipeline: newPipelineReport(s.Pipeline),
		Lights: s.Lights, LightTriangles: s.LightTriangles, verbose: f.verbose,
	}
}

func (a *app) printRender(r renderReport) error {
	if a.json {
		return a.printJSON(r)
	}
	err := a.table(func(w io.Writer) {
		fmt.Fprintf(w, "device\t%s\n", r.Device)
		fmt.Fprintf(w, "driver\t%s\n", r.Driver)
		fmt.Fprintf(w, "way\t%s: %s\n", r.Backend, r.Reason)
		thin := ""
		if r.Thin > 0 {
			thin = fmt.Sprintf(" %d points and lines,", r.Thin)
		}
		fmt.Fprintf(w, "scene\t%s: %d triangles,%s %d instances, %d lights, %d light triangles\n", r.Scene, r.Triangles, thin,
			r.Instances, r.Lights, r.LightTriangles)
		fmt.Fprintf(w, "image\t%s: %d x %d, %s, %d samples per pixel%s\n", r.Output, r.Width, r.Height, r.Integrator, r.Samples,
			denoiserText(r.Denoiser))
		by := ""
		if r.BuiltByHost {
			by = " by the host"
		}
		fmt.Fprintf(w, "builds\tbottom level %.3f ms, top level %.3f ms%s, %.1f MiB\n", r.BottomBuildMS, r.TopBuildMS, by,
			float64(r.StructureBytes)/(1<<20))
		if r.Heat != nil {
			fmt.Fprintf(w, "steps\t%s\n", r.Heat)
		}
		fmt.Fprintf(w, "pipeline\tlink %.1f ms, compile %.1f ms, first launch %.1f ms, stack %d bytes per ray\n", r.LinkMS, r.CompileMS,
			r.FirstLaunchMS, r.StackBytes)
		for _, c := range r.Choices {
			fmt.Fprintf(w, "form\t%s for launches of %d places and more: %.3f ms wavefront, %.3f ms monolithic, %.3f ms sorted\n",
				c.Form, c.Places, c.WavefrontMS, c.MonolithicMS, c.SortedMS)
		}
		if len(r.Code) > 0 {
			fmt.Fprintf(w, "code\t%s\n", report.JoinStatistics(r.Code))
		}
		if r.verbose {
			r.Pipeline.print(w)
		}
		fmt.Fprintf(w, "rays\t%d in %.3f s on the GPU: %.2f Mrays/s (%.3f s by the clock)\n", r.Rays, r.GPUSeconds, r.Mrays,
			r.WallSeconds)
	})
	for _, line := range r.Steps {
		fmt.Fprintln(a.stdout, line)
	}
	if err == nil && r.DroppedSamples > 0 {
		why := "were not finite"
		if r.Heat != nil {
			why = "met a structure that traversal cannot walk"
		}
		a.warn(fmt.Sprintf("%d samples %s and were left out", r.DroppedSamples, why))
	}
	return err
}
