package fallback_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/cache"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// foreignGPU is a device that is not package vk's: large, and with nothing behind it.
func foreignGPU() *vktest.ForeignDevice {
	d := &vktest.ForeignDevice{}
	d.Properties.Type = vulkan.PhysicalDeviceTypeDiscreteGpu
	d.Properties.Limits.MaxComputeWorkGroupInvocations, d.Properties.Limits.MaxComputeSharedMemorySize = 1024, 48<<10
	return d
}

// foreignName is a set layout, or a set, of which only the device's owner knows more.
type foreignName string

func (n foreignName) Name() string { return string(n) }

// foreignStages traces TIMES times from ray generation; every ray misses.
func foreignStages(t testing.TB, times string) []rt.Stage {
	source := strings.Replace(longLoop, "TIMES", times, 1)
	return []rt.Stage{{Kind: rt.Raygen, Code: glsltest.Compile(t, "rgen", source)},
		{Kind: rt.Miss, Code: glsltest.Compile(t, "rmiss", longMiss)}}
}

func foreignPipeline(t *testing.T, dev fallback.Device, form rt.Form, times string) *fallback.Pipeline {
	t.Helper()
	p, err := fallback.NewPipeline(t.Context(), dev, fallback.PipelineOptions{
		SetLayouts: []vk.SetLayout{foreignName("layout")}, Pipeline: rt.Pipeline{
			Name: "p", Stages: foreignStages(t, times), Groups: []rt.Group{rt.GeneralGroup(0), rt.GeneralGroup(1)},
			PushConstantBytes: 16, MaxRecursionDepth: 1, Form: form, Indirect: true}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// foreignTrace is a launch with tables, faults and stacks somewhere in memory that nobody reads.
func foreignTrace(width, height, stack uint32) fallback.Trace {
	table := vk.StridedRegion{Address: 4096, Stride: 64, Size: 64}
	return fallback.Trace{Raygen: table, Miss: table, Width: width, Height: height, Depth: 1, StackBytes: stack,
		Sets: []vk.Set{foreignName("set")}, DynamicOffsets: []uint32{7}, PushConstants: make([]byte, 16), Faults: 1 << 20}
}

// written is a recording as words: barriers, kernels by the end of their names, workgroups or that the device reads them.
func written(r *vktest.ForeignRecorder) string {
	var out []string
	waits := map[vk.Wait]string{vk.WaitCompute: "wait", vk.WaitIndirect: "wait-indirect", vk.WaitCommands: "wait-commands"}
	short := func(k *vktest.ForeignKernel) string {
		_, name, _ := strings.Cut(k.Options.Name, ", ")
		return strings.ReplaceAll(cmp.Or(name, "all"), " ", "")
	}
	for _, c := range r.Commands {
		switch {
		case c.Bind != nil:
			out = append(out, "bind-"+short(c.Bind))
		case c.Runs != nil && c.At != 0:
			out = append(out, "indirectly")
		case c.Runs != nil:
			out = append(out, fmt.Sprintf("%dx%dx%d", c.Groups[0], c.Groups[1], c.Groups[2]))
		case c.Wait != vk.WaitNone:
			out = append(out, waits[c.Wait])
		default:
			out = append(out, fmt.Sprintf("sets%v", c.Offsets))
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(strings.Join(out, " "), round, "round"), rest, "rest")
}

// round is what the wavefront form records of a round behind its first kernel, with the kernel that begins the next; rest is the
// same where the next begins with another. written has them as one word each.
const (
	round = "wait bind-scan 1x1x1 wait-indirect bind-scatter indirectly wait bind-shade0 indirectly wait bind-resume indirectly"
	rest  = "wait bind-scan 1x1x1 wait-indirect bind-scatter indirectly wait bind-shade0 indirectly"
)

// foreignLaunches are what launches of each form record. Pipelines trace twice, so that three rounds end every lane.
var foreignLaunches = map[string]map[rt.Form]string{
	// 64 x 32 places are 8 x 4 tiles; the monolithic form takes two at a time, the sorted four.
	"direct": {
		rt.FormMonolithic: "bind-all sets[7] 4x4x1", rt.FormMegakernel: "bind-all sets[7] 8x4x1",
		rt.FormBlocks: "bind-all sets[7] 8x4x1", rt.FormSorted: "bind-all sets[7] 2x4x1",
		rt.FormWavefront: "bind-scan 1x1x1 wait bind-resume sets[7] 32x1x1 round round",
	},
	// Stacks of 1 MiB are for 1024 lanes at a time, in two batches that use the same; with the wavefront form's states for 512.
	"batches": {
		rt.FormMonolithic: "bind-all sets[7] 4x4x1", rt.FormMegakernel: "bind-all sets[7] 8x2x1 wait 8x2x1",
		rt.FormBlocks: "bind-all sets[7] 8x2x1 wait 8x2x1", rt.FormSorted: "bind-all sets[7] 2x2x1 wait 2x2x1",
		rt.FormWavefront: "bind-scan 1x1x1 wait bind-resume sets[7] 8x1x1 round round" +
			strings.Repeat(" wait bind-scan 1x1x1 wait bind-resume 8x1x1 round round", 3),
	},
	"indirect": {
		rt.FormMonolithic: indirectOf, rt.FormMegakernel: indirectOf, rt.FormBlocks: indirectOf, rt.FormSorted: indirectOf,
		rt.FormWavefront: "wait-commands bind-indirect,size 1x1x1 wait bind-scan 1x1x1 wait-indirect bind-resume sets[7] indirectly" +
			" round round wait bind-tail 32768x1x1",
	},
}

const indirectOf = "wait-commands bind-indirect,size 1x1x1 wait-indirect bind-indirect sets[7] indirectly"

// TestForeignLaunches: launches of every form record through a Recorder that is no command buffer, on a device that is not
// package vk's, with memory that somebody else gives; what they record is a list that somebody else can play.
func TestForeignLaunches(t *testing.T) {
	for _, form := range allForms {
		t.Run(form.String(), func(t *testing.T) {
			dev := foreignGPU()
			p := foreignPipeline(t, dev, form, "2u")
			record := func(name string, r *vktest.ForeignRecorder) {
				t.Helper()
				var err error
				switch name {
				case "direct":
					err = p.CmdTraceRays(r, foreignTrace(64, 32, 0))
				case "batches":
					err = p.CmdTraceRays(r, foreignTrace(64, 32, 1<<20))
				default:
					err = p.CmdTraceRaysIndirect(r, fallback.IndirectTrace{Trace: foreignTrace(0, 0, 0), Command: 8192})
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := r.Err(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			for name, want := range foreignLaunches {
				first := vktest.NewForeignRecorder(t.Context())
				record(name, first)
				if got := written(first); got != want[form] {
					t.Errorf("%s:\n%s, want\n%s", name, got, want[form])
				}
				// A second launch, another execution, and others of the queue family use the same stacks.
				behind := want[form]
				if form != rt.FormMonolithic && name != "indirect" {
					behind = "wait " + behind
				}
				record(name, first)
				if got := written(first); got != want[form]+" "+behind {
					t.Errorf("%s, twice:\n%s, want\n%s", name, got, want[form]+" "+behind)
				}
				again, family := vktest.NewForeignRecorder(t.Context()), vktest.NewForeignRecorder(t.Context())
				again.Again, family.Stacks, family.StacksSize = true, 1<<50, 2<<30
				family.Size = 32 << 10 // of all else
				for _, r := range []*vktest.ForeignRecorder{again, family} {
					if record(name, r); written(r) != behind {
						t.Errorf("%s, stacks in use:\n%s, want\n%s", name, written(r), behind)
					}
				}
			}
			p.Destroy()
			if left := dev.Alive(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// TestForeignTail: where nobody knows how often lanes trace, ten rounds and the kernel for what is left are recorded.
func TestForeignTail(t *testing.T) {
	dev := foreignGPU()
	p := foreignPipeline(t, dev, rt.FormWavefront, "times.most")
	defer p.Destroy()
	r := vktest.NewForeignRecorder(t.Context())
	if err := p.CmdTraceRays(r, foreignTrace(64, 32, 0)); err != nil {
		t.Fatal(err)
	}
	want := "bind-scan 1x1x1 wait bind-resume sets[7] 32x1x1" + strings.Repeat(" round", 9) + " rest wait bind-tail indirectly"
	if got := written(r); got != want || r.Err() != nil {
		t.Errorf("%s, want\n%s\n(%v)", got, want, r.Err())
	}
}

// TestForeignMemory: what a launch tells its kernels is where the recorder's memory is.
func TestForeignMemory(t *testing.T) {
	p := foreignPipeline(t, foreignGPU(), rt.FormMegakernel, "2u")
	defer p.Destroy()
	r := vktest.NewForeignRecorder(t.Context())
	r.Stacks, r.StacksSize = 1<<50, 1<<30
	trace := foreignTrace(64, 32, 0)
	trace.PushConstants = []byte{1, 2, 3, 4, 5, 6, 7, 8}
	if err := p.CmdTraceRays(r, trace); err != nil {
		t.Fatal(err)
	}
	push := r.Runs()[0].Push
	word := func(at uintptr) uint64 { return binary.LittleEndian.Uint64(push[at:]) }
	var l fallback.LaunchParams
	if got := word(unsafe.Offsetof(l.StackBase)); got != r.Stacks {
		t.Errorf("stacks at %#x, want %#x", got, r.Stacks)
	}
	if got := word(unsafe.Offsetof(l.Faults)); got != trace.Faults {
		t.Errorf("faults at %#x, want %#x", got, trace.Faults)
	}
	at := word(unsafe.Offsetof(l.PushConstants))
	if at < r.Uploads || at+fallback.MaxPushConstantBytes > r.Uploads+uint64(len(r.Upload)) {
		t.Fatalf("push constants at %#x", at)
	}
	got := r.Upload[at-r.Uploads:][:fallback.MaxPushConstantBytes]
	if !slices.Equal(got[:8], trace.PushConstants) || slices.Max(got[8:]) != 0 {
		t.Errorf("push constants %v", got)
	}
}

// TestForeignCache links and caches without a device: a second pipeline's code comes from the cache, for the same limits.
func TestForeignCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	made := func(change func(d *vktest.ForeignDevice)) (fallback.CacheStats, []uint32) {
		t.Helper()
		store, err := cache.Open(dir, cache.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := fallback.NewCache(store, nil)
		dev := foreignGPU()
		var code []uint32
		dev.Refuse = func(o vk.KernelOptions) error {
			if o.Cache != nil {
				return fmt.Errorf("kernel %q has a cache of some driver", o.Name)
			}
			code = o.Code
			return nil
		}
		change(dev)
		p, err := fallback.NewPipeline(t.Context(), dev, fallback.PipelineOptions{Cache: c,
			SetLayouts: []vk.SetLayout{foreignName("layout")}, Pipeline: rt.Pipeline{Name: "cached", Stages: foreignStages(t, "2u"),
				Groups: []rt.Group{rt.GeneralGroup(0), rt.GeneralGroup(1)}, MaxRecursionDepth: 1}})
		if err != nil {
			t.Fatal(err)
		}
		p.Destroy()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		return c.Stats(), code
	}
	same := func(*vktest.ForeignDevice) {}
	first, linked := made(same)
	if first.Hits != 0 || first.Misses != 1 {
		t.Errorf("at first %+v", first)
	}
	if again, code := made(same); again.Hits != 1 || again.Misses != 0 || !slices.Equal(code, linked) {
		t.Errorf("again %+v, the same code %v", again, slices.Equal(code, linked))
	}
	for name, change := range map[string]func(d *vktest.ForeignDevice){
		"lanes":         func(d *vktest.ForeignDevice) { d.Properties.Limits.MaxComputeWorkGroupInvocations = 128 },
		"shared memory": func(d *vktest.ForeignDevice) { d.Properties.Limits.MaxComputeSharedMemorySize = 16 << 10 },
		"vectors":       func(d *vktest.ForeignDevice) { d.Vectors = true },
		"integers":      func(d *vktest.ForeignDevice) { d.Enabled.Int64 = true },
	} {
		if other, _ := made(change); other.Hits != 0 {
			t.Errorf("%s: code for another device: %+v", name, other)
		}
	}
}

// TestForeignPlayed: what launches record elsewhere, somebody else plays with pipelines and buffers of his own, and the results
// are those of command buffers. Direct and indirect launches share a recording, and its stacks.
func TestForeignPlayed(t *testing.T) {
	contents := [][]uint32{make([]uint32, nullLanes), {40}, {0}}
	r := newNullRig(t, contents...)
	stages := foreignStages(t, "(times.most * n / 69u)")
	uploads, memory := foreignBuffer(t, r.dev, "uploads", 1<<20), foreignBuffer(t, r.dev, "memory", 256<<20)
	command := foreignBuffer(t, r.dev, "command", fallback.IndirectCommandSize)
	size := []byte{nullLanes, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}
	if err := r.dev.UploadBuffer(t.Context(), command, 0, size); err != nil {
		t.Fatal(err)
	}
	for _, form := range allForms {
		r.foreign, r.record = nil, nil
		want := r.run(t, form, contents, stages...)
		for _, indirect := range []bool{false, true} {
			r.foreign = &vktest.ForeignDevice{Properties: *r.dev.Physical(), Vectors: r.dev.SIMD(), Enabled: r.dev.Features()}
			r.record = func(p *fallback.Pipeline, trace fallback.Trace) error {
				rec := vktest.NewForeignRecorder(t.Context())
				rec.Uploads, rec.Device, rec.Size = uploads.Address(), memory.Address(), memory.Size()
				// Commands and memory may be two, of different owners.
				both := struct {
					vk.Recorder
					fallback.Memory
				}{rec, rec}
				var err error
				if indirect {
					err = p.CmdTraceRaysIndirect(both, fallback.IndirectTrace{Trace: trace, Command: command.Address()})
				} else {
					err = p.CmdTraceRays(both, trace)
				}
				if err == nil {
					err = p.CmdTraceRays(both, trace) // behind the other, which has the same results
				}
				rec.Play(t, r.dev, uploads, memory)
				return err
			}
			if got := r.run(t, form, contents, stages...); !slices.Equal(got[0], want[0]) || slices.Max(got[0]) == 0 {
				t.Errorf("%v, indirectly %v: %v, want %v", form, indirect, got[0], want[0])
			}
			if left := r.foreign.Alive(); len(left) > 0 {
				t.Errorf("%v: left: %v", form, left)
			}
		}
	}
}

func foreignBuffer(t *testing.T, dev *vk.Device, name string, size uint64) *vk.Buffer {
	t.Helper()
	b, err := dev.NewBuffer(vk.BufferOptions{Name: name, Size: size, Alignment: 256})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Destroy)
	return b
}
