package assets

import (
	"encoding/json"
	"fmt"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/qmuntal/gltf"
)

// meshInstancing is the extension by which a node shows its mesh many times.
const meshInstancing = "EXT_mesh_gpu_instancing"

// placeMany adds an instance for each element of the extension's accessors, placed in the node's space.
func (l *loader) placeMany(node Instance, ext any) error {
	at, turn, size, count, err := l.instanceAttributes(ext)
	if err != nil {
		return fmt.Errorf("%s: %w", meshInstancing, err)
	}
	if err := l.src.charge(int64(count)*int64(unsafe.Sizeof(Instance{})), "instances"); err != nil {
		return err
	}
	dropped := 0
	for i := range count {
		m := node.Transform
		if at != nil {
			m = m.Mul4(mgl32.Translate3D(at[3*i], at[3*i+1], at[3*i+2]))
		}
		if turn != nil {
			q := mgl32.Quat{W: turn[4*i+3], V: mgl32.Vec3{turn[4*i], turn[4*i+1], turn[4*i+2]}}
			m = m.Mul4(q.Normalize().Mat4())
		}
		if size != nil {
			m = m.Mul4(mgl32.Scale3D(size[3*i], size[3*i+1], size[3*i+2]))
		}
		if !allFinite(m[:]) || !invertible(m) {
			dropped++
			continue
		}
		in := node
		in.Transform, in.Mirrored = m, det3(m) < 0
		l.scene.Instances = append(l.scene.Instances, in)
	}
	if dropped > 0 {
		l.warn("%d instances of node %q are left out: their transforms are not invertible (scale of zero?)", dropped, node.Name)
	}
	return l.ctx.Err()
}

// instanceAttributes reads what places the instances; nil is what the file leaves out.
func (l *loader) instanceAttributes(ext any) (at, turn, size []float32, count int, err error) {
	var e struct{ Attributes map[string]int }
	raw, ok := ext.(json.RawMessage)
	if !ok || json.Unmarshal(raw, &e) != nil {
		return nil, nil, nil, 0, fmt.Errorf("%w: its JSON is not the extension's", ErrInvalid)
	}
	count = -1
	for _, a := range []struct {
		name string
		kind gltf.AccessorType
		to   *[]float32
	}{{"TRANSLATION", gltf.AccessorVec3, &at}, {"ROTATION", gltf.AccessorVec4, &turn}, {"SCALE", gltf.AccessorVec3, &size}} {
		i, ok := e.Attributes[a.name]
		if !ok {
			continue
		}
		n, err := l.read.count(i)
		if err == nil && count >= 0 && n != count {
			err = fmt.Errorf("%w: %d elements, others have %d", ErrInvalid, n, count)
		}
		if err == nil {
			count = n
			*a.to, _, err = l.read.floats(i, nil, a.kind)
		}
		if err != nil {
			return nil, nil, nil, 0, fmt.Errorf("%s: %w", a.name, err)
		}
	}
	if count < 0 { // attributes of the application's own say nothing of places: the node's
		count = 1
	}
	return at, turn, size, count, nil
}
