package assets

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/qmuntal/gltf"
)

// hierarchy is the node tree, flattened.
type hierarchy struct {
	world []mgl64.Mat4 // of every node, also of those outside of the scene
	order []int        // the scene's nodes, parents before children
}

// buildHierarchy computes all world matrices and the nodes of the default
// scene. Nodes must form trees, as the specification has it: a node with two
// parents, and so any cycle, is refused.
func buildHierarchy(doc *gltf.Document) (*hierarchy, error) {
	n := len(doc.Nodes)
	parent := make([]int, n)
	for i := range parent {
		parent[i] = -1
	}
	for i, node := range doc.Nodes {
		for _, c := range node.Children {
			if c < 0 || c >= n {
				return nil, fmt.Errorf("%w: node %d: child %d of %d nodes", ErrInvalid, i, c, n)
			}
			if parent[c] >= 0 {
				return nil, fmt.Errorf("%w: node %d is a child of node %d and of node %d", ErrInvalid, c, parent[c], i)
			}
			parent[c] = i
		}
	}
	roots, err := sceneRoots(doc, parent)
	if err != nil {
		return nil, err
	}
	h := &hierarchy{world: make([]mgl64.Mat4, n)}
	done := make([]bool, n)
	visit := func(root int, keep bool) error {
		for stack := []int{root}; len(stack) > 0; {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			local, err := localMatrix(doc.Nodes[i])
			if err != nil {
				return fmt.Errorf("node %d %q: %w", i, doc.Nodes[i].Name, err)
			}
			h.world[i] = local
			if parent[i] >= 0 {
				h.world[i] = h.world[parent[i]].Mul4(local)
			}
			done[i] = true
			if keep {
				h.order = append(h.order, i)
			}
			for k := len(doc.Nodes[i].Children) - 1; k >= 0; k-- {
				stack = append(stack, doc.Nodes[i].Children[k])
			}
		}
		return nil
	}
	for _, r := range roots {
		if err := visit(r, true); err != nil {
			return nil, err
		}
	}
	for i := range n {
		if parent[i] < 0 && !done[i] {
			if err := visit(i, false); err != nil {
				return nil, err
			}
		}
	}
	// With one parent each, what no root reaches is a ring.
	for i := range n {
		if !done[i] {
			return nil, fmt.Errorf("%w: node %d is its own ancestor", ErrInvalid, i)
		}
	}
	return h, nil
}

// sceneRoots returns the root nodes of the default scene, of the first scene
// where none is the default, or all roots where there are no scenes.
func sceneRoots(doc *gltf.Document, parent []int) ([]int, error) {
	if len(doc.Scenes) == 0 {
		var roots []int
		for i, p := range parent {
			if p < 0 {
				roots = append(roots, i)
			}
		}
		return roots, nil
	}
	k := 0
	if doc.Scene != nil {
		k = *doc.Scene
	}
	if k < 0 || k >= len(doc.Scenes) {
		return nil, fmt.Errorf("%w: default scene %d of %d", ErrInvalid, k, len(doc.Scenes))
	}
	seen := map[int]bool{}
	for _, r := range doc.Scenes[k].Nodes {
		switch {
		case r < 0 || r >= len(parent):
			return nil, fmt.Errorf("%w: scene %d: node %d of %d", ErrInvalid, k, r, len(parent))
		case parent[r] >= 0:
			return nil, fmt.Errorf("%w: scene %d: node %d is not a root, it is a child of node %d", ErrInvalid, k, r, parent[r])
		case seen[r]:
			return nil, fmt.Errorf("%w: scene %d names node %d twice", ErrInvalid, k, r)
		}
		seen[r] = true
	}
	return doc.Scenes[k].Nodes, nil
}

// localMatrix is a node's own transform.
func localMatrix(n *gltf.Node) (mgl64.Mat4, error) {
	if m := mgl64.Mat4(n.MatrixOrDefault()); m != mgl64.Ident4() {
		const tolerance = 1e-5
		if math.Abs(m[3]) > tolerance || math.Abs(m[7]) > tolerance || math.Abs(m[11]) > tolerance || math.Abs(m[15]-1) > tolerance {
			return m, fmt.Errorf("%w: matrix is not affine: bottom row %g %g %g %g", ErrInvalid, m[3], m[7], m[11], m[15])
		}
		m[3], m[7], m[11], m[15] = 0, 0, 0, 1
		return m, nil
	}
	q := mgl64.Quat{V: mgl64.Vec3{n.Rotation[0], n.Rotation[1], n.Rotation[2]}, W: n.Rotation[3]}
	if q.Len() == 0 {
		q = mgl64.QuatIdent()
	}
	t, s := n.Translation, n.Scale
	return mgl64.Translate3D(t[0], t[1], t[2]).Mul4(q.Normalize().Mat4()).Mul4(mgl64.Scale3D(s[0], s[1], s[2])), nil
}

// narrow converts to single precision and refuses what does not fit.
func narrow(m mgl64.Mat4) (mgl32.Mat4, error) {
	var r mgl32.Mat4
	for i, x := range m {
		r[i] = float32(x)
		if !isFinite(r[i]) {
			return r, fmt.Errorf("%w: the world transform overflows", ErrInvalid)
		}
	}
	r[3], r[7], r[11], r[15] = 0, 0, 0, 1
	return r, nil
}

// unit64 normalises, or returns the fallback for what has no direction.
func unit64(v, fallback mgl64.Vec3) mgl32.Vec3 {
	// Scaled first: the square of a tiny length underflows.
	m := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	if !(m > 0) || math.IsInf(m, 0) {
		v, m = fallback, 1
	}
	v = v.Mul(1 / m).Normalize()
	return mgl32.Vec3{float32(v[0]), float32(v[1]), float32(v[2])}
}
