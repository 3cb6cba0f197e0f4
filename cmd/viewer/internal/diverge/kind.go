package diverge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kind says which hit shaders there are.
type Kind struct {
	Name string
	// Shaders is their number: the geometries have one each, or share them in turn.
	Shaders int
	// Reorder has the ray generation shader use hit objects, and reorder before each is executed.
	Reorder bool
	// heavy tells which of them do much.
	heavy func(shader int) bool
	// AnyHit gives each a small closest hit shader, and has an any hit shader of its own be asked about each triangle, which refuses
	// half of them: it is these that do little or much.
	AnyHit bool
	// Shadows says that hit shaders trace a shadow ray each, and are light.
	Shadows bool
	// Salt, if not 0, makes shaders that no cache has seen with another one.
	Salt uint32
}

// Many is a kind of so many light shaders, with a shadow ray each or without.
func Many(shaders int, shadows bool, salt uint32) Kind {
	name := fmt.Sprintf("light%d", shaders)
	if shadows {
		name = fmt.Sprintf("shadow%d", shaders)
	}
	return Kind{Name: name, Shaders: shaders, heavy: func(int) bool { return false }, Shadows: shadows, Salt: salt}
}

// Kinds lists those of the project's measurements: light shaders give normal and colour, heavy ones compute besides.
func Kinds() []Kind {
	never, always := func(int) bool { return false }, func(int) bool { return true }
	half := func(shader int) bool { return shader%2 == 1 }
	return []Kind{
		{Name: "mixed16", Shaders: 16, heavy: half},
		{Name: "light16", Shaders: 16, heavy: never},
		{Name: "heavy16", Shaders: 16, heavy: always},
		{Name: "light1", Shaders: 1, heavy: never},
		{Name: "mixed64", Shaders: 64, heavy: half},
		{Name: "mixed200", Shaders: 200, heavy: half},
		{Name: "anymixed16", Shaders: 16, heavy: half, AnyHit: true},
		{Name: "anylight16", Shaders: 16, heavy: never, AnyHit: true},
		{Name: "anyheavy16", Shaders: 16, heavy: always, AnyHit: true},
		{Name: "anymixed64", Shaders: 64, heavy: half, AnyHit: true},
	}
}

// kindNames is what ParseKinds takes.
func kindNames() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// ErrUnknownKind is returned by ParseKinds.
var ErrUnknownKind = errors.New("unknown kind of hit shaders")

// ParseKinds reads a list of names; the order is kept, doubles are dropped.
func ParseKinds(names []string) ([]Kind, error) {
	all := Kinds()
	var out []Kind
	for _, name := range names {
		at := slices.IndexFunc(all, func(k Kind) bool { return k.Name == strings.ToLower(strings.TrimSpace(name)) })
		if at < 0 {
			return nil, fmt.Errorf("%w %q: want some of %s", ErrUnknownKind, name, kindNames())
		}
		if !slices.ContainsFunc(out, func(k Kind) bool { return k.Name == all[at].Name }) {
			out = append(out, all[at])
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: none named: want some of %s", ErrUnknownKind, kindNames())
	}
	return out, nil
}
