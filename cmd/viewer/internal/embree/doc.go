// Package embree traces rays with Embree 3, Intel's ray tracing kernels for CPUs, as a reference for what the same processor
// can do without Vulkan.
//
// The library is opened at run time, so that nothing needs it to build or run: its C interface is declared here, as far as it
// is used, which for version 3 is stable (version 4 changed it). A build tag would have kept the reference from everybody
// who did not think of it beforehand. Debian and Ubuntu call the package libembree3-3.
//
// # Contract
//
// Open returns ErrMissing where there is no library. A Scene is built with the best quality that Embree has (spatial splits)
// and without its robust mode, as fast as it goes; it keeps nothing of the assets.Scene. Whoever opens a Device or builds a
// Scene destroys it, scenes first. Tracing is safe for concurrent use; it blocks until done, on as many threads as asked for.
package embree
