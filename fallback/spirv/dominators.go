package spirv

// dominators computes IDom as Lengauer and Tarjan do, "A Fast Algorithm for
// Finding Dominators in a Flowgraph" (1979), in the variant with path
// compression: time is O(edges * log blocks) for any graph, also those that no
// compiler makes. Blocks go by their number in a depth-first walk here.
func (c *CFG) dominators() {
	d := domTree{number: make([]int, len(c.Succs))}
	for i := range d.number {
		d.number[i] = -1
	}
	d.walk(c)
	n := len(d.block)
	d.semi, d.label, d.ancestor, d.idom = make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	bucket := make([][]int, n) // blocks by semidominator
	for v := range n {
		d.semi[v], d.label[v], d.ancestor[v] = v, v, -1
	}
	for w := n - 1; w > 0; w-- {
		if c.ended() {
			return
		}
		for _, p := range c.Preds[d.block[w]] {
			if v := d.number[p]; v >= 0 {
				d.semi[w] = min(d.semi[w], d.semi[d.eval(v)])
			}
		}
		bucket[d.semi[w]] = append(bucket[d.semi[w]], w)
		parent := d.parent[w]
		d.ancestor[w] = parent
		for _, v := range bucket[parent] {
			d.idom[v] = parent
			if u := d.eval(v); d.semi[u] < d.semi[v] {
				d.idom[v] = u
			}
		}
		bucket[parent] = nil
	}
	for w := 1; w < n; w++ {
		if d.idom[w] != d.semi[w] {
			d.idom[w] = d.idom[d.idom[w]]
		}
	}
	for w, b := range d.block {
		c.IDom[b] = d.block[d.idom[w]]
	}
}

// domTree is the state of dominators. All but number go by number.
type domTree struct {
	number          []int // of each block, -1 for those that cannot be reached
	block           []int
	parent          []int // in the depth-first walk
	semi, idom      []int
	label, ancestor []int // the forest of blocks done so far, -1 for roots
	path            []int // scratch of eval
}

// walk numbers the blocks in preorder.
func (d *domTree) walk(c *CFG) {
	type frame struct{ block, next int }
	visit := func(b, parent int) {
		d.number[b] = len(d.block)
		d.block, d.parent = append(d.block, b), append(d.parent, parent)
	}
	visit(0, 0)
	stack := []frame{{0, 0}}
	for len(stack) > 0 && !c.ended() {
		top := &stack[len(stack)-1]
		if top.next == len(c.Succs[top.block]) {
			stack = stack[:len(stack)-1]
			continue
		}
		t := c.Succs[top.block][top.next]
		top.next++
		if d.number[t] < 0 {
			visit(t, d.number[top.block])
			stack = append(stack, frame{t, 0})
		}
	}
}

// eval returns, of the blocks from v up to its root in the forest, the root not
// counted, one whose semidominator is least, and shortens the way.
func (d *domTree) eval(v int) int {
	if d.ancestor[v] < 0 {
		return d.label[v]
	}
	d.path = d.path[:0]
	for u := v; d.ancestor[d.ancestor[u]] >= 0; u = d.ancestor[u] {
		d.path = append(d.path, u)
	}
	for i := len(d.path) - 1; i >= 0; i-- {
		u := d.path[i]
		a := d.ancestor[u]
		if d.semi[d.label[a]] < d.semi[d.label[u]] {
			d.label[u] = d.label[a]
		}
		d.ancestor[u] = d.ancestor[a]
	}
	return d.label[v]
}
