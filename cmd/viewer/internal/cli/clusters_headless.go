//go:build headless

package cli

import "context"

// clustersWindow says that there are no windows.
func (a *app) clustersWindow(context.Context, *clustersFlags) error { return errHeadless }
