// Package assets turns files and procedures into scenes that a ray tracer can
// use: glTF 2.0 (.gltf and .glb), Wavefront .obj, .ply, the built-in scenes "cornell", "terrain" and
// "field", and the images around them. It is plain Go: it knows nothing of
// Vulkan, windows or the engine.
//
// # What a scene promises
//
// Every [Scene] that this package returns passes [Scene.Validate]; a caller
// that builds one by hand should call it. In particular:
//
//   - there is at least one instance, one triangle, one material and one
//     camera (a framing camera is made from the bounds where the file has none);
//   - every index is in range, every position finite and within 1e12 of the
//     origin, every instance's transform finite and invertible;
//   - of each [Primitive], Positions, Normals (unit), Tangents (unit,
//     perpendicular to the normal, w = +1 or -1) and UV0 are always present and
//     of equal length; UV1 and Colors are nil where the file has none;
//   - primitives are indexed triangle lists, whatever they were in the file.
//
// Units are the file's (glTF: metres), right handed; the camera looks along its
// own -z. Matrices are column-major as in mgl32, object to world. [Scene.Up] is
// +y as glTF says, unless the file's first camera contradicts that.
//
// # Colour
//
// Factors, vertex colours, lights and the environment are linear Rec. 709.
// Base colour and emissive images are sRGB, all others linear: [Image.SRGB]
// says which; an image that a file uses both ways becomes two images that share
// their pixels. Pixels are RGBA, 8 bits, straight alpha; 16-bit files lose
// their low byte. Only images that a material of the scene reads are decoded.
//
// # Mirrored instances
//
// glTF reverses the winding under a node transform of negative determinant,
// Vulkan decides facing in object space and ignores the instance transform:
// both mean the same, so nothing is flipped here. Whoever computes bitangents
// in world space multiplies by the determinant's sign ([Instance.Mirrored]).
//
// # Other formats
//
// Wavefront .obj with its .mtl: polygons as fans, objects, materials, colours of
// vertices. .ply, as text and binary: vertices with normals, colours and texture
// coordinates, and faces. Normals that are missing are smooth where an .obj says
// so and in .ply, flat elsewhere.
//
// # What is read of glTF
//
// Triangles, strips and fans; points and lines, as thin triangles with round
// normals (see thin.go);
// sparse, normalised and quantised accessors; two texture coordinate sets;
// vertex colours of any type; the metallic-roughness material with its
// five textures, alpha modes and cutoff; samplers; cameras of both kinds;
// KHR_lights_punctual, KHR_texture_transform, KHR_materials_emissive_strength,
// KHR_materials_unlit, KHR_materials_ior, those in [Layers],
// KHR_materials_variants, KHR_mesh_quantization, KHR_draco_mesh_compression,
// EXT_meshopt_compression, EXT_mesh_gpu_instancing, EXT_texture_webp and
// KHR_texture_basisu (KTX2 with ETC1S or UASTC, its largest level). Other
// extensions are a warning where a file merely uses them and [ErrUnsupported]
// where it requires them.
//
// A picture that cannot be read does not refuse the scene: a placeholder stands
// for it ([Image.Missing]), and a warning names its path and what is wrong.
//
// Missing normals are made flat, as the specification says, by giving every
// triangle its own vertices, and the file's tangents are then dropped; the
// file's vertices stay in [Primitive.Shared], for acceleration structures. Missing
// tangents are made per vertex (see tangents.go for how that departs from
// MikkTSpace). Normals and texture coordinates that are not finite are
// replaced with a warning; positions that are not are an error.
//
// Skinned meshes are posed once, at the transforms that the joints' nodes have
// in the file (the rest pose, no animation applied), into a mesh of their own
// with an identity instance: as the specification says, the transform of the
// skinned node itself does not count. Morph targets are applied at the node's
// weights or the mesh's default ones. Animations are not played (warning).
//
// # Bad input
//
// Whatever the bytes are, [Load] ends in one error that wraps [ErrInvalid],
// [ErrUnsupported], [ErrNoGeometry], [ErrTooLarge] or the system's error, names
// the file and the part of it that is wrong, and returns no scene. Everything
// is range checked before it is read, so the container, accessors and buffers
// are parsed here; the glTF library supplies the document model and the JSON
// decoding. Memory is bounded by a budget: 1 GiB plus 128 times the bytes of
// the input files (see [LoadOptions]); each image at most 16384 pixels a side.
//
// URIs are resolved inside the folder of the .gltf file and never outside it:
// "..", absolute paths, other schemes than data:, and symbolic links that lead
// out are refused.
//
// # Concurrency, ownership
//
// Functions here block for as long as reading and decoding take, and return
// early with the context's error when it is cancelled. They share no state and
// may run concurrently. Images are decoded and the large built-in scenes are
// made on all processors. A scene belongs to its caller and nothing here
// changes it later; its slices may be shared between meshes and images, so
// treat them as read-only. Progress callbacks come one at a time, from any
// goroutine.
package assets
