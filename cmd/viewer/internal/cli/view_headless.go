//go:build headless

package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

// errHeadless is view's answer in headless builds.
var errHeadless = errors.New("this viewer was built with -tags headless and has no windows: use render, or build it with `make`")

func (a *app) viewCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "view",
		Short:              "Show a scene in a window (not in this headless build)",
		DisableFlagParsing: true,
		RunE:               func(*cobra.Command, []string) error { return errHeadless },
	}
}
