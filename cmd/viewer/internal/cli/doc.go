// Package cli is the viewer's command line: render, verify, view, bench, inspect and info.
//
// # Contract
//
// Main reads no globals but the environment that Vulkan and GLFW read, writes results to stdout and everything else to stderr,
// and returns the exit code: 0, or 1 after a last line on stderr that says what is wrong and what helps; before it come at most
// warnings, and the parts of bench --all. With --json stdout is one JSON document. Main blocks until the command is done or its
// context ends. The view command must run on the goroutine
// that called Main, which it locks to its thread.
package cli
