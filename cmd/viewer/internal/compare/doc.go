// Package compare traces the same rays by both ways and judges how their hits differ: what viewer verify does, and what bench
// does before it measures.
//
// # Contract
//
// A Way belongs to one goroutine, which closes it; that releases the scene and the device. Everything else blocks for the GPU
// and takes a context. What is judged here is the hits; flags are the caller's.
package compare
