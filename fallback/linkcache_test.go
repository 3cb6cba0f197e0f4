package fallback

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/everray/everray/cache"
	"github.com/everray/everray/fallback/link"
)

// openLinks opens a cache of linked modules, which needs no device.
func openLinks(t testing.TB, dir string) *LinkCache {
	t.Helper()
	store, err := cache.Open(dir, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return NewLinkCache(store)
}

// linkBy is c.Link for who does not care where the code comes from.
func linkBy(ctx context.Context, c *LinkCache, runtime []uint32, stages []Stage, o link.Options) (*link.Result, error) {
	r, _, err := c.Link(ctx, runtime, stages, o)
	return r, err
}

// TestCacheConcurrent makes the same pipelines from several goroutines.
func TestCacheConcurrent(t *testing.T) {
	c, runtime, stages := openLinks(t, filepath.Join(t.TempDir(), "cache")), runtimeModule(t), cacheStages(t)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			if _, err := linkBy(t.Context(), c, runtime, stages, link.Options{MaxDepth: uint32(i%2 + 1)}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	before := c.Stats()
	if _, err := linkBy(t.Context(), c, runtime, stages, link.Options{MaxDepth: 2}); err != nil || c.Stats().Hits != before.Hits+1 {
		t.Errorf("stats %+v, before %+v: %v", c.Stats(), before, err)
	}
}
