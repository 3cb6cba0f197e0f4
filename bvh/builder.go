package bvh

import (
	"fmt"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// The kernels, in the order in which a build runs them.
const (
	kernelInit = iota
	kernelBounds
	kernelSplitPlan
	kernelSplit
	kernelSplitParts
	kernelMorton
	kernelSortSmall
	kernelSortScan
	kernelSortScatter
	kernelBundle
	kernelLBVH
	kernelClimb
	kernelPLOC
	kernelPLOCTeam
	kernelCrown
	kernelImproveSearch
	kernelImproveApply
	kernelImproveMark
	kernelImproveRefit
	kernelLeaves
	kernelCorners
	kernelBalance
	kernelOrderSmall
	kernelOrderCount
	kernelOrderScan
	kernelOrderWrite
	kernelHeader
	kernelRefitLeaves
	kernelRefitPlain
	kernelRefitInstances
	kernelRefitNodes
	kernelRefitShort
	kernelRefitSmall
	kernelIndirect
	kernelScanSum
	kernelScanApply
	kernelCopyPlan
	kernelCopyLink
	kernelCopyUsed
	kernelCopyShare
	kernelCopyWrite
	kernelCopyFinish
	kernelWiden
	kernelClusterSizes
	kernelClusterPlace
	kernelClusterBuild64
	kernelClusterBuild128
	kernelClusterBuild256
	kernelClusterDirect64
	kernelClusterDirect128
	kernelClusterDirect256
	kernelClusterInstantiate64
	kernelClusterInstantiate128
	kernelClusterInstantiate256
	kernelClusterMove
	kernelClusterGather
	kernelClusterFinish
	kernelClusterLinearBoxes
	kernelClusterLinearSort
	kernelClusterLinearMerge
	kernelClusterLinearSpans
	kernelClusterLinearNodes
	kernelClusterTranslate
	kernelCount
)

var kernelNames = [kernelCount]string{
	kernelInit:           "build/init",
	kernelBounds:         "build/bounds",
	kernelSplitPlan:      "build/split_plan",
	kernelSplit:          "build/split",
	kernelSplitParts:     "build/split_parts",
	kernelMorton:         "build/morton",
	kernelSortSmall:      "build/sort_small",
	kernelSortScan:       "build/sort_scan",
	kernelSortScatter:    "build/sort_scatter",
	kernelBundle:         "build/bundle",
	kernelLBVH:           "build/lbvh",
	kernelClimb:          "build/climb",
	kernelPLOC:           "build/ploc",
	kernelPLOCTeam:       "build/ploc_team",
	kernelCrown:          "build/crown",
	kernelImproveSearch:  "build/improve_search",
	kernelImproveApply:   "build/improve_apply",
	kernelImproveMark:    "build/improve_mark",
	kernelImproveRefit:   "build/improve_refit",
	kernelLeaves:         "build/leaves",
	kernelCorners:        "build/corners",
	kernelBalance:        "build/balance",
	kernelOrderSmall:     "build/order_small",
	kernelOrderCount:     "build/order_count",
	kernelOrderScan:      "build/order_scan",
	kernelOrderWrite:     "build/order_write",
	kernelHeader:         "build/header",
	kernelRefitLeaves:    "refit/leaves",
	kernelRefitPlain:     "refit/leaves",
	kernelRefitInstances: "refit/leaves",
	kernelRefitNodes:     "refit/nodes",
	kernelRefitShort:     "refit/nodes",
	kernelRefitSmall:     "refit/small",
	kernelIndirect:       "build/indirect",
	kernelScanSum:        "copy/scan_sum",
	kernelScanApply:      "copy/scan_apply",
	kernelCopyPlan:       "copy/plan",
	kernelCopyLink:       "copy/link",
	kernelCopyUsed:       "copy/used",
	kernelCopyShare:      "copy/share",
	kernelCopyWrite:      "copy/write",
	kernelCopyFinish:     "copy/finish",
	kernelWiden:          "build/widen",

	kernelClusterSizes:          "cluster/sizes",
	kernelClusterPlace:          "cluster/place",
	kernelClusterBuild64:        "cluster/build",
	kernelClusterBuild128:       "cluster/build",
	kernelClusterBuild256:       "cluster/build",
	kernelClusterDirect64:       "cluster/build",
	kernelClusterDirect128:      "cluster/build",
	kernelClusterDirect256:      "cluster/build",
	kernelClusterInstantiate64:  "cluster/instantiate",
	kernelClusterInstantiate128: "cluster/instantiate",
	kernelClusterInstantiate256: "cluster/instantiate",
	kernelClusterMove:           "cluster/move",
	kernelClusterGather:         "cluster/gather",
	kernelClusterFinish:         "cluster/finish",
	kernelClusterLinearBoxes:    "cluster/linear_boxes",
	kernelClusterLinearSort:     "cluster/linear_sort",
	kernelClusterLinearMerge:    "cluster/linear_merge",
	kernelClusterLinearSpans:    "cluster/linear_spans",
	kernelClusterLinearNodes:    "cluster/linear_nodes",
	kernelClusterTranslate:      "cluster/translate",
}

// pushSize is the bytes of push constants: those of build.glsl, and all of refit/push.glsl.
const pushSize = uint32(unsafe.Sizeof(erPush{}) + unsafe.Sizeof(erUpdatePush{}))

// Builder holds the kernels that build structures on one device. Each is compiled when a command first needs it.
type Builder struct {
	dev     Device
	kernels [kernelCount]kernel

	// teams is whether a workgroup does a merge, or a thread. Both build the same tree; on a CPU barriers are dear.
	teams      bool
	refitSmall uint32                           // most primitives of an update in one workgroup
	refitNodes uint32                           // nodes of a workgroup of an update
	lanes      uint32                           // of the workgroups that mostLanes is for
	leafLimit  uint32                           // CollapseLimit, but for measurements
	passes     uint32                           // improveLargePasses, the same
	reach      uint32                           // cluster.Reach, but for tests
	crowns     bool                             // whether trees get crowns
	wide       bool                             // whether structures get wide nodes
	mark       func(cb Recorder, kernel string) // for benchmarks: called after every dispatch
}

// Device is what a Builder asks of a device: a vk.Device, or a foreign one in which others make kernels.
type Device interface {
	Physical() *vk.PhysicalDevice
	// SIMD tells whether rays run on a CPU's vectors.
	SIMD() bool
	NewKernel(vk.KernelOptions) (vk.Kernel, error)
}

// Recorder is what commands are recorded with: a vk.CommandBuffer, or a foreign command buffer together with what gives memory
// beside it.
type Recorder interface {
	vk.Recorder
	Memory
}

// Memory is what commands need beside their own scratch memory. It is theirs as long as the recording may run.
type Memory interface {
	// TransientUpload returns memory that the CPU fills before the recording is submitted, TransientDevice memory of the device
	// alone, whose contents are undefined. align is a power of two.
	TransientUpload(size, align uint64) (vk.DeviceAddress, []byte, error)
	TransientDevice(size, align uint64) (vk.DeviceAddress, error)
}

// NewBuilder compiles no kernels yet (Builder.Prepare). The device must outlive the Builder. Commands are recorded into its
// command buffers, or whatever runs its kernels.
func NewBuilder(dev Device) (*Builder, error) { return newBuilder(dev, dev.Physical().Limits) }

// newBuilder keeps to limits that may be less than the device's.
func newBuilder(dev Device, limits vk.Limits) (*Builder, error) {
	return &Builder{dev: dev, leafLimit: layout.CollapseLimit, passes: improveLargePasses, refitSmall: refitSmallLimit(limits),
		refitNodes: refitNodesOn(limits), lanes: lanesOn(limits), reach: cluster.Reach,
		crowns: crownsOn(limits), wide: WideNodes(dev), teams: dev.Physical().Type != vulkan.PhysicalDeviceTypeCpu}, nil
}

// Destroy frees the kernels, and waits for those that are being compiled; no command buffer that uses them may be pending.
func (b *Builder) Destroy() {
	for k := range b.kernels {
		b.kernels[k].destroy()
	}
}

// CmdBuild records all builds as one set of dispatches. It records barriers between its own dispatches, none before
// the first and none after the last.
func (b *Builder) CmdBuild(cb Recorder, builds []Build) error {
	if len(builds) == 0 {
		return nil
	}
	batch, err := newBatch(builds, b.leafLimit, b.wide)
	if err != nil {
		return err
	}
	batch.addUpdates(builds, b.refitSmall)
	return b.recordBatch(cb, batch)
}

func (b *Builder) recordBatch(cb Recorder, batch *batch) error {
	r := recorder{b: b, cb: cb, batch: batch}
	record := r.record
	if batch.isAlone() {
		record = r.recordAlone
	} else if err := r.upload(); err != nil {
		return fmt.Errorf("build of %d acceleration structures: %w", len(batch.records)/layout.BuildRecordSize, err)
	}
	cb.BeginLabel("bvh build")
	defer cb.EndLabel()
	record()
	return r.finish(batch.widened)
}

// recorder records one batch.
type recorder struct {
	b     *Builder
	cb    Recorder
	batch *batch

	records, blocks, split, sortSmall, sortLarge, scanned, bundled, lbvh, ploc, crowned, improved, ordered, orderedSmall, updates,
	smallUpdates vk.DeviceAddress
	exchange, sums, seeds vk.DeviceAddress
	geometry, ranges, deviceRecords,
	deviceGeometry vk.DeviceAddress

	hostRecords vk.DeviceAddress // where the host wrote them
	from, to    vk.DeviceAddress // all that the host wrote, and where init.comp copies it
	pieces      uint32           // of 16 bytes; none: it stays where it is

	err error // the first kernel that could not be had; nothing is recorded behind it
}

// finish adds wide nodes, and says what went wrong before.
func (r *recorder) finish(widened []byte) error {
	if err := r.widen(widened); err != nil {
		return err
	}
	return r.err
}

// upload copies the batch's description to memory that lives as long as the command buffer's recording. It is read
// from a copy near the device, unless that makes records of its own.
func (r *recorder) upload() error {
	const align = 64
	parts := []struct {
		data []byte
		to   *vk.DeviceAddress
	}{
		{r.batch.records, &r.records}, {r.batch.geometry, &r.geometry}, {r.batch.blocks, &r.blocks}, {r.batch.split, &r.split},
		{r.batch.sortSmall, &r.sortSmall}, {r.batch.sortLarge, &r.sortLarge}, {r.batch.scanned, &r.scanned},
		{r.batch.bundled, &r.bundled},
		{r.batch.lbvh, &r.lbvh},
		{r.batch.ploc, &r.ploc}, {r.batch.crowned, &r.crowned}, {r.batch.improved, &r.improved},
		{r.batch.ordered, &r.ordered}, {r.batch.orderedSmall, &r.orderedSmall}, {r.batch.updates, &r.updates},
		{r.batch.smallUpdates, &r.smallUpdates}, {r.batch.indirect, &r.ranges},
	}
	var size uint64
	for _, p := range parts {
		size += layout.AlignUp(uint64(len(p.data)), align)
	}
	host, mapped, err := r.cb.TransientUpload(size, align)
	if err != nil {
		return err
	}
	base := host
	if len(r.batch.indirect) == 0 && !r.batch.direct() {
		if base, err = r.cb.TransientDevice(size, align); err != nil {
			return err
		}
		r.from, r.to, r.pieces = host, base, uint32(size/16)
	}
	r.hostRecords = host
	r.batch.resolve(base + layout.AlignUp(uint64(len(r.batch.records)), align)) // the geometries follow the records
	r.batch.describeSmall()
	at := uint64(0)
	for _, p := range parts {
		if len(p.data) > 0 {
			*p.to = base + at
			copy(mapped[at:], p.data)
			at += layout.AlignUp(uint64(len(p.data)), align)
		}
	}
	return r.reserve()
}

// reserve takes memory for what the kernels tell each other beside the builds' scratch memory.
func (r *recorder) reserve() error {
	var err error
	if len(r.batch.indirect) > 0 {
		if r.deviceRecords, err = r.cb.TransientDevice(uint64(len(r.batch.records)), 64); err != nil {
			return err
		}
		if r.deviceGeometry, err = r.cb.TransientDevice(max(uint64(len(r.batch.geometry)), 64), 64); err != nil {
			return err
		}
	}
	if r.batch.seeds > 0 {
		if r.seeds, err = r.cb.TransientDevice(16*(uint64(r.batch.seeds)+1), 64); err != nil {
			return err
		}
	}
	if r.batch.histograms == 0 {
		return nil
	}
	r.exchange, err = r.cb.TransientDevice(uint64(r.batch.histograms)*4, 64)
	return err
}

// record runs builds and updates side by side: the steps of an update go with the first ones of a build.
func (r *recorder) record() {
	r.readRanges()
	if !r.batch.direct() {
		r.begin()
		r.barrier()
	}
	if n := uint32(len(r.batch.smallUpdates) / smallUpdateSize); n > 0 {
		r.run(kernelRefitSmall, r.smallUpdates, n, n, 0)
	}
	r.perBlock(r.batch.refitLeaves(), r.updates, r.batch.updates, layout.BlockSize/layout.RefitPart)
	r.perBlock(kernelBounds, r.blocks, r.batch.blocks, 1)
	if len(r.batch.updates) > 0 || len(r.batch.blocks) > 0 {
		r.barrier()
	}
	if len(r.batch.updates) > 0 {
		kernel, nodes := r.refitNodes()
		r.perBlock(kernel, r.updates, r.batch.updates, layout.BlockSize/nodes)
	}
	if len(r.batch.blocks) > 0 {
		r.trees()
	}
	if builds := uint32(r.batch.builds); builds > 0 {
		r.run(kernelHeader, 0, builds, (builds+63)/64, 0)
	}
}

// begin resets states and the queue of seeds, and copies the batch's description.
func (r *recorder) begin() {
	n := uint32(len(r.batch.records) / layout.BuildRecordSize)
	records, exchange, sums := r.records, r.exchange, r.sums
	r.exchange, r.sums = r.seeds, r.to
	if r.pieces > 0 {
		r.records = r.hostRecords
	}
	r.run(kernelInit, r.from, n, (max(n, r.pieces)+63)/64, r.pieces)
	r.records, r.exchange, r.sums = records, exchange, sums
}

// trees makes trees and leaves of the builds, whose boxes are known.
func (r *recorder) trees() {
	r.splits()
	r.run(kernelMorton, r.blocks, uint32(len(r.batch.blocks)/8), uint32(len(r.batch.blocks)/8), r.batch.passes&1)
	r.barrier()
	r.sort()
	r.barrier()
	r.bundles()
	r.perBlock(kernelLBVH, r.lbvh, r.batch.lbvh, layout.TreeGroupsPerBlock)
	r.clusters()
	r.crown()
	r.improve()
	r.barrier()
	r.perBlock(kernelLeaves, r.blocks, r.batch.blocks, layout.TreeGroupsPerBlock)
	r.barrier()
	if r.batch.sourced {
		r.perBlock(kernelCorners, r.blocks, r.batch.blocks, layout.TreeGroupsPerBlock)
	}
	if r.batch.deep {
		r.perBlock(kernelBalance, r.blocks, r.batch.blocks, 1)
		r.barrier()
	}
	r.order()
}

// sort orders the keys of all builds: those of few blocks in one go, the others by passes of a byte.
func (r *recorder) sort() {
	r.perBlock(kernelSortSmall, r.sortSmall, r.batch.sortSmall, 1)
	if len(r.batch.sortLarge) == 0 {
		return
	}
	tasks, scanned := uint32(len(r.batch.sortLarge)/8), uint32(len(r.batch.scanned)/8)
	for pass := range r.batch.passes {
		ahead := pass | (r.batch.passes-pass)<<8
		if scanned > 0 {
			r.run(kernelSortScan, r.scanned, scanned, scanned, ahead)
			r.barrier()
		}
		r.run(kernelSortScatter, r.sortLarge, tasks, tasks, ahead)
		if pass < r.batch.passes-1 {
			r.barrier()
		}
	}
}

// bundles cuts the sorted primitives into the leaves of trees that have few nodes.
func (r *recorder) bundles() {
	n := uint32(len(r.batch.bundled) / 8)
	for pass := uint32(0); pass < 2 && n > 0; pass++ {
		r.run(kernelBundle, r.bundled, n, n, pass)
		r.barrier()
	}
}

// clusters builds the trees that are not linear, in two dispatches with a queue between them.
func (r *recorder) clusters() {
	if r.batch.seeds == 0 {
		return
	}
	r.exchange = r.seeds // the sort is done with its histograms
	r.perBlock(kernelClimb, r.ploc, r.batch.ploc, r.b.blockGroups())
	r.barrier()
	if r.b.teams {
		r.run(kernelPLOCTeam, 0, r.batch.seeds, r.batch.seeds, 0)
	} else {
		r.run(kernelPLOC, 0, r.batch.seeds, (r.batch.seeds+63)/64, 0)
	}
}

// perBlock runs a kernel with some workgroups per block of primitives.
func (r *recorder) perBlock(kernel int, address vk.DeviceAddress, tasks []byte, groupsPerBlock uint32) {
	if n := uint32(len(tasks)/8) * groupsPerBlock; n > 0 {
		r.run(kernel, address, n, n, 0)
	}
}

func (r *recorder) run(kernel int, tasks vk.DeviceAddress, count, groups, pass uint32) {
	push := erPush{Builds: r.records, Tasks: tasks, Exchange: r.exchange, Sums: r.sums, TaskCount: count, Pass: pass}
	r.dispatch(kernel, bytesOf(&push), groups)
}

func (r *recorder) dispatch(kernel int, push []byte, groups uint32) {
	if r.err != nil {
		return
	}
	var k vk.Kernel
	if k, r.err = r.b.kernel(r.cb.Context(), kernel); r.err != nil {
		return
	}
	x, y := foldGroups(groups)
	r.cb.BindKernel(k)
	r.cb.RunKernel(push, x, y, 1)
	if r.b.mark != nil {
		r.b.mark(r.cb, kernelNames[kernel])
	}
}

// barrier separates what was recorded from what follows.
func (r *recorder) barrier() { r.cb.Barrier(vk.WaitCompute) }

// foldGroups spreads workgroups over two dimensions: Vulkan guarantees 65535 in each.
func foldGroups(n uint32) (x, y uint32) {
	const most = 32768
	if n <= most {
		return n, 1
	}
	return most, (n + most - 1) / most
}
