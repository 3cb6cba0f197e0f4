// Package nlm takes noise out of path traced pictures by weighted means of pixels whose surroundings look alike: non-local means
// with the weights of one half of the samples for the other half, and with albedo and normals as guides (Rousselle et al. 2012,
// "Adaptive Rendering with Non-Local Means Filtering", and 2013, "Robust Denoising using Feature and Color Information"). It
// is what viewer render has where Open Image Denoise is not installed: it needs no library and no model, leaves more noise and
// blurs more.
//
// # Contract
//
// Denoise is pure, runs on all cores and gives the same bits on any number of them. It takes a context, and 64 bytes of memory
// a pixel.
package nlm
