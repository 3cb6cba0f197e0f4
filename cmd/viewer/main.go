// Command viewer renders, verifies and measures scenes with Everray. Run it with --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/everray/everray/cmd/viewer/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// Who interrupts twice does not want to wait for what is being finished.
	context.AfterFunc(ctx, stop)
	code := cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
