package sbt

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// lavapipe and a strict driver, both as real devices report them.
var (
	laxLimits    = Limits{HandleAlignment: 16, BaseAlignment: 32, MaxStride: 16384}
	strictLimits = DefaultLimits()
)

func handleOf(group int) ([]byte, error) {
	return bytes.Repeat([]byte{byte(group + 1)}, HandleSize), nil
}

func records(n, data int) []Record {
	out := make([]Record, n)
	for i := range out {
		out[i] = Record{Group: i, Data: bytes.Repeat([]byte{0xD0 + byte(i)}, data)}
	}
	return out
}

func TestPlanPlacesSections(t *testing.T) {
	tests := []struct {
		name       string
		layout     Layout
		limits     Limits
		offsets    [4]uint64 // of record 0, or of where the section would begin
		strides    [4]uint64
		size       uint64
		raygenSize uint64
	}{
		{"handles only", Layout{Raygen: records(1, 0), Miss: records(2, 0), Hit: records(3, 0)}, strictLimits,
			[4]uint64{0, 64, 128, 256}, [4]uint64{64, 32, 32, 32}, 256, 64},
		{"handles only, lax", Layout{Raygen: records(1, 0), Miss: records(2, 0), Hit: records(3, 0)}, laxLimits,
			[4]uint64{0, 32, 96, 192}, [4]uint64{32, 32, 32, 32}, 192, 32},
		{"data", Layout{Raygen: records(2, 40), Miss: records(1, 1), Hit: records(2, 32), Callable: records(1, 33)}, strictLimits,
			[4]uint64{0, 256, 320, 448}, [4]uint64{128, 64, 64, 96}, 544, 128},
		{"reserved data", Layout{Raygen: records(1, 0), Miss: records(1, 0), MissData: 100, Hit: records(1, 8), HitData: 4}, strictLimits,
			[4]uint64{0, 64, 256, 320}, [4]uint64{64, 160, 64, 32}, 320, 64},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := NewPlan(tt.layout, tt.limits)
			if err != nil {
				t.Fatal(err)
			}
			for s := range sectionCount {
				if got := p.extent[s].offset; got != tt.offsets[s] {
					t.Errorf("%v begins at %d, want %d", s, got, tt.offsets[s])
				}
				if got := p.Stride(s); got != tt.strides[s] {
					t.Errorf("%v stride %d, want %d", s, got, tt.strides[s])
				}
			}
			if p.Size() != tt.size {
				t.Errorf("size %d, want %d", p.Size(), tt.size)
			}
			r, err := p.Regions(1<<20, 0)
			if err != nil {
				t.Fatal(err)
			}
			if r.Raygen.Size != tt.raygenSize {
				t.Errorf("raygen region of %d bytes, want %d", r.Raygen.Size, tt.raygenSize)
			}
			for s, region := range map[Section]Region{Raygen: r.Raygen, Miss: r.Miss, Hit: r.Hit, Callable: r.Callable} {
				if err := CheckRegion(s, region, tt.limits); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestPlanRefuses(t *testing.T) {
	one := records(1, 0)
	tests := []struct {
		name   string
		layout Layout
		limits Limits
		want   string
	}{
		{"no raygen", Layout{Miss: one}, strictLimits, "no raygen record"},
		{"null raygen", Layout{Raygen: []Record{{Group: NullGroup}}}, strictLimits, "raygen record 0"},
		{"negative group", Layout{Raygen: one, Hit: []Record{{}, {Group: -2}}}, strictLimits, "hit record 1: group -2"},
		{"long data", Layout{Raygen: one, Callable: records(1, 4090)}, strictLimits, "callable stride"},
		{"endless data", Layout{Raygen: one, MissData: 1<<64 - 8}, strictLimits, "miss records hold"},
		{"zero limits", Layout{Raygen: one}, Limits{}, "handle alignment 0"},
		{"odd base", Layout{Raygen: one}, Limits{32, 48, 4096}, "base alignment 48"},
		{"no stride", Layout{Raygen: one}, Limits{32, 64, 16}, "maximal stride 16"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewPlan(tt.layout, tt.limits)
			if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want ErrInvalid with %q", err, tt.want)
			}
		})
	}
}

func TestEncode(t *testing.T) {
	layout := Layout{
		Raygen: records(1, 4),
		Miss:   []Record{{Group: 5, Data: []byte{1, 2}}, {Group: NullGroup, Data: []byte{3}}},
	}
	p, err := NewPlan(layout, strictLimits)
	if err != nil {
		t.Fatal(err)
	}
	table, err := p.Encode(layout, handleOf)
	if err != nil {
		t.Fatal(err)
	}
	if uint64(len(table)) != p.Size() {
		t.Fatalf("%d bytes, planned %d", len(table), p.Size())
	}
	for record, want := range [][]byte{
		append(bytes.Repeat([]byte{6}, HandleSize), 1, 2),
		append(make([]byte, HandleSize), 3),
	} {
		off, err := p.Offset(Miss, record)
		if err != nil {
			t.Fatal(err)
		}
		if got := table[off:][:len(want)]; !bytes.Equal(got, want) {
			t.Errorf("miss record %d is %v, want %v", record, got, want)
		}
	}

	other := Layout{Raygen: records(2, 4), Miss: layout.Miss}
	if _, err := p.Encode(other, handleOf); !errors.Is(err, ErrInvalid) {
		t.Errorf("layout with other counts: got %v", err)
	}
	broken := errors.New("broken")
	if _, err := p.Encode(layout, func(int) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("failing handle: got %v", err)
	}
	if _, err := p.Encode(layout, func(int) ([]byte, error) { return make([]byte, 16), nil }); !errors.Is(err, ErrInvalid) {
		t.Errorf("short handle: got %v", err)
	}
}

func TestOffsetsOutOfRange(t *testing.T) {
	p, err := NewPlan(Layout{Raygen: records(1, 0), Hit: records(2, 16)}, strictLimits)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		s      Section
		record int
	}{{Hit, 2}, {Hit, -1}, {Miss, 0}, {Section(9), 0}, {Section(-1), 0}} {
		if _, err := p.Offset(c.s, c.record); !errors.Is(err, ErrInvalid) {
			t.Errorf("offset of %v %d: got %v", c.s, c.record, err)
		}
	}
	for _, c := range []struct{ off, n uint64 }{{0, 33}, {33, 0}, {1, 1<<64 - 1}} {
		if _, err := p.DataRange(Hit, 0, c.off, c.n); !errors.Is(err, ErrInvalid) {
			t.Errorf("data %d+%d: got %v", c.off, c.n, err)
		}
	}
	if at, err := p.DataRange(Hit, 1, 4, 28); err != nil || at != 64+64+HandleSize+4 {
		t.Errorf("data of hit record 1: %d, %v", at, err)
	}
	if _, err := p.Regions(32, 0); !errors.Is(err, ErrInvalid) {
		t.Errorf("misaligned base: got %v", err)
	}
	if _, err := p.Regions(64, 1); !errors.Is(err, ErrInvalid) {
		t.Errorf("raygen record 1 of 1: got %v", err)
	}
}

// FuzzPlan checks that whatever NewPlan accepts obeys the rules for regions and keeps records apart.
func FuzzPlan(f *testing.F) {
	f.Add(uint8(1), uint8(2), uint8(3), uint8(0), uint16(0), uint16(16), uint8(5), uint8(6))
	f.Add(uint8(3), uint8(0), uint8(9), uint8(1), uint16(4000), uint16(100), uint8(4), uint8(5))
	f.Fuzz(func(t *testing.T, raygen, miss, hit, callable uint8, long, reserved uint16, handleLog, baseLog uint8) {
		layout := Layout{
			Raygen: records(int(raygen%8), int(long%64)), Miss: records(int(miss%16), int(reserved%128)),
			Hit: records(int(hit), int(long)), Callable: records(int(callable%4), 0), CallableData: uint64(reserved),
		}
		limits := Limits{HandleAlignment: 1 << (handleLog % 8), BaseAlignment: 1 << (baseLog % 9), MaxStride: 4096}
		p, err := NewPlan(layout, limits)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		table, err := p.Encode(layout, handleOf)
		if err != nil {
			t.Fatal(err)
		}
		checkPlan(t, p, layout, table)
	})
}

func checkPlan(t *testing.T, p *Plan, layout Layout, table []byte) {
	t.Helper()
	base := uint64(1) << 32
	var end uint64
	for s := range sectionCount {
		list, _ := layout.section(s)
		for i, r := range list {
			off, err := p.Offset(s, i)
			if err != nil {
				t.Fatal(err)
			}
			if off < end {
				t.Fatalf("%v record %d at %d overlaps the one before, which ends at %d", s, i, off, end)
			}
			end = off + HandleSize + uint64(len(r.Data))
			if !bytes.Equal(table[off+HandleSize:end], r.Data) {
				t.Fatalf("%v record %d: wrong data", s, i)
			}
		}
	}
	if end > p.Size() {
		t.Fatalf("records end at %d, the table at %d", end, p.Size())
	}
	for i := range layout.Raygen {
		r, err := p.Regions(base, i)
		if err != nil {
			t.Fatal(err)
		}
		for s, region := range map[Section]Region{Raygen: r.Raygen, Miss: r.Miss, Hit: r.Hit, Callable: r.Callable} {
			if err := CheckRegion(s, region, p.limits); err != nil {
				t.Fatal(err)
			}
			if region.Size > 0 && region.Address-base+region.Size > p.Size() {
				t.Fatalf("%v region leaves the table", s)
			}
		}
	}
}

func ExampleNewPlan() {
	layout := Layout{
		Raygen: []Record{{Group: 0}},
		Miss:   []Record{{Group: 1}},
		Hit:    []Record{{Group: 2, Data: []byte("material 0")}, {Group: 2, Data: []byte("material 1")}},
	}
	plan, err := NewPlan(layout, DefaultLimits())
	if err != nil {
		fmt.Println(err)
		return
	}
	offset, _ := plan.Offset(Hit, 1)
	fmt.Println(plan.Size(), plan.Stride(Hit), offset)
	// Output: 256 64 192
}
