package main

import (
	"fmt"
	"slices"
	"strings"
)

const native, compute = "native", "compute"

// table is a Markdown table in the making.
type table struct{ strings.Builder }

func newTable(before string, columns ...string) *table {
	t := &table{}
	if before != "" {
		t.WriteString(before + "\n\n")
	}
	t.row(columns...)
	t.row(slices.Repeat([]string{"---"}, len(columns))...)
	return t
}

func (t *table) row(cells ...string) { t.WriteString("| " + strings.Join(cells, " | ") + " |\n") }

// setNames are ray sets in words.
func setName(set string) string {
	if set == "ao" {
		return "ambient occlusion"
	}
	return set
}

// raysTable has a row for each scene and a column for each ray set: native, compute, and their ratio.
func raysTable(r *result) (string, error) {
	if len(r.Scenes) == 0 || len(r.Scenes[0].Ways) == 0 || len(r.Scenes[0].Series) == 0 {
		return "", fmt.Errorf("%w: no rays were measured", errResult)
	}
	first := r.Scenes[0]
	var sets []string
	for _, s := range first.Series {
		if !slices.Contains(sets, s.Set) {
			sets = append(sets, s.Set)
		}
	}
	columns := []string{"scene"}
	for _, set := range sets {
		columns = append(columns, setName(set))
	}
	t := newTable(fmt.Sprintf("Mrays/s on %s (%s): native, compute, ratio. Medians of %d launches of %dx%d rays, both ways in turn "+
		"in one run.",
		first.Ways[0].Device, first.Ways[0].Driver, len(first.Series[0].Launches), first.Width, first.Height), columns...)
	for _, scene := range r.Scenes {
		cells := []string{sceneName(scene.Scene, scene.Triangles, scene.Instances)}
		for _, set := range sets {
			n, c := speedOf(scene.Series, set, native), speedOf(scene.Series, set, compute)
			if n == 0 || c == 0 {
				return "", fmt.Errorf("%w: %s rays of %s by both ways", errResult, set, scene.Scene)
			}
			cells = append(cells, fmt.Sprintf("%s %s **%.2f**", grouped(n), grouped(c), c/n))
		}
		t.row(cells...)
	}
	return t.String() + means(r, sets), nil
}

// means are the last rows of raysTable: geometric means as bench made them, without instances if it did.
func means(r *result, sets []string) string {
	rows := &table{}
	var over []string
	for _, m := range r.Means {
		if !slices.Contains(over, m.Over) {
			over = append(over, m.Over)
		}
	}
	for _, o := range over {
		cells := []string{"geometric mean, " + o}
		for _, set := range sets {
			cell := ""
			for _, m := range r.Means {
				if m.Over == o && m.Set == set && m.Backend == compute {
					cell = fmt.Sprintf("**%.2f**", m.Ratio)
				}
			}
			cells = append(cells, cell)
		}
		rows.row(cells...)
	}
	return rows.String()
}

func speedOf(list []series, set, backend string) float64 {
	for _, s := range list {
		if s.Set == set && s.Backend == backend {
			return s.Speed
		}
	}
	return 0
}

// buildsTable has a row for everything that was built with each set of flags.
func buildsTable(r *result) (string, error) {
	t := newTable("Milliseconds for a build and an update, native and compute.", "what", "flags", "build: native", "compute",
		"update: native", "compute")
	rows := 0
	for _, scene := range r.Builds {
		for _, n := range scene.Builds {
			if n.Backend != native {
				continue
			}
			at := slices.IndexFunc(scene.Builds, func(b build) bool {
				return b.Backend == compute && b.What == n.What &&
					b.Flags == n.Flags
			})
			if at < 0 || n.Build.Median == 0 {
				return "", fmt.Errorf("%w: builds of %s, %s, by both ways", errResult, n.What, n.Flags)
			}
			c := scene.Builds[at]
			what := n.What
			if strings.HasPrefix(what, "bottom level") {
				what = sceneName(scene.Scene, int(n.Primitives), 0)
			}
			t.row(what, n.Flags, milliseconds(&n.Build), milliseconds(&c.Build), milliseconds(n.Refit), milliseconds(c.Refit))
			rows++
		}
	}
	if rows == 0 {
		return "", fmt.Errorf("%w: no builds were measured", errResult)
	}
	return t.String(), nil
}

func milliseconds(t *timing) string {
	if t == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", t.Median)
}

// divergenceTable has a row for each scene: time by compute, linked automatically, over native.
func divergenceTable(r *result) (string, error) {
	var kinds []string
	for _, d := range r.Divergence {
		for _, s := range d.Series {
			if !slices.Contains(kinds, s.Shaders) {
				kinds = append(kinds, s.Shaders)
			}
		}
	}
	if len(kinds) == 0 {
		return "", fmt.Errorf("%w: no divergence was measured", errResult)
	}
	t := newTable("A path tracer with 16 hit shaders, time by compute over native (less is faster), by kinds of shaders.",
		append([]string{"scene"}, kinds...)...)
	for _, d := range r.Divergence {
		cells := []string{sceneName(d.Scene, d.Triangles, 0)}
		for _, kind := range kinds {
			cell := ""
			for _, s := range d.Series {
				if s.Shaders == kind && s.Backend == compute && s.Form == "auto" {
					cell = fmt.Sprintf("%.2f", s.Ratio)
				}
			}
			cells = append(cells, cell)
		}
		t.row(cells...)
	}
	return t.String(), nil
}

// launchesTable has a row for each launch.
func launchesTable(r *result) (string, error) {
	if len(r.Launches) == 0 {
		return "", fmt.Errorf("%w: no launches were measured", errResult)
	}
	t := newTable("Microseconds for a launch whose rays meet nothing, beside a dispatch that does nothing.", "rays", "native",
		"compute", "dispatch")
	for i, l := range r.Launches {
		if i > 0 && l.Rays == r.Launches[i-1].Rays && l.Width == r.Launches[i-1].Width {
			continue
		}
		what := grouped(float64(l.Rays))
		if l.Rays == 0 {
			what = fmt.Sprintf("none, %dx%d", l.Width, l.Height)
		}
		cells := []string{what}
		for _, backend := range []string{native, compute, "dispatch"} {
			cell := ""
			for _, o := range r.Launches {
				if o.Rays == l.Rays && o.Width == l.Width && o.Backend == backend {
					cell = fmt.Sprintf("%.1f", 1e3*o.Median)
				}
			}
			cells = append(cells, cell)
		}
		t.row(cells...)
	}
	return t.String(), nil
}

// summaryTable picks what README shows of builds and launches: of the scene from a file with the most triangles, of many meshes, of
// a top level, and the largest launches.
func summaryTable(r *result) (string, error) {
	device := "native"
	if len(r.Scenes) > 0 && len(r.Scenes[0].Ways) > 0 {
		device = r.Scenes[0].Ways[0].Device
	}
	t := newTable("", device, native, compute)
	rows := 0
	add := func(what, flags string, list []build, update bool) {
		var times [2]*timing
		for i, backend := range []string{native, compute} {
			for k := range list {
				if b := &list[k]; b.Backend == backend && b.Flags == flags {
					times[i] = &b.Build
					if update {
						times[i] = b.Refit
					}
				}
			}
		}
		if times[0] != nil && times[1] != nil {
			t.row(what, milliseconds(times[0])+" ms", milliseconds(times[1])+" ms")
			rows++
		}
	}
	if name, list := largest(r); len(list) > 0 {
		add("a build of "+name+", PREFER_FAST_TRACE", "fast-trace", list, false)
		add("a build of "+name+", PREFER_FAST_BUILD", "fast-build", list, false)
		add("an update of "+name+", no preference", "default+update", list, true)
		add("an update of "+name+", PREFER_FAST_TRACE", "fast-trace+update", list, true)
	}
	for _, scene := range r.Builds {
		for _, b := range scene.Builds {
			same := slices.DeleteFunc(slices.Clone(scene.Builds), func(o build) bool { return o.What != b.What })
			switch {
			case b.Backend != native:
			case strings.HasSuffix(b.What, " meshes") && b.Flags == "fast-build":
				add(b.What+" of 1,280 triangles, PREFER_FAST_BUILD", b.Flags, same, false)
			case strings.HasPrefix(b.What, "top level") && b.Flags == "fast-trace":
				add("a "+b.What+", PREFER_FAST_TRACE", b.Flags, same, false)
			}
		}
	}
	if rows == 0 {
		return "", fmt.Errorf("%w: no builds by both ways", errResult)
	}
	return t.String(), nil
}

// largest returns the builds of the scene from a file with the most triangles; of any scene if none is from a file.
func largest(r *result) (name string, list []build) {
	most := uint64(0)
	for _, builtin := range []bool{false, true} {
		for _, scene := range r.Builds {
			if len(scene.Builds) == 0 || strings.HasPrefix(scene.Scene, "builtin:") != builtin {
				continue
			}
			if b := scene.Builds[0]; strings.HasPrefix(b.What, "bottom level") && b.Primitives > most {
				most, name, list = b.Primitives, sceneName(scene.Scene, int(b.Primitives), 0), scene.Builds
			}
		}
		if list != nil {
			break
		}
	}
	return name, list
}
