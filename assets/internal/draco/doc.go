// Package draco decodes meshes that Google's Draco compressed (KHR_draco_mesh_compression).
//
// The decoder is the reference one, version 1.5.7, as the package draco3dgltf of npm brings it: a WebAssembly program
// (decoder.wasm, Apache-2.0, sha256 712db3449ae2041d6e8a224c395bda6cedb49e51322fae38b7db9beb8b381889) that wazero runs. The
// bindings to its C++ library were tried, and left: files that a fuzzer changed hung the process, and a fault in C++ ends it.
// What faults in here ends in an error, memory and time are bounded, and no C++ compiler is needed.
//
// # Contract
//
// Whatever the bytes are, Decode returns an error that wraps [ErrInvalid] or [ErrTooLarge], the context's error, or a mesh; it
// blocks for as long as decoding takes, ten seconds and two microseconds a byte at most. A Decoder serves one call at a time.
package draco
