package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/spf13/cobra"
)

// app is what all commands share.
type app struct {
	stdout, stderr io.Writer
	json, quiet    bool
}

// Main runs the command line and returns the exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := &app{stdout: stdout, stderr: stderr}
	root := a.command()
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		fmt.Fprintln(stderr, "viewer:", report.OneLine(err))
		return 1
	}
	return 0
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "viewer",
		Short: "Ray trace glTF scenes, with or without ray tracing hardware",
		Long: `viewer ray traces glTF scenes with Everray: natively, through the driver's ray tracing
extensions, or by compute shaders on any Vulkan 1.2 device with buffer device addresses.

Scenes are .gltf or .glb files, or built in: builtin:cornell, builtin:terrain:N, builtin:field:N.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("viewer {{.Version}}\n")
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON document for machines")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress bar")
	root.AddCommand(a.renderCommand(), a.verifyCommand(), a.viewCommand(), a.benchCommand(), a.inspectCommand(), a.infoCommand(),
		a.linkCommand())
	return root
}
