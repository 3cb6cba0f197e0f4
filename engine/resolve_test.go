package engine

import (
	"reflect"
	"testing"
)

// TestResolve fills every field of an application's options, and holds what the ways are told against them, field by field and by
// name: one that is added to rt.Pipeline, and forgotten in resolve or in PipelineOptions, fails.
func TestResolve(t *testing.T) {
	given := PipelineOptions{
		Name: "mine", Stages: []Stage{{Name: "a", Entry: "b"}}, Groups: []Group{GeneralGroup(0)}, PushConstantBytes: 4,
		MaxRecursionDepth: 5, StackBytes: 64, DynamicStack: true, Indirect: true, Form: FormBlocks,
		Flags: PipelineFlags{SkipAABBs: true}, MaxPayloadBytes: 12, MaxAttributeBytes: 8,
	}
	got, want := reflect.ValueOf(given.resolve().Pipeline), reflect.ValueOf(given)
	for i := range got.NumField() {
		name := got.Type().Field(i).Name
		w := want.FieldByName(name)
		switch {
		case !w.IsValid():
			t.Errorf("PipelineOptions has no %s", name)
		case w.IsZero():
			t.Errorf("%s is not filled by this test", name)
		case !reflect.DeepEqual(got.Field(i).Interface(), w.Interface()):
			t.Errorf("%s is %v, want %v", name, got.Field(i), w)
		}
	}
	bare := PipelineOptions{Stages: []Stage{{Kind: Miss}}}
	r := bare.resolve()
	if want := (Stage{Name: "miss 0", Entry: "main", Kind: Miss}); !reflect.DeepEqual(r.Stages[0], want) || bare.Stages[0].Name != "" {
		t.Errorf("%+v, want %+v; the application's is %+v", r.Stages[0], want, bare.Stages[0])
	}
	if r.MaxRecursionDepth != 1 || r.MaxPayloadBytes != defaultPayloadBytes || r.MaxAttributeBytes != defaultAttributeBytes {
		t.Errorf("defaults are %+v", r.Pipeline)
	}
}
