package vktest

import "os"

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
	return nil
}
