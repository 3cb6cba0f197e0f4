// Package oidn takes the noise out of path traced pictures with Intel's Open Image Denoise, where it is installed. The library
// is opened at run time, as Embree is, so nothing needs it to build; versions 1 and 2 have the functions that are used.
//
// # Contract
//
// Open either opens the library or returns ErrMissing. A Device is not safe for concurrent use, and its owner closes it. Denoise
// blocks; it looks at its context before it begins, since the library's own progress callbacks would come from its threads.
package oidn
