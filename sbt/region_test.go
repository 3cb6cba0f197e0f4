package sbt

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckRegion(t *testing.T) {
	tests := []struct {
		name    string
		section Section
		region  Region
		want    string // empty: valid
	}{
		{"good hit", Hit, Region{Address: 128, Stride: 64, Size: 640}, ""},
		{"stride 0 repeats one record", Hit, Region{Address: 128, Stride: 0, Size: 32}, ""},
		{"empty miss", Miss, Region{}, ""},
		{"empty raygen", Raygen, Region{}, "null address"},
		{"null", Miss, Region{Stride: 32, Size: 32}, "null address"},
		{"address", Hit, Region{Address: 96, Stride: 32, Size: 32}, "address 0x60 is not a multiple of 64"},
		{"stride", Hit, Region{Address: 64, Stride: 40, Size: 80}, "stride 40 is not a multiple of 32"},
		{"long stride", Callable, Region{Address: 64, Stride: 8192, Size: 8192}, "stride 8192 exceeds 4096"},
		{"short", Hit, Region{Address: 64, Stride: 32, Size: 16}, "smaller than a handle"},
		{"raygen size", Raygen, Region{Address: 64, Stride: 64, Size: 128}, "differs from its stride"},
		{"wraps", Hit, Region{Address: 1<<64 - 64, Stride: 32, Size: 128}, "leaves the address space"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := CheckRegion(tt.section, tt.region, DefaultLimits())
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (!errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestRecordIndex(t *testing.T) {
	tests := []struct {
		name                             string
		instance, geometry, offset, step uint32
		want                             uint32
	}{
		{"zero", 0, 0, 0, 0, 0},
		{"instance only", 7, 0, 0, 1, 7},
		{"geometry without stride", 0, 5, 0, 0, 0},
		{"two ray types", 10, 3, 1, 2, 17},
		{"shadow rays behind all", 0, 2, 3, 4, 11},
		{"ray offset has 4 bits", 0, 0, 0x13, 0, 3},
		{"ray stride has 4 bits", 0, 2, 0, 0x11, 2},
		{"instance offset has 24 bits", 0xFF000001, 0, 0, 0, 1},
		{"largest", MaxInstanceOffset, 1, 15, 15, MaxInstanceOffset + 30},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := RecordIndex(tt.instance, tt.geometry, tt.offset, tt.step); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestRecordAddress(t *testing.T) {
	r := Region{Address: 1024, Stride: 64, Size: 160} // the third record has room for its handle only
	tests := []struct {
		index uint32
		want  uint64
		ok    bool
	}{{0, 1024, true}, {2, 1152, true}, {3, 0, false}, {1<<32 - 1, 0, false}}
	for _, tt := range tests {
		if got, ok := RecordAddress(r, tt.index); got != tt.want || ok != tt.ok {
			t.Errorf("record %d: %d %t, want %d %t", tt.index, got, ok, tt.want, tt.ok)
		}
	}
	if _, ok := RecordAddress(Region{}, 0); ok {
		t.Error("an empty region has a record 0")
	}
	if got, ok := RecordAddress(Region{Address: 64, Size: 32}, 9); got != 64 || !ok {
		t.Errorf("stride 0: %d %t", got, ok)
	}
}

func TestSectionString(t *testing.T) {
	for s, want := range map[Section]string{Raygen: "raygen", Miss: "miss", Hit: "hit", Callable: "callable", 7: "Section(7)"} {
		if got := s.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
