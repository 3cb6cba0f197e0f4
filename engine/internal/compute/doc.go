// Package compute is the driver for devices whose own ray tracing is missing or slow: package bvh builds the acceleration
// structures, package fallback runs the pipelines.
//
// Contract: that of package driver. A storage buffer descriptor over the first 256 bytes of a structure, its header, stands in
// for each acceleration structure descriptor; the compute stage for each ray tracing stage.
package compute
