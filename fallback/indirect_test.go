package fallback

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// TestIndirectLayout compares the dwords that indirect.comp names with launchParams, which internal/house
// holds against launch.glsl.
func TestIndirectLayout(t *testing.T) {
	text, err := os.ReadFile("../shaders/fallback/indirect.comp")
	if err != nil {
		t.Fatal(err)
	}
	var l launchParams
	for name, want := range map[string]uintptr{
		"LAUNCH_SIZE": unsafe.Offsetof(l.launchSize), "LAUNCH_RAYGEN_RECORD": unsafe.Offsetof(l.raygenRecord),
		"LAUNCH_MISS_BASE": unsafe.Offsetof(l.miss), "LAUNCH_TILE_WIDTH_LOG2": unsafe.Offsetof(l.tileWidthLog2),
		"LAUNCH_TILES_PER_ROW": unsafe.Offsetof(l.tilesPerRow), "LAUNCH_TILES_PER_SLICE": unsafe.Offsetof(l.tilesPerSlice),
		"LAUNCH_FIRST_GROUP": unsafe.Offsetof(l.firstGroup), "LAUNCH_GROUP_STRIDE": unsafe.Offsetof(l.groupStride),
		"LAUNCH_GROUP_COUNT": unsafe.Offsetof(l.groupCount), "LAUNCH_WORDS": launchBytes,
		"LANES_PER_GROUP": 4 * lanesPerGroup, "GROUPS_PER_WORKGROUP": 4 * lanesPerTile / lanesPerGroup,
	} {
		_, rest, ok := strings.Cut(string(text), "const uint "+name+" = ")
		value, _, _ := strings.Cut(rest, "u;")
		if got, err := strconv.Atoi(value); !ok || err != nil || 4*got != int(want) {
			t.Errorf("%s = %q in indirect.comp, want %d", name, value, want/4)
		}
	}
	if unsafe.Offsetof(l.hit) != unsafe.Offsetof(l.miss)+16 || unsafe.Offsetof(l.callable) != unsafe.Offsetof(l.hit)+16 {
		t.Error("the tables do not lie one after the other, as indirect.comp takes it")
	}
}

// indirectCommand is a VkTraceRaysIndirectCommand2KHR.
func indirectCommand(raygen uint64, tables [3]vk.StridedRegion, size [3]uint32) []byte {
	e := binary.LittleEndian
	b := e.AppendUint64(e.AppendUint64(nil, raygen), 32)
	for _, r := range tables {
		b = e.AppendUint64(e.AppendUint64(e.AppendUint64(b, r.Address), r.Size), r.Stride)
	}
	for _, n := range size {
		b = e.AppendUint32(b, n)
	}
	return b
}

// TestIndirectKernel compares what the kernel writes with what the host computes for direct launches.
func TestIndirectKernel(t *testing.T) {
	dev := vktest.Device(t)
	code, err := shaders.Load("fallback/indirect.comp")
	if err != nil {
		t.Fatal(err)
	}
	layout, err := dev.NewPipelineLayout("size", nil, []vk.PushRange{{Stages: vk.StageCompute, Size: indirectArguments}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(layout.Destroy)
	kernel, err := dev.NewComputePipeline(vk.ComputePipelineOptions{Name: "size", Code: code, Layout: layout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kernel.Destroy)
	memory, err := dev.NewBuffer(vk.BufferOptions{Name: "parameters", Size: 1024, Memory: vk.Readback})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(memory.Destroy)
	const at, known, block = 0, 256, 512
	const batch = 1024
	tables := [3]vk.StridedRegion{{Address: 1<<40 + 64, Stride: 32, Size: 96}, {Address: 1<<33 + 128, Stride: 64, Size: 1<<32 - 64},
		{Address: 192, Stride: 4096, Size: 1 << 33}}
	const most = maxLaunchSize
	for _, tt := range []struct{ size, want [3]uint32 }{
		{size: [3]uint32{1, 1, 1}}, {size: [3]uint32{33, 1, 1}}, {size: [3]uint32{7, 3, 2}}, {size: [3]uint32{8, 4, 1}},
		{size: [3]uint32{1920, 1080, 1}}, {size: [3]uint32{9, 5, 3}}, {size: [3]uint32{1, 1, most}}, {size: [3]uint32{most, 1, 1}},
		{[3]uint32{1 << 16, 1 << 16, 1}, [3]uint32{1 << 16, 1 << 14, 1}},
		{[3]uint32{1<<32 - 1, 1<<32 - 1, 1<<32 - 1}, [3]uint32{most, 1, 1}},
		{[3]uint32{1 << 10, 1 << 10, 1<<32 - 1}, [3]uint32{1 << 10, 1 << 10, 1 << 10}},
		{size: [3]uint32{0, 8, 8}}, {size: [3]uint32{8, 0, 8}}, {size: [3]uint32{8, 8, 0}},
	} {
		want := tt.want
		if want == [3]uint32{} {
			want = tt.size
		}
		for _, two := range []bool{false, true} {
			template := &launchParams{stackDwords: 7, stackBase: 1 << 35, faults: 5, raygenRecord: 64, pushConstants: 9, pipelineTag: 11,
				maxDepth: 3,
				miss:     tableRegion{1, 2, 3}, hit: tableRegion{4, 5, 6}, callable: tableRegion{7, 8, 9}}
			expect := *template
			command := indirectCommand(1<<36+64, tables, tt.size)
			if two {
				expect.raygenRecord = 1<<36 + 64
				expect.miss, expect.hit = region(tables[0]), region(tables[1])
				expect.callable = tableRegion{192, 4096, 1<<32 - 1}
			} else {
				command = command[88:]
			}
			groups := uint32(0)
			if want[0] > 0 && want[1] > 0 && want[2] > 0 {
				groups = expect.tile(want)
			}
			workgroups := (min(groups, batch) + 1) / 2
			expect.groupStride, expect.groupCount = 2*workgroups, groups
			copy(memory.Mapped()[at:], command)
			copy(memory.Mapped()[known:], template.encode())
			clear(memory.Mapped()[block:])
			trace := IndirectTrace{Command: memory.Address() + at, Tables: two}
			err := dev.Run(t.Context(), "size", func(cb *vk.CommandBuffer) error {
				cb.BindComputePipeline(kernel)
				cb.PushConstants(layout, vk.StageCompute, 0, trace.arguments(memory.Address()+known, memory.Address()+block, batch))
				cb.Dispatch(1, 1, 1)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			got := memory.Mapped()[block:]
			dispatch := []uint32{binary.LittleEndian.Uint32(got[launchBytes:]), binary.LittleEndian.Uint32(got[launchBytes+4:]),
				binary.LittleEndian.Uint32(got[launchBytes+8:])}
			if dispatch[0] != workgroups || dispatch[1] != 1 || dispatch[2] != 1 {
				t.Errorf("%v: dispatch of %v workgroups, want %d", tt.size, dispatch, workgroups)
			}
			if groups == 0 {
				continue // nobody reads the block
			}
			if wantBytes := expect.encode(); !bytes.Equal(got[:launchBytes], wantBytes) {
				t.Errorf("%v (tables %v):\n got %x\nwant %x", tt.size, two, got[:launchBytes], wantBytes)
			}
		}
	}
}

func TestIndirectValidate(t *testing.T) {
	p := pushing(4)
	ok := vk.StridedRegion{Address: 64, Stride: 32, Size: 64}
	good := IndirectTrace{Trace: Trace{Raygen: ok, Miss: ok, Hit: ok}, Command: 4}
	for name, tt := range map[string]struct {
		edit func(*IndirectTrace)
		ok   bool
	}{
		"good":             {func(*IndirectTrace) {}, true},
		"size is not read": {func(x *IndirectTrace) { x.Width, x.Height, x.Depth = 1<<31, 1<<31, 2 }, true},
		"tables are not read": {func(x *IndirectTrace) {
			x.Raygen, x.Hit, x.Tables = vk.StridedRegion{}, vk.StridedRegion{Address: 1}, true
		}, true},
		"no command":            {func(x *IndirectTrace) { x.Command = 0 }, false},
		"alignment":             {func(x *IndirectTrace) { x.Command = 6 }, false},
		"no raygen":             {func(x *IndirectTrace) { x.Raygen = vk.StridedRegion{} }, false},
		"push constants":        {func(x *IndirectTrace) { x.PushConstants = make([]byte, 8) }, false},
		"push constants, table": {func(x *IndirectTrace) { x.PushConstants, x.Tables = make([]byte, 8), true }, false},
	} {
		x := good
		tt.edit(&x)
		if err := x.validate(p); (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// tile covers a launch with lane groups of 8x4 places, or flatter where it is, and returns their number: what the kernel does.
func (l *launchParams) tile(size [3]uint32) uint32 {
	l.launchSize, l.tileWidthLog2 = size, 3
	switch {
	case size[1] == 1:
		l.tileWidthLog2 = 5
	case size[1] < 4:
		l.tileWidthLog2 = 4
	}
	w := uint32(1) << l.tileWidthLog2
	h := lanesPerGroup / w
	l.tilesPerRow = (size[0] + w - 1) / w
	l.tilesPerSlice = l.tilesPerRow * ((size[1] + h - 1) / h)
	return l.tilesPerSlice * size[2]
}

// TestPrepareIndirectWaits: while somebody compiles what indirect launches need, others wait no longer than their contexts, and do
// not wait once it is there.
func TestPrepareIndirectWaits(t *testing.T) {
	p := &Pipeline{}
	p.indirect.turn = make(chan struct{}, 1)
	p.indirect.turn <- struct{}{} // somebody compiles
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := p.PrepareIndirect(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another compiles: %v", err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("waited for %v", d)
	}
	p.indirect.made.Store(true)
	if err := p.PrepareIndirect(ctx); err != nil {
		t.Errorf("when all is there: %v", err)
	}
}
