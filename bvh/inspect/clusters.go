package inspect

import (
	"fmt"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/internal/layout"
)

// ValidateClusters is Validate of a bottom level over clusters, which are there by their addresses: each is valid, its record says
// what it says, and boxes contain what is in it.
func (s *Structure) ValidateClusters(objects map[uint64]*cluster.Object) (Metrics, error) {
	if !s.IsOverClusters() {
		return Metrics{}, fmt.Errorf("%w: no bottom level over clusters", ErrInvalidStructure)
	}
	m, err := s.Validate()
	if err != nil || s.Active == 0 {
		return m, err
	}
	return m, s.checkClusters(s.Root, s.Bounds, objects)
}

func (s *Structure) checkClusters(ref uint32, box Box, objects map[uint64]*cluster.Object) error {
	if ref&layout.RefLeaf == 0 {
		boxes, refs, _ := s.Children(ref)
		for c := range refs {
			if err := s.checkClusters(refs[c], boxes[c], objects); err != nil {
				return err
			}
		}
		return nil
	}
	first, n := layout.LeafRange(ref, s.Active)
	for i := first; i < first+n; i++ {
		r := s.clusterRecord(i)
		o := objects[r.Address]
		if o == nil {
			return fmt.Errorf("%w: no cluster is at %#x, where record %d has one", ErrInvalidStructure, r.Address, i)
		}
		if err := o.Validate(); err != nil {
			return fmt.Errorf("%w: cluster of record %d: %w", ErrInvalidStructure, i, err)
		}
		if !r.Describes(o) {
			return fmt.Errorf("%w: record %d is not that of the cluster at %#x", ErrInvalidStructure, i, r.Address)
		}
		if b := (Box{Min: o.Bounds[0], Max: o.Bounds[1]}); !box.Contains(b) {
			return fmt.Errorf("%w: box %v of record %d does not contain the cluster's %v", ErrInvalidStructure, box, i, b)
		}
	}
	return nil
}

// recordsOf is the leaf of records that a reference of a bottom level over clusters stands for.
func (s *Structure) recordsOf(ref uint32) uint32 {
	if first, count, ok := cluster.Records(ref); ok {
		return layout.RefLeaf | (count-1)<<layout.RefCountShift | first
	}
	if ref&(layout.RefLeaf|cluster.RefDirect) != cluster.RefDirect {
		return ref
	}
	if s.records == nil {
		s.records = map[uint64]uint32{}
		for i := range s.Active {
			s.records[s.clusterRecord(i).Address] = i
		}
	}
	record, known := s.records[cluster.Place(ref, s.Address)]
	if !known {
		return layout.RefLeaf | layout.RefIndexMask // beyond all
	}
	return layout.RefLeaf | record
}
