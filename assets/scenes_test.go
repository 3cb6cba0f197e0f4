package assets

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

// TestSharedScenes holds the counts of every sample scene. Vertices are after
// flat normals and split tangents.
func TestSharedScenes(t *testing.T) {
	type counts struct{ meshes, instances, vertices, triangles, materials, textures, images, cameras int }
	for name, want := range map[string]counts{
		"alpha-blend-mode-test/AlphaBlendModeTest.glb": {9, 9, 137, 61, 6, 4, 4, 1},
		"bench/bunny.glb":                                        {1, 1, 208353, 69451, 1, 0, 0, 1},
		"bench/dragon.glb":                                       {1, 1, 607560, 202520, 1, 0, 0, 1},
		"bench/house.glb":                                        {1, 1, 4713579, 1571193, 1, 0, 0, 1},
		"bench/sponza.glb":                                       {1, 1, 786801, 262267, 1, 0, 0, 1},
		"box-textured/BoxTextured.glb":                           {1, 1, 24, 12, 1, 1, 1, 1},
		"cameras/Cameras.gltf":                                   {1, 1, 6, 2, 1, 0, 0, 2},
		"damaged-helmet/DamagedHelmet.glb":                       {1, 1, 14556, 15452, 1, 5, 5, 1},
		"fox/Fox.glb":                                            {1, 1, 1728, 576, 1, 1, 1, 1},
		"glass-vase-flowers/GlassVaseFlowers.glb":                {3, 4, 5989, 10218, 3, 3, 3, 1},
		"negative-scale-test/NegativeScaleTest.glb":              {8, 11, 2032, 3884, 6, 2, 2, 1},
		"normal-tangent-mirror-test/NormalTangentMirrorTest.glb": {1, 1, 2770, 5240, 1, 3, 3, 1},
		"suzanne/Suzanne.gltf":                                   {1, 1, 11808, 3936, 1, 2, 2, 1},
		"texture-settings-test/TextureSettingsTest.glb":          {10, 10, 144, 72, 10, 9, 3, 1},
		"toy-car/ToyCar.gltf":                                    {3, 3, 77432, 108936, 3, 8, 8, 8},
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			if want.triangles > 1_000_000 && testing.Short() {
				t.Skip("a large scene, and -short is set")
			}
			steps, last := 0, 0
			s, err := Load(t.Context(), sharedScene(t, name), func(done, total int) {
				if done > total || done < last {
					t.Errorf("progress %d of %d after %d", done, total, last)
				}
				steps, last = total, done
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(); err != nil {
				t.Fatal(err)
			}
			st := s.Stats()
			got := counts{st.Meshes, st.Instances, st.Vertices, st.Triangles, len(s.Materials), len(s.Textures), len(s.Images),
				len(s.Cameras)}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if last != steps || steps == 0 {
				t.Errorf("progress ended at %d of %d", last, steps)
			}
		})
	}
}

// TestSponzaUp: the bench scene is modelled with -z up and only its camera says so.
func TestSponzaUp(t *testing.T) {
	s := mustLoadShared(t, "bench/sponza.glb")
	if s.Up != (mgl32.Vec3{0, 0, -1}) {
		t.Errorf("up is %v", s.Up)
	}
	c := s.Cameras[0]
	if f := c.Forward(); f[0] < 0.99 || c.Up.Dot(s.Up) < 0.99 || c.Right()[1] < 0.99 {
		t.Errorf("camera looks along %v with up %v", f, c.Up)
	}
}

func TestCamerasScene(t *testing.T) {
	s := mustLoadShared(t, "cameras/Cameras.gltf")
	p, o := s.Cameras[0], s.Cameras[1]
	if p.Kind != Perspective || p.YFov != 0.7 || p.AspectRatio != 1 || p.ZFar != 100 || p.ZNear != 0.01 {
		t.Errorf("perspective camera is %+v", p)
	}
	if o.Kind != Orthographic || o.XMag != 1 || o.YMag != 1 || o.Position != (mgl32.Vec3{0.5, 0.5, 3}) {
		t.Errorf("orthographic camera is %+v", o)
	}
	if f := p.Forward(); f[2] > -0.999999 {
		t.Errorf("camera looks along %v", f)
	}
	if v := p.View().Mul4x1(mgl32.Vec4{0.5, 0.5, 0, 1}); !near(v[2], -3, 1e-5) {
		t.Errorf("the origin's depth is %v", v[2])
	}
}

// TestMirroredInstances: mirrored nodes stay mirrored, and the two spheres of
// each kind, one scaled by -1, are one mesh.
func TestMirroredInstances(t *testing.T) {
	s := mustLoadShared(t, "negative-scale-test/NegativeScaleTest.glb")
	mirrored := 0
	for i := range s.Instances {
		in := &s.Instances[i]
		if !in.Mirrored {
			continue
		}
		mirrored++
		if in.Transform.Det() >= 0 {
			t.Errorf("%s: determinant %g", in.Name, in.Transform.Det())
		}
		// Outward normals stay outward: no sign of the determinant in them.
		n := in.NormalMatrix().Mul3x1(mgl32.Vec3{0, 0, 1}).Normalize()
		if p := in.Transform.Mat3().Mul3x1(mgl32.Vec3{0, 0, 1}).Normalize(); n.Dot(p) < 0.999 {
			t.Errorf("%s: normal %v, position %v", in.Name, n, p)
		}
	}
	if mirrored != 4 {
		t.Errorf("%d mirrored instances, want 4", mirrored)
	}
}

func TestAlphaModes(t *testing.T) {
	s := mustLoadShared(t, "alpha-blend-mode-test/AlphaBlendModeTest.glb")
	want := map[string]struct {
		mode   AlphaMode
		cutoff float32
	}{
		"MatBed": {AlphaOpaque, 0.5}, "MatBlend": {AlphaBlend, 0.5}, "MatCutoff25": {AlphaMask, 0.25},
		"MatCutoff75": {AlphaMask, 0.75}, "MatCutoffDefault": {AlphaMask, 0.5}, "MatOpaque": {AlphaOpaque, 0.5},
	}
	for _, m := range s.Materials {
		if w := want[m.Name]; m.AlphaMode != w.mode || m.AlphaCutoff != w.cutoff || m.DoubleSided != (m.Name != "MatBed") {
			t.Errorf("%s: %v %g double-sided %t", m.Name, m.AlphaMode, m.AlphaCutoff, m.DoubleSided)
		}
	}
}

func TestTextureSettings(t *testing.T) {
	s := mustLoadShared(t, "texture-settings-test/TextureSettingsTest.glb")
	want := map[string][2]Wrap{
		"TextureMirrorTextureT": {WrapRepeat, WrapMirroredRepeat}, "TextureMirrorTextureS": {WrapMirroredRepeat, WrapRepeat},
		"TextureClampTextureT": {WrapRepeat, WrapClampToEdge}, "TextureClampTextureS": {WrapClampToEdge, WrapRepeat},
	}
	found := 0
	for _, x := range s.Textures {
		w, ok := want[x.Name]
		if !ok {
			continue
		}
		found++
		if x.Sampler.WrapS != w[0] || x.Sampler.WrapT != w[1] || x.Sampler.Mag != FilterLinear || x.Sampler.Min != FilterNearest {
			t.Errorf("%s: %+v", x.Name, x.Sampler)
		}
	}
	if found != len(want) {
		t.Errorf("found %d of %d textures", found, len(want))
	}
}

func TestToyCarTextureTransform(t *testing.T) {
	s := mustLoadShared(t, "toy-car/ToyCar.gltf")
	for _, m := range s.Materials {
		switch m.Name {
		case "Fabric":
			r := m.BaseColorTexture
			if r == nil || r.Scale != (mgl32.Vec2{3, 3}) || r.Matrix().Mul3x1(mgl32.Vec3{0.5, 0.25, 1}) != (mgl32.Vec3{1.5, 0.75, 1}) {
				t.Errorf("fabric's base colour texture is %+v", r)
			}
			if !s.Images[s.Textures[r.Texture].Image].SRGB || s.Images[s.Textures[m.NormalTexture.Texture].Image].SRGB {
				t.Error("base colour is sRGB, normals are not")
			}
		case "Glass":
			if m.Transmission != 1 {
				t.Errorf("glass transmits %g", m.Transmission)
			}
		case "ToyCar":
			if m.OcclusionTexture.Texture != m.MetallicRoughnessTexture.Texture {
				t.Error("occlusion and metallic-roughness are one texture in the file and two here")
			}
		}
	}
}

// TestFoxPose: at rest the fox stands on the ground and says that it is posed.
func TestFoxPose(t *testing.T) {
	s := mustLoadShared(t, "fox/Fox.glb")
	if s.Bounds.Min[1] < -1 || s.Bounds.Max[1] < 70 || s.Bounds.Max[1] > 90 || s.Instances[0].Transform != mgl32.Ident4() {
		t.Errorf("bounds %v, transform %v", s.Bounds, s.Instances[0].Transform)
	}
	if !strings.Contains(strings.Join(s.Warnings, "\n"), "at rest") {
		t.Errorf("warnings are %q", s.Warnings)
	}
}

// TestTangentsAgreeWithFile compares generated tangents with those that
// Blender's MikkTSpace put into the file, mirrored texture halves included.
func TestTangentsAgreeWithFile(t *testing.T) {
	for _, name := range []string{
		"normal-tangent-mirror-test/NormalTangentMirrorTest.glb",
		"alpha-blend-mode-test/AlphaBlendModeTest.glb",
	} {
		const least = 0.98
		s := mustLoadShared(t, name)
		p := s.Meshes[0].Primitives[0]
		for i := range s.Meshes { // the one with most to compare
			if q := s.Meshes[i].Primitives[0]; q.VertexCount() > p.VertexCount() {
				p = q
			}
		}
		want := p.Tangents
		p.Tangents = nil
		n := p.VertexCount()
		p.generateTangents(p.UV0)
		if p.VertexCount() != n {
			t.Errorf("%s: %d vertices were split", name, p.VertexCount()-n)
		}
		agree := 0
		for v := range n {
			a, b := want[4*v:4*v+4], p.Tangents[4*v:4*v+4]
			if a[3] == b[3] && a[0]*b[0]+a[1]*b[1]+a[2]*b[2] > float32(math.Cos(5*math.Pi/180)) {
				agree++
			}
		}
		if share := float64(agree) / float64(n); share < least {
			t.Errorf("%s: %.1f%% of the tangents agree within 5 degrees, want %.0f%%", name, 100*share, 100*least)
		} else {
			t.Logf("%s: %.2f%% of the tangents agree within 5 degrees", name, 100*share)
		}
	}
}
