package cli

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	here := runtime.GOOS + "/" + runtime.GOARCH
	for want, info := range map[string]debug.BuildInfo{
		"v1.2.3, go1.26.8, " + here: {GoVersion: "go1.26.8", Main: debug.Module{Version: "v1.2.3"}},
		"(devel), commit 0123456789ab with changes, 2026-11-22T15:00:00Z, go1.26.8, " + here + ", tags headless": {
			GoVersion: "go1.26.8", Settings: []debug.BuildSetting{
				{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.modified", Value: "true"},
				{Key: "vcs.time", Value: "2026-11-22T15:00:00Z"}, {Key: "-tags", Value: "headless"}}},
	} {
		if got := versionOf(&info); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	code, stdout, stderr := run(t, t.Context(), "--version")
	if code != 0 || stderr != "" || !strings.HasPrefix(stdout, "viewer ") || !strings.Contains(stdout, runtime.Version()) {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}
