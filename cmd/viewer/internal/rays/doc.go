// Package rays makes the ray sets of verify and bench, traces them on a device of either way, and compares what came back.
//
// The sets are those of the project's baseline measurements: primary (a pinhole camera's pixel centres), ao and diffuse
// (cosine-distributed from the primary hits; ao ends after a quarter of the scene's diagonal) and random (between random
// points on two different faces of the scene's bounds, grown by 5%). They are made once, on the host, from one device's
// primary hits, so that both ways trace exactly the same rays. What these do in the compute way's trees a Counter counts; Bare
// traces them without a pipeline, and Dispatch dispatches nothing, to compare pipelines and launches with.
//
// # Contract
//
// Making and comparing rays is pure Go and safe for concurrent use. A Tracer, Counter, Bare or Dispatch belongs to one engine
// device
// and one goroutine; its methods block until the GPU has finished, take a context, and return errors that name the step.
// Whoever makes one destroys it before the device is closed.
package rays
