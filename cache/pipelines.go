package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/everray/everray/vk"
)

// Pipelines is a device's VkPipelineCache, filled from a store and saved to it. Several goroutines may create pipelines with
// it.
type Pipelines struct {
	store *Store
	dev   *vk.Device
	key   Key
	cache *vk.PipelineCache
	saved int // bytes that were loaded or saved last
}

// OpenPipelines fills a pipeline cache with what the store has of this device and driver.
func OpenPipelines(dev *vk.Device, s *Store) (*Pipelines, error) {
	p := &Pipelines{store: s, dev: dev, key: deviceKey(dev.Physical())}
	data := p.load()
	var err error
	if p.cache, err = dev.NewPipelineCache("on disk", data); err != nil && len(data) > 0 {
		s.Remove(p.key) // the driver does not want its own data back
		data = nil
		p.cache, err = dev.NewPipelineCache("on disk", nil)
	}
	p.saved = len(data)
	return p, err
}

// load returns the store's data, if it is this driver's.
func (p *Pipelines) load() []byte {
	data, ok := p.store.Get(p.key)
	if !ok {
		return nil
	}
	if p.dev.Physical().CheckPipelineCacheData(data) != nil {
		p.store.Remove(p.key)
		return nil
	}
	return data
}

// deviceKey is a hash of what tells a device and its driver from others.
func deviceKey(p *vk.PhysicalDevice) Key {
	h := sha256.New()
	e := binary.LittleEndian
	b := []byte("driver 1\n")
	for _, id := range [][16]byte{p.UUID, p.DriverUUID, p.PipelineCacheUUID} {
		b = append(b, id[:]...)
	}
	for _, v := range []uint32{p.VendorID, p.DeviceID, p.DriverVersion, p.DriverID} {
		b = e.AppendUint32(b, v)
	}
	h.Write(append(b, p.DriverInfo...))
	return Key(h.Sum(nil))
}

// Cache is for the options of pipelines; nil for a nil receiver.
func (p *Pipelines) Cache() *vk.PipelineCache {
	if p == nil {
		return nil
	}
	return p.cache
}

// Save writes what the driver compiled to the store, together with what other processes saved there meanwhile.
func (p *Pipelines) Save() error {
	own, err := p.cache.Data()
	if err != nil {
		return err
	}
	if len(own) == p.saved {
		return nil // nothing was compiled
	}
	merged, err := p.dev.NewPipelineCache("merged for the disk", p.load())
	if err != nil {
		return err
	}
	defer merged.Destroy()
	if err := merged.Merge(p.cache); err != nil {
		return err
	}
	data, err := merged.Data()
	if err != nil {
		return err
	}
	p.saved = len(own)
	return p.store.Put(p.key, data)
}

// Close saves and frees the cache. Pipelines made with it live on. It is safe on nil and may be called twice.
func (p *Pipelines) Close() error {
	if p == nil || p.cache == nil {
		return nil
	}
	err := p.Save()
	p.cache.Destroy()
	p.cache = nil
	if err != nil && !errors.Is(err, vk.ErrDeviceLost) {
		return fmt.Errorf("save the pipeline cache: %w", err)
	}
	return nil
}
