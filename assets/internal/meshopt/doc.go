// Package meshopt decodes the three bitstreams of EXT_meshopt_compression, and its filters, as the extension's text defines
// them. No Go library of it is kept up; the reference decoder is C, and what it would read are strangers' files.
//
// # Contract
//
// Whatever the bytes are, the functions return an error that wraps [ErrInvalid] or the whole result, and read and write only
// what they are given. They allocate what count and stride say, which the caller has bounded. Safe for concurrent use.
package meshopt
