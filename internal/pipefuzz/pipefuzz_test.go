package pipefuzz

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
)

func TestGenerateIsDeterministic(t *testing.T) {
	for seed := range uint64(50) {
		o := Options{Features: All, Size: 8}
		if !reflect.DeepEqual(Generate(seed, o), Generate(seed, o)) {
			t.Fatalf("seed %d: two runs differ", seed)
		}
	}
}

// TestGeneratedShadersAreValid compiles pipelines, also with one feature less each, and runs spirv-val.
func TestGeneratedShadersAreValid(t *testing.T) {
	glsltest.Compile(t, "comp", "#version 460\nvoid main() {}\n") // skips where the tool is absent
	check := func(seed uint64, o Options) {
		t.Helper()
		p := Generate(seed, o)
		dir := t.TempDir()
		code, err := p.CompilePlain(t.Context(), dir)
		if err == nil && p.HitObjects { // which spirv-val of today does not know
			checkHitObjects(t, p)
		}
		if err != nil {
			for i, s := range p.Shaders {
				_ = os.WriteFile(filepath.Join(os.TempDir(), "pipefuzz-"+string(rune('a'+i))+"."+s.Stage), []byte(s.Source), 0o600)
			}
			t.Fatalf("%v\nfeatures without: %v", err, All&^o.Features)
		}
		for _, c := range code {
			glsltest.Validate(t, c)
		}
	}
	for seed := range uint64(4) {
		check(seed, Options{Features: All, Size: 8})
	}
	for i, f := range All.Each() {
		check(uint64(100+i), Options{Features: All &^ f, Size: 1})
	}
}

// checkHitObjects compiles a pipeline with its hit objects.
func checkHitObjects(t *testing.T, p *Pipeline) {
	t.Helper()
	code, err := p.Compile(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for i, c := range code {
		m, err := spirv.Decode(c)
		if err == nil {
			err = spirv.Verify(m)
		}
		if err != nil {
			t.Errorf("seed %d, shader %d: %v", p.Seed, i, err)
			continue
		}
		found = found || m.HasCapability(spirv.CapabilityShaderInvocationReorderEXT)
	}
	if !found {
		t.Errorf("seed %d: no shader has hit objects", p.Seed)
	}
}

// TestDropKeepsTheRest leaves out single statements: the number of statements stays, and shaders stay valid.
func TestDropKeepsTheRest(t *testing.T) {
	glsltest.Compile(t, "comp", "#version 460\nvoid main() {}\n")
	whole := Generate(7, Options{Features: All})
	for _, drop := range []map[int]bool{{0: true}, {whole.Statements / 2: true}, {1: true, 2: true, 3: true, 4: true, 5: true}} {
		p := Generate(7, Options{Features: All, Drop: drop})
		if p.Statements != whole.Statements {
			t.Errorf("dropping %v: %d statements, %d without", drop, p.Statements, whole.Statements)
		}
		if reflect.DeepEqual(p.Shaders, whole.Shaders) {
			t.Errorf("dropping %v changes nothing", drop)
		}
		if _, err := p.Compile(t.Context(), t.TempDir()); err != nil {
			t.Error(err)
		}
	}
}

// TestRaysKeepTheirDistance checks the promise of scene.go by brute force: no point that a ray can pass a plane at
// comes near an edge of a triangle.
func TestRaysKeepTheirDistance(t *testing.T) {
	b := Triangles()
	at := func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))) }
	for triangle := range 2 * PrimitivesPerGeometry {
		for k := range 3 {
			i, j := 9*triangle+3*k, 9*triangle+3*((k+1)%3)
			dx, dy := at(j)-at(i), at(j+1)-at(i+1)
			for px := range 2 * lattice {
				for py := range 2 * lattice {
					x, y := (float64(px)+0.5)/lattice-1, (float64(py)+0.5)/lattice-1
					if d := math.Abs(dx*(y-at(i+1))-dy*(x-at(i))) / math.Hypot(dx, dy); d < 1.0/200/lattice {
						t.Fatalf("triangle %d, edge %d: a ray passes at %g", triangle, k, d)
					}
				}
			}
		}
	}
}

// TestShrink looks for the one statement and the one feature that a made-up failure needs.
func TestShrink(t *testing.T) {
	const seed = 11
	o := Options{Features: All, Size: 8}
	needed := Generate(seed, Options{Features: Loops, Size: 1}).Statements - 1
	got := Shrink(seed, o, 1000, func(o Options) bool { return o.Features&Loops != 0 && !o.Drop[needed] })
	if got.Features != Loops || got.Size != 1 {
		t.Errorf("features %v, size %d", got.Features, got.Size)
	}
	if len(got.Drop) != needed || got.Drop[needed] {
		t.Errorf("dropped %d of %d statements", len(got.Drop), needed+1)
	}
	calls := 0
	Shrink(seed, o, 5, func(Options) bool { calls++; return true })
	if calls != 5 {
		t.Errorf("%d tries, want 5", calls)
	}
}

// TestProtocolMembersStay checks that random statements leave alone what the protocols between shaders own: fuel and
// depth are written by the lines that call, answers by verdicts, and any hit shaders change nothing else.
func TestProtocolMembersStay(t *testing.T) {
	assigned := regexp.MustCompile(`^\s*(\w+\.(?:fuel|depth|answers|sum|scratch))(?:\[[^=]*)? (?:[-+*^|]?=|\+\+|--)`)
	incoming := regexp.MustCompile(`^\s*pin\.\w+[^=(]* [-+*^|]?= |^\s*pin\.\w+(?:\+\+|--);`)
	for seed := range uint64(100) {
		for i, s := range Generate(seed, Options{Features: All, Size: 8}).Shaders {
			body, _, _ := strings.Cut(s.Source[strings.Index(s.Source, "void note("):], "void main()")
			for _, l := range strings.Split(body, "\n") {
				protocol := s.Stage == "rahit" && strings.HasPrefix(strings.TrimSpace(l), "pin.scratch = id;") ||
					s.Stage == "rahit" && strings.TrimSpace(l) == "pin.answers |= 1u;"
				if !protocol && (assigned.MatchString(l) || s.Stage == "rahit" && incoming.MatchString(l)) {
					t.Fatalf("seed %d, shader %d %s: %s", seed, i, s.Stage, l)
				}
			}
		}
	}
}
