package pipelinetest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/pipefuzz"
)

// Environment variables of TestGeneratedPipelines.
const (
	// fuzzSeconds is for how long to generate pipelines; without it ciSeeds are run.
	fuzzSeconds = "EVERRAY_FUZZ_SECONDS"
	// fuzzSeed is the first seed.
	fuzzSeed = "EVERRAY_FUZZ_SEED"
	// fuzzOut is a file that failures are appended to, with their sources.
	fuzzOut = "EVERRAY_FUZZ_OUT"
)

const (
	ciSeeds     = 2
	shrinkTries = 80
)

// fuzzFeatures is what generated pipelines may do.
const fuzzFeatures = pipefuzz.All

// form is a form of linking to compare.
type form struct {
	name   string
	choose func(*engine.PipelineOptions)
}

// forms begins with the one that is chosen where nobody chooses.
var forms = []form{
	{name: "auto"},
	{"monolithic", func(o *engine.PipelineOptions) { o.Form = engine.FormMonolithic }},
	{"megakernel", func(o *engine.PipelineOptions) { o.Form = engine.FormMegakernel }},
	{"blocks", func(o *engine.PipelineOptions) { o.Form = engine.FormBlocks }},
	{"wavefront", func(o *engine.PipelineOptions) { o.Form = engine.FormWavefront }},
	{"sorted", func(o *engine.PipelineOptions) { o.Form = engine.FormSorted }},
	{"suspended", func(o *engine.PipelineOptions) { o.Form = engine.FormSuspended }},
}

// fuzzer compares the ways to run generated pipelines.
type fuzzer struct {
	t     *testing.T
	child *fuzzChild
	out   *os.File

	pipelines, compared int
	skipped             map[string]int // by form
	failures            map[string][]uint64
}

// TestGeneratedPipelines runs random pipelines natively and by compute, in each form of linking. Their results have to
// be equal, word for word.
func TestGeneratedPipelines(t *testing.T) {
	if os.Getenv(fuzzServe) != "" {
		serveFuzz(t)
		return
	}
	requireWays(t)
	glsltest.Compile(t, "comp", "#version 460\nvoid main() {}\n") // skips where the tool is absent
	f := &fuzzer{t: t, skipped: map[string]int{}, failures: map[string][]uint64{}}
	seed, seconds := environment(t, fuzzSeed), environment(t, fuzzSeconds)
	if name := os.Getenv(fuzzOut); name != "" {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		f.out = file
	}
	defer f.stop()
	begin, told := time.Now(), time.Now()
	limit := time.Duration(seconds) * time.Second
	for ; seconds > 0 && time.Since(begin) < limit || seconds == 0 && f.pipelines < ciSeeds; seed++ {
		f.one(seed)
		if seconds > 0 && time.Since(told) > 20*time.Second {
			told = time.Now()
			f.tell(time.Since(begin))
		}
	}
	f.tell(time.Since(begin))
	if f.compared == 0 && len(f.failures) == 0 {
		t.Error("no pipeline ran both ways: the test tests nothing")
	}
}

func environment(t *testing.T, name string) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return 0
	}
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// tell prints where the run stands.
func (f *fuzzer) tell(elapsed time.Duration) {
	text := fmt.Sprintf("%v: %d pipelines, %d comparisons", elapsed.Round(time.Second), f.pipelines, f.compared)
	for _, form := range slices.Sorted(maps.Keys(f.skipped)) {
		text += fmt.Sprintf(", %d skipped by form %s", f.skipped[form], form)
	}
	for _, kind := range slices.Sorted(maps.Keys(f.failures)) {
		text += fmt.Sprintf("; %d times %s: seeds %v", len(f.failures[kind]), kind, f.failures[kind])
	}
	f.t.Log(text)
	if os.Getenv(fuzzSeconds) != "" {
		fmt.Println(text) // test logs show at the end only
	}
	f.write("# " + text + "\n")
}

func (f *fuzzer) write(text string) {
	if f.out != nil {
		if _, err := f.out.WriteString(text); err != nil {
			f.t.Error(err)
		}
	}
}

// one runs the pipeline of a seed, and shrinks it if it fails.
func (f *fuzzer) one(seed uint64) {
	f.pipelines++
	o := pipefuzz.Draw(seed, fuzzFeatures)
	var todo []int
	for i := range forms {
		todo = append(todo, i)
	}
	shrunk := map[string]bool{} // by kind: other forms of the pipeline fail of the same, most often
	for len(todo) > 0 {
		answers := f.ask(fuzzRequest{seed, o, todo})
		for _, a := range answers {
			switch a.Kind {
			case "":
				f.compared++
			case kindSkipped:
				f.skipped[forms[a.Form].name]++
			default:
				f.report(seed, o, a, !shrunk[a.Kind])
				shrunk[a.Kind] = true
			}
			if a.Kind == kindNative || a.Kind == kindNativeCrash || a.Kind == kindGLSL {
				return
			}
		}
		todo = todo[len(answers):]
	}
}

// ask has the child run a pipeline, a new one if the last is gone.
func (f *fuzzer) ask(q fuzzRequest) []fuzzAnswer {
	if f.child != nil && f.child.requests >= childRequests {
		f.stop()
	}
	if f.child == nil {
		c, err := startFuzzChild(f.t.Context())
		if err != nil {
			f.t.Fatal(err)
		}
		f.child = c
	}
	answers, alive := f.child.ask(q)
	if !alive {
		f.child = nil
	}
	return answers
}

// stop ends the child, whose devices may have something to say about what was not destroyed.
func (f *fuzzer) stop() {
	if f.child == nil {
		return
	}
	if err := f.child.stop(); err != nil {
		f.t.Errorf("child: %v\n%s", err, f.child.stderr.Bytes())
	}
	f.child = nil
}

func different(native, compute []uint32) (string, error) {
	count, text := 0, ""
	for i := 0; i < min(len(native), len(compute)); i += pipefuzz.ResultWords {
		a, b := native[i:i+pipefuzz.ResultWords], compute[i:i+pipefuzz.ResultWords]
		if slices.Equal(a, b) {
			continue
		}
		count++
		if count <= 3 {
			text += fmt.Sprintf("\n  pixel %d,%d: native %08x, compute %08x", i/pipefuzz.ResultWords%pipefuzz.Width,
				i/pipefuzz.ResultWords/pipefuzz.Width, a, b)
		}
	}
	if count == 0 && len(native) == len(compute) {
		return "", nil
	}
	return kindDifferent, fmt.Errorf("%d pixels differ%s", count, text)
}

// report shrinks a failing pipeline, if it should, and writes it down.
func (f *fuzzer) report(seed uint64, o pipefuzz.Options, failed fuzzAnswer, shrink bool) {
	kind := failed.Kind + " by " + forms[failed.Form].name
	f.failures[kind] = append(f.failures[kind], seed)
	tries := 0
	if shrink && len(f.failures[kind]) <= 5 { // the first ones tell enough
		tries = shrinkTries
	}
	small := pipefuzz.Shrink(seed, o, tries, func(o pipefuzz.Options) bool {
		a := f.ask(fuzzRequest{seed, o, []int{failed.Form}})[0]
		if a.Kind != failed.Kind {
			return false
		}
		failed = a
		return true
	})
	var b strings.Builder
	fmt.Fprintf(&b, "== seed %d: %s: %s\n== features %v, size %d, without %d statements\n",
		seed, kind, failed.Error, small.Features, small.Size, len(small.Drop))
	f.t.Error(b.String())
	again, _ := json.Marshal(fuzzRequest{seed, small, []int{failed.Form}})
	fmt.Fprintf(&b, "-- request %s\n", again)
	p := pipefuzz.Generate(seed, small)
	for i, s := range p.Shaders {
		fmt.Fprintf(&b, "-- %d %s\n%s", i, s.Stage, s.Source)
	}
	fmt.Fprintf(&b, "-- groups %+v\n-- depth %d, ray types %d\n-- hit records", p.Groups, p.Depth, p.RayTypes)
	for _, r := range p.Hit {
		fmt.Fprintf(&b, " %d", r.Group)
	}
	b.WriteString("\n")
	f.write(b.String())
}
