package pipelinetest_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/conformance"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/vk"
)

// conformanceWays are the ways in which every row runs.
var conformanceWays = []struct {
	name    string
	backend engine.Backend
	// form is the form of linking. One that is forced may refuse a pipeline by ErrUnsupported.
	form engine.LinkForm
}{
	{name: "native", backend: engine.BackendNative},
	{name: "compute", backend: engine.BackendCompute},
	{name: "monolithic", backend: engine.BackendCompute, form: engine.FormMonolithic},
	{name: "megakernel", backend: engine.BackendCompute, form: engine.FormMegakernel},
	{name: "blocks", backend: engine.BackendCompute, form: engine.FormBlocks},
	{name: "wavefront", backend: engine.BackendCompute, form: engine.FormWavefront},
	{name: "sorted", backend: engine.BackendCompute, form: engine.FormSorted},
	{name: "suspended", backend: engine.BackendCompute, form: engine.FormSuspended},
}

// sweep tells whether tests leave nothing out: with EVERRAY_SWEEP set, as before a release.
func sweep() bool { return os.Getenv("EVERRAY_SWEEP") != "" }

// waysVariable names the environment variable that picks some of the ways, by their names with commas between: for a driver
// that does not come back from one of them, or has no ray tracing of its own.
const waysVariable = "EVERRAY_CONFORMANCE_WAYS"

// chosenWay tells whether a way is to run. No device is opened for one that is not.
func chosenWay(name string) bool {
	list := os.Getenv(waysVariable)
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// TestConformance runs every row of the conformance table natively and by compute and compares each result with what the
// specification says, and rows that it leaves open with each other. Rows known to differ natively must differ.
func TestConformance(t *testing.T) {
	rigs := conformanceRigs{ways: map[engine.Backend]*conformanceRig{}}
	for _, w := range conformanceWays {
		if chosenWay(w.name) && rigs.ways[w.backend] == nil {
			rigs.ways[w.backend] = openConformance(t, w.backend, nil)
		}
	}
	rows, programs := conformance.All(), 0
	for len(rows) > 0 {
		program := rows[0].Program
		n := slices.IndexFunc(rows, func(r conformance.Row) bool { return r.Program != program })
		if n < 0 {
			n = len(rows)
		}
		// What drivers take to compile is nearly all of the time: the forced forms of every fourth program are enough for each change.
		programs++
		t.Run(program.Name, func(t *testing.T) { rigs.runProgram(t, program, rows[:n], sweep() || programs%4 == 0) })
		rows = rows[n:]
	}
}

// conformanceRigs are those of both ways.
type conformanceRigs struct {
	ways map[engine.Backend]*conformanceRig
	glsl glsltest.Compiler
}

// runProgram links the program in every way and runs its rows.
func (c *conformanceRigs) runProgram(t *testing.T, program *conformance.Program, rows []conformance.Row, forms bool) {
	if compute := c.ways[engine.BackendCompute]; compute != nil {
		if why := compute.lacks(program.Feature); why != "" {
			t.Skip(why)
		}
	}
	stages := compileProgram(t, &c.glsl, program)
	var runs []*conformanceRun
	chosen := engine.FormAuto
	for _, w := range conformanceWays {
		if !chosenWay(w.name) {
			continue
		}
		rig, forced := c.ways[w.backend], w.form != engine.FormAuto
		if why := rig.lacks(program.Feature); why != "" {
			t.Logf("%s: %s", w.name, why)
			continue
		}
		if forced && (!forms || w.form == chosen) {
			continue // the automatic choice has shown it already
		}
		if why := rig.fatal(program, w.name); why != "" {
			t.Logf("%s: not made: %s", w.name, why)
			continue
		}
		run, err := rig.link(t, program, stages, w.form)
		switch {
		case err == nil:
			run.way = w.name
			if w.backend == engine.BackendCompute && !forced {
				chosen = run.pipeline.Stats().Form
				run.way = fmt.Sprintf("%s (%v)", w.name, chosen)
			}
			runs = append(runs, run)
			defer run.pipeline.Destroy()
		case forced && errors.Is(err, engine.ErrUnsupported):
			t.Logf("%s: %v", w.name, err)
		default:
			t.Errorf("%s: %v", w.name, err)
		}
	}
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) { runRow(t, runs, &row) })
	}
	for _, r := range runs {
		t.Logf("%s: %d rows in %v", r.way, len(rows), r.took.Round(time.Millisecond))
	}
}

// runRow runs one row in all ways.
func runRow(t *testing.T, runs []*conformanceRun, row *conformance.Row) {
	results := map[string][]uint32{}
	for _, r := range runs {
		known, differs := r.rig.difference(row)
		if differs && known.Fatal || !r.rig.can(row.Command) {
			continue
		}
		start := time.Now()
		got, err := r.trace(t, row)
		r.took += time.Since(start)
		if err != nil {
			t.Errorf("%s: %v", r.way, err)
			continue
		}
		if row.Compared() {
			results[r.way] = got
			continue
		}
		err = row.Judge(got)
		switch {
		case err != nil && !differs:
			t.Errorf("%s: %v", r.way, err)
		case err == nil && differs:
			t.Errorf("%s: agrees with the specification although it is known not to (%s): take the row's NativeDiffers away", r.way,
				known.Reason)
		}
	}
	compareWays(t, results)
	if t.Failed() {
		t.Logf("rule: %s", row.Rule)
	}
}

// compareWays wants all ways to agree.
func compareWays(t *testing.T, results map[string][]uint32) {
	first := ""
	for _, way := range slices.Sorted(maps.Keys(results)) {
		if first == "" {
			first = way
		} else if !slices.Equal(results[first], results[way]) {
			t.Errorf("%s: %#x, %s: %#x", first, results[first], way, results[way])
		}
	}
}

// TestConformanceDifferences prints the table of known differences for ARCHITECTURE.md.
func TestConformanceDifferences(t *testing.T) {
	t.Log("\n" + conformance.Differences(conformance.All()))
}

func (r *conformanceRig) difference(row *conformance.Row) (conformance.Difference, bool) {
	if r.dev.Backend() != engine.BackendNative {
		return conformance.Difference{}, false
	}
	p := r.dev.VK().Physical()
	return row.DifferenceOn(p.DriverName, p.DriverInfo)
}

// fatal says why the driver cannot be asked for the program's pipeline.
func (r *conformanceRig) fatal(program *conformance.Program, way string) string {
	p := r.dev.VK().Physical()
	return program.FatalOn(p.DriverName, p.DriverInfo, way)
}

// lacks says why the device cannot run programs that need a feature.
func (r *conformanceRig) lacks(f conformance.Feature) string {
	have := r.dev.VK().Features()
	switch {
	case f == conformance.WideTypes && !(have.Int64 && have.Int16 && have.Int8 && have.Float64 && have.Float16 &&
		have.StorageBuffer16Bit && have.StorageBuffer8Bit):
		return "the device lacks 8-, 16- or 64-bit types"
	case f == conformance.PositionFetch && r.dev.Backend() == engine.BackendNative && !have.PositionFetch:
		return "the driver lacks VK_KHR_ray_tracing_position_fetch"
	case f == conformance.HitObjectsNV && r.dev.Backend() == engine.BackendNative && !have.InvocationReorderNV:
		return "the driver lacks VK_NV_ray_tracing_invocation_reorder"
	case f == conformance.HitObjectsEXT && r.dev.Backend() == engine.BackendNative && !have.InvocationReorderEXT:
		return "the driver lacks VK_EXT_ray_tracing_invocation_reorder"
	}
	return ""
}

// can reports whether the way has a kind of command.
func (r *conformanceRig) can(c conformance.Command) bool {
	limits := r.dev.Limits()
	switch c {
	case conformance.Indirect:
		return limits.TraceRaysIndirect
	case conformance.IndirectTable, conformance.StridesZero:
		return limits.TraceRaysIndirect2
	}
	return true
}

// openConformance opens a device and the buffers that all rows use.
func openConformance(t *testing.T, way engine.Backend, restrict func(*vk.PhysicalDevice)) *conformanceRig {
	t.Helper()
	dev, err := openWay(t, way, restrict)
	if err != nil {
		missingWay(t, way, err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	r, err := newConformanceRig(t, dev)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
