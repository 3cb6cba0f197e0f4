package pipelinetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/pipefuzz"
)

// Drivers crash and hang on some shaders. The fuzzer therefore has a process of its own test binary run the pipelines,
// which it starts again when needed. Requests come in on the child's input, answers go out on its file 3, one JSON
// value each.

// fuzzServe makes the test binary such a child.
const fuzzServe = "EVERRAY_FUZZ_SERVE"

// Bounds of a child: lavapipe keeps memory of pipelines it has destroyed.
const (
	childRequests = 300
	childPatience = 2 * time.Minute
	// complaintBytes is how much of what a crashed child said is kept.
	complaintBytes = 1500
)

// fuzzRequest asks for one pipeline in some forms, given by their index.
type fuzzRequest struct {
	Seed    uint64
	Options pipefuzz.Options
	Forms   []int
}

// fuzzAnswer is the outcome of one form, or with kind stepForm what the child begins with.
type fuzzAnswer struct {
	Form        int
	Kind, Error string
}

// The kinds of outcomes, next to "" for equal results.
const (
	kindSkipped      = "skipped"
	kindGLSL         = "invalid GLSL"
	kindNative       = "native error"
	kindNativeCrash  = "native crash or hang"
	kindCompute      = "compute error"
	kindFault        = "compute fault"
	kindDifferent    = "different result"
	kindUndetermined = "native result not deterministic"
	kindCrash        = "compute crash"
	kindHang         = "compute hang"
	stepForm         = "begin"
)

// fuzzChild is the child as the parent sees it.
type fuzzChild struct {
	command  *exec.Cmd
	in       io.WriteCloser
	out      *os.File
	decoder  *json.Decoder
	stderr   bytes.Buffer
	requests int
}

func startFuzzChild(ctx context.Context) (*fuzzChild, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	c := &fuzzChild{out: r, decoder: json.NewDecoder(r)}
	c.command = exec.CommandContext(ctx, os.Args[0], "-test.run=^TestGeneratedPipelines$", "-test.timeout=0")
	c.command.Env = append(os.Environ(), fuzzServe+"=1")
	c.command.ExtraFiles = []*os.File{w}
	c.command.Stdout, c.command.Stderr = &c.stderr, &c.stderr
	if c.in, err = c.command.StdinPipe(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if err := c.command.Start(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return c, nil
}

// ask runs one pipeline and returns an answer for each form that was run: fewer than were asked for if the native way
// fails, or the child does not survive, which ask says.
func (c *fuzzChild) ask(q fuzzRequest) (answers []fuzzAnswer, alive bool) {
	c.requests++
	var late atomic.Bool
	timer := time.AfterFunc(childPatience, func() {
		late.Store(true)
		_ = c.command.Process.Kill()
	})
	defer timer.Stop()
	begun := fuzzAnswer{Form: q.Forms[0], Kind: kindNativeCrash}
	for err := json.NewEncoder(c.in).Encode(q); err == nil; {
		a := fuzzAnswer{}
		if err = c.decoder.Decode(&a); err != nil {
			break
		}
		timer.Reset(childPatience)
		if a.Kind == stepForm {
			begun = fuzzAnswer{Form: a.Form, Kind: kindCrash}
			continue
		}
		answers = append(answers, a)
		if a.Kind == kindNative || a.Kind == kindGLSL || len(answers) == len(q.Forms) {
			return answers, true
		}
	}
	if late.Load() && begun.Kind == kindCrash {
		begun.Kind = kindHang
	}
	ended := c.stop()
	text := c.stderr.Bytes()
	begun.Error = fmt.Sprintf("%v: %s", ended, text[:min(len(text), complaintBytes)])
	return append(answers, begun), false
}

// stop ends the child and returns how it ended. What it said when its devices were closed is an error, too.
func (c *fuzzChild) stop() error {
	return errors.Join(c.in.Close(), c.command.Wait(), c.out.Close())
}

// serveFuzz is the child: it answers until its input ends.
func serveFuzz(t *testing.T) {
	out := os.NewFile(3, "answers")
	answers := json.NewEncoder(out)
	open := func(way engine.Backend) *fuzzDevice {
		d, err := openFuzzDevice(t.Context(), way)
		if err != nil {
			missingWay(t, way, err)
		}
		return d
	}
	native, compute := open(engine.BackendNative), open(engine.BackendCompute)
	defer func() {
		if err := errors.Join(native.close(), compute.close(), out.Close()); err != nil {
			t.Error(err)
		}
	}()
	for in := json.NewDecoder(os.Stdin); ; {
		var q fuzzRequest
		if err := in.Decode(&q); err != nil {
			return // the parent has closed it
		}
		if err := comparePipeline(t.Context(), native, compute, q, answers); err != nil {
			t.Fatal(err)
		}
	}
}

// comparePipeline runs one pipeline natively and by compute in the forms asked for, and sends the outcomes.
func comparePipeline(ctx context.Context, native, compute *fuzzDevice, q fuzzRequest, out *json.Encoder) error {
	send := func(form int, kind string, err error) error {
		a := fuzzAnswer{Form: form, Kind: kind}
		if err != nil {
			a.Error = err.Error()
		}
		return out.Encode(a)
	}
	p := pipefuzz.Generate(q.Seed, q.Options)
	dir, err := os.MkdirTemp("", "pipefuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	code, err := p.Compile(ctx, dir)
	if err != nil {
		return send(q.Forms[0], kindGLSL, err)
	}
	plain := code
	if p.HitObjects { // lavapipe has none
		if plain, err = p.CompilePlain(ctx, filepath.Join(dir, "plain")); err != nil {
			return send(q.Forms[0], kindGLSL, err)
		}
	}
	want, err := native.run(ctx, p, plain, forms[0])
	if err != nil {
		return send(q.Forms[0], kindNative, err)
	}
	for _, form := range q.Forms {
		if err := send(form, stepForm, nil); err != nil {
			return err
		}
		got, err := compute.run(ctx, p, code, forms[form])
		var kind string
		switch {
		case errors.Is(err, engine.ErrUnsupported):
			kind = kindSkipped
		case errors.Is(err, engine.ErrFault):
			kind = kindFault
		case err != nil:
			kind = kindCompute
		default:
			if kind, err = different(want, got); kind != "" {
				again, _ := native.run(ctx, p, plain, forms[0])
				if other, _ := different(want, again); other != "" {
					kind = kindUndetermined
				}
			}
		}
		if err := send(form, kind, err); err != nil {
			return err
		}
	}
	return nil
}
