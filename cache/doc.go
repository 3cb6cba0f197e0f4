// Package cache keeps what took long to make in a directory: pieces of data under keys (Store), and what the driver compiled
// (Pipelines).
//
// # Contract
//
// A key is everything that the data depends on, hashed by the caller; the package never judges whether data is current.
// Files carry their key and a SHA-256 of their contents: what is damaged, cut short or foreign is a miss, and is removed.
// The hash finds accidents, not attackers: whoever may write to the directory may replace what is in it. So it is made for
// its owner only, and Open refuses one that others may write to. Only regular files are read, of this user, that no other
// may write, and none larger than the store: FIFOs, devices, links and directories in their place are misses.
//
// Several processes and goroutines may use one directory: files appear whole (rename), and a file that another process
// removes is a miss. Open reports a directory that cannot be made or written; after that nothing fails for the disk's sake:
// Get misses, and Put returns an error that may be ignored.
//
// Who owns: whoever opens a Store has nothing to close; a Pipelines is saved and destroyed before its device. Everything
// may block for the disk.
package cache
