// Package ktx2 decodes the textures of KHR_texture_basisu: KTX 2.0 files with Basis Universal's ETC1S (BasisLZ) or UASTC, as
// the KTX specification and the UASTC one define them. It is our own: no Go library of them is to be had, and the reference
// transcoder is C++, which would read strangers' files in this process.
//
// Only the largest level of the first layer and face is decoded, to RGBA of 8 bits.
//
// # Contract
//
// Whatever the bytes are, functions return an error that wraps [ErrInvalid] or [ErrUnsupported], or a picture. They allocate what
// the size in the header explains, which the caller has judged with DecodeConfig, and a few hundred kilobytes for codebooks.
// Safe for concurrent use.
package ktx2
