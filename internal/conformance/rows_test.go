package conformance

import (
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// poison is what TestConformance fills results with.
const poison = poisoned

// TestRows checks the table itself: rows have names of their own, cite a rule, expect a word for each that they get, and
// do not accept a result that nobody wrote.
func TestRows(t *testing.T) {
	rows := All()
	names, compared := map[string]bool{}, 0
	for _, r := range rows {
		name := r.Program.Name + "/" + r.Name
		if names[name] {
			t.Errorf("%s is there twice", name)
		}
		names[name] = true
		if r.Rule == "" {
			t.Errorf("%s cites no rule", name)
		}
		width, height, depth := r.Size()
		n := r.Program.Words * int(width*height*depth)
		if n == 0 {
			continue // a launch of nothing
		}
		if r.Want != nil && len(r.Want) != n {
			t.Errorf("%s expects %d words of %d", name, len(r.Want), n)
		}
		if len(r.Rays) > 0 && len(r.Rays) != int(width*height*depth) {
			t.Errorf("%s has %d rays for %d launch indices", name, len(r.Rays), width*height*depth)
		}
		if r.Compared() {
			compared++
		} else if r.Judge(slices.Repeat([]uint32{poison}, n)) == nil {
			t.Errorf("%s accepts a result that was not written", name)
		}
		checkTable(t, name, &r)
	}
	if limit := len(rows) / 50; compared > limit {
		t.Errorf("%d of %d rows expect nothing, at most %d may", compared, len(rows), limit)
	}
	t.Logf("%d rows", len(rows))
}

// checkTable checks that a row's rays find their records.
func checkTable(t *testing.T, name string, r *Row) {
	if r.Raygen >= len(r.Table.Raygen) {
		t.Errorf("%s runs raygen record %d of %d", name, r.Raygen, len(r.Table.Raygen))
	}
	for _, g := range r.Program.Groups {
		if g.Kind == engine.General && g.General == engine.Unused {
			t.Errorf("%s: a general group without shader", name)
		}
	}
}

// TestOutcome spells out some entries of the precedence that rows are generated from.
func TestOutcome(t *testing.T) {
	for _, tt := range []struct {
		name           string
		geometry       bool
		instance       uint8
		ray            uint32
		opaque, culled bool
	}{
		{"geometry decides", true, 0, 0, true, false},
		{"instance overrides geometry", true, 8, 0, false, false},
		{"ray overrides instance", false, 4, 2, false, false},
		{"ray overrides geometry", false, 0, 1, true, false},
		{"culled by the instance's opacity", false, 4, 64, true, true},
		{"not culled once the instance says otherwise", true, 8, 64, false, false},
		{"culled for not being opaque", true, 8, 128, false, true},
	} {
		opaque, culled := outcome(tt.geometry, vk.InstanceFlags(tt.instance), tt.ray)
		if opaque != tt.opaque || culled != tt.culled {
			t.Errorf("%s: opaque %v, culled %v", tt.name, opaque, culled)
		}
	}
}

// TestJudge checks that each kind of word tells right from wrong.
func TestJudge(t *testing.T) {
	r := Row{Program: newProgram("test", 3, "first"), Want: []Word{U(5), F(1), Any()}}
	for _, tt := range []struct {
		got  []uint32
		want string
	}{
		{[]uint32{5, 0x3F800001, 9}, ""},
		{[]uint32{6, 0x3F800000, 9}, "word 0 (first): got 0x6, want 0x5"},
		{[]uint32{5, 0x3F801000, 9}, "word 1 (no name)"},
		{[]uint32{5, 0x7FC00000, 9}, "NaN"},
		{[]uint32{5}, "1 words, want 3"},
	} {
		err := r.Judge(tt.got)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%#x: %v, want %q", tt.got, err, tt.want)
		}
	}
}

func TestDifferences(t *testing.T) {
	p := newProgram("test", 1)
	why := map[Driver]Difference{Lavapipe25: {Reason: "it is wrong"}}
	text := Differences([]Row{{Name: "a", Program: p, NativeDiffers: why}, {Name: "b", Program: p, NativeDiffers: why},
		{Name: "c", Program: p}})
	if want := "| " + string(Lavapipe25) + " native | it is wrong | `test/a` and 1 more |\n"; !strings.HasSuffix(text, want) {
		t.Errorf("got %q, want a line %q", text, want)
	}
	q := newProgram("deadly", 1)
	q.Fatal = []FatalForm{{SwiftShader, "blocks", "it dies"}}
	text = Differences([]Row{{Name: "a", Program: q}, {Name: "b", Program: q}})
	if want := "| SwiftShader blocks | it dies | `deadly` |\n"; !strings.HasSuffix(text, want) {
		t.Errorf("got %q, want a line %q", text, want)
	}
	for _, tt := range []struct{ driver, way, want string }{
		{"SwiftShader driver", "blocks", "it dies"}, {"SwiftShader driver", "compute", ""}, {"llvmpipe", "blocks", ""},
	} {
		if got := q.FatalOn(tt.driver, "", tt.way); got != tt.want {
			t.Errorf("%s, %s: %q, want %q", tt.driver, tt.way, got, tt.want)
		}
	}
	r := Row{Program: p, NativeDiffers: why}
	if _, ok := r.DifferenceOn("llvmpipe", "Mesa 25.0.7-2 (LLVM 15)"); !ok {
		t.Error("the driver is not recognised")
	}
	if _, ok := r.DifferenceOn("llvmpipe", "Mesa 25.1.0"); ok {
		t.Error("another version is taken for the one that differs")
	}
}
