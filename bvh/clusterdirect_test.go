package bvh

import (
	"testing"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/vk"
)

// TestClusterDirect traces direct clusters, which bottom levels refer to themselves where they are within reach, and by records
// where they are not; built there, by both builders, and moved there from where they were. Templates of direct clusters are
// instantiated as such and as others.
func TestClusterDirect(t *testing.T) {
	s := newClusterScene(t, 64, 64)
	n := len(s.mesh.pieces)
	s.mesh.input.Flags = vk.PreferFastTrace
	made := s.runClusters(s.mesh.input, cluster.Bytes(s.mesh.args...))
	trace := func(what string, bottom clusterResults) {
		t.Helper()
		s.checkOver(bottom, made)
		got := s.traceWith(s.tracer, s.singleOver(bottom.addresses[0]), s.rays, TraceOptions{})
		if hit := s.wantSame(s.mesh, got, s.want); hit < 1000 {
			t.Errorf("%s: only %d rays hit", what, hit)
		}
	}
	move := func(bottom clusterResults) clusterResults {
		t.Helper()
		in := cluster.Input{MaxCount: 1, Op: cluster.Move, Type: cluster.BottomLevel, MaxMovedBytes: uint64(bottom.sizes[0])}
		return s.runClusters(in, cluster.Bytes(cluster.MoveObject{Source: bottom.addresses[0]}))
	}
	for _, flags := range []vk.BuildFlags{vk.PreferFastTrace, vk.PreferFastBuild} {
		near := s.bottomOver(flags, made.list.Address(), n)
		trace("near", near)
		trace("near, moved", move(near))
		s.builder.reach = 1
		trace("far", s.bottomOver(flags, made.list.Address(), n))
		away := move(near)
		trace("moved away", away)
		s.builder.reach = cluster.Reach
		trace("moved back", move(away))
	}
	of := s.templates(true)
	args := make([]cluster.Instantiate, n)
	for k := range args {
		args[k] = cluster.Instantiate{Template: of.addresses[k]}
	}
	in := s.mesh.input
	for _, flags := range []vk.BuildFlags{vk.PreferFastTrace, 0} {
		in.Op, in.Flags = cluster.InstantiateOp, flags
		made = s.runClusters(in, cluster.Bytes(args...))
		for _, o := range s.objects(made) {
			if o.Fast != (flags != 0) {
				t.Fatalf("an instance by flags %#x is a direct cluster: %v", flags, o.Fast)
			}
		}
		trace("instances", s.bottomOver(0, made.list.Address(), n))
	}
}
