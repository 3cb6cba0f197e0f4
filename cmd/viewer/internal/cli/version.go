package cli

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// shownRevision is how much of a commit's hash is shown.
const shownRevision = 12

// version says what this binary was built from: the module's version, or the commit where it was built in a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(not known), " + runtime.Version()
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	parts := []string{info.Main.Version}
	if parts[0] == "" {
		parts[0] = "(devel)"
	}
	if commit := settings["vcs.revision"]; commit != "" {
		text := "commit " + commit[:min(len(commit), shownRevision)]
		if settings["vcs.modified"] == "true" {
			text += " with changes"
		}
		parts = append(parts, text)
		if at := settings["vcs.time"]; at != "" {
			parts = append(parts, at)
		}
	}
	parts = append(parts, info.GoVersion, runtime.GOOS+"/"+runtime.GOARCH)
	if tags := settings["-tags"]; tags != "" {
		parts = append(parts, "tags "+tags)
	}
	return strings.Join(parts, ", ")
}
