package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/everray/everray/engine"
)

// Way is how all commands describe the device and the way.
type Way struct {
	Device  string `json:"device"`
	Driver  string `json:"driver"`
	Backend string `json:"backend"`
	Reason  string `json:"reason"`
}

// WayOf describes a device.
func WayOf(dev *engine.Device) Way {
	info := dev.Info()
	return Way{
		Device:  info.Name,
		Driver:  DriverText(info),
		Backend: dev.Backend().String(),
		Reason:  dev.Reason(),
	}
}

// DriverText names driver and version.
func DriverText(info engine.DeviceInfo) string {
	if info.DriverInfo == "" {
		return fmt.Sprintf("%s, Vulkan %s", info.Driver, info.APIVersion)
	}
	return fmt.Sprintf("%s (%s), Vulkan %s", info.Driver, info.DriverInfo, info.APIVersion)
}

// Milliseconds is a duration as reports have it.
func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// MegaraysPerSecond is 0 where no time passed.
func MegaraysPerSecond(rays uint64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(rays) / d.Seconds() / 1e6
}

// Table prints aligned columns, tab separated.
func Table(to io.Writer, print func(w io.Writer)) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	print(w)
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// JSON writes one indented document.
func JSON(to io.Writer, v any) error {
	e := json.NewEncoder(to)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// OneLine joins the lines of joined errors.
func OneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

// Per is a quotient, or 0 of nothing.
func Per(sum, n float64) float64 {
	if n == 0 {
		return 0
	}
	return sum / n
}

// PerPrimitive is bytes over primitives, or 0 without any.
func PerPrimitive(bytes, n uint64) float64 { return Per(float64(bytes), float64(n)) }
