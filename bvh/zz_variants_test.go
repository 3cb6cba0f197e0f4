package bvh

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/everray/everray/vk"
)

func TestVariants(t *testing.T) {
	dir := os.Getenv("BVH_VARIANTS")
	if dir == "" {
		t.Skip()
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.spv"))
	sort.Strings(files)
	r := newRig(t)
	def := r.tracer.kernel
	for _, name := range []string{"bunny", "dragon", "sponza"} {
		m := loadModel(t, name)
		for _, tree := range []string{"ploc4", "ploc1", "ploc2", "ploc8", "lbvh4", "lbvh1"} {
			flags := vk.BuildFlags(0)
			if tree[0] == 'l' {
				flags = vk.PreferFastBuild
			}
			r.builder.leafLimit = uint32(tree[4] - '0')
			builds := r.prepare(r.indexedInput(m.positions, m.indices, flags))
			r.run(builds)
			line := ""
			best := map[string]float64{}
			for rep := range 30 {
				if w, _ := benchSize(r); w == 1024 && rep > 2 {
					break
				}
				pool, _ := r.dev.NewQueryPool(64)
				var names []string
				r.builder.mark = func(cb *vk.CommandBuffer, kernel string) {
					names = append(names, kernel)
					cb.WriteTimestamp(pool, uint32(len(names)))
				}
				r.dev.Run(t.Context(), "x", func(cb *vk.CommandBuffer) error {
					cb.ResetQueries(pool, 0, 64)
					cb.WriteTimestamp(pool, 0)
					return r.builder.CmdBuild(cb, builds)
				})
				r.builder.mark = nil
				times, err := pool.Range(0, uint32(len(names)+1))
				if err != nil {
					t.Fatal(err)
				}
				sum := map[string]float64{"total": float64(times[len(names)]-times[0]) / 1e3}
				for i, n := range names {
					sum[n] += float64(times[i+1]-times[i]) / 1e3
				}
				for k, v := range sum {
					if b, ok := best[k]; !ok || v < b {
						best[k] = v
					}
				}
				pool.Destroy()
			}
			for _, k := range append(kernelNames[:], "total") {
				line += fmt.Sprintf(" %s %.0f", k, best[k])
			}
			fmt.Printf("BUILD %s %s us:%s\n", name, tree, line)
			tlas := r.single(builds[0].Dst)
			w, h := benchSize(r)
			primary := m.primaryRays(w, h)
			hits := r.trace(tlas, primary, TraceOptions{})
			diffuse := diffuseRays(m, primary, hits)
			for _, f := range append([]string{"default"}, files...) {
				if f != "default" && tree != "ploc4" {
					continue
				}
				wg := uint32(64)
				r.tracer.kernel = def
				if f != "default" {
					data, _ := os.ReadFile(f)
					code := make([]uint32, len(data)/4)
					for i := range code {
						code[i] = binary.LittleEndian.Uint32(data[4*i:])
					}
					k, err := r.dev.NewComputePipeline(vk.ComputePipelineOptions{Name: f, Code: code, Entry: "main", Layout: r.tracer.layout})
					if err != nil {
						t.Fatal(err)
					}
					r.tracer.kernel = k
					if i := strings.Index(f, "wg"); i >= 0 {
						fmt.Sscanf(f[i:], "wg%d", &wg)
					}
				}
				line := ""
				for _, rays := range [][]Ray{primary, diffuse} {
					n := uint64(len(rays))
					in := r.upload("rays", EncodeRays(rays))
					out := r.upload("hits", make([]byte, n*HitSize+16))
					pool, _ := r.dev.NewQueryPool(2)
					best := uint64(math.MaxUint64)
					reps := 12
					if w == 1024 {
						reps = 1
					}
					if w != 1024 {
						for range 10 {
							r.dev.Run(t.Context(), "v", func(cb *vk.CommandBuffer) error {
								for range 20 {
									r.tracer.CmdTrace(cb, tlas.Address(), in, out, out+n*HitSize, uint32(n), TraceOptions{Flags: RayOpaque, CullMask: 0xff})
								}
								return nil
							})
						}
					}
					for range reps {
						r.dev.Run(t.Context(), "v", func(cb *vk.CommandBuffer) error {
							cb.ResetQueries(pool, 0, 2)
							cb.WriteTimestamp(pool, 0)
							r.tracer.CmdTrace(cb, tlas.Address(), in, out, out+n*HitSize, uint32(n), TraceOptions{Flags: RayOpaque, CullMask: 0xff})
							cb.WriteTimestamp(pool, 1)
							return nil
						})
						ts, err := pool.Results()
						if err != nil {
							t.Fatal(err)
						}
						best = min(best, ts[1]-ts[0])
					}
					pool.Destroy()
					line += fmt.Sprintf(" %8.1f", float64(n)/float64(best)*1e3)
				}
				fmt.Printf("TRACE %s %s %s Mrays/s primary, diffuse:%s\n", name, tree, filepath.Base(f), line)
				if f != "default" {
					r.tracer.kernel.Destroy()
					r.tracer.kernel = def
				}
			}
		}
	}
}
