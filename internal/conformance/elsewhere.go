package conformance

import (
	"slices"
	"strings"
)

// Observation is a difference between the ways, or between a driver and the specification, that no row shows.
type Observation struct {
	// Where names driver, version and way.
	Where string
	What  string
	// Right says who does what the specification says: compute, native, both, or "-" where the difference is nobody's fault.
	Right string
}

// wideTypePrograms lists the programs that need types of 8, 16 and 64 bits.
func wideTypePrograms() string {
	var names []string
	for _, r := range All() {
		if name := "`" + r.Program.Name + "`"; r.Program.Feature == WideTypes && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Elsewhere lists what other tests and people have found; docs/drivers.md has it beside the differences of rows.
func Elsewhere() []Observation {
	const lavapipe, h200 = "lavapipe 25.0.7 native", "NVIDIA 580.159.04 native (H200)"
	const reference = "compute, by the CPU reference"
	return []Observation{
		{"all", "a ray through a shared edge or coplanar surfaces may report another of the primitives; t and barycentrics differ in " +
			"their last bits (`verify` counts them by reason)", "both"},
		{"all", "any hit shaders see candidates in another order, so what they add up in the payload may differ, as the " +
			"specification allows", "both"},
		{lavapipe, "ignores `firstVertex`; our tests use `primitiveOffset`", reference},
		{lavapipe, "takes a vertex's fourth component as w in geometry transforms", reference},
		{lavapipe, "boxes with NaN as least x make it lose others", reference},
		{lavapipe, "crashes on a triangle hit group without shaders; `native` binds an empty closest hit shader there", "compute"},
		{lavapipe, "`gl_HitKindEXT` read after a nested trace is the nested ray's (generated pipeline 910080 of the fuzzer at ea89dd4)",
			"compute"},
		{lavapipe, "the compatibility check of serialised structures compares only the driver's UUID; nothing is ever compacted",
			"compute"},
		{lavapipe, "`.length()` of a buffer in an array of descriptors, indexed non-uniformly, is that of another", "compute"},
		{"lavapipe 25.0.7, both", "helper invocations of fragment shaders read zeros from memory: queries lowered for it find " +
			"nothing there (`SkipHelpers`)", "-"},
		{"lavapipe 25.0.7, both", "its cache of compiled shaders does not know of `LP_NATIVE_VECTOR_WIDTH`: code for other vectors " +
			"comes back, and subgroups have other sizes than the device says; tests have a cache for each (`vktest.OwnCache`)", "-"},
		{"SwiftShader of chromium-common 156, compute", "has no ray tracing, and no types of 8, 16 and 64 bits: the programs that need " +
			"them do not run there (" + wideTypePrograms() + "); all others pass in every form that it can " +
			"compile", "-"},
		{"SwiftShader of chromium-common 156, compute", "lanes that leave a loop early may read, behind it, what others computed " +
			"later in it, of values that are no variables (shaders/bvh/refit/instances.glsl); `min` and `max` with NaN may be NaN",
			"compute, where it met this"},
		{h200, "payloads without a Location, as rust-gpu leaves them: pipeline creation crashes, or no ray hits; so do some shaders " +
			"with addresses in payloads (corners/addresses_in_payloads) and one generated pipeline of 787 (seed 345054)", "compute"},
		{h200, "rays in a deserialised top level meet the bottom levels that were serialised, whatever its handles say", "compute"},
	}
}
