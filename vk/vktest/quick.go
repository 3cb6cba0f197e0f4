package vktest

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// quickCompiler is what makes lavapipe's compiler quick: code as it comes, without optimisation, and vectors of four lanes.
var quickCompiler = [...][2]string{{"GALLIVM_PERF", "nopt"}, {"LP_NATIVE_VECTOR_WIDTH", "128"}}

// QuickCompiler has lavapipe take half the time to compile shaders, which then run slower, for TestMain of packages whose
// tests compile for longer than they run. It must come before anything opens Vulkan: lavapipe reads the environment when it is
// loaded. Variables that are set already stay.
func QuickCompiler() error {
	for _, v := range quickCompiler {
		if _, ok := os.LookupEnv(v[0]); ok {
			continue
		}
		if err := os.Setenv(v[0], v[1]); err != nil {
			return err
		}
	}
	return OwnCache()
}

// QuickMain is the TestMain of packages with a pipeline of its own for nearly each test, where nearly all of the time is the
// driver's compiler: short runs make do with QuickCompiler, others have it optimise. It returns the exit code.
func QuickMain(m *testing.M) int {
	flag.Parse()
	if testing.Short() {
		if err := QuickCompiler(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}
