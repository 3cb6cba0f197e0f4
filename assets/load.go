package assets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/qmuntal/gltf"

	"github.com/everray/everray/assets/internal/draco"
)

// BuiltinPrefix marks the name of a built-in scene where a path may stand too.
const BuiltinPrefix = "builtin:"

// LoadOptions are for LoadWith; the zero value is what Load uses.
type LoadOptions struct {
	// Progress is told how many of the steps (primitives and images) are done.
	Progress func(done, total int)
	// MaxBytes limits the memory for decoded data; 0 is 1 GiB plus 128 times
	// the size of the input.
	MaxBytes int64
	// Variant is a name of Scene.Variants, whose materials are shown; empty shows the file's own.
	Variant string
}

// Open loads the built-in scene of a name that begins with "builtin:", and
// the file of any other name.
func Open(ctx context.Context, name string, progress func(done, total int)) (*Scene, error) {
	return OpenWith(ctx, name, LoadOptions{Progress: progress})
}

// OpenWith is Open with all options.
func OpenWith(ctx context.Context, name string, o LoadOptions) (*Scene, error) {
	b, builtin := strings.CutPrefix(name, BuiltinPrefix)
	switch {
	case builtin && o.Variant != "":
		return nil, fmt.Errorf("%w %q: built-in scenes have none", ErrUnknownVariant, o.Variant)
	case builtin:
		return BuiltinContext(ctx, b)
	}
	return LoadWith(ctx, name, o)
}

// Load reads a .gltf, .glb, .obj or .ply file. progress may be nil.
func Load(ctx context.Context, path string, progress func(done, total int)) (*Scene, error) {
	return LoadWith(ctx, path, LoadOptions{Progress: progress})
}

// LoadWith is Load with all options.
func LoadWith(ctx context.Context, path string, o LoadOptions) (*Scene, error) {
	s, err := load(ctx, path, o)
	if err != nil {
		return nil, fmt.Errorf("load scene %q: %w", path, err)
	}
	return s, nil
}

func load(ctx context.Context, path string, o LoadOptions) (*Scene, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// A link to the scene itself may lead anywhere; its folder is the target's.
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	if st, err := os.Stat(real); err != nil {
		return nil, err
	} else if st.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("is a folder: name the file in it")}
	}
	src, err := openSource(filepath.Dir(real), o.MaxBytes)
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }() // read only
	data, err := src.read(filepath.Base(real))
	if err != nil {
		return nil, err
	}
	return loadData(ctx, src, filepath.Base(path), data, o)
}

// loadData loads a scene from bytes; the source gives what they refer to.
func loadData(ctx context.Context, src *source, name string, data []byte, o LoadOptions) (*Scene, error) {
	l := &loader{ctx: ctx, progress: o.Progress, src: src, wantVariant: o.Variant}
	l.scene.Name = name
	run := l.run
	if read := readerOf(name, data); read != nil {
		run = func(data []byte) error { return l.runForeign(read, data) }
	}
	if err := run(data); err != nil {
		return nil, err
	}
	return &l.scene, nil
}

// loader is the state of loading one file.
type loader struct {
	ctx      context.Context
	progress func(done, total int)
	done     int
	total    int

	src   *source
	doc   *gltf.Document
	read  *reader
	draco *draco.Decoder // nil until a mesh needs it
	nodes *hierarchy
	scene Scene

	meshes    map[meshKey]int // -> index into scene.Meshes
	materials map[int]int     // document's, -1 is the default -> scene's
	textures  map[colorUse]int
	images    map[colorUse]int
	files     map[fileUse]int // textures of formats that name files
	pending   []pendingImage
	warned    map[string]bool

	wantVariant string
	variant     int // of the document, -1 is none
}

// meshKey is a mesh of the document; posed by a skin or by a node's own morph weights it is a mesh of its own. -1 is none.
type meshKey struct{ mesh, skin, morph int }

// colorUse is a texture or an image of the document in one of its two uses.
type colorUse struct {
	index int
	srgb  bool
}

const maxWarnings = 50

// warn notes what was skipped, each sentence once.
func (l *loader) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if l.warned[text] || len(l.warned) > maxWarnings {
		return
	}
	l.warned[text] = true
	if len(l.warned) > maxWarnings {
		text = "further warnings are not shown"
	}
	l.scene.Warnings = append(l.scene.Warnings, text)
}

// step reports that one more step is done, and whether to go on.
func (l *loader) step() error {
	l.done++
	if l.progress != nil {
		l.progress(min(l.done, l.total), l.total)
	}
	return l.ctx.Err()
}

// begin makes the loader's maps.
func (l *loader) begin() {
	l.meshes, l.materials = map[meshKey]int{}, map[int]int{}
	l.textures, l.images = map[colorUse]int{}, map[colorUse]int{}
	l.files = map[fileUse]int{}
	l.warned = map[string]bool{}
}

func (l *loader) run(data []byte) (err error) {
	defer func() {
		if l.draco != nil {
			err = errors.Join(err, l.draco.Close())
		}
	}()
	l.begin()
	text, bin, err := splitContainer(data)
	if err != nil {
		return err
	}
	if l.doc, err = parseDocument(text); err != nil {
		return err
	}
	warnings, err := checkExtensions(l.doc)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		l.warn("%s", w)
	}
	if err := l.readVariants(l.wantVariant); err != nil {
		return err
	}
	l.read = &reader{doc: l.doc, src: l.src, buffers: make([][]byte, len(l.doc.Buffers)), bin: bin}
	if l.nodes, err = buildHierarchy(l.doc); err != nil {
		return err
	}
	if len(l.doc.Animations) > 0 {
		l.warn("animations are not played")
	}
	l.countSteps()
	if err := l.place(); err != nil {
		return err
	}
	if len(l.scene.Instances) == 0 {
		return fmt.Errorf("%w: %d meshes, %d nodes in the scene", ErrNoGeometry, len(l.doc.Meshes), len(l.nodes.order))
	}
	if err := l.decodeImages(); err != nil {
		return err
	}
	return l.complete()
}

// countSteps counts the primitives of the scene's meshes and the images.
func (l *loader) countSteps() {
	seen := map[int]bool{}
	for _, i := range l.nodes.order {
		if m := l.doc.Nodes[i].Mesh; m != nil && *m >= 0 && *m < len(l.doc.Meshes) && !seen[*m] {
			seen[*m] = true
			l.total += len(l.doc.Meshes[*m].Primitives)
		}
	}
	l.total += len(l.doc.Images)
}

// place makes the instances, lights and cameras of the scene's nodes.
func (l *loader) place() error {
	for _, i := range l.nodes.order {
		n := l.doc.Nodes[i]
		if n.Mesh != nil {
			if err := l.placeMesh(i); err != nil {
				return fmt.Errorf("node %d %q: %w", i, n.Name, err)
			}
		}
		if n.Camera != nil {
			c, err := l.camera(i)
			if err != nil {
				return fmt.Errorf("node %d %q: %w", i, n.Name, err)
			}
			l.scene.Cameras = append(l.scene.Cameras, c)
		}
		light, ok, err := l.light(i)
		if err != nil {
			return fmt.Errorf("node %d %q: %w", i, n.Name, err)
		}
		if ok {
			l.scene.Lights = append(l.scene.Lights, light)
		}
	}
	return nil
}

// placeMesh adds the instance of a node with a mesh.
func (l *loader) placeMesh(node int) error {
	n := l.doc.Nodes[node]
	key := meshKey{mesh: *n.Mesh, skin: -1, morph: l.morphWeights(node)}
	in := Instance{Name: n.Name, Transform: mgl32.Ident4()}
	if n.Skin != nil {
		key.skin = *n.Skin // posed in world space: the node does not move it
	} else {
		m, err := narrow(l.nodes.world[node])
		if err != nil {
			return err
		}
		in.Transform = m
	}
	k, err := l.mesh(key)
	if err != nil || k < 0 {
		return err
	}
	d := det3(in.Transform)
	if !invertible(in.Transform) {
		l.warn("node %d %q is left out: its transform is not invertible (scale of zero?)", node, n.Name)
		return nil
	}
	in.Mesh, in.Mirrored = k, d < 0
	if raw, ok := n.Extensions[meshInstancing]; ok && n.Skin == nil {
		return l.placeMany(in, raw)
	}
	l.scene.Instances = append(l.scene.Instances, in)
	return nil
}

// invertible tells whether a transform has an inverse that single precision
// can hold, as both ways of tracing need it.
func invertible(m mgl32.Mat4) bool {
	if det3(m) == 0 {
		return false
	}
	inv := mgl64FromMat4(m).Inv()
	for _, x := range inv {
		if !isFinite(float32(x)) {
			return false
		}
	}
	return true
}

// complete fills in what follows from the rest.
func (l *loader) complete() error {
	s := &l.scene
	l.dropUnusedMeshes()
	s.separateThin()
	s.ComputeBounds()
	for i := range s.Meshes {
		if b := s.Meshes[i].Bounds; !b.reasonable() {
			return fmt.Errorf("%w: mesh %q: positions, %v to %v, go further than %g", ErrInvalid, s.Meshes[i].Name, b.Min, b.Max,
				maxCoordinate)
		}
	}
	if s.Bounds.IsEmpty() || !s.Bounds.reasonable() {
		return fmt.Errorf("%w: the scene's bounds, %v to %v, go further than %g", ErrInvalid, s.Bounds.Min, s.Bounds.Max, maxCoordinate)
	}
	s.Up = mgl32.Vec3{0, 1, 0}
	for i := range s.Cameras {
		aim(&s.Cameras[i], s.Bounds)
	}
	if len(s.Cameras) == 0 {
		s.Cameras = []Camera{FramingCamera(s.Bounds, s.Up)}
	} else {
		s.Up = sceneUp(s.Cameras[0])
	}
	s.Environment = daylight(s.Up, len(s.Lights) == 0)
	for l.done < l.total { // unused images, skipped primitives
		if err := l.step(); err != nil {
			return err
		}
	}
	return l.ctx.Err()
}

// dropUnusedMeshes removes meshes of which every instance was left out.
func (l *loader) dropUnusedMeshes() {
	s := &l.scene
	remap := make([]int, len(s.Meshes))
	for i := range s.Instances {
		remap[s.Instances[i].Mesh] = 1
	}
	kept := s.Meshes[:0]
	for i, used := range remap {
		if used == 1 {
			remap[i] = len(kept)
			kept = append(kept, s.Meshes[i])
		}
	}
	clear(s.Meshes[len(kept):])
	s.Meshes = kept
	for i := range s.Instances {
		s.Instances[i].Mesh = remap[s.Instances[i].Mesh]
	}
}

// Extensions lists the extensions of files that Load reads, with their dots and in lower case.
func Extensions() []string {
	var list []string
	for _, f := range Files() {
		list = append(list, f.Name)
	}
	return list
}
