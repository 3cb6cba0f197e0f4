package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Differences returns the known differences of native ways as a Markdown table, one line per driver and reason with the
// rows that show it.
func Differences(rows []Row) string {
	type key struct {
		driver Driver
		reason string
	}
	shown := map[key][]string{}
	for _, r := range rows {
		for driver, d := range r.NativeDiffers {
			k := key{driver, d.Reason}
			shown[k] = append(shown[k], "`"+r.Program.Name+"/"+r.Name+"`")
		}
	}
	keys := slices.SortedFunc(maps.Keys(shown), func(a, b key) int {
		return strings.Compare(string(a.driver)+a.reason, string(b.driver)+b.reason)
	})
	var b strings.Builder
	b.WriteString("| where | what | shown by |\n|---|---|---|\n")
	for _, k := range keys {
		names := shown[k]
		text := names[0]
		if more := len(names) - 1; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		fmt.Fprintf(&b, "| %s native | %s | %s |\n", k.driver, k.reason, text)
	}
	return b.String()
}
