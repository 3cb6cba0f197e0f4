//go:build !unix

package cache

import "io/fs"

// openFlags are none: such systems have no FIFOs in directories.
const openFlags = 0

// ownersOnly judges nothing: modes say nothing here, and a user's cache directory is that user's.
func ownersOnly(fs.FileInfo) error { return nil }
