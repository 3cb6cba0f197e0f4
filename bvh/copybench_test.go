package bvh

import (
	"testing"

	"github.com/everray/everray/vk"
)

// BenchmarkCopies times copies of a sphere of half a million triangles on the device, and reports bytes of the source
// over time, and milliseconds.
func BenchmarkCopies(b *testing.B) {
	r := newRig(b)
	positions, indices := icosphere(8, 1)
	built := r.build(r.indexedInput(positions, indices, vk.AllowCompaction))[0]
	src := Range{Buffer: built, Size: r.properties(CurrentSize, whole(built))[0]}
	blob := r.copied(vk.CopySerialize, src)[0]
	for _, mode := range []struct {
		name string
		mode vk.CopyMode
		src  Range
	}{{"clone", vk.CopyClone, src}, {"compact", vk.CopyCompact, src}, {"serialise", vk.CopySerialize, src},
		{"deserialise", vk.CopyDeserialize, blob}} {
		dst := r.room("destination", blob.Size)
		b.Run(mode.name, func(b *testing.B) {
			r.timeCommand(b, mode.src.Size, func(cb *vk.CommandBuffer) error {
				return r.builder.CmdCopy(cb, []Copy{{Mode: mode.mode, Src: mode.src, Dst: dst}})
			})
		})
	}
	answer := r.buffer("answer", PropertySize)
	b.Run("compacted size", func(b *testing.B) {
		r.timeCommand(b, src.Size, func(cb *vk.CommandBuffer) error {
			return r.builder.CmdWriteProperties(cb, []Range{src}, CompactedSize, answer, 0)
		})
	})
}

// timeCommand reports the shortest of the runs, by timestamps.
func (r *rig) timeCommand(b *testing.B, bytes uint64, record func(cb *vk.CommandBuffer) error) {
	pool, err := r.dev.NewQueryPool(2)
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Destroy()
	best := 0.0
	for range b.N {
		err := r.dev.Run(b.Context(), "timed command", func(cb *vk.CommandBuffer) error {
			cb.ResetQueries(pool, 0, 2)
			cb.WriteTimestamp(pool, 0)
			defer cb.WriteTimestamp(pool, 1)
			return record(cb)
		})
		if err != nil {
			b.Fatal(err)
		}
		times, err := pool.Range(0, 2)
		if err != nil {
			b.Fatal(err)
		}
		if ns := float64(times[1] - times[0]); best == 0 || ns < best {
			best = ns
		}
	}
	b.ReportMetric(float64(bytes)/best, "GB/s")
	b.ReportMetric(best/1e6, "ms")
}
