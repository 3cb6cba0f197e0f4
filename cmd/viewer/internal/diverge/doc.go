// Package diverge is the divergence test of the project's measurements of pipeline forms: a path tracer of four segments over a
// scene whose triangles are dealt out to 16 geometries, each with a hit group of its own, whose shaders do little or much.
// Neighbouring rays then want different shaders, which is what a pipeline has to cope with.
//
// # Contract
//
// Deal and Compare are pure Go and safe for concurrent use. Paths and their Tracers belong to one engine device and one
// goroutine; their methods block until the GPU has finished, take a context, and return errors that name the step. Whoever
// makes one destroys it: Tracers before their Paths, those before the device is closed.
package diverge
