package fallback

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/cache"
	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

const cacheRaygen = `#version 460
#extension GL_EXT_ray_tracing : require
layout(constant_id = 1) const uint scale = 1u;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Result { vec4 color[]; };
layout(location = 0) rayPayloadEXT vec4 payload;
void main() {
    payload = vec4(scale);
    traceRayEXT(scene, 0u, 0xFFu, 0u, 0u, 0u, vec3(gl_LaunchIDEXT), 0.0, vec3(0.0, 0.0, 1.0), 1.0, 0);
    color[gl_LaunchIDEXT.x] = payload;
}
`

const cacheMiss = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT vec4 payload;
void main() { payload = payload.wzyx; }
`

// cacheHit is one of many hit shaders: about what a material is, with a number of its own, and a shadow ray if asked for.
func cacheHit(n int, shadow bool) string {
	define := ""
	if shadow {
		define = "#define SHADOW"
	}
	return fmt.Sprintf(`#version 460
%s
#extension GL_EXT_ray_tracing : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(shaderRecordEXT, std430) buffer Record { vec4 albedo, specular; float roughness; } record;
layout(location = 0) rayPayloadInEXT vec4 payload;
layout(location = 1) rayPayloadEXT vec4 shadow;
hitAttributeEXT vec2 bary;
vec3 lobe(vec3 n, vec3 v, vec3 l, float a) {
    vec3 h = normalize(v + l);
    float nh = max(dot(n, h), 0.0), nv = max(dot(n, v), 1e-3), nl = max(dot(n, l), 1e-3), d = nh * nh * (a - 1.0) + 1.0;
    float k = a * 0.5 + %d.0 * 1e-4, g = nv * nl / ((nv * (1.0 - k) + k) * (nl * (1.0 - k) + k));
    return record.specular.rgb + (1.0 - record.specular.rgb) * pow(1.0 - nh, 5.0) * g * a / (3.14159 * d * d);
}
void main() {
    vec3 n = normalize(gl_ObjectToWorldEXT * vec4(1.0 - bary.x - bary.y, bary, 0.0)), v = -gl_WorldRayDirectionEXT, sum = vec3(0.0);
    vec3 at = gl_WorldRayOriginEXT + gl_HitTEXT * gl_WorldRayDirectionEXT;
    for (int i = 0; i < %d; i++) {
        vec3 l = normalize(vec3(sin(float(i)), cos(float(i)), 1.0 + float(%d)));
        sum += lobe(n, v, l, record.roughness) * record.albedo.rgb;
        if (sum.x > 4.0) break;
    }
    vec4 lit = vec4(sum, 1.0);
#ifdef SHADOW
    shadow = lit;
    traceRayEXT(scene, 12u, 0xFFu, 0u, 0u, 1u, at, 1e-3, n, 1e3, 1);
    lit = shadow;
#endif
    payload = vec4(sum * lit.w + lit.rgb, payload.w + %d.0);
}
`, define, n, n%4+2, n%3, n)
}

func runtimeModule(t testing.TB) []uint32 {
	t.Helper()
	code, err := shaders.Load("fallback/runtime.comp")
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// openCache opens a cache that counts on its own.
func openCache(t testing.TB, dev *vk.Device, dir string) *Cache {
	t.Helper()
	store, err := cache.Open(dir, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	driver, err := cache.OpenPipelines(dev, store)
	if err != nil {
		t.Fatal(err)
	}
	c := NewCache(store, driver)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func cacheStages(t testing.TB) []Stage {
	return []Stage{
		{Kind: Raygen, Code: glsltest.Compile(t, "rgen", cacheRaygen), Specialization: map[uint32][]byte{1: {2, 0, 0, 0}}},
		{Kind: Miss, Code: glsltest.Compile(t, "rmiss", cacheMiss)},
	}
}

// TestCacheLink links through a cache, without a device: the second time the first's module comes, unless anything differs.
func TestCacheLink(t *testing.T) {
	dir, runtime, stages := filepath.Join(t.TempDir(), "cache"), runtimeModule(t), cacheStages(t)
	entriesBefore := openLinks(t, dir)
	want, err := linkBy(t.Context(), entriesBefore, runtime, stages, link.Options{MaxDepth: 1})
	if err != nil {
		t.Fatal(err)
	}
	direct, err := link.Link(t.Context(), runtime, stages, link.Options{MaxDepth: 1})
	if err != nil {
		t.Fatal(err)
	}
	again := openLinks(t, dir)
	before := again.Stats()
	got, err := linkBy(t.Context(), again, runtime, stages, link.Options{MaxDepth: 1})
	if err != nil {
		t.Fatal(err)
	}
	if hits := again.Stats().Hits - before.Hits; hits != 1 {
		t.Errorf("%d hits, want 1", hits)
	}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(got, direct) {
		t.Error("what comes from the cache is not what was linked")
	}

	before = again.Stats()
	changed := cacheStages(t)
	changed[0].Specialization[1] = []byte{3, 0, 0, 0}
	for _, o := range []link.Options{{MaxDepth: 1}, {MaxDepth: 1, Form: FormMegakernel}, {MaxDepth: 1, KeepNames: true}} {
		if _, err := linkBy(t.Context(), again, runtime, changed, o); err != nil {
			t.Fatal(err)
		}
	}
	hook := link.Options{MaxDepth: 1, AfterPass: func(string, *spirv.Module) error { return errors.New("seen") }}
	if _, err := linkBy(t.Context(), again, runtime, stages, hook); err == nil {
		t.Error("a link with a hook came from the cache")
	}
	if s := again.Stats(); s.Hits != before.Hits || s.Misses != before.Misses+3 {
		t.Errorf("changed stages and options: %+v, before %+v", s, before)
	}
	bad := cacheStages(t)
	bad[0].Entry = "absent"
	for range 2 {
		if _, err := linkBy(t.Context(), again, runtime, bad, link.Options{}); !errors.Is(err, link.ErrInvalid) {
			t.Errorf("an invalid pipeline: %v", err)
		}
	}
}

// TestCacheDamaged damages every file: pipelines are the same, made anew.
func TestCacheDamaged(t *testing.T) {
	dir, runtime, stages := filepath.Join(t.TempDir(), "cache"), runtimeModule(t), cacheStages(t)
	c := openLinks(t, dir)
	want, err := linkBy(t.Context(), c, runtime, stages, link.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)-1] ^= 1
		if err := os.WriteFile(f, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := linkBy(t.Context(), c, runtime, stages, link.Options{})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("after the damage: equal %v, %v", reflect.DeepEqual(got, want), err)
	}
	if s := c.Stats(); s.Damaged != 1 {
		t.Errorf("stats %+v, want one damaged file", s)
	}
	// Whole files whose contents are no result: another version's, say.
	key := linkKey(c.linker(), runtime, stages, link.Options{})
	for _, data := range [][]byte{nil, {1, 2, 3}, encodeResult(&link.Result{Entries: []uint32{1}, Frames: []uint32{1}})} {
		if err := c.store.Put(key, data); err != nil {
			t.Fatal(err)
		}
		if got, err := linkBy(t.Context(), c, runtime, stages, link.Options{}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("contents %x: equal %v, %v", data, reflect.DeepEqual(got, want), err)
		}
	}
}

// smallModule is a header and an instruction of two words (OpCapability Shader).
var smallModule = []uint32{0x07230203, 0x10500, 0, 1, 0, 2<<16 | 17, 1}

// TestCacheRefused plants whole entries whose code the driver does not take: they are linked again, and pipelines work.
func TestCacheRefused(t *testing.T) {
	dev := vktest.Device(t, vktest.NoValidation()) // which would have something to say, too
	dir := filepath.Join(t.TempDir(), "cache")
	o := PipelineOptions{Cache: openCache(t, dev, dir),
		Pipeline: rt.Pipeline{Name: "refused", Stages: cacheStages(t), MaxRecursionDepth: 1, Indirect: true}}
	o.Groups = []Group{{Kind: General, General: 0, ClosestHit: None, AnyHit: None, Intersection: None},
		{Kind: General, General: 1, ClosestHit: None, AnyHit: None, Intersection: None}}
	set, err := dev.NewDescriptorSetLayout("refused", []vk.DescriptorBinding{
		{Binding: 0, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageCompute},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageCompute},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(set.Destroy)
	o.SetLayouts = []vk.SetLayout{set}
	make := func() *Pipeline {
		t.Helper()
		p, err := NewPipeline(t.Context(), dev, o)
		if err != nil {
			t.Fatal(err)
		}
		p.Destroy()
		return p
	}
	want := make()
	expanded := o.resolve(TargetOf(dev))
	runtime, err := shaders.Load(shaders.Variant(runtimeName, expanded.target.Runtime))
	if err != nil {
		t.Fatal(err)
	}
	whole := map[bool][]byte{}
	for _, indirect := range []bool{false, true} {
		linked, cached, err := expanded.link(t.Context(), indirect)
		if err != nil || !cached {
			t.Fatalf("cached %v: %v", cached, err)
		}
		key := linkKey(o.Cache.linker(), runtime, expanded.Stages, expanded.linkOptions(indirect))
		data, _ := o.Cache.store.Get(key)
		whole[indirect] = data
		bad := *linked
		bad.Code = renameEntry(t, linked.Code)
		if err := o.Cache.store.Put(key, encodeResult(&bad)); err != nil {
			t.Fatal(err)
		}
	}
	if got := make(); got.tag != want.tag || !reflect.DeepEqual(got.entries, want.entries) {
		t.Errorf("tag %x, entries %v, want %x, %v", got.tag, got.entries, want.tag, want.entries)
	}
	for indirect, data := range whole {
		key := linkKey(o.Cache.linker(), runtime, expanded.Stages, expanded.linkOptions(indirect))
		if got, ok := o.Cache.store.Get(key); !ok || !bytes.Equal(got, data) {
			t.Errorf("indirect %v: the entry was not made again", indirect)
		}
	}
}

// renameEntry gives a module's entry point another name.
func renameEntry(t *testing.T, code []uint32) []uint32 {
	t.Helper()
	m, err := spirv.Decode(code)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.EntryPoints {
		m.EntryPoints[i].Operands[2] ^= 1
	}
	return m.Encode()
}

// manyHits is a pipeline of n hit shaders, which trace rays themselves or do not.
func manyHits(b *testing.B, n int, shadow bool) (stages []Stage, o link.Options) {
	stages = cacheStages(b)
	for i := range n {
		stages = append(stages, Stage{Kind: ClosestHit, Code: glsltest.Compile(b, "rchit", cacheHit(i, shadow))})
	}
	o.MaxDepth = 1
	if shadow {
		o.MaxDepth = 2
	}
	return stages, o
}

// BenchmarkCache makes a pipeline of 200 hit shaders: linked anew, and from the cache.
func BenchmarkCache(b *testing.B) {
	runtime := runtimeModule(b)
	stages, o := manyHits(b, 200, true)
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			r, err := link.Link(b.Context(), runtime, stages, o)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(r.Code)), "words")
		}
	})
	b.Run("cached", func(b *testing.B) {
		dir := filepath.Join(b.TempDir(), "cache")
		if _, err := linkBy(b.Context(), openLinks(b, dir), runtime, stages, o); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			// A fresh one each time, as a program's start has it.
			if _, err := linkBy(b.Context(), openLinks(b, dir), runtime, stages, o); err != nil {
				b.Fatal(err)
			}
		}
	})
}
