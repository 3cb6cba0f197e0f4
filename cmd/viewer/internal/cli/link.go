package cli

import (
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
		Short: "Link a pipeline that an application dumped, without the application",
		Long: `link reads a reproducer: a directory that EVERRAY_DUMP=DIR made for a pipeline of any program, or that an
internal error of the linker names. It links it as the compute way does, prints the passes with the module's
size after each and their times, and how it ended. No device is needed.

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
	if result != nil {
		r.Form, r.Words, r.States = result.Form.String(), len(result.Code), result.States
		r.Calls = c.Calls(result)
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
	fmt.Fprintf(a.stdout, "pipeline %q, made the %s way: %d stages, %d libraries, %d instructions\n", c.Name, c.Way, len(c.Stages),
		len(c.Libraries), c.Instructions())
	if c.Error != "" {
		fmt.Fprintf(a.stdout, "in the application: %s\n", c.Error)
	}
	fmt.Fprint(a.stdout, "\n", repro.Table(r.Passes))
	if r.Error == "" {
		fmt.Fprintf(a.stdout, "\nlinked: %s form, %d words, %d states\n", r.Form, r.Words, r.States)
	}
	for _, call := range r.Calls {
		fmt.Fprintln(a.stdout, call)
	}
	return nil
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
