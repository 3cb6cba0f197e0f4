package vktest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/everray/everray/vk"
)

// ForeignDevice makes kernels of which it knows the options alone, as an engine behind a Vulkan layer would that has the owner of
// the device compile them. It has no Vulkan behind it.
type ForeignDevice struct {
	Properties vk.PhysicalDevice
	Vectors    bool        // what SIMD returns
	Enabled    vk.Features // what Features returns
	// Refuse, if not nil, says why a kernel is not made.
	Refuse func(vk.KernelOptions) error

	mu    sync.Mutex // kernels are made side by side
	alive []string
}

// ForeignKernel is a kernel of a ForeignDevice.
type ForeignKernel struct {
	Options vk.KernelOptions
	Gone    bool
	device  *ForeignDevice
}

// ForeignLayout is a layout of a ForeignDevice.
type ForeignLayout struct {
	Sets   []vk.SetLayout
	Push   uint32
	name   string
	gone   bool
	device *ForeignDevice
}

// Physical is what the device says of itself.
func (d *ForeignDevice) Physical() *vk.PhysicalDevice { return &d.Properties }

// SIMD is Vectors.
func (d *ForeignDevice) SIMD() bool { return d.Vectors }

// Features is Enabled.
func (d *ForeignDevice) Features() vk.Features { return d.Enabled }

// Logger writes nowhere.
func (d *ForeignDevice) Logger() *slog.Logger { return slog.New(slog.DiscardHandler) }

// NewKernel keeps the options.
func (d *ForeignDevice) NewKernel(o vk.KernelOptions) (vk.Kernel, error) {
	if d.Refuse != nil {
		if err := d.Refuse(o); err != nil {
			return nil, err
		}
	}
	d.born(o.Name)
	return &ForeignKernel{Options: o, device: d}, nil
}

// NewKernelContext is NewKernel, which never waits.
func (d *ForeignDevice) NewKernelContext(ctx context.Context, o vk.KernelOptions) (vk.Kernel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d.NewKernel(o)
}

// NewKernelLayout keeps what it is given.
func (d *ForeignDevice) NewKernelLayout(name string, sets []vk.SetLayout, push uint32) (vk.KernelLayout, error) {
	d.born(name)
	return &ForeignLayout{Sets: sets, Push: push, name: name, device: d}, nil
}

// NewKernelCache makes none: the owner of the device has its own.
func (d *ForeignDevice) NewKernelCache(string) (vk.KernelCache, error) { return nil, nil }

// NewTimer makes none.
func (d *ForeignDevice) NewTimer(string, int) (vk.Timer, error) { return nil, nil }

// Alive are the names of kernels and layouts that were not destroyed.
func (d *ForeignDevice) Alive() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.alive)
}

func (d *ForeignDevice) born(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.alive = append(d.alive, name)
}

func (d *ForeignDevice) dies(name string, gone *bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.alive, name); !*gone && i >= 0 {
		d.alive = slices.Delete(d.alive, i, i+1)
	}
	*gone = true
}

// Destroy marks the kernel.
func (k *ForeignKernel) Destroy() { k.device.dies(k.Options.Name, &k.Gone) }

// Destroy marks the layout.
func (l *ForeignLayout) Destroy() { l.device.dies(l.name, &l.gone) }

// push is the size of the kernel's push constants.
func (k *ForeignKernel) push() uint32 {
	if l, ok := k.Options.Layout.(*ForeignLayout); ok {
		return l.Push
	}
	return k.Options.Push
}

// sets are the layouts of the kernel's sets.
func (k *ForeignKernel) sets() []vk.SetLayout {
	if l, ok := k.Options.Layout.(*ForeignLayout); ok {
		return l.Sets
	}
	return nil
}

// ForeignCommand is one operation of a ForeignRecorder: a kernel bound, sets bound, a run, or a barrier.
type ForeignCommand struct {
	Bind    *ForeignKernel
	Sets    []vk.Set
	Offsets []uint32
	Wait    vk.Wait // none if it is no barrier
	// Push, Groups and At are of a run of the kernel Runs; At is 0 unless the device reads the groups.
	Runs   *ForeignKernel
	Push   []byte
	Groups [3]uint32
	At     vk.DeviceAddress
}

// ForeignRecorder is a vk.Recorder that writes down what it is told, for somebody else to play, and memory of a fixed size beside
// it. It is no vk.CommandBuffer, and has nothing of Vulkan.
type ForeignRecorder struct {
	// Commands are what was recorded, Wrong what no command buffer would have taken.
	Commands []ForeignCommand
	Wrong    []string
	// Upload will be at Uploads; Device is where memory of the device is, and Size of it.
	Upload          []byte
	Uploads, Device vk.DeviceAddress
	Size            uint64
	// Stacks, if not 0, is memory that others of the queue family use, too: TransientScratch gives no other. Otherwise it is taken
	// from Device, and Again says that earlier executions used it, as of a secondary command buffer.
	Stacks     vk.DeviceAddress
	StacksSize uint64
	Again      bool

	ctx         context.Context
	used, taken uint64
	scratch     vk.DeviceAddress
	scratchSize uint64
	labels      int
	bound       *ForeignKernel
	haveSets    bool
}

// NewForeignRecorder has memory at addresses that nobody may follow, unless they are changed.
func NewForeignRecorder(ctx context.Context) *ForeignRecorder {
	return &ForeignRecorder{ctx: ctx, Upload: make([]byte, 1<<20), Uploads: 1 << 32, Device: 1 << 40, Size: 4 << 30}
}

func (r *ForeignRecorder) wrong(format string, args ...any) {
	r.Wrong = append(r.Wrong, fmt.Sprintf(format, args...))
}

// BindKernel is vk.Recorder's.
func (r *ForeignRecorder) BindKernel(k vk.Kernel) {
	own, ok := k.(*ForeignKernel)
	if !ok || own.Gone {
		r.wrong("kernel %v is destroyed, or another device's", k)
		return
	}
	r.bound = own
	r.Commands = append(r.Commands, ForeignCommand{Bind: own})
}

// BindSets is vk.Recorder's.
func (r *ForeignRecorder) BindSets(sets []vk.Set, offsets []uint32) {
	if r.bound == nil || len(sets) > len(r.bound.sets()) {
		r.wrong("%d sets are bound for a kernel that has fewer", len(sets))
		return
	}
	r.haveSets = true
	r.Commands = append(r.Commands, ForeignCommand{Sets: slices.Clone(sets), Offsets: slices.Clone(offsets)})
}

// RunKernel is vk.Recorder's.
func (r *ForeignRecorder) RunKernel(push []byte, x, y, z uint32) {
	const most = 65535
	if max(x, y, z) > most || min(x, y, z) == 0 {
		r.wrong("%d x %d x %d workgroups", x, y, z)
	}
	r.run(ForeignCommand{Push: push, Groups: [3]uint32{x, y, z}})
}

// RunKernelAt is vk.Recorder's.
func (r *ForeignRecorder) RunKernelAt(push []byte, groups vk.DeviceAddress) {
	if groups%4 != 0 || groups < r.Device || groups+12 > r.Device+r.taken {
		r.wrong("groups at %#x, which the recording did not take", groups)
	}
	r.run(ForeignCommand{Push: push, At: groups})
}

func (r *ForeignRecorder) run(c ForeignCommand) {
	if c.Runs = r.bound; c.Runs == nil {
		r.wrong("a run without a kernel")
		return
	}
	if n := len(c.Push); n == 0 || n%4 != 0 || n > int(c.Runs.push()) {
		r.wrong("%d bytes of push constants, %q has %d", n, c.Runs.Options.Name, c.Runs.push())
	}
	if len(c.Runs.sets()) > 0 && !r.haveSets {
		r.wrong("%q runs without sets", c.Runs.Options.Name)
	}
	c.Push = bytes.Clone(c.Push)
	r.Commands = append(r.Commands, c)
}

// Barrier is vk.Recorder's.
func (r *ForeignRecorder) Barrier(w vk.Wait) {
	if w != vk.WaitNone {
		r.Commands = append(r.Commands, ForeignCommand{Wait: w})
	}
}

// BeginLabel is vk.Recorder's.
func (r *ForeignRecorder) BeginLabel(string) { r.labels++ }

// EndLabel is vk.Recorder's.
func (r *ForeignRecorder) EndLabel() { r.labels-- }

// Context is vk.Recorder's.
func (r *ForeignRecorder) Context() context.Context { return r.ctx }

// TransientUpload hands out Upload from its start.
func (r *ForeignRecorder) TransientUpload(size, align uint64) (vk.DeviceAddress, []byte, error) {
	at := (r.used + align - 1) &^ (align - 1)
	if at+size > uint64(len(r.Upload)) {
		return 0, nil, fmt.Errorf("no room for %d bytes to upload", size)
	}
	r.used = at + size
	return r.Uploads + at, r.Upload[at:r.used:r.used], nil
}

// TransientDevice hands out memory from Device on.
func (r *ForeignRecorder) TransientDevice(size, align uint64) (vk.DeviceAddress, error) {
	at := (r.taken + align - 1) &^ (align - 1)
	if at+size > r.Size {
		return 0, fmt.Errorf("no room for %d bytes of the device", size)
	}
	r.taken = at + size
	return r.Device + at, nil
}

// TransientScratch hands out Stacks, or what is taken once for all launches.
func (r *ForeignRecorder) TransientScratch(size, align uint64) (vk.DeviceAddress, bool, error) {
	if r.Stacks != 0 {
		if size > r.StacksSize || r.Stacks%align != 0 {
			return 0, false, fmt.Errorf("no room for %d bytes of stacks", size)
		}
		return r.Stacks, true, nil
	}
	if r.scratch != 0 && r.scratchSize >= size {
		return r.scratch, true, nil
	}
	var err error
	r.scratch, err = r.TransientDevice(size, align)
	r.scratchSize = size
	return r.scratch, r.Again, err
}

// Runs are the commands that run kernels, in order.
func (r *ForeignRecorder) Runs() []ForeignCommand {
	var out []ForeignCommand
	for _, c := range r.Commands {
		if c.Runs != nil {
			out = append(out, c)
		}
	}
	return out
}

// Err says what was wrong with the recording, nil if nothing.
func (r *ForeignRecorder) Err() error {
	if r.labels != 0 {
		r.wrong("%d labels are open", r.labels)
	}
	if len(r.Wrong) > 0 {
		return fmt.Errorf("foreign recording: %s", strings.Join(r.Wrong, "; "))
	}
	return nil
}
