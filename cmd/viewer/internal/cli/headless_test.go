package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// How a command was called wrongly has exit code 2; what failed has 1.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"nonsense"}, codeUsage, `"nonsense" is neither a command nor a scene`},
		{[]string{"render", "--colour"}, codeUsage, "there is no --colour"},
		{[]string{"render", "-z"}, codeUsage, "there is no -z"},
		{[]string{"render", "--spp"}, codeUsage, "--spp needs a value"},
		{[]string{"render", "--spp", "1.5", "builtin:cornell"}, codeUsage, "want a whole number"},
		{[]string{"render", "--exposure", "bright", "builtin:cornell"}, codeUsage, "want a number"},
		{[]string{"render", "--time-limit", "5", "builtin:cornell"}, codeUsage, "90s"},
		{[]string{"render", "--time-limit", "-5s", "builtin:cornell"}, codeUsage, "90s"},
		{[]string{"render", "--noise-target", "2", "builtin:cornell"}, codeUsage, "--noise-target"},
		{[]string{"render", "a.glb", "b.glb"}, codeUsage, "b.glb"},
		{[]string{"render", "--scene", "a.glb", "b.glb"}, codeUsage, "b.glb"},
		{[]string{"render", "no.glb"}, codeFailed, `there is no file "no.glb"`},
		{[]string{"render", "builtin:cornell", "-o", "x.png", "-o", "y.gif"}, codeUsage, ".png or .exr or .hdr"},
	} {
		t.Chdir(t.TempDir())
		code, stdout, stderr := run(t, t.Context(), c.args...)
		if code != c.code || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: code %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
		if left, _ := filepath.Glob("*"); len(left) != 0 {
			t.Errorf("%q leaves %q", c.args, left)
		}
	}
}

// A scene that comes first is viewed; commands and what is neither are told apart.
func TestSceneFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("there", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root := (&app{}).command()
	for args, want := range map[string]string{
		"scene.glb": "view scene.glb", "scene.OBJ -q": "view scene.OBJ -q", "--json builtin:cornell": "--json view builtin:cornell",
		"there": "view there", "render scene.glb": "render scene.glb", "help": "help", "--version": "--version", "gone": "",
	} {
		got, err := withCommand(root, strings.Fields(args))
		if (err != nil) != (want == "") || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v", args, got, err)
		}
	}
}

// A folder that cannot be written to is found before anything is loaded.
func TestFolderIsCheckedFirst(t *testing.T) {
	if os.Geteuid() == 0 {
		if _, err := os.Stat("/proc/self"); err != nil {
			t.Skip("root may write everywhere, and there is no /proc")
		}
	}
	dir := "/proc"
	code, _, stderr := run(t, t.Context(), "render", "no.glb", "-o", filepath.Join(dir, "x.png"))
	if code != codeUsage || !strings.Contains(stderr, "cannot be written to") {
		t.Errorf("code %d, %q", code, stderr)
	}
}

// What the system and drivers say is said in usual words, wherever it stands in an error.
func TestExplain(t *testing.T) {
	gone := fmt.Errorf("load: %w", &fs.PathError{Op: "statat", Path: "wood.png", Err: fs.ErrNotExist})
	memory := fmt.Errorf("textures: %w", &vk.ResultError{Op: "vkAllocateMemory", Result: vulkan.ErrorOutOfDeviceMemory})
	got := explain(errors.Join(gone, memory, &vk.ResultError{Op: "vkQueueSubmit", Result: -3000}))
	want := `load: there is no file "wood.png"; textures: the device has too little memory: make the image or the scene smaller, ` +
		`or choose another --device; the driver refuses vkQueueSubmit`
	if got != want {
		t.Errorf("got %s", got)
	}
}

// Without a terminal a line says now and then how far a step is.
func TestProgressLines(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	for _, quiet := range []bool{false, true} {
		a := &app{stderr: write, quiet: quiet}
		b := a.progress("render", 100)
		if (b.to == nil) != quiet {
			t.Errorf("quiet %v: lines to %v", quiet, b.to)
		}
		b.finish()
		a.warn("the sky falls") // always
	}
	b := &bar{to: write, what: "render", total: 100, started: time.Now().Add(-10 * time.Second)}
	b.set(50)
	b.line()
	write.Close()
	var said bytes.Buffer
	if _, err := said.ReadFrom(read); err != nil {
		t.Fatal(err)
	}
	want := strings.Repeat("viewer: warning: the sky falls\n", 2) + "viewer: render: 50 of 100 after 10s, 10s left\n"
	if said.String() != want {
		t.Errorf("got %q", said.String())
	}
}

// A picture that is continued from a checkpoint has the same bits, as PNG and as EXR.
func TestResume(t *testing.T) {
	requireBackend(t, "compute")
	t.Chdir(t.TempDir())
	draw := func(want int, more ...string) string {
		t.Helper()
		args := append([]string{"render", "builtin:cornell", "--width", "24", "--height", "20", "--backend", "compute",
			"--json"}, more...)
		code, stdout, stderr := run(t, t.Context(), args...)
		if code != want {
			t.Fatalf("%q: code %d, %s", more, code, stderr)
		}
		return stdout + stderr
	}
	draw(0, "--spp", "7", "-o", "whole.png", "-o", "whole.exr", "-o", "whole.hdr", "--float")
	draw(0, "--spp", "3", "-o", "part.png", "--checkpoint", "kept")
	draw(0, "--spp", "7", "-o", "again.png", "-o", "again.exr", "--float", "--resume", "kept")
	for _, ext := range []string{".png", ".exr"} {
		a, err1 := os.ReadFile("whole" + ext)
		b, err2 := os.ReadFile("again" + ext)
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v", ext, err)
		}
	}
	if said := draw(1, "--spp", "9", "--resume", "kept", "--bounces", "1"); !strings.Contains(said, "same flags") {
		t.Errorf("another picture: %s", said)
	}
	data, err := os.ReadFile("kept")
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile("kept", data, 0o600); err != nil {
		t.Fatal(err)
	}
	if said := draw(1, "--spp", "9", "--resume", "kept"); !strings.Contains(said, "damaged") {
		t.Errorf("a changed bit: %s", said)
	}
	var r renderReport
	said := draw(0, "--spp", "100000", "-o", "quiet.png", "--noise-target", "0.05")
	err = json.NewDecoder(strings.NewReader(said)).Decode(&r)
	if err != nil || r.Samples < 16 || r.Samples > 2000 || r.Noise > 0.05 {
		t.Errorf("noise target: %d samples, noise %g, %v", r.Samples, r.Noise, err)
	}
	said = draw(0, "--spp", "10000000", "-o", "short.png", "--time-limit", "1ms")
	err = json.NewDecoder(strings.NewReader(said)).Decode(&r)
	if err != nil || r.Samples < 1 || !strings.Contains(said, "time limit") {
		t.Errorf("time limit: %d samples, %v: %s", r.Samples, err, said)
	}
}

// Who interrupts gets what is there.
func TestInterruptedKeeps(t *testing.T) {
	requireBackend(t, "compute")
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // once there is a checkpoint's worth of work under way
		time.Sleep(4 * time.Second)
		cancel()
	}()
	code, _, stderr := run(t, ctx, "render", "builtin:cornell", "--width", "64", "--height", "64", "--spp", "16000000",
		"--backend", "compute")
	if code != codeInterrupted {
		t.Fatalf("code %d, %s", code, stderr)
	}
	if stderr == "viewer: interrupted\n" {
		t.Skip("the machine did not come to the first sample")
	}
	if _, err := os.Stat("cornell.png"); err != nil || !strings.Contains(stderr, "interrupted: cornell.png has ") {
		t.Errorf("%v, %q", err, stderr)
	}
}

// Layers are in .exr files only, under names that are known.
func TestLayers(t *testing.T) {
	t.Chdir(t.TempDir())
	for layers, want := range map[string]string{"depth": "only .exr", "beauty": "all or albedo"} {
		code, _, stderr := run(t, t.Context(), "render", "builtin:cornell", "--aov", layers)
		if code != codeUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, %q", layers, code, stderr)
		}
	}
	for _, c := range [][]string{
		{"depth", "--previous-eye", "1,2,3", "the layer motion"}, {"motion", "--previous-target", "1,2", `"1,2"`},
	} {
		code, _, stderr := run(t, t.Context(), "render", "builtin:cornell", "-o", "x.exr", "--aov", c[0], c[1], c[2])
		if code != codeUsage || !strings.Contains(stderr, c[3]) {
			t.Errorf("%q: code %d, %q", c, code, stderr)
		}
	}
	requireBackend(t, "compute")
	code, _, stderr := run(t, t.Context(), "render", "builtin:cornell", "--integrator", "normals", "--width", "8", "--height", "8",
		"--spp", "2", "--backend", "compute", "-o", "x.exr", "--aov", "all", "--previous-eye", "0,1,4")
	if code != 0 {
		t.Fatalf("code %d, %s", code, stderr)
	}
	data, err := os.ReadFile("x.exr")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"R", "Z", "albedo.R", "normal.X", "position.Z", "id.object", "id.material",
		"id.primitive", "samples", "motion.X", "motion.Y", "CryptoObject00.R", "CryptoMaterial02.A"} {
		if !bytes.Contains(data, append([]byte(name), 0)) {
			t.Errorf("there is no channel %s", name)
		}
	}
}
