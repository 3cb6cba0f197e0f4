package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/fallback/repro"
)

type linkFlags struct {
	dump, reduce string
	check        bool
	within       time.Duration
}

func (a *app) linkCommand() *cobra.Command {
	var f linkFlags
	cmd := &cobra.Command{
		Use:   "link DIR",
		Short: "Link a pipeline or a shader that an application dumped, without the application",
		Long: `link reads a reproducer: a directory that EVERRAY_DUMP=DIR made for a pipeline, a library, or a compute or
graphics shader of any program, or that an internal error of the linker names. It links it as the compute way
does, prints stages and options, the passes with the module's size after each and their times, how it ended,
and what the driver said of the pipeline in the application. No device is needed. Pipelines of the native way
are linked by compute, too.

--dump writes the module after each pass as text. --reduce drops libraries, stages, functions, branches and
instructions for as long as the link fails in the same way, and writes what is left as another reproducer.`,
		Example: `  EVERRAY_DUMP=dump viewer render --scene builtin:cornell --backend compute
  viewer link dump/path-1 --dump dump/path-1
  viewer link everray-reproducer-123 --reduce small`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.link(cmd.Context(), args[0], &f) },
	}
	cmd.Flags().StringVar(&f.dump, "dump", "", "write passes/*.txt, passes.txt and linked.spv to this directory")
	cmd.Flags().StringVar(&f.reduce, "reduce", "", "reduce a failure, and write what is left to this directory")
	cmd.Flags().BoolVar(&f.check, "check", false, "verify the module, and what the passes promise, after each pass")
	cmd.Flags().DurationVar(&f.within, "within", 10*time.Minute, "how long --reduce may take")
	return cmd
}

// linkReport is what link prints as JSON.
type linkReport struct {
	Name   string            `json:"name"`
	Form   string            `json:"form,omitempty"`
	Words  int               `json:"words"`
	States int               `json:"states"`
	Calls  []engine.CallSite `json:"calls,omitempty"`
	Passes []repro.Pass      `json:"passes"`
	Error  string            `json:"error,omitempty"`
	// Statistics are what the application wrote of the pipeline once it was made.
	Statistics json.RawMessage `json:"statistics,omitempty"`
}

func (a *app) link(ctx context.Context, dir string, f *linkFlags) error {
	c, err := repro.Read(dir)
	if err != nil {
		return err
	}
	result, passes, failure := c.Link(ctx, repro.Options{Check: f.check})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r := linkReport{Name: c.Name, Passes: passes}
	if r.Statistics, err = repro.Statistics(dir); err != nil {
		return err
	}
	if result != nil {
		r.Words, r.States, r.Calls = len(result.Code), result.States, c.Calls(result)
		if c.Kind != repro.Shader {
			r.Form = result.Form.String()
		}
	}
	if failure != nil {
		r.Error = failure.Error()
	}
	if err := a.printLink(c, &r); err != nil {
		return err
	}
	if f.dump != "" {
		if err := c.Dump(ctx, f.dump); err != nil {
			return err
		}
	}
	if f.reduce != "" {
		if err := a.reduce(ctx, c, f); err != nil {
			return err
		}
	}
	return failure
}

func (a *app) printLink(c *repro.Case, r *linkReport) error {
	if a.json {
		out := json.NewEncoder(a.stdout)
		out.SetIndent("", "  ")
		return out.Encode(r)
	}
	a.printCase(c)
	if c.Error != "" {
		fmt.Fprintf(a.stdout, "in the application: %s\n", c.Error)
	}
	fmt.Fprint(a.stdout, "\n", repro.Table(r.Passes))
	switch {
	case r.Error != "":
	case c.Kind == repro.Library:
		fmt.Fprintln(a.stdout, "\nlinked: a library, ready for pipelines")
	case c.Kind == repro.Shader:
		fmt.Fprintf(a.stdout, "\nlowered: %d words\n", r.Words)
	default:
		fmt.Fprintf(a.stdout, "\nlinked: %s form, %d words, %d states\n", r.Form, r.Words, r.States)
	}
	for _, call := range r.Calls {
		fmt.Fprintln(a.stdout, call)
	}
	if len(r.Statistics) > 0 {
		fmt.Fprintf(a.stdout, "\nin the application:\n%s", r.Statistics)
	}
	return nil
}

// printCase says what the linker is given.
func (a *app) printCase(c *repro.Case) {
	fmt.Fprintf(a.stdout, "%s %q, made the %s way: %d stages, %d libraries, %d instructions\n", cmp.Or(c.Kind, repro.Pipeline), c.Name,
		c.Way, len(c.Stages), len(c.Libraries), c.Instructions())
	if c.Kind == repro.Shader {
		fmt.Fprintf(a.stdout, "model %v, entry point %q\n", c.Model, cmp.Or(c.Stages[0].Entry, "main"))
		return
	}
	fmt.Fprintf(a.stdout, "form %v, recursion depth %d, %d bytes of push constants, flags %+v, %d groups\n", c.Form, c.MaxDepth,
		c.PushConstantBytes, c.Flags, len(c.Groups))
	for i, s := range c.Stages {
		fmt.Fprintf(a.stdout, "stage %d: %v %s, entry point %q, %d words, %d specialisation constants\n", i, s.Kind, s.Name,
			cmp.Or(s.Entry, "main"), len(s.Code), len(s.Specialization))
	}
}

// reduce writes the smallest case that it finds in time.
func (a *app) reduce(ctx context.Context, c *repro.Case, f *linkFlags) error {
	ctx, cancel := context.WithTimeout(ctx, f.within)
	defer cancel()
	steps := 0
	small, err := c.Reduce(ctx, repro.ReduceOptions{Check: f.check, Log: func(string) { steps++ }})
	if err != nil {
		return fmt.Errorf("reduce: %w", err)
	}
	if err := small.Write(f.reduce); err != nil {
		return err
	}
	if !a.json {
		fmt.Fprintf(a.stdout, "\nreduced in %d steps: %d of %d instructions, %d of %d stages, in %s\n", steps, small.Instructions(),
			c.Instructions(), len(small.Stages), len(c.Stages), f.reduce)
	}
	return nil
}
