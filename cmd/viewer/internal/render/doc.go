// Package render draws scenes with the integrators in shaders/viewer: path (a path tracer), ao, primary and normals. It
// is the same code for both ways of the engine. A fifth, heat, counts traversal steps, which only the compute way can.
//
// Samples add up in a buffer of four floats per pixel, one launch per sample, and a second buffer counts each pixel's rays,
// so ray counts are exact. Random numbers follow from (pixel, sample, dimension): Sobol's sequence, scrambled. Two renders of
// a scene are equal but for the rounding of the device.
//
// Texture levels of detail come from ray cones (Akenine-Möller et al. 2019, Ray Tracing Gems, chapter 20): exact at the
// first hit of flat surfaces; later bounces only widen the cone by the roughness. Back faces of single-sided materials are
// culled where the camera looks at them directly, and are there for all other rays, since culling them would let light into
// closed rooms; they do not emit.
//
// The scattering model is that of shaders/viewer/bsdf.glsl: glTF's material with the layers of its extensions. Shaders are
// specialised by what a scene needs of it (features.go). Light sampling goes straight through clear glass; docs/pictures.md
// says what else is approximate, and what was measured.
//
// # Contract
//
// A Renderer belongs to one goroutine and one engine device. New, Resize, Render and Read block, take a context, and return
// errors that name the step. On an error New leaves nothing allocated. The caller destroys the Renderer before the device is
// closed. Tone mapping is pure and safe for concurrent use.
package render
