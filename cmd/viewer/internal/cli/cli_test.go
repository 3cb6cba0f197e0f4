package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// run runs the command line as main does.
func run(t *testing.T, ctx context.Context, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(ctx, args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestHelpExplains(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"render", "--help"}, {"verify", "--help"}, {"bench", "--help"},
		{"inspect", "--help"}, {"info", "--help"}, {"link", "--help"}, {"clusters", "--help"}, {"view", "--help"}} {
		code, stdout, stderr := run(t, t.Context(), args...)
		if code != 0 || stderr != "" || !strings.Contains(stdout, "Usage:") {
			t.Errorf("%q: code %d, stderr %q, stdout %q", args, code, stderr, stdout)
		}
	}
}

// Bad input ends in one line and exit code 1, whatever it is.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	truncated := write("truncated.glb", "glTF\x02\x00\x00\x00\xff\xff\x00\x00")
	garbage := write("garbage.gltf", "this is not JSON")
	hollow := write("hollow.gltf", `{"asset":{"version":"2.0"}}`)
	far := write("range.gltf", `{"asset":{"version":"2.0"},"scenes":[{"nodes":[7]}],"scene":0}`)
	png := filepath.Join(dir, "out.png")
	for _, c := range []struct {
		name string
		args []string
		want string // in the line
	}{
		{"unknown command", []string{"rendre"}, "rendre"},
		{"unknown flag", []string{"render", "--sceen", "x"}, "sceen"},
		{"stray argument", []string{"render", "x.glb"}, "x.glb"},
		{"no scene", []string{"render", "--out", png}, "--scene"},
		{"missing file", []string{"render", "--scene", filepath.Join(dir, "no.glb"), "--out", png}, "no.glb"},
		{"folder", []string{"render", "--scene", dir, "--out", png}, "folder"},
		{"truncated file", []string{"render", "--scene", truncated, "--out", png}, "truncated.glb"},
		{"garbage", []string{"render", "--scene", garbage, "--out", png}, "garbage.gltf"},
		{"no geometry", []string{"render", "--scene", hollow, "--out", png}, "hollow.gltf"},
		{"index out of range", []string{"render", "--scene", far, "--out", png}, "range.gltf"},
		{"unknown builtin", []string{"render", "--scene", "builtin:nothing", "--out", png}, "nothing"},
		{"builtin too large", []string{"render", "--scene", "builtin:terrain:100000000", "--out", png}, "terrain"},
		{"negative builtin", []string{"render", "--scene", "builtin:field:-1", "--out", png}, "field"},
		{"width", []string{"render", "--scene", "builtin:cornell", "--width", "0"}, "--width"},
		{"negative height", []string{"render", "--scene", "builtin:cornell", "--height", "-5"}, "--height"},
		{"huge width", []string{"render", "--scene", "builtin:cornell", "--width", "1000000"}, "--width"},
		{"not a number", []string{"render", "--scene", "builtin:cornell", "--width", "wide"}, "wide"},
		{"spp", []string{"render", "--scene", "builtin:cornell", "--spp", "0"}, "--spp"},
		{"bounces", []string{"render", "--scene", "builtin:cornell", "--bounces", "-1", "--out", png}, "--bounces"},
		{"integrator", []string{"render", "--scene", "builtin:cornell", "--integrator", "bdpt", "--out", png}, "bdpt"},
		{"tone map", []string{"render", "--scene", "builtin:cornell", "--tonemap", "film", "--out", png}, "film"},
		{"exposure", []string{"render", "--scene", "builtin:cornell", "--exposure", "NaN", "--out", png}, "--exposure"},
		{"backend", []string{"render", "--scene", "builtin:cornell", "--backend", "cuda", "--out", png}, "cuda"},
		{"device", []string{"render", "--scene", "builtin:cornell", "--device", "no such gpu", "--out", png}, "no such gpu"},
		{"cache is a file", []string{"render", "--scene", "builtin:cornell", "--cache", truncated, "--out", png}, "truncated.glb"},
		{"output is not a PNG", []string{"render", "--scene", "builtin:cornell", "--out", "x.jpg"}, "x.jpg"},
		{"output folder is missing", []string{"render", "--scene", "builtin:cornell", "--out", filepath.Join(dir, "no", "x.png")},
			"no folder"},
		{"camera", []string{"render", "--scene", "builtin:cornell", "--camera", "9", "--out", png}, "--camera"},
		{"eye", []string{"render", "--scene", "builtin:cornell", "--eye", "1,2", "--out", png}, "--eye"},
		{"eye at target", []string{"render", "--scene", "builtin:cornell", "--eye", "1,2,3", "--target", "1,2,3", "--out", png},
			"same point"},
		{"fov", []string{"render", "--scene", "builtin:cornell", "--fov", "180", "--out", png}, "--fov"},
		{"build", []string{"render", "--scene", "builtin:cornell", "--build", "slow", "--out", png}, "slow"},
		{"verify without scene", []string{"verify"}, "--scene"},
		{"verify rays", []string{"verify", "--scene", "builtin:cornell", "--rays", "shadow"}, "shadow"},
		{"verify tolerance", []string{"verify", "--scene", "builtin:cornell", "--tolerance", "2"}, "--tolerance"},
		{"bench backend", []string{"bench", "--scene", "builtin:cornell", "--backend", "auto"}, "--backend"},
		{"bench backend twice", []string{"bench", "--scene", "builtin:cornell", "--backend", "native,native"}, "--backend"},
		{"bench without scene", []string{"bench"}, "--scene"},
		{"bench second scene", []string{"bench", "--scene", "builtin:cornell,no.glb"}, "no.glb"},
		{"bench argument", []string{"bench", "builtin:cornell", "none.glb"}, "none.glb"},
		{"bench plot", []string{"bench", "--scene", "builtin:cornell", "--plot", "bars.jpg"}, "--plot"},
		{"bench meshes", []string{"bench", "--builds", "--meshes", "-1"}, "--meshes"},
		{"bench instances", []string{"bench", "--builds", "--instances", "100000000"}, "--instances"},
		{"bench steps", []string{"bench", "--divergence", "--scene", "builtin:cornell", "--steps", "-1"}, "--steps"},
		{"bench profile", []string{"bench", "--profile", "--scene", "builtin:cornell"}, "--profile"},
		{"bench flags", []string{"bench", "--builds", "--flags", "fast"}, "--flags"},
		{"bench shaders", []string{"bench", "--divergence", "--scene", "builtin:cornell", "--shaders", "light2"}, "--shaders"},
		{"bench forms", []string{"bench", "--divergence", "--scene", "builtin:cornell", "--forms", "auto,round"}, "--forms"},
		{"reorder without hit objects", []string{"render", "builtin:cornell", "--integrator", "ao", "--reorder"}, "--reorder"},
		{"bench divergence without scene", []string{"bench", "--divergence"}, "--scene"},
		{"bench rays", []string{"bench", "--scene", "builtin:cornell", "--rays", ""}, "ray set"},
		{"heat max", []string{"render", "--scene", "builtin:cornell", "--integrator", "heat", "--heat-max", "-3", "--out", png},
			"--heat-max"},
		{"heat max without heat", []string{"render", "--scene", "builtin:cornell", "--heat-max", "30", "--out", png}, "--heat-max"},
		{"heat natively", []string{"render", "--scene", "builtin:cornell", "--integrator", "heat", "--backend", "native", "--out", png},
			"--backend compute"},
		{"inspect without scene", []string{"inspect"}, "--scene"},
		{"inspect build", []string{"inspect", "--scene", "builtin:cornell", "--build", "slow"}, "low-memory"},
		{"inspect samples", []string{"inspect", "--scene", "builtin:cornell", "--samples", "-1"}, "--samples"},
		{"inspect natively", []string{"inspect", "--scene", "builtin:cornell", "--backend", "native"}, "--backend"},
		{"inspect device", []string{"inspect", "--scene", "builtin:cornell", "--device", "no such gpu"}, "no such gpu"},
		{"info argument", []string{"info", "x"}, "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := run(t, t.Context(), c.args...)
			// A bad call is told apart from a call that fails, by the code and by the line.
			want := codeFailed
			if strings.HasPrefix(stderr, "viewer: usage: ") {
				want = codeUsage
			}
			if code != want || strings.Contains(stderr, "usage: ") != (want == codeUsage) {
				t.Errorf("exit code %d", code)
			}
			for _, jargon := range []string{"strconv.", "stat ", "lstat ", "openat", "VkResult", "no such file", "unknown command"} {
				if strings.Contains(stderr, jargon) {
					t.Errorf("%q is not for people", jargon)
				}
			}
			if stdout != "" {
				t.Errorf("stdout %q", stdout)
			}
			if !strings.HasPrefix(stderr, "viewer: ") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
				t.Errorf("stderr %q, want one line with %q", stderr, c.want)
			}
		})
	}
}

// Without any Vulkan driver every command says so.
func TestNoVulkanDriver(t *testing.T) {
	t.Setenv("VK_DRIVER_FILES", filepath.Join(t.TempDir(), "none.json"))
	t.Setenv("VK_ICD_FILENAMES", filepath.Join(t.TempDir(), "none.json"))
	for _, args := range [][]string{
		{"info"},
		{"render", "--scene", "builtin:cornell", "--out", filepath.Join(t.TempDir(), "x.png")},
		{"verify", "--scene", "builtin:cornell"},
		{"bench", "--scene", "builtin:cornell"},
		{"bench", "--builds"},
		{"inspect", "--scene", "builtin:cornell"},
	} {
		code, stdout, stderr := run(t, t.Context(), args...)
		if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "driver") {
			t.Errorf("%q: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, stderr := run(t, ctx, "render", "--scene", "builtin:cornell", "--out", filepath.Join(t.TempDir(), "x.png"))
	if code != codeInterrupted || stderr != "viewer: interrupted\n" {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestInfoIsJSON(t *testing.T) {
	code, stdout, stderr := run(t, t.Context(), "info", "--json")
	if code != 0 {
		t.Skipf("no device: %s", stderr)
	}
	var report struct{ Devices []infoReport }
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	for _, d := range report.Devices {
		if d.Name == "" || d.Usable && (d.Backend == "" || d.Reason == "" || d.MaxRecursionDepth == 0) {
			t.Errorf("device %+v", d)
		}
	}
}
