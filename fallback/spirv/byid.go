package spirv

// byID is a table of values by id. Ids are dense: it keeps pages, which are made where an id is set, and needs no hashing. Ids
// above the bound that modules may have, which only broken ones use, lie in a map.
type byID[T any] struct {
	pages []*[idPage]T
	rest  map[ID]T
}

// idPage is how many ids a page holds.
const idPage = 256

// get returns the value of an id, the zero value if none was set.
func (t *byID[T]) get(id ID) (v T) {
	if page := int(id / idPage); page < len(t.pages) {
		if p := t.pages[page]; p != nil {
			v = p[id%idPage]
		}
		return v
	}
	return t.rest[id]
}

// at returns where to set the value of an id of at most maxBound.
func (t *byID[T]) at(id ID) *T {
	page := int(id / idPage)
	for page >= len(t.pages) {
		t.pages = append(t.pages, nil)
	}
	if t.pages[page] == nil {
		t.pages[page] = new([idPage]T)
	}
	return &t.pages[page][id%idPage]
}

// set gives an id a value.
func (t *byID[T]) set(id ID, v T) {
	if id <= maxBound {
		*t.at(id) = v
		return
	}
	if t.rest == nil {
		t.rest = map[ID]T{}
	}
	t.rest[id] = v
}
