package pipefuzz

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Compile compiles the pipeline's shaders with glslangValidator, whose start costs more than a small shader: one
// process takes one shader of each stage, two run at a time. dir is an empty directory that it may fill; the modules
// stay there as N.spv.
func (p *Pipeline) Compile(ctx context.Context, dir string) ([][]uint32, error) {
	return p.compile(ctx, dir, "-D"+hitObjectMacro)
}

// CompilePlain is Compile without hit objects: what is traced and executed is a trace call.
func (p *Pipeline) CompilePlain(ctx context.Context, dir string) ([][]uint32, error) {
	return p.compile(ctx, dir)
}

func (p *Pipeline) compile(ctx context.Context, dir string, flags ...string) ([][]uint32, error) {
	var batches [][]int
	seen := map[string]int{}
	for i, s := range p.Shaders {
		at := seen[s.Stage]
		seen[s.Stage]++
		if at == len(batches) {
			batches = append(batches, nil)
		}
		batches[at] = append(batches[at], i)
	}
	code := make([][]uint32, len(p.Shaders))
	errs := make([]error, len(batches))
	slots := make(chan struct{}, 2)
	var wait sync.WaitGroup
	for b, batch := range batches {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[b] = p.compileBatch(ctx, filepath.Join(dir, fmt.Sprint(b)), batch, code, flags)
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", p.Seed, err)
		}
	}
	for i, c := range code {
		b := make([]byte, 0, 4*len(c))
		for _, w := range c {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.spv", i)), b, 0o600); err != nil {
			return nil, err
		}
	}
	return code, nil
}

// compileBatch compiles shaders of different stages; the tool names its outputs by stage.
func (p *Pipeline) compileBatch(ctx context.Context, dir string, batch []int, code [][]uint32, flags []string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	args := append([]string{"-V", "--target-env", "vulkan1.2"}, flags...)
	for _, i := range batch {
		name := "shader." + p.Shaders[i].Stage
		if err := os.WriteFile(filepath.Join(dir, name), []byte(p.Shaders[i].Source), 0o600); err != nil {
			return err
		}
		args = append(args, name)
	}
	c := exec.CommandContext(ctx, "glslangValidator", args...)
	c.Dir = dir
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("glslangValidator: %w\n%s", err, text)
	}
	for _, i := range batch {
		b, err := os.ReadFile(filepath.Join(dir, p.Shaders[i].Stage+".spv"))
		if err != nil {
			return err
		}
		code[i] = make([]uint32, len(b)/4)
		for k := range code[i] {
			code[i][k] = binary.LittleEndian.Uint32(b[4*k:])
		}
	}
	return nil
}
