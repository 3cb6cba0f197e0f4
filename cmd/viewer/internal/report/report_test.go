package report

import (
	"testing"

	"github.com/everray/everray/vk"
)

func TestCodeStatistics(t *testing.T) {
	got := Statistics([]vk.Statistic{{Name: "Register Count", Value: "64"}, {Name: "Local Memory Size", Value: "68719477056"},
		{Name: "Binary Size", Value: "7"}, {Name: "Spilled", Value: "no"}})
	if want := "Register Count 64, Local Memory Size 320, Binary Size 7, Spilled no"; JoinStatistics(got) != want {
		t.Errorf("%q, want %q", JoinStatistics(got), want)
	}
	if text := JoinStatistics(Registers(got)); text != "Register Count 64, Local Memory Size 320, Spilled no" {
		t.Errorf("of registers and spills: %q", text)
	}
}
