package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Differences returns the known differences of drivers as a Markdown table, one line per driver, way and reason with the rows or
// programs that show it.
func Differences(rows []Row) string {
	type key struct{ where, reason string }
	shown := map[key][]string{}
	for _, r := range rows {
		for driver, d := range r.NativeDiffers {
			k := key{string(driver) + " native", d.Reason}
			shown[k] = append(shown[k], "`"+r.Program.Name+"/"+r.Name+"`")
		}
		for _, f := range r.Program.Fatal {
			k, name := key{string(f.Driver) + " " + f.Way, f.Reason}, "`"+r.Program.Name+"`"
			if !slices.Contains(shown[k], name) {
				shown[k] = append(shown[k], name)
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(shown), func(a, b key) int {
		return strings.Compare(a.where+a.reason, b.where+b.reason)
	})
	var b strings.Builder
	b.WriteString("| where | what | shown by |\n|---|---|---|\n")
	for _, k := range keys {
		names := shown[k]
		text := names[0]
		if more := len(names) - 1; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", k.where, k.reason, text)
	}
	return b.String()
}
