package bench

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/everray/everray/cmd/viewer/internal/diverge"
	"github.com/everray/everray/engine"
)

// The native way has its rows beside those of each form by compute, in the table and in JSON; what failed says why.
func TestPipelinesOfBothWays(t *testing.T) {
	p := &pipelinesBench{}
	kind := diverge.Many(16, true, 0)
	for _, backend := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		for _, what := range []string{madeCold, madeCached, madeLibrary, madeFrom, madeMore} {
			s := p.series(what, backend, engine.FormAuto, kind)
			s.MakeMS, s.FirstMS = 12.5, 3.25
			p.add(s, nil)
		}
	}
	if p.add(p.series(madeCold, engine.BackendCompute, engine.FormMonolithic, kind), errors.New("not\nso")) {
		t.Error("an error counts as a row")
	}
	var table strings.Builder
	p.report.print(&table)
	for _, want := range []string{
		"16\ttrue\tnative\t-\tcold\t12.5\t", "16\ttrue\tnative\t-\tcached\t", "16\ttrue\tnative\t-\tlibrary\t",
		"16\ttrue\tnative\t-\tof library\t", "16\ttrue\tnative\t-\tlibrary + 1\t12.5\t0.0\t0.0\t3.2\n",
		"16\ttrue\tcompute\tauto\tcold\t", "16\ttrue\tcompute\tmonolithic\tcold\tnot",
	} {
		if !strings.Contains(table.String(), "\n"+want) {
			t.Errorf("no row %q in\n%s", want, table.String())
		}
	}
	text, err := json.Marshal(p.report)
	if err != nil {
		t.Fatal(err)
	}
	var read struct{ Series []map[string]any }
	if err := json.Unmarshal(text, &read); err != nil || len(read.Series) != 11 {
		t.Fatalf("%v: %s", err, text)
	}
	native := read.Series[4]
	if native["backend"] != "native" || native["what"] != madeMore || native["make_ms"] != 12.5 || native["form"] != nil {
		t.Errorf("%v", native)
	}
}
