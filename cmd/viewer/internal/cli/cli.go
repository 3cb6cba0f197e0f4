package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

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
	args, err := withCommand(root, args)
	if err == nil {
		root.SetArgs(args)
		err = root.ExecuteContext(ctx)
	}
	switch {
	case err == nil:
		return codeOK
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(stderr, "viewer: interrupted")
		return codeInterrupted
	case errors.Is(err, errInterrupted): // has said what was kept
		return codeInterrupted
	}
	fmt.Fprintln(stderr, "viewer:", explain(err))
	if isUsage(err) {
		return codeUsage
	}
	return codeFailed
}

// The exit codes.
const (
	codeOK          = 0
	codeFailed      = 1
	codeUsage       = 2
	codeInterrupted = 130 // as shells have it for SIGINT
)

// errInterrupted ends a command that was interrupted and has kept what there was.
var errInterrupted = errors.New("interrupted")

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "viewer",
		Short: "Ray trace glTF scenes, with or without ray tracing hardware",
		Long: `viewer ray traces glTF scenes with Everray: natively, through the driver's ray tracing
extensions, or by compute shaders on any Vulkan 1.2 device with buffer device addresses.

Scenes are .gltf, .glb, .obj or .ply files, or built in: builtin:cornell, builtin:terrain:N, builtin:field:N.
A scene alone opens a window: viewer scene.glb is viewer view scene.glb.

Exit codes: 0 done, 1 failed, 2 called wrongly, 130 interrupted.`,
		Example: `  viewer scene.glb                    # a window
  viewer render scene.glb             # scene.png
  viewer info                         # what the devices can do
  viewer render builtin:cornell --spp 1 --pixel 480,270   # what one pixel's rays and shaders do`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("viewer {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON document for machines")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "show no progress; warnings stay")
	root.AddCommand(a.renderCommand(), a.verifyCommand(), a.viewCommand(), a.benchCommand(), a.inspectCommand(), a.infoCommand(),
		a.linkCommand(), a.clustersCommand())
	return root
}
