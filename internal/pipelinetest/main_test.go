package pipelinetest_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/everray/everray/vk/vktest"
)

// TestMain makes do with a quick compiler in short runs: nearly all of the time is the driver's compiler, which has a pipeline of
// its own for nearly each test. The other packages, and runs that are not short, have it optimise.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		if err := vktest.QuickCompiler(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
