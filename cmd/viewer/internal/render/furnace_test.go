package render

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/cmd/viewer/internal/devtest"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// scattering is a Case of furnace.comp with the defaults that its zero value does not say.
type scattering struct {
	name                                      string
	color                                     float32 // of all colours; 0 is white
	metallic, roughness, ior, transmission    float32
	specular, specularColor                   float32 // 0 is 1
	thin, inside                              bool
	sheen, sheenRoughness                     float32
	coat, coatRoughness                       float32
	iridescence, film, anisotropy, diffuseThr float32
	// least is what a white furnace must get back at least: 1 for models that lose nothing.
	least float64
	// most is 0 for models that win nothing either.
	most float64
}

const (
	furnaceLanes   = 64
	furnaceSamples = 512
	// furnaceNoise is what a mean of 32,768 samples may be off, tables' steps included.
	furnaceNoise = 0.015
)

func furnaceCases() []scattering {
	return []scattering{
		{name: "rough diffuse under specular", roughness: 1},
		{name: "smooth dielectric over diffuse", roughness: 0.1},
		{name: "half rough dielectric over diffuse", roughness: 0.5, ior: 1.5},
		{name: "dense dielectric over diffuse", roughness: 0.3, ior: 2.4},
		{name: "specular 0 (diffuse alone)", roughness: 0.5, specular: 1e-6},
		{name: "specular colour 2", roughness: 0.4, specularColor: 2},
		{name: "mirror", metallic: 1, roughness: 0},
		{name: "metal, roughness 0.3", metallic: 1, roughness: 0.3},
		{name: "metal, roughness 0.7", metallic: 1, roughness: 0.7},
		{name: "metal, roughness 1", metallic: 1, roughness: 1},
		{name: "half metal", metallic: 0.5, roughness: 0.5},
		{name: "anisotropic metal, smoother", metallic: 1, roughness: 0.2, anisotropy: 0.9, least: 0.975},
		{name: "anisotropic metal, rougher", metallic: 1, roughness: 0.7, anisotropy: 0.6},
		{name: "anisotropic metal, a little", metallic: 1, roughness: 0.3, anisotropy: 0.4},
		{name: "anisotropic metal", metallic: 1, roughness: 0.4, anisotropy: 0.8, least: 0.985},
		{name: "thin sheet, rough", transmission: 1, thin: true, roughness: 0.6},
		{name: "thin sheet, half transmission", transmission: 0.5, thin: true, roughness: 0.4},
		{name: "glass, roughness 0.05", transmission: 1, roughness: 0.05},
		{name: "glass, roughness 0.5", transmission: 1, roughness: 0.5},
		{name: "glass, roughness 1", transmission: 1, roughness: 1},
		{name: "dense glass, roughness 0.7", transmission: 1, roughness: 0.7, ior: 2.4},
		{name: "thin liquid, roughness 0.8", transmission: 1, roughness: 0.8, ior: 1.1},
		{name: "glass over half diffuse, roughness 0.6", transmission: 0.5, roughness: 0.6},
		{name: "glass from inside, roughness 0.3", transmission: 1, roughness: 0.3, inside: true},
		{name: "glass from inside, roughness 0.6", transmission: 1, roughness: 0.6, inside: true},
		{name: "dense glass from inside, roughness 0.9", transmission: 1, roughness: 0.9, ior: 2.4, inside: true},
		{name: "half specular glass, roughness 0.5", transmission: 1, roughness: 0.5, specular: 0.5,
			most: 1.02},
		{name: "diffuse transmission", roughness: 0.8, diffuseThr: 0.6},
		{name: "coat over diffuse", roughness: 0.6, coat: 1, coatRoughness: 0.1},
		{name: "rough coat over diffuse", roughness: 0.6, coat: 1, coatRoughness: 0.6},
		{name: "coat over metal", metallic: 1, roughness: 0.3, coat: 1, coatRoughness: 0.05, least: 0.97},
		{name: "sheen over diffuse", roughness: 0.8, sheen: 1, sheenRoughness: 0.5},
		{name: "soft sheen over diffuse", roughness: 0.8, sheen: 0.6, sheenRoughness: 1},
		{name: "narrow sheen over diffuse", roughness: 0.8, sheen: 1, sheenRoughness: 0.15},
		{name: "film over diffuse", roughness: 0.2, iridescence: 1, film: 400, least: 0.97},
		{name: "film over metal", metallic: 1, roughness: 0.2, iridescence: 1, film: 400},
		{name: "coat, sheen and film over diffuse", roughness: 0.5, coat: 0.7, coatRoughness: 0.2, sheen: 0.5, sheenRoughness: 0.4,
			iridescence: 0.5, film: 300, least: 0.985},
		{name: "coat and sheen over a thin sheet", transmission: 0.8, thin: true, roughness: 0.5, coat: 1, coatRoughness: 0.1,
			sheen: 0.4, sheenRoughness: 0.5, least: 0.955},
		{name: "all but volume", metallic: 0.3, transmission: 0.4, thin: true, diffuseThr: 0.3, roughness: 0.4, anisotropy: 0.5,
			coat: 0.5, coatRoughness: 0.3, sheen: 0.3, sheenRoughness: 0.6, specular: 0.7, iridescence: 0.4, film: 500, least: 0.955},
	}
}

func (s scattering) encode(cosine float64) []byte {
	or := func(v, d float32) float32 {
		if v == 0 {
			return d
		}
		return v
	}
	c, k := or(s.color, 1), or(s.specularColor, 1)
	sine := math.Sqrt(1 - cosine*cosine)
	return vk.Bytes(&furnaceCase{
		baseColor:     mgl32.Vec4{c, c, c, s.metallic},
		surface:       mgl32.Vec4{s.roughness, or(s.ior, 1.5), or(s.specular, 1), s.transmission},
		specularColor: mgl32.Vec4{k, k, k, float32(flag(s.thin))},
		sheen:         mgl32.Vec4{s.sheen, s.sheen, s.sheen, s.sheenRoughness},
		coat:          mgl32.Vec4{s.coat, s.coatRoughness, s.iridescence, s.film},
		other:         mgl32.Vec4{s.anisotropy, s.diffuseThr, 1.3, float32(flag(s.inside))},
		direction:     mgl32.Vec4{float32(0.8 * sine), float32(0.6 * sine), float32(cosine), furnaceSamples},
	})
}

// furnaceCase is a case of furnace.comp.
//
//glsl:viewer/furnace.comp Case
type furnaceCase struct{ baseColor, surface, specularColor, sheen, coat, other, direction mgl32.Vec4 }

// furnaceResult is what was measured of a case at an angle.
type furnaceResult struct {
	albedo, noise float64 // by sampling, with the standard error
	density, even float64 // integrals over the sphere, by directions spread evenly
	worst, mean   float64 // relative difference between both directions
}

func runFurnace(ctx context.Context, t *testing.T, dev *engine.Device, cases []byte, n int) []furnaceResult {
	t.Helper()
	code, err := shaders.Load("viewer/furnace.comp")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	storage := func(b uint32) vk.DescriptorBinding {
		return vk.DescriptorBinding{Binding: b, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1}
	}
	layout, err := dev.NewDescriptorSetLayout("furnace", []vk.DescriptorBinding{storage(0), storage(1), storage(bindAlbedo)})
	must(err)
	defer layout.Destroy()
	p, err := dev.NewComputePipeline(ctx, engine.ComputePipelineOptions{Name: "furnace", Code: code,
		SetLayouts: []*engine.DescriptorSetLayout{layout}})
	must(err)
	defer p.Destroy()
	set, err := dev.NewDescriptorSet(layout)
	must(err)
	defer set.Destroy()
	in, err := dev.NewBuildInput(ctx, "cases", cases)
	must(err)
	defer in.Destroy()
	table, err := dev.NewBuildInput(ctx, "albedo", albedoTable(true, true))
	must(err)
	defer table.Destroy()
	out, err := dev.VK().NewBuffer(vk.BufferOptions{Name: "results", Size: uint64(n * furnaceLanes * 48), Memory: vk.DeviceLocal})
	must(err)
	defer out.Destroy()
	set.WriteBuffer(0, 0, in, 0, 0)
	set.WriteBuffer(1, 0, out, 0, 0)
	set.WriteBuffer(bindAlbedo, 0, table, 0, 0)
	must(dev.Run(ctx, "furnace", func(cb *vk.CommandBuffer) error {
		return dev.CmdDispatch(cb, engine.DispatchOptions{Pipeline: p, Sets: []*engine.DescriptorSet{set}, X: uint32(n), Y: 1, Z: 1})
	}))
	data := make([]byte, n*furnaceLanes*48)
	must(dev.VK().ReadBuffer(ctx, out, 0, data))
	results := make([]furnaceResult, n)
	for i := range results {
		var sum [12]float64
		worst := 0.0
		for lane := range furnaceLanes {
			for k := range sum {
				v := float64(math.Float32frombits(binary.LittleEndian.Uint32(data[(i*furnaceLanes+lane)*48+4*k:])))
				sum[k] += v
				if k == 6 {
					worst = max(worst, v)
				}
			}
		}
		const count = furnaceLanes * furnaceSamples
		r := &results[i]
		r.albedo = 0.2126*sum[0]/count + 0.7152*sum[1]/count + 0.0722*sum[2]/count
		r.noise = math.Sqrt(max(0, sum[3]/count-r.albedo*r.albedo) / count)
		r.density, r.even = sum[4]/count, sum[5]/count
		r.worst, r.mean = worst, sum[7]/max(sum[11], 1)
	}
	return results
}

// Every lobe and combination under white light from everywhere: nothing is won, and no more is lost than is said. The model
// gives the same value for both directions of light, and samples by the density that it says. With EVERRAY_FURNACE_OUT the
// table is written there (docs/pictures.md).
func TestFurnaceAndReciprocity(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute)
	cosines := []float64{0.95, 0.6, 0.2}
	cases := furnaceCases()
	var data []byte
	for _, c := range cases {
		for _, cosine := range cosines {
			data = append(data, c.encode(cosine)...)
		}
	}
	results := runFurnace(t.Context(), t, dev, data, len(cases)*len(cosines))
	var table strings.Builder
	for i, c := range cases {
		least := c.least
		if least == 0 {
			least = 1
		}
		row := "| " + c.name
		worst, worstMean := 0.0, 0.0
		for k, cosine := range cosines {
			r := results[i*len(cosines)+k]
			tolerance := furnaceNoise + 4*r.noise
			if r.albedo > max(c.most, 1)+tolerance || r.albedo < least-tolerance || math.IsNaN(r.albedo) {
				t.Errorf("%s at cosine %g: a white furnace gives back %.4f ± %.4f, want %.3f to 1", c.name, cosine, r.albedo, r.noise, least)
			}
			// Narrow lobes are not found by directions spread evenly.
			if wide := c.roughness >= 0.4 && (c.coat == 0 || c.coatRoughness >= 0.2); wide && c.anisotropy == 0 {
				if math.Abs(r.even-r.albedo) > 0.06 || r.density > 1.03 {
					t.Errorf("%s at cosine %g: %.4f by sampling, %.4f by even directions; density %.4f", c.name, cosine, r.albedo, r.even,
						r.density)
				}
			}
			worst, worstMean = max(worst, r.worst), max(worstMean, r.mean)
			row += fmt.Sprintf(" | %.3f", r.albedo)
		}
		if worst > 0.02 {
			t.Errorf("%s: f differs between both directions by up to %.3g, %.3g in the mean", c.name, worst, worstMean)
		}
		fmt.Fprintf(&table, "%s | %.1e |\n", row, worst)
	}
	t.Log("\n" + table.String())
	if out := os.Getenv("EVERRAY_FURNACE_OUT"); out != "" {
		if err := os.WriteFile(filepath.Clean(out), []byte(table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
