package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"math"
)

// object is a JSON object.
type object = map[string]any

// file is a glTF file under construction. Everything is in one buffer.
type file struct {
	bin                                                          []byte
	views, accessors, meshes, nodes, materials, textures, images []any
	lights                                                       []any
	used                                                         map[string]bool
	fov                                                          float64
}

func newFile() *file { return &file{used: map[string]bool{}} }

func (f *file) view(data []byte) int {
	for len(f.bin)%4 != 0 {
		f.bin = append(f.bin, 0)
	}
	f.views = append(f.views, object{"buffer": 0, "byteOffset": len(f.bin), "byteLength": len(data)})
	f.bin = append(f.bin, data...)
	return len(f.views) - 1
}

func (f *file) floats(kind string, components int, v []float32) int {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	a := object{"bufferView": f.view(b), "componentType": 5126, "count": len(v) / components, "type": kind}
	if components == 3 {
		low, high := [3]float32{v[0], v[1], v[2]}, [3]float32{v[0], v[1], v[2]}
		for i, x := range v {
			low[i%3], high[i%3] = min(low[i%3], x), max(high[i%3], x)
		}
		a["min"], a["max"] = low, high
	}
	f.accessors = append(f.accessors, a)
	return len(f.accessors) - 1
}

func (f *file) indices(v []uint32) int {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	f.accessors = append(f.accessors, object{"bufferView": f.view(b), "componentType": 5125, "count": len(v), "type": "SCALAR"})
	return len(f.accessors) - 1
}

// shape is a mesh's arrays.
type shape struct {
	positions, normals, uv []float32
	indices                []uint32
}

func (f *file) attributes(s shape) (attributes object, indices int) {
	return object{"POSITION": f.floats("VEC3", 3, s.positions), "NORMAL": f.floats("VEC3", 3, s.normals),
		"TEXCOORD_0": f.floats("VEC2", 2, s.uv)}, f.indices(s.indices)
}

// put places a shape with a material.
func (f *file) put(s shape, material object, x, y, z float64) object {
	f.materials = append(f.materials, material)
	if ext, ok := material["extensions"].(object); ok {
		for name := range ext {
			f.used[name] = true
		}
	}
	attributes, indices := f.attributes(s)
	mesh := object{"primitives": []any{object{"attributes": attributes, "indices": indices, "material": len(f.materials) - 1}}}
	f.meshes = append(f.meshes, mesh)
	f.nodes = append(f.nodes, object{"mesh": len(f.meshes) - 1, "translation": []float64{x, y, z}})
	return mesh
}

// sun adds a directional light from above, over the viewer's left shoulder.
func (f *file) sun(lux float64) {
	f.lights = append(f.lights, object{"type": "directional", "intensity": lux})
	// Turned from -z: 55 degrees down, 30 to the right.
	f.nodes = append(f.nodes, object{"rotation": []float64{-0.446, -0.2295, -0.1195, 0.8568},
		"extensions": object{"KHR_lights_punctual": object{"light": len(f.lights) - 1}}})
	f.used["KHR_lights_punctual"] = true
}

func (f *file) texture(w, h int, at func(x, y int) color.NRGBA) int {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, at(x, y))
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return -1 // a buffer in memory takes everything; -1 is refused when the file is read
	}
	f.images = append(f.images, object{"bufferView": f.view(b.Bytes()), "mimeType": "image/png"})
	f.textures = append(f.textures, object{"source": len(f.images) - 1})
	return len(f.textures) - 1
}

// look adds the camera.
func (f *file) look(eye, target [3]float64, degrees float64) {
	d := [3]float64{eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]}
	yaw := math.Atan2(d[0], d[2])
	pitch := -math.Atan2(d[1], math.Hypot(d[0], d[2]))
	sy, cy := math.Sincos(yaw / 2)
	sp, cp := math.Sincos(pitch / 2)
	f.nodes = append(f.nodes, object{"camera": 0, "translation": eye, "rotation": []float64{cy * sp, sy * cp, -sy * sp, cy * cp}})
	f.fov = degrees * math.Pi / 180
}

func (f *file) encode() ([]byte, error) {
	nodes := make([]int, len(f.nodes))
	for i := range nodes {
		nodes[i] = i
	}
	doc := object{"asset": object{"version": "2.0", "generator": "everray gallery"}, "scene": 0,
		"scenes": []any{object{"nodes": nodes}}, "nodes": f.nodes, "meshes": f.meshes, "materials": f.materials,
		"accessors": f.accessors, "bufferViews": f.views,
		"cameras": []any{object{"type": "perspective", "perspective": object{"yfov": f.fov, "znear": 0.01}}},
		"buffers": []any{object{"byteLength": len(f.bin),
			"uri": "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(f.bin)}}}
	if len(f.textures) > 0 {
		doc["textures"], doc["images"] = f.textures, f.images
	}
	if len(f.lights) > 0 {
		doc["extensions"] = object{"KHR_lights_punctual": object{"lights": f.lights}}
	}
	var used []string
	for name := range f.used {
		used = append(used, name)
	}
	if len(used) > 0 {
		doc["extensionsUsed"] = used
	}
	return json.MarshalIndent(doc, "", " ")
}
