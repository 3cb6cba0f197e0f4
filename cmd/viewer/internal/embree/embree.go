package embree

// #cgo CFLAGS: -std=gnu11 -O2 -Wall
// #cgo linux LDFLAGS: -ldl
// #include "embree.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/rays"
)

var (
	// ErrMissing is returned by Open where there is no Embree 3.
	ErrMissing = errors.New("libembree3.so.3 is not installed")
	// ErrFailed is wrapped by errors of Embree itself.
	ErrFailed = errors.New("embree failed")
)

// Device is an open library.
type Device struct{ c *C.emb_library }

// Open opens the library.
func Open() (*Device, error) {
	d := &Device{}
	switch status := C.emb_open(&d.c); status {
	case C.EMB_OK:
		return d, nil
	case C.EMB_NO_LIBRARY:
		return nil, ErrMissing
	case C.EMB_NO_FUNCTION:
		return nil, fmt.Errorf("%w: libembree3.so.3 lacks functions of version 3", ErrMissing)
	default:
		return nil, fmt.Errorf("%w: no device (status %d)", ErrFailed, status)
	}
}

// Version returns the library's, for example "3.13.5".
func (d *Device) Version() string {
	v := int(C.emb_version(d.c))
	return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100)
}

// Close releases the device. It may be called twice and on nil.
func (d *Device) Close() {
	if d != nil && d.c != nil {
		C.emb_close(d.c)
		d.c = nil
	}
}

// err is what went wrong since the last call on this thread, to which the caller has locked itself.
func (d *Device) err(what string) error {
	if code := C.emb_error(d.c); code != 0 {
		return fmt.Errorf("%w: %s: error %d", ErrFailed, what, code)
	}
	return nil
}

// Scene is a scene that Embree has built.
type Scene struct {
	d      *Device
	top    unsafe.Pointer
	bottom []unsafe.Pointer // of the meshes; one of them may be the top
}

// NewScene builds a scene: one Embree scene per mesh and one over the instances, with the ids of all that they have in the
// compute way's structures. A mesh alone, where it lies, needs no second level.
func (d *Device) NewScene(ctx context.Context, scene *assets.Scene) (s *Scene, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s = &Scene{d: d}
	defer func() {
		if err != nil {
			s.Destroy()
			s, err = nil, fmt.Errorf("%s: %w", scene.Name, err)
		}
	}()
	for m := range scene.Meshes {
		if err = ctx.Err(); err != nil {
			return s, err
		}
		if err = s.addMesh(&scene.Meshes[m]); err != nil {
			return s, err
		}
	}
	if len(scene.Instances) == 1 && scene.Instances[0].Transform == mgl32.Ident4() {
		s.top = s.bottom[scene.Instances[0].Mesh]
		return s, nil
	}
	if s.top = C.emb_scene(d.c); s.top == nil {
		return s, fmt.Errorf("%w: no scene", ErrFailed)
	}
	for i := range scene.Instances {
		in := &scene.Instances[i]
		C.emb_instance(d.c, s.top, C.uint32_t(i), s.bottom[in.Mesh], (*C.float)(&in.Transform[0]))
	}
	C.emb_commit(d.c, s.top)
	return s, d.err("instances")
}

func (s *Scene) addMesh(mesh *assets.Mesh) error {
	bottom := C.emb_scene(s.d.c)
	if bottom == nil {
		return fmt.Errorf("%w: no scene", ErrFailed)
	}
	s.bottom = append(s.bottom, bottom)
	for g := range mesh.Primitives {
		p := &mesh.Primitives[g]
		if len(p.Indices) == 0 {
			continue
		}
		f := p.Surface()
		C.emb_triangles(s.d.c, bottom, C.uint32_t(g), (*C.float)(&f.Positions[0]), C.size_t(f.VertexCount()),
			(*C.uint32_t)(&f.Indices[0]), C.size_t(p.TriangleCount()))
	}
	C.emb_commit(s.d.c, bottom)
	return s.d.err("mesh " + mesh.Name)
}

// chunk is how many rays a thread takes at a time.
const chunk = 1024

// Closest writes the nearest hit of each ray to out, which is as long. Embree knows no hit kinds and no custom indices: those
// are 0.
func (s *Scene) Closest(list []rays.Ray, out []rays.Hit, threads int) {
	inChunks(len(list), threads, func(from, to int) {
		C.emb_closest(s.d.c, s.top, (*C.emb_ray)(unsafe.Pointer(&list[from])), (*C.emb_hit)(unsafe.Pointer(&out[from])),
			C.size_t(to-from))
	})
}

// Occluded writes 1 to out for each ray that meets anything, and 0 otherwise.
func (s *Scene) Occluded(list []rays.Ray, out []uint32, threads int) {
	inChunks(len(list), threads, func(from, to int) {
		C.emb_occluded(s.d.c, s.top, (*C.emb_ray)(unsafe.Pointer(&list[from])), (*C.uint32_t)(&out[from]), C.size_t(to-from))
	})
}

// inChunks does work on n elements, each thread taking the next chunk when it has done one.
func inChunks(n, threads int, work func(from, to int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range threads {
		all.Go(func() {
			for {
				from := int(next.Add(chunk)) - chunk
				if from >= n {
					return
				}
				work(from, min(from+chunk, n))
			}
		})
	}
	all.Wait()
}

// Destroy releases the scene. It may be called twice and on nil.
func (s *Scene) Destroy() {
	if s == nil {
		return
	}
	alone := false
	for _, b := range s.bottom {
		alone = alone || b == s.top
		C.emb_release(s.d.c, b)
	}
	if s.top != nil && !alone {
		C.emb_release(s.d.c, s.top)
	}
	s.top, s.bottom = nil, nil
}
