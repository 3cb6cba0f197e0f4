// Package report is what several of the viewer's commands say in the same words: device and way, the driver's statistics of
// code, structures, and how tables and JSON are written.
//
// # Contract
//
// Values are plain data. Measure blocks for the GPU and takes a context; the rest only computes. Everything is safe for
// concurrent use as far as the writers are.
package report
