//go:build !headless

package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/oidn"
)

// variantsFile writes a triangle that is paint by day and brick by night.
func variantsFile(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, []float32{0, 0, 0, 1, 0, 0, 0, 1, 0}); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"asset":{"version":"2.0"},"extensionsUsed":["KHR_materials_variants"],
	"extensions":{"KHR_materials_variants":{"variants":[{"name":"day"},{"name":"night"}]}},
	"materials":[{"name":"paint"},{"name":"brick"}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0,
	"meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0,
	"extensions":{"KHR_materials_variants":{"mappings":[{"material":1,"variants":[1]}]}}}]}],
	"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
	"bufferViews":[{"buffer":0,"byteLength":36}],
	"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,%s"}]}`, base64.StdEncoding.EncodeToString(b.Bytes()))
	path := filepath.Join(t.TempDir(), "variants.gltf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSettings: V, E, B and N go through all there is and come back; the scene is loaded as they say, and keeps the camera.
func TestSettings(t *testing.T) {
	first := settings{environment: "own.hdr", bounces: 8}
	for key, n := range map[rune]int{'V': 3, 'E': 5, 'B': 7, 'N': 2} {
		s, seen := first, map[settings]bool{}
		for range n {
			next, ok := s.another(key, "own.hdr", []string{"day", "night"})
			if !ok || seen[next] {
				t.Errorf("%c: %+v behind %+v, %v", key, next, s, ok)
			}
			s = next
			seen[s] = true
		}
		if s != first {
			t.Errorf("%c: %d times are %+v, want %+v", key, n, s, first)
		}
	}
	if _, ok := first.another('V', "", nil); ok {
		t.Error("another variant of a file without any")
	}
	file := variantsFile(t)
	flags := &viewFlags{}
	flags.integrator, flags.tone, flags.build, flags.headlight, flags.sky = "path", "agx", "fast-trace", headlightAuto, 1
	p := &painter{app: &app{}, flags: flags, request: newRequest[wanted](func() {})}
	where := camera.LookAt(mgl32.Vec3{3, 4, 5}, mgl32.Vec3{}, mgl32.Vec3{0, 1, 0}, 1)
	for i, c := range []struct{ variant, material string }{{"night", "brick"}, {"", "paint"}, {"day", "paint"}} {
		scene, err := p.load(t.Context(), wanted{file: file,
			settings: settings{variant: c.variant, environment: environmentStudio, bounces: i + 1}})
		if err != nil {
			t.Fatal(err)
		}
		if got := scene.Materials[scene.Meshes[0].Primitives[0].Material].Name; got != c.material {
			t.Errorf("variant %q is %q, want %q", c.variant, got, c.material)
		}
		if p.options.Bounces != i+1 || p.options.Environment.Map == nil {
			t.Errorf("%d bounces, want %d; environment %+v", p.options.Bounces, i+1, p.options.Environment)
		}
		if p.options.Guides || p.notice != "" {
			t.Errorf("guides %v, notice %q", p.options.Guides, p.notice)
		}
		if i == 0 {
			p.want.camera = where
		} else if p.want.camera != where {
			t.Error("the camera moved")
		}
	}
	p.cleaning.open = func() (*oidn.Device, error) { return nil, oidn.ErrMissing }
	_, err := p.load(t.Context(), wanted{file: file, settings: settings{environment: environmentNone, denoise: true}})
	if err != nil || p.options.Guides || !strings.Contains(p.notice, "is not installed") {
		t.Errorf("without a denoiser: %v, guides %v, notice %q", err, p.options.Guides, p.notice)
	}
}
