package assets

// Support says what is done with a kind of file, or with an extension of glTF.
type Support struct{ Name, Does string }

// Files are the kinds of scenes that Load reads, by extension.
func Files() []Support {
	return []Support{
		{".gltf", "glTF 2.0 as JSON, with the files beside it that it names, inside of its folder"},
		{".glb", "glTF 2.0 in one file"},
		{".obj", "Wavefront: polygons, objects, .mtl files, colours of vertices, lines and points; no free forms"},
		{".ply", "text and binary: faces with normals, colours and texture coordinates; without faces the vertices as points"},
	}
}

// Pictures are the kinds of pictures that textures may be.
func Pictures() []Support {
	return []Support{
		{".png", "8 bits, the lower ones of 16 are dropped"},
		{".jpg", "as the standard library decodes it"},
		{".webp", "with and without loss (EXT_texture_webp)"},
		{".ktx2", "ETC1S and UASTC, plain, Zstandard or zlib (KHR_texture_basisu): the largest level, smaller ones are made anew"},
		{"missing or broken", "squares of magenta stand for colours, white for data; a warning names the path"},
	}
}

// Features are the extensions of glTF that are read; a file may require them. Others are a warning where a file merely uses
// them, and an error that names them where it requires them.
func Features() []Support {
	return []Support{
		{dracoCompression, "decoded by the reference decoder, in a sandbox"},
		{"KHR_lights_punctual", "directional, point and spot lights"},
		{"KHR_materials_anisotropy", "as specified"},
		{"KHR_materials_clearcoat", "as specified"},
		{"KHR_materials_diffuse_transmission", "as specified"},
		{"KHR_materials_dispersion", "as specified"},
		{"KHR_materials_emissive_strength", "as specified"},
		{"KHR_materials_ior", "as specified"},
		{"KHR_materials_iridescence", "as specified"},
		{"KHR_materials_sheen", "as specified"},
		{"KHR_materials_specular", "as specified"},
		{"KHR_materials_transmission", "as specified"},
		{"KHR_materials_unlit", "by-passes light and tone mapping"},
		{variantsExtension, "chosen by `--variant`"},
		{"KHR_materials_volume", "as specified"},
		{"KHR_mesh_quantization", "all of its types"},
		{basisTextures, "KTX2, where a texture has no other picture"},
		{"KHR_texture_transform", "as specified"},
		{meshInstancing, "an instance for each element; those that cannot be inverted are left out"},
		{meshoptCompression, "all modes and filters"},
		{"EXT_texture_webp", "in place of the texture's other picture"},
	}
}
