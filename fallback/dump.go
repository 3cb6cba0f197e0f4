package fallback

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/repro"
)

// setOf is stages as reproducers have them.
func setOf(form Form, stages []Stage) repro.Set { return repro.Set{Form: form, Stages: stages} }

// reproducer is what the linker is given for the pipeline.
func (o *resolved) reproducer(indirect bool) *repro.Case {
	c := &repro.Case{Name: o.Name, Kind: repro.Pipeline, Way: "compute", Set: setOf(o.Form, o.Stages[:o.own]),
		MaxDepth: o.MaxRecursionDepth, MaxLanes: o.target.MaxLanes, MaxShared: o.target.MaxShared, Flags: o.Flags,
		Indirect: indirect, Target: o.target.Runtime, Groups: o.Groups, PushConstantBytes: o.PushConstantBytes, StackBytes: o.StackBytes}
	for _, y := range o.Libraries {
		c.Libraries = append(c.Libraries, y.source)
	}
	return c
}

// dump writes what PipelineOptions.Dump asks for, before the link that the pipeline comes from: that may not return.
func (o *resolved) dump(ctx context.Context, indirect bool) (dir string, err error) {
	if o.Dump == "" {
		return "", nil
	}
	c := o.reproducer(indirect)
	if dir, err = c.NewDir(o.Dump); err != nil {
		return "", err
	}
	if err := c.Write(dir); err != nil {
		return dir, err
	}
	return dir, c.Dump(ctx, dir)
}

// internal writes a reproducer for a defect of the linker, and says where it is. Without PipelineOptions.Dump that is a directory
// of its own for temporary files.
func internal(err error, parent string, c *repro.Case) error {
	if !errors.Is(err, link.ErrInternal) {
		return err
	}
	c.Error = err.Error()
	var dir string
	var failed error
	if parent == "" {
		dir, failed = os.MkdirTemp("", "everray-reproducer-")
	} else {
		dir, failed = c.NewDir(parent)
	}
	if failed == nil {
		failed = c.Write(dir)
	}
	if failed != nil {
		return fmt.Errorf("%w (and no reproducer: %w)", err, failed)
	}
	return fmt.Errorf("%w (viewer link %s does it again)", err, dir)
}
