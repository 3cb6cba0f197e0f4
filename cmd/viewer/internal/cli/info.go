package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
)

func (a *app) infoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "info",
		Short: "List the devices, the way that would be chosen on each and why, and the limits",
		Long: `info lists the Vulkan devices, best first: driver and memory, the way that --backend auto takes on each and
why, whether the driver's own ray tracing can be used, and what it lacks otherwise. Limits are those of the way
that would be taken. --device of other commands takes the number, or a part of the name.`,
		Example: `  viewer info
  viewer info --json | jq '.devices[].name'`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.info(cmd.Context()) },
	}
}

// infoReport describes one device.
type infoReport struct {
	Index             int      `json:"index"`
	Name              string   `json:"name"`
	Type              string   `json:"type"`
	Driver            string   `json:"driver"`
	Usable            bool     `json:"usable"`
	Error             string   `json:"error,omitempty"`
	Backend           string   `json:"backend,omitempty"`
	Reason            string   `json:"reason,omitempty"`
	NativeMissing     []string `json:"native_missing,omitempty"`
	DeviceMemory      uint64   `json:"device_memory"`
	Features          []string `json:"features,omitempty"`
	MaxRecursionDepth uint32   `json:"max_recursion_depth,omitempty"`
	MaxInvocations    uint64   `json:"max_invocations,omitempty"`
	MaxGeometries     uint64   `json:"max_geometries,omitempty"`
	MaxPrimitives     uint64   `json:"max_primitives,omitempty"`
	MaxInstances      uint64   `json:"max_instances,omitempty"`
	HandleAlignment   uint64   `json:"handle_alignment,omitempty"`
	BaseAlignment     uint64   `json:"base_alignment,omitempty"`
	MaxRecordStride   uint64   `json:"max_record_stride,omitempty"`
	MaxPushConstants  uint32   `json:"max_push_constant_bytes,omitempty"`
}

func newInfoReport(i engine.DeviceInfo) infoReport {
	r := infoReport{
		Index: i.Index, Name: i.Name, Type: i.TypeName(), Driver: report.DriverText(i), Usable: i.Err == nil,
		DeviceMemory: i.DeviceMemory,
	}
	if i.Err != nil {
		r.Error = report.OneLine(i.Err)
		return r
	}
	r.Backend, r.Reason, r.NativeMissing, r.Features = i.Backend.String(), i.Reason, i.NativeMissing, i.Features
	r.MaxRecursionDepth, r.MaxInvocations = i.Limits.MaxRecursionDepth, i.Limits.MaxInvocations
	r.MaxGeometries, r.MaxPrimitives, r.MaxInstances = i.Limits.MaxGeometries, i.Limits.MaxPrimitives, i.Limits.MaxInstances
	r.HandleAlignment, r.BaseAlignment, r.MaxRecordStride = i.Limits.Table.HandleAlignment, i.Limits.Table.BaseAlignment,
		i.Limits.Table.MaxStride
	r.MaxPushConstants = i.Limits.MaxPushConstantBytes
	return r
}

func (a *app) info(ctx context.Context) error {
	devices, err := engine.List(ctx, engine.Options{AppName: "viewer", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	reports := make([]infoReport, len(devices))
	for i, d := range devices {
		reports[i] = newInfoReport(d)
	}
	if a.json {
		return a.printJSON(struct {
			Devices []infoReport `json:"devices"`
		}{reports})
	}
	return a.table(func(w io.Writer) {
		for _, r := range reports {
			r.print(w)
		}
	})
}

func (r infoReport) print(w io.Writer) {
	fmt.Fprintf(w, "device %d\t%s (%s)\n", r.Index, r.Name, r.Type)
	fmt.Fprintf(w, "  driver\t%s\n", r.Driver)
	fmt.Fprintf(w, "  memory\t%d MiB\n", r.DeviceMemory>>20)
	if !r.Usable {
		fmt.Fprintf(w, "  unusable\t%s\n", r.Error)
		return
	}
	fmt.Fprintf(w, "  way\t%s: %s\n", r.Backend, r.Reason)
	native := "available"
	if len(r.NativeMissing) > 0 {
		native = "lacks " + strings.Join(r.NativeMissing, ", ")
	}
	fmt.Fprintf(w, "  native\t%s\n", native)
	fmt.Fprintf(w, "  limits\trecursion %d, %d invocations per launch, %d bytes of push constants\n", r.MaxRecursionDepth,
		r.MaxInvocations, r.MaxPushConstants)
	fmt.Fprintf(w, "  builds\t%d geometries, %d primitives, %d instances\n", r.MaxGeometries, r.MaxPrimitives, r.MaxInstances)
	fmt.Fprintf(w, "  tables\thandles aligned to %d, sections to %d, stride at most %d\n", r.HandleAlignment, r.BaseAlignment,
		r.MaxRecordStride)
}
