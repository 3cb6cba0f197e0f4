package link

import (
	"fmt"

	"github.com/everray/everray/fallback/spirv"
)

// floatMode is an execution mode of SPV_KHR_float_controls, which applies to a width.
type floatMode struct {
	name string
	// rival cannot stand beside it, 0 if nothing is in its way.
	rival spirv.ExecutionMode
}

var floatModes = map[spirv.ExecutionMode]floatMode{
	spirv.ExecutionModeDenormPreserve:           {"DenormPreserve", spirv.ExecutionModeDenormFlushToZero},
	spirv.ExecutionModeDenormFlushToZero:        {"DenormFlushToZero", spirv.ExecutionModeDenormPreserve},
	spirv.ExecutionModeSignedZeroInfNanPreserve: {"SignedZeroInfNanPreserve", 0},
	spirv.ExecutionModeRoundingModeRTE:          {"RoundingModeRTE", spirv.ExecutionModeRoundingModeRTZ},
	spirv.ExecutionModeRoundingModeRTZ:          {"RoundingModeRTZ", spirv.ExecutionModeRoundingModeRTE},
}

// uniteFloatControls gives the linked entry point the float controls of a module's entry point. A shader that states none
// for a width takes what it gets: without a mode, denormals, rounding and signs of zeros are up to the implementation.
func (l *linked) uniteFloatControls(m *spirv.Module, entry spirv.ID) error {
	main := l.out.EntryPoints[0].EntryPoint().EntryPoint()
	stated := func(mode spirv.ExecutionMode, width uint32) bool {
		for _, in := range l.out.ExecutionModes {
			m := in.ExecutionMode()
			if w := m.Literals(); m.EntryPoint() == main && m.Mode() == mode && len(w) > 0 && w[0] == width {
				return true
			}
		}
		return false
	}
	for _, in := range m.ExecutionModes {
		stating := in.ExecutionMode()
		mode, widths := stating.Mode(), stating.Literals()
		f, ok := floatModes[mode]
		if !ok || in.Op != spirv.OpExecutionMode || stating.EntryPoint() != entry || len(widths) == 0 {
			continue
		}
		width := widths[0]
		if f.rival != 0 && stated(f.rival, width) {
			return fmt.Errorf("execution mode %s of %d-bit floats, where another shader of the pipeline has %s: the shaders are one "+
				"here, make two pipelines or use one mode: %w",
				f.name, width, floatModes[f.rival].name, ErrUnsupported)
		}
		if !stated(mode, width) {
			l.out.ExecutionModes = append(l.out.ExecutionModes,
				spirv.Inst{Op: spirv.OpExecutionMode, Operands: []uint32{uint32(main), uint32(mode), width}})
		}
	}
	return nil
}
