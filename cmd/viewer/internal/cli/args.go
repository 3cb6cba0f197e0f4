package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everray/everray/assets"
)

// withCommand puts the command view before a scene that comes first: `viewer scene.glb` opens a window. A first word that is
// neither a command nor a scene is an error that says so.
func withCommand(root *cobra.Command, args []string) ([]string, error) {
	for i, arg := range args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		known := slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == arg || c.HasAlias(arg) })
		if known || arg == "help" || strings.HasPrefix(arg, cobra.ShellCompRequestCmd) {
			return args, nil
		}
		if !looksLikeScene(arg) {
			return nil, fmt.Errorf("%w: %q is neither a command nor a scene: see viewer --help", errUsage, arg)
		}
		return slices.Insert(slices.Clone(args), i, "view"), nil
	}
	return args, nil
}

// looksLikeScene tells whether an argument is meant as a scene, be it there or not.
func looksLikeScene(arg string) bool {
	if strings.HasPrefix(arg, assets.BuiltinPrefix) || slices.Contains(assets.Extensions(), strings.ToLower(filepath.Ext(arg))) {
		return true
	}
	_, err := os.Stat(arg)
	return err == nil
}

// sceneArg takes the scene as the argument, too: --scene may be left out.
func sceneArg(f *sceneFlags) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return nil
		case len(args) > 1 || f.scene != "":
			return fmt.Errorf("%w: %s takes one scene, not also %q", errUsage, cmd.CommandPath(), args[len(args)-1])
		}
		f.scene = args[0]
		return nil
	}
}

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%w: %s takes no argument, such as %q: see %s --help", errUsage, cmd.CommandPath(), args[0],
			cmd.CommandPath())
	}
	return nil
}
