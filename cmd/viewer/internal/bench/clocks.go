package bench

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// clocks are those of a GPU at work.
type clocks struct {
	SM     float64 `json:"sm_mhz"`
	Memory float64 `json:"memory_mhz"`
	Power  float64 `json:"power_w,omitempty"`
}

// clockReader asks nvidia-smi, the one tool that tells; Vulkan does not.
type clockReader struct {
	tool, device string
}

// findClocks returns nil where the tool is missing.
func findClocks(device string) *clockReader {
	tool, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return nil
	}
	return &clockReader{tool, device}
}

// clockTimeout bounds one reading.
const clockTimeout = 5 * time.Second

// read returns nil if the tool fails or does not know the device: clocks are worth noting, not worth failing.
func (r *clockReader) read(ctx context.Context) *clocks {
	ctx, cancel := context.WithTimeout(ctx, clockTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, r.tool, "--query-gpu=name,clocks.sm,clocks.mem,power.draw",
		"--format=csv,noheader,nounits").Output()
	if err != nil {
		return nil
	}
	return parseClocks(string(out), r.device)
}

// parseClocks reads lines of name, MHz, MHz, W. Of several GPUs with the device's name nobody can tell which is meant.
func parseClocks(text, device string) *clocks {
	var found *clocks
	for line := range strings.Lines(text) {
		fields := strings.Split(line, ",")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if len(fields) != 4 || fields[0] != device {
			continue
		}
		if found != nil {
			return nil
		}
		sm, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return nil
		}
		memory, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			return nil
		}
		power, err := strconv.ParseFloat(fields[3], 64)
		if err != nil {
			power = 0 // [N/A] on some
		}
		found = &clocks{SM: sm, Memory: memory, Power: power}
	}
	return found
}

// clockRange says in words what was read; nil is a reading that failed.
func clockRange(list []*clocks) string {
	var low, high clocks
	n := 0
	for _, c := range list {
		if c == nil {
			continue
		}
		if n == 0 {
			low, high = *c, *c
		}
		low = clocks{SM: min(low.SM, c.SM), Memory: min(low.Memory, c.Memory)}
		high = clocks{SM: max(high.SM, c.SM), Memory: max(high.Memory, c.Memory), Power: max(high.Power, c.Power)}
		n++
	}
	if n == 0 {
		return "clocks not known (no nvidia-smi that knows the device)"
	}
	text := func(a, b float64) string {
		if a == b {
			return strconv.FormatFloat(a, 'f', -1, 64)
		}
		return strconv.FormatFloat(a, 'f', -1, 64) + " to " + strconv.FormatFloat(b, 'f', -1, 64)
	}
	return "while at work SM " + text(low.SM, high.SM) + " MHz, memory " + text(low.Memory, high.Memory) + " MHz, up to " +
		strconv.FormatFloat(high.Power, 'f', 0, 64) + " W"
}
