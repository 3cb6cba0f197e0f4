// Package measure times commands on a device, by timestamps of the GPU around each repetition.
//
// # Contract
//
// A Timer belongs to one engine device and one goroutine, which destroys it before the device is closed. Repeat blocks until
// the GPU has finished, takes a context, and returns errors that name the work.
package measure
