package assets

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/go-gl/mathgl/mgl32"
)

// builtin describes one built-in scene.
type builtin struct {
	name, about string
	// count, least and most are for the N of "name:N"; zero takes none.
	count, least, most int
	make               func(ctx context.Context, n int) (*Scene, error)
}

func builtins() []builtin {
	return []builtin{
		{name: "cornell", about: "a Cornell box with an area light", make: cornell},
		{name: "field", about: "N instances of a bumped sphere of 1,280 triangles",
			count: 100_000, least: 1, most: 1 << 24, make: field}, // 24 bits of custom index
		{name: "terrain", about: "a landscape of about N triangles",
			count: 200_000, least: 2, most: 1 << 29, make: terrain},
	}
}

// BuiltinInfo describes a built-in scene for a help text.
type BuiltinInfo struct {
	Name  string // as Builtin takes it, without ":N"
	Usage string // "name" or "name:N"
	About string
	Count int // N where it is left out; 0 without N
}

// Builtins lists the built-in scenes by name.
func Builtins() []BuiltinInfo {
	var list []BuiltinInfo
	for _, b := range builtins() {
		info := BuiltinInfo{Name: b.name, Usage: b.name, About: b.about, Count: b.count}
		if b.count > 0 {
			info.Usage += ":N"
		}
		list = append(list, info)
	}
	return list
}

// Builtin makes a built-in scene: "cornell", "terrain", "terrain:N", "field"
// or "field:N". The same name gives the same scene, bit for bit, on any number
// of processors of one architecture.
func Builtin(name string) (*Scene, error) {
	return BuiltinContext(context.Background(), name)
}

// BuiltinContext is Builtin for callers that may want to stop it.
func BuiltinContext(ctx context.Context, name string) (*Scene, error) {
	base, arg, hasArg := strings.Cut(name, ":")
	for _, b := range builtins() {
		if b.name != base {
			continue
		}
		n := b.count
		if hasArg {
			var err error
			n, err = strconv.Atoi(strings.ReplaceAll(arg, "_", ""))
			if b.count == 0 {
				return nil, fmt.Errorf("%w %q: %s takes no number", ErrUnknownBuiltin, name, b.name)
			}
			if err != nil || n < b.least || n > b.most {
				return nil, fmt.Errorf("%w %q: N is a number from %d to %d", ErrUnknownBuiltin, name, b.least, b.most)
			}
		}
		s, err := b.make(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("built-in scene %q: %w", name, err)
		}
		s.Name = BuiltinPrefix + name
		return s, nil
	}
	var have []string
	for _, b := range Builtins() {
		have = append(have, b.Usage)
	}
	return nil, fmt.Errorf("%w %q: there are %s", ErrUnknownBuiltin, name, strings.Join(have, ", "))
}

// parallel calls work for parts of 0 to n on all processors, until the context
// is cancelled. The parts are disjoint and what they compute must not depend
// on how they are cut.
func parallel(ctx context.Context, n int, work func(from, to int)) error {
	const parts = 64
	step := (n + parts - 1) / parts
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for from := range next {
				if ctx.Err() == nil {
					work(from, min(n, from+step))
				}
			}
		})
	}
	for from := 0; from < n; from += step {
		next <- from
	}
	close(next)
	wg.Wait()
	return ctx.Err()
}

// lookAt is a perspective camera.
func lookAt(name string, from, to mgl32.Vec3, fov float32) Camera {
	f := to.Sub(from).Normalize()
	r := f.Cross(mgl32.Vec3{0, 1, 0}).Normalize()
	return Camera{Name: name, Position: from, Target: to, Up: r.Cross(f), YFov: fov, ZNear: to.Sub(from).Len() * 1e-3}
}

// matte is a rough dielectric.
func matte(name string, r, g, b float32) Material {
	m := DefaultMaterial()
	m.Name, m.BaseColor, m.Metallic = name, mgl32.Vec4{r, g, b, 1}, 0
	return m
}

// metal is a conductor.
func metal(name string, r, g, b, roughness float32) Material {
	m := matte(name, r, g, b)
	m.Metallic, m.Roughness = 1, roughness
	return m
}
