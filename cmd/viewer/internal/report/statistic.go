package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/everray/everray/vk"
)

// Statistic is a number that the driver gives about a pipeline's code.
type Statistic struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Statistics are what the driver tells.
func Statistics(list []vk.Statistic) []Statistic {
	var out []Statistic
	for _, s := range list {
		out = append(out, Statistic{s.Name, lowHalf(s.Value)})
	}
	return out
}

// lowHalf drops the upper half of a number of 64 bits: NVIDIA's driver (580.159.04) leaves garbage there in the size of local
// memory, and nothing that is told about code is that large.
func lowHalf(value string) string {
	if n, err := strconv.ParseUint(value, 10, 64); err == nil {
		return strconv.FormatUint(n&math.MaxUint32, 10)
	}
	return value
}

// JoinStatistics writes them in one line.
func JoinStatistics(list []Statistic) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, s.Name+" "+s.Value)
	}
	return strings.Join(parts, ", ")
}

// Registers picks Registers, and spills or the local memory that they take.
func Registers(list []Statistic) []Statistic {
	return slices.DeleteFunc(slices.Clone(list), func(s Statistic) bool {
		name := strings.ToLower(s.Name)
		return !strings.Contains(name, "register") && !strings.Contains(name, "spill") && !strings.Contains(name, "local memory")
	})
}
