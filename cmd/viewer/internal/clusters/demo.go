package clusters

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/measure"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// ErrDiffer is returned by Demo.Frame when a way's picture does not show what the first way's shows.
var ErrDiffer = errors.New("the pictures differ")

// demoRepeats is how often each step of a frame is measured.
const demoRepeats = 5

// Demo animates a mesh on the GPU, each frame in three ways: by instances of templates and a bottom level over them, by a refit of
// a plain structure, and by building it again.
type Demo struct {
	// Size is that of pictures.
	Width, Height int

	dev    *engine.Device
	timer  *measure.Timer
	mesh   *Mesh
	moving *mover
	ways   []*way
	crowd  *crowd // nil without statues
	owned  []interface{ Destroy() }
}

// Step is what a way of a frame takes.
type Step struct {
	Way string `json:"way"`
	// Milliseconds of the GPU, medians: positions, structures of the mesh, top level, picture; and all.
	Positions, Structures, Top, Picture, All float64
	// Bytes of structures and of positions that are animated, without scratch memory.
	Bytes uint64 `json:"bytes"`
}

// way is one of the ways.
type way struct {
	name    string
	rest    vk.DeviceAddress // positions as they were
	moved   *vk.Buffer
	count   int // of positions
	build   func(ctx context.Context, n int) ([]time.Duration, error)
	top     *accel.Batch
	picture *painter
	bytes   uint64
	first   bool // not yet built
	bottom  vk.DeviceAddress
}

// own keeps what Destroy destroys.
func (d *Demo) own(o interface{ Destroy() }) { d.owned = append(d.owned, o) }

// NewDemo makes structures for a mesh, and clusters of up to so many triangles. The device is one of the compute way.
func NewDemo(ctx context.Context, dev *engine.Device, m *Mesh, triangles, width, height int) (d *Demo, err error) {
	d = &Demo{Width: width, Height: height, dev: dev, mesh: m}
	defer func() {
		if err != nil {
			d.Destroy()
			d = nil
		}
	}()
	if d.timer, err = measure.NewTimer(dev); err != nil {
		return d, err
	}
	d.own(d.timer)
	if d.moving, err = newMover(ctx, dev, m); err != nil {
		return d, err
	}
	d.own(d.moving)
	if err = d.addTemplates(ctx, triangles); err != nil {
		return d, fmt.Errorf("templates: %w", err)
	}
	for _, f := range []struct {
		name  string
		flags vk.BuildFlags
	}{{"refit", vk.PreferFastTrace | vk.AllowUpdate}, {"rebuild", vk.PreferFastBuild}} {
		if err = d.addPlain(ctx, f.name, f.flags); err != nil {
			return d, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return d, nil
}

// addTemplates builds templates of the mesh's pieces, and what instantiates them.
func (d *Demo) addTemplates(ctx context.Context, triangles int) error {
	cut, err := NewCut(ctx, d.dev, d.mesh, triangles, triangles)
	if err != nil {
		return err
	}
	d.own(cut)
	w := &way{name: "templates", rest: cut.At, count: len(cut.Corners) / 3}
	if w.moved, err = d.buffer(12 * uint64(w.count)); err != nil {
		return err
	}
	args := make([]engine.ClusterBuildTemplate, len(cut.Args))
	for i, a := range cut.Args {
		args[i] = engine.ClusterBuildTemplate{BuildTriangles: a}
	}
	in := cut.Input
	in.Op, in.Flags = engine.ClusterOpTemplates, vk.PreferFastTrace
	templates, err := d.command(ctx, in, engine.ClusterArgs(args...))
	if err == nil {
		err = templates.Run(ctx)
	}
	if err != nil {
		return err
	}
	addresses, bytes, err := templates.Results(ctx)
	if err != nil {
		return err
	}
	instances := make([]engine.ClusterInstantiate, len(addresses))
	for i, a := range addresses {
		instances[i] = engine.ClusterInstantiate{Template: a, Vertices: w.moved.Address() + cut.Args[i].Vertices - cut.At,
			VertexStride: 12}
	}
	in.Op = engine.ClusterOpInstantiate
	made, err := d.command(ctx, in, engine.ClusterArgs(instances...))
	if err != nil {
		return err
	}
	in, bottomArgs := OverAll(vk.PreferFastBuild, made.List.Address(), cut.Input.MaxCount)
	bottom, err := d.command(ctx, in, bottomArgs)
	if err != nil {
		return err
	}
	w.build = func(ctx context.Context, n int) ([]time.Duration, error) {
		return d.timer.Repeat(ctx, "instantiate", n, func(cb *vk.CommandBuffer) error {
			if err := made.Record(cb); err != nil {
				return err
			}
			d.dev.CmdBarrier(cb)
			return bottom.Record(cb)
		})
	}
	if err := d.finish(ctx, w, bottom.Memory.Address(), true); err != nil {
		return err
	}
	_, clusterBytes, err := made.Results(ctx)
	if err != nil {
		return err
	}
	_, bottomBytes, err := bottom.Results(ctx)
	w.bytes = w.moved.Size() + bytes + clusterBytes + bottomBytes
	return err
}

func (d *Demo) command(ctx context.Context, in engine.ClusterInput, args []byte) (*Command, error) {
	c, err := NewCommand(ctx, d.dev, in, args)
	if err == nil {
		d.own(c)
	}
	return c, err
}

func (d *Demo) buffer(size uint64) (*vk.Buffer, error) {
	b, err := d.dev.VK().NewBuffer(vk.BufferOptions{Name: "positions", Size: size, Memory: vk.DeviceLocal,
		AccelerationStructureInput: true})
	if err == nil {
		d.own(b)
	}
	return b, err
}

// addPlain makes a plain structure, that is refitted if it may be updated, and else built again.
func (d *Demo) addPlain(ctx context.Context, name string, flags vk.BuildFlags) error {
	rest, err := d.dev.NewBuildInput(ctx, "mesh", Bytes(d.mesh.Positions))
	if err != nil {
		return err
	}
	d.own(rest)
	indices, err := d.dev.NewBuildInput(ctx, "mesh", Bytes(d.mesh.Indices))
	if err != nil {
		return err
	}
	d.own(indices)
	w := &way{name: name, rest: rest.Address(), count: len(d.mesh.Positions) / 3, first: true}
	if w.moved, err = d.buffer(rest.Size()); err != nil {
		return err
	}
	batch, err := accel.NewBatch(d.dev, name, []engine.BuildInput{{Name: name,
		Ranges: []vk.BuildRange{{PrimitiveCount: uint32(d.mesh.Triangles())}},
		Info: vk.BuildInfo{Type: vk.BottomLevel, Flags: flags, Geometries: []vk.Geometry{{Type: vk.GeometryTriangles,
			Flags: vk.GeometryOpaque,
			Triangles: vk.Triangles{VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: w.moved.Address(), VertexStride: 12,
				MaxVertex: uint32(w.count) - 1, IndexType: vk.IndexUint32, IndexData: indices.Address()}}}}}})
	if err != nil {
		return err
	}
	d.own(batch)
	w.build = func(ctx context.Context, n int) ([]time.Duration, error) {
		if w.first || flags&vk.AllowUpdate == 0 {
			w.first = false
			return batch.Build(ctx, n)
		}
		return batch.Refit(ctx, n)
	}
	w.bytes = w.moved.Size() + batch.Bytes
	return d.finish(ctx, w, batch.Structure(0).Address(), false)
}

// finish builds a way once, and makes its top level and what paints it.
func (d *Demo) finish(ctx context.Context, w *way, bottom vk.DeviceAddress, ofClusters bool) error {
	if _, err := d.moving.move(ctx, d.timer, w, 0, 1); err != nil {
		return err
	}
	if _, err := w.build(ctx, 1); err != nil {
		return err
	}
	var err error
	w.bottom = bottom
	w.top, w.picture, err = d.scene(ctx, []mgl32.Vec3{{}}, bottom, ofClusters)
	d.ways = append(d.ways, w)
	return err
}

// scene is a top level with a bottom level at some places, and what paints it.
func (d *Demo) scene(ctx context.Context, at []mgl32.Vec3, bottom vk.DeviceAddress, ofClusters bool) (*accel.Batch, *painter,
	error) {
	list := make([]vk.AccelerationStructureInstance, len(at))
	for i, p := range at {
		t := vk.IdentityTransform()
		t[3], t[7], t[11] = p[0], p[1], p[2]
		list[i] = vk.NewAccelerationStructureInstance(t, uint32(i), 0xff, 0, 0, bottom)
	}
	instances, err := d.dev.NewInstances(ctx, "instances", list)
	if err != nil {
		return nil, nil, err
	}
	d.own(instances)
	top, err := accel.NewBatch(d.dev, "top level", []engine.BuildInput{{Name: "top level",
		Info: vk.BuildInfo{Type: vk.TopLevel, Flags: vk.PreferFastTrace, Geometries: []vk.Geometry{{Type: vk.GeometryInstances,
			Instances: vk.Instances{Data: instances.Address()}}}}, Ranges: []vk.BuildRange{{PrimitiveCount: uint32(len(at))}}}})
	if err != nil {
		return nil, nil, err
	}
	d.own(top)
	if _, err := top.Build(ctx, 1); err != nil {
		return nil, nil, err
	}
	p, err := newPainter(ctx, d.dev, top.Structure(0), d.Width, d.Height, ofClusters)
	if err != nil {
		return nil, nil, err
	}
	d.own(p)
	return top, p, nil
}

// part is a part of what a way does in a frame, and where its milliseconds go.
type part struct {
	to *float64
	do func(ctx context.Context) ([]time.Duration, error)
}

// parts are those of a way, each done n times; the last is the picture.
func (d *Demo) parts(w *way, c camera.Camera, angle float64, n int, s *Step) []part {
	return []part{
		{&s.Positions, func(ctx context.Context) ([]time.Duration, error) { return d.moving.move(ctx, d.timer, w, angle, n) }},
		{&s.Structures, func(ctx context.Context) ([]time.Duration, error) { return w.build(ctx, n) }},
		{&s.Top, func(ctx context.Context) ([]time.Duration, error) { return w.top.Build(ctx, n) }},
		{&s.Picture, func(ctx context.Context) ([]time.Duration, error) {
			return w.picture.paint(ctx, d.timer, c, d.shift(), n)
		}},
	}
}

// do does parts one after the other, and adds their medians up.
func do(ctx context.Context, what string, s *Step, parts []part) error {
	for _, p := range parts {
		times, err := p.do(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		*p.to = median(times)
		s.All += *p.to
	}
	return nil
}

// Frame animates the mesh to an angle in all ways. It returns the first one's picture, and checks that the others show the same.
func (d *Demo) Frame(ctx context.Context, c camera.Camera, angle float64) (*image.NRGBA, []Step, error) {
	var steps []Step
	var picture *image.NRGBA
	var first []float32
	for _, w := range d.ways {
		s := Step{Way: w.name, Bytes: w.bytes}
		if err := do(ctx, w.name, &s, d.parts(w, c, angle, demoRepeats, &s)); err != nil {
			return nil, nil, err
		}
		steps = append(steps, s)
		img, distances, err := w.picture.read(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", w.name, err)
		}
		if first == nil {
			picture, first = img, distances
		} else if n := differing(first, distances); n > 0 {
			return nil, nil, fmt.Errorf("%w: %s and %s in %d of %d pixels", ErrDiffer, d.ways[0].name, w.name, n, len(first))
		}
	}
	return picture, steps, nil
}

// differing counts pixels whose rays hit at another distance. Positions are the same, so that distances are, to the bit.
func differing(a, b []float32) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// Statues paints a square of instances that share the clusters of the last frame. It returns the time of building the top level, of
// the picture, and the bytes of all structures.
func (d *Demo) Statues(ctx context.Context, side int, c camera.Camera) (*image.NRGBA, Step, error) {
	all, err := d.newCrowd(ctx, side)
	if err != nil {
		return nil, Step{}, err
	}
	s := all.step()
	img, err := d.paintCrowd(ctx, all, c, demoRepeats, &s)
	return img, s, err
}

// paintCrowd builds the top level of statues and paints them.
func (d *Demo) paintCrowd(ctx context.Context, all *crowd, c camera.Camera, n int, s *Step) (*image.NRGBA, error) {
	if err := do(ctx, s.Way, s, []part{
		{&s.Top, func(ctx context.Context) ([]time.Duration, error) { return all.top.Build(ctx, n) }},
		{&s.Picture, func(ctx context.Context) ([]time.Duration, error) {
			return all.picture.paint(ctx, d.timer, c, d.shift(), n)
		}},
	}); err != nil {
		return nil, err
	}
	img, _, err := all.picture.read(ctx)
	return img, err
}

// Apart is how far statues stand from each other.
func (d *Demo) Apart() float32 {
	size := d.moving.hi.Sub(d.moving.lo)
	return 1.2 * max(size[0], size[2])
}

// Around is a camera that sees so many statues, from in front and above.
func (d *Demo) Around() camera.Camera {
	centre, apart := d.moving.lo.Add(d.moving.hi).Mul(0.5), d.Apart()
	return camera.LookAt(centre.Add(mgl32.Vec3{0, 3 * apart, 6 * apart}), centre.Add(mgl32.Vec3{0, 0, -6 * apart}),
		mgl32.Vec3{0, 1, 0}, math.Pi/4)
}

// shift is how far from the surface rays to the lamp begin.
func (d *Demo) shift() float32 { return 1e-4 * d.moving.hi.Sub(d.moving.lo).Len() }

func median(times []time.Duration) float64 {
	t := slices.Clone(times)
	slices.Sort(t)
	return float64(t[len(t)/2]) / 1e6
}

// Destroy releases everything. It may be called twice and on nil.
func (d *Demo) Destroy() {
	if d == nil {
		return
	}
	for _, o := range slices.Backward(d.owned) {
		o.Destroy()
	}
	d.owned = nil
}
