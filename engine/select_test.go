package engine

import (
	"errors"
	"strings"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"
)

func TestPick(t *testing.T) {
	broken := errors.New("too old")
	all := []candidate{
		{"llvmpipe (LLVM 15)", vulkan.PhysicalDeviceTypeCpu, nil},
		{"Intel UHD 770", vulkan.PhysicalDeviceTypeIntegratedGpu, nil},
		{"NVIDIA H200", vulkan.PhysicalDeviceTypeDiscreteGpu, nil},
		{"NVIDIA H200", vulkan.PhysicalDeviceTypeDiscreteGpu, nil},
		{"Voodoo 2", vulkan.PhysicalDeviceTypeDiscreteGpu, broken},
	}
	tests := []struct {
		name string
		all  []candidate
		text string
		want int
		err  error
	}{
		{"best", all, "", 2, nil},
		{"index", all, "3", 3, nil},
		{"part of the name", all, "uhd", 1, nil},
		{"several", all, "nvidia", 2, nil},
		{"number in a name", all, "770", 1, nil},
		{"unusable are passed over", append([]candidate{all[4]}, all[0]), "", 1, nil},
		{"unusable by name", all, "voodoo", 0, broken},
		{"unusable by index", all, "4", 0, ErrUnsupportedDevice},
		{"unknown", all, "radeon", 0, ErrUnknownDevice},
		{"index out of range", all, "9", 0, ErrUnknownDevice},
		{"none at all", nil, "", 0, ErrNoDriver},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := pick(tt.all, tt.text)
			if !errors.Is(err, tt.err) || got != tt.want {
				t.Errorf("got %d, %v, want %d, %v", got, err, tt.want, tt.err)
			}
			if errors.Is(err, ErrUnknownDevice) && !strings.Contains(err.Error(), "1: Intel UHD 770 (integrated)") {
				t.Errorf("%v does not list the devices", err)
			}
		})
	}
}
