package vk_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// fixture loads a module that testdata/*.spv holds, compiled from the source beside it by testdata/compile.sh.
func fixture(t testing.TB, name string) []uint32 {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".spv"))
	if err != nil {
		t.Fatal(err)
	}
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w
}

// TestFixturesAreCurrent recompiles the fixtures' sources.
func TestFixturesAreCurrent(t *testing.T) {
	if _, err := exec.LookPath("glslangValidator"); err != nil {
		t.Skip("glslangValidator is missing; run scripts/setup.sh")
	}
	out := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "sh", "testdata/compile.sh", out)
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	list, err := filepath.Glob(filepath.Join(out, "*.spv"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	for _, f := range list {
		want, _ := os.ReadFile(f)
		have, _ := os.ReadFile(filepath.Join("testdata", filepath.Base(f)))
		if string(want) != string(have) {
			t.Errorf("%s is stale: run vk/testdata/compile.sh", filepath.Base(f))
		}
	}
}

// doubler doubles n words from one address to another; see testdata/double.comp.
type doubler struct {
	layout   *vk.PipelineLayout
	pipeline *vk.Pipeline
}

func newDoubler(t testing.TB, d *vk.Device, o vk.ComputePipelineOptions) *doubler {
	t.Helper()
	l, err := d.NewPipelineLayout("double", nil, []vk.PushRange{{Stages: vk.StageCompute, Size: 24}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Destroy)
	o.Name, o.Code, o.Layout = "double", fixture(t, "double.comp"), l
	p, err := d.NewComputePipeline(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Destroy)
	return &doubler{l, p}
}

func (k *doubler) record(cb *vk.CommandBuffer, src, dst vk.DeviceAddress, n uint32) {
	var push []byte
	push = binary.LittleEndian.AppendUint64(push, src)
	push = binary.LittleEndian.AppendUint64(push, dst)
	push = binary.LittleEndian.AppendUint32(push, n)
	push = binary.LittleEndian.AppendUint32(push, 0)
	cb.BindComputePipeline(k.pipeline)
	cb.PushConstants(k.layout, vk.StageCompute, 0, push)
	cb.Dispatch((n+63)/64, 1, 1)
}

func newBuffer(t testing.TB, d *vk.Device, o vk.BufferOptions) *vk.Buffer {
	t.Helper()
	b, err := d.NewBuffer(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Destroy)
	return b
}

func words(n int, f func(i int) uint32) []byte {
	b := make([]byte, 0, 4*n)
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, f(i))
	}
	return b
}

func TestComputeThroughDeviceAddresses(t *testing.T) {
	d := vktest.Device(t)
	const n = 100_003
	k := newDoubler(t, d, vk.ComputePipelineOptions{Specialization: map[uint32]uint32{0: 3}})
	src := newBuffer(t, d, vk.BufferOptions{Name: "src", Size: 4 * n})
	dst := newBuffer(t, d, vk.BufferOptions{Name: "dst", Size: 4 * n})
	if err := d.UploadBuffer(t.Context(), src, 0, words(n, func(i int) uint32 { return uint32(i) })); err != nil {
		t.Fatal(err)
	}
	q, err := d.NewQueryPool(2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Destroy)
	err = d.Run(t.Context(), "double", func(cb *vk.CommandBuffer) error {
		cb.ResetQueries(q, 0, 2)
		cb.WriteTimestamp(q, 0)
		cb.BeginLabel("double")
		k.record(cb, src.Address(), dst.Address(), n)
		cb.EndLabel()
		cb.ComputeBarrier()
		k.record(cb, dst.Address(), dst.Address(), n)
		cb.WriteTimestamp(q, 1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4*n)
	if err := d.ReadBuffer(t.Context(), dst, 0, got); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if v := binary.LittleEndian.Uint32(got[4*i:]); v != 9*uint32(i) {
			t.Fatalf("word %d is %d, want %d", i, v, 9*i)
		}
	}
	times, err := q.Results()
	if err != nil || times[1] <= times[0] {
		t.Errorf("timestamps %v, %v", times, err)
	}
}

func TestDescriptorsAndIndirectDispatch(t *testing.T) {
	d := vktest.Device(t)
	const n = 1000
	set, err := d.NewDescriptorSetLayout("copy", []vk.DescriptorBinding{
		{Binding: 0, Type: vulkan.DescriptorTypeStorageBuffer, Stages: vk.StageCompute},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Stages: vk.StageCompute},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(set.Destroy)
	l, err := d.NewPipelineLayout("copy", []*vk.DescriptorSetLayout{set}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Destroy)
	p, err := d.NewComputePipeline(vk.ComputePipelineOptions{Name: "copy", Code: fixture(t, "copy.comp"), Layout: l, Statistics: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Destroy)
	if _, err := p.Statistics(); err != nil {
		t.Error(err)
	}
	src := newBuffer(t, d, vk.BufferOptions{Name: "src", Size: 4 * n, Memory: vk.Upload})
	dst := newBuffer(t, d, vk.BufferOptions{Name: "dst", Size: 4 * n, Memory: vk.Readback})
	args := newBuffer(t, d, vk.BufferOptions{Name: "args", Size: 16})
	copy(src.Mapped(), words(n, func(i int) uint32 { return uint32(i * i) }))
	s, err := d.NewDescriptorSet(set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Destroy)
	s.WriteBuffer(0, 0, vulkan.DescriptorTypeStorageBuffer, src, 0, 0)
	s.WriteBuffer(1, 0, vulkan.DescriptorTypeStorageBuffer, dst, 0, 0)
	err = d.Run(t.Context(), "copy", func(cb *vk.CommandBuffer) error {
		cb.UpdateBuffer(args, 0, words(3, func(i int) uint32 { return []uint32{(n + 63) / 64, 1, 1}[i] }))
		cb.TransferBarrier()
		cb.BindComputePipeline(p)
		cb.BindDescriptorSets(vulkan.PipelineBindPointCompute, l, 0, s)
		cb.DispatchIndirect(args, 0)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if v := binary.LittleEndian.Uint32(dst.Mapped()[4*i:]); v != uint32(i*i) {
			t.Fatalf("word %d is %d, want %d", i, v, i*i)
		}
	}
}
