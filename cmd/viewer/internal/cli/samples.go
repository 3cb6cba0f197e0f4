package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/render"
)

// checkpointEvery is how often a checkpoint is written.
const checkpointEvery = time.Minute

// sampling takes the samples of a picture, until there are enough, time is up or somebody interrupts.
type sampling struct {
	*renderFlags
	app        *app
	r          *render.Renderer
	scene      *assets.Scene
	camera     camera.Camera
	started    time.Time // of the command
	key        string    // of checkpoints
	checkpoint time.Time // when the last was written
	meter      render.NoiseMeter
	halves     halves  // for the built-in denoiser
	noise      float64 // 0 before it was measured
	why        string  // it ended early
}

// run takes the samples. A context that ends stops it between two submissions, so that what is there is whole.
func (s *sampling) run(ctx context.Context) error {
	bar := s.app.progress("compile", 0)
	err := s.r.WarmUp(ctx)
	bar.finish()
	if err != nil {
		return err
	}
	bar = s.app.progress("render", s.spp)
	defer bar.finish()
	bar.set(s.r.Stats().Samples)
	s.checkpoint = time.Now()
	// What was submitted is waited for.
	whole := context.WithoutCancel(ctx)
	for target := s.nextTarget(); s.why == ""; target = s.nextTarget() {
		have := s.r.Stats().Samples
		if have >= s.spp {
			break
		}
		err := s.r.RenderWhile(whole, target-have, func(done int) bool {
			bar.set(have + done)
			s.judge(ctx)
			return s.why == "" && (s.checkpointFile == "" || time.Since(s.checkpoint) < checkpointEvery)
		})
		if err != nil {
			return err
		}
		if err := s.between(whole); err != nil {
			return err
		}
	}
	if s.checkpointFile != "" {
		return s.save(whole)
	}
	return nil
}

// judge finds out after a submission whether it was the last.
func (s *sampling) judge(ctx context.Context) {
	switch {
	case ctx.Err() != nil:
		s.why = "interrupted"
	case s.timeLimit > 0 && time.Since(s.started) >= s.timeLimit:
		s.why = fmt.Sprintf("the time limit of %s is reached", s.timeLimit)
	}
}

// nextTarget is the number of samples at which to look again.
func (s *sampling) nextTarget() int {
	have := s.r.Stats().Samples
	if s.denoise == denoiseBuiltin {
		return min(s.halves.next(have, s.spp), s.noiseStop(have))
	}
	return s.noiseStop(have)
}

// noiseStop is the number of samples at which to measure the noise.
func (s *sampling) noiseStop(have int) int {
	if s.noiseTarget <= 0 {
		return s.spp
	}
	target := s.meter.Next(have)
	if s.noise > 0 { // noise falls with the root of the number
		need := float64(have) * (s.noise / s.noiseTarget) * (s.noise / s.noiseTarget)
		target = min(target, max(have+1, int(need)+1))
	}
	return min(target, s.spp)
}

// between measures the noise and writes a checkpoint where it is time.
func (s *sampling) between(ctx context.Context) error {
	have := s.r.Stats().Samples
	if s.denoise == denoiseBuiltin && have < s.spp && have >= s.halves.next(s.halves.newest(), s.spp) {
		film, err := s.r.Film(ctx)
		if err != nil {
			return err
		}
		s.halves.keep(film, have)
	}
	if s.noiseTarget > 0 && s.why == "" {
		film, err := s.r.Film(ctx)
		if err != nil {
			return err
		}
		var ok bool
		if s.noise, ok = s.meter.Measure(film); ok && s.noise <= s.noiseTarget {
			s.why = fmt.Sprintf("the noise is %.4f", s.noise)
		}
	}
	if s.checkpointFile != "" && time.Since(s.checkpoint) >= checkpointEvery && have < s.spp {
		return s.save(ctx)
	}
	return nil
}

func (s *sampling) save(ctx context.Context) error {
	s.checkpoint = time.Now()
	state, err := s.r.State(ctx)
	if err != nil {
		return err
	}
	return writeCheckpoint(s.checkpointFile, s.key, state)
}

// closing says why there are fewer samples than asked for. An interruption is an error that has been told.
func (s *sampling) closing() error {
	if s.why == "" {
		return nil
	}
	text := fmt.Sprintf("%s: %s has %d of %d samples per pixel", s.why, s.outs[0], s.r.Stats().Samples, s.spp)
	if s.checkpointFile != "" {
		text += fmt.Sprintf("; --resume %s goes on", s.checkpointFile)
	}
	fmt.Fprintln(s.app.stderr, "viewer:", text)
	if s.why == "interrupted" {
		return errInterrupted
	}
	return nil
}

// checkLimits judges the flags that end a picture.
func (f *renderFlags) checkLimits() error {
	if f.timeLimit < 0 {
		return fmt.Errorf("%w: --time-limit %s: want a time such as 90s or 1h30m", errUsage, f.timeLimit)
	}
	if !(f.noiseTarget >= 0 && f.noiseTarget < 1) {
		return fmt.Errorf("%w: --noise-target %g: want 0 to 1, such as 0.01", errUsage, f.noiseTarget)
	}
	var err error
	if f.checkpointFile != "" {
		err = checkFolder("--checkpoint", f.checkpointFile)
	}
	return errors.Join(err)
}
