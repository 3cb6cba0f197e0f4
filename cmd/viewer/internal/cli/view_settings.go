//go:build !headless

package cli

import (
	"slices"
	"strings"
)

// settings are those of the flags that keys change while the window is open; the scene is then loaded again.
type settings struct {
	variant, environment string
	bounces              int
	denoise              bool
}

func (f *viewFlags) settings() settings {
	return settings{variant: f.variant, environment: f.environment, bounces: f.bounces, denoise: f.denoise}
}

// in puts the settings into the flags.
func (s settings) in(f viewFlags) viewFlags {
	f.variant, f.environment, f.bounces, f.denoise = s.variant, s.environment, s.bounces, s.denoise
	return f
}

// another returns the settings behind these for V, E, B or N; false for other keys, and where there is no other.
func (s settings) another(key rune, own string, variants []string) (settings, bool) {
	switch key {
	case 'V':
		if len(variants) == 0 {
			return s, false
		}
		s.variant = following(append([]string{""}, variants...), s.variant)
	case 'E':
		list := []string{environmentAuto, environmentStudio, environmentSky, environmentNone}
		if !slices.Contains(list, own) {
			list = append(list, own)
		}
		s.environment = following(list, s.environment)
	case 'B':
		s.bounces = following([]int{0, 1, 2, 4, 8, 16, 32}, s.bounces)
	case 'N':
		s.denoise = !s.denoise
	default:
		return s, false
	}
	return s, true
}

// following is the value behind one in a list; the first behind the last, and for what is not there.
func following[T comparable](list []T, v T) T { return list[(slices.Index(list, v)+1)%len(list)] }

// variantsName lists the variants, that which is shown in brackets.
func variantsName(variants []string, shown string) string {
	names := slices.Clone(variants)
	for i, n := range names {
		if n == shown {
			names[i] = "[" + n + "]"
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ") + "  V"
}
