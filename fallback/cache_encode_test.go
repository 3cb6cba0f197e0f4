package fallback

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"reflect"
	"testing"

	"github.com/everray/everray/cache"
	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/rt"
)

// FuzzDecodeResult: whatever an entry holds, it is refused, or what it was encoded from, with code that is whole.
func FuzzDecodeResult(f *testing.F) {
	f.Add(encodeResult(&link.Result{Code: smallModule, Entries: []uint32{0, 1}, Frames: []uint32{4, 8}, States: 2,
		Owners: []link.Owner{{State: 1, Stage: 1}, {State: 2}}}))
	f.Add(encodeResult(&link.Result{Code: append(smallModule, 0), Entries: []uint32{0, 1}, Frames: []uint32{4, 8}}))
	f.Add(bytes.Repeat([]byte{0xFF}, 32))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeResult(data, 2)
		if err != nil {
			return
		}
		if !wholeModule(r.Code) || !bytes.Equal(encodeResult(r), data) {
			t.Errorf("%+v", r)
		}
		link.Tiles(r.Code)
		(&resolved{PipelineOptions: PipelineOptions{Pipeline: rt.Pipeline{Stages: make([]Stage, 2)}}}).stackDwords(r.Frames)
	})
}

// fill sets every field of a value to something that is not zero, lists to two elements; a kind that it does not know fails
// the test.
func fill(t *testing.T, v reflect.Value, next *uint64) {
	t.Helper()
	*next++
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*next))
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(*next)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *next))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(t, v.Index(i), next)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, next)
		fill(t, value, next)
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), next)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), next)
		}
	default:
		t.Fatalf("a field of kind %v: teach fill and the cache about it", v.Kind())
	}
}

// TestEncodeResult fails when link.Result gets a field that the encoding forgets.
func TestEncodeResult(t *testing.T) {
	var r link.Result
	var next uint64
	fill(t, reflect.ValueOf(&r).Elem(), &next)
	r.Owners[0].Stage, r.Owners[1].Stage = 1, 0 // of the two stages
	r.Calls[0].Stage, r.Calls[1].Stage = 1, 0
	r.Code = smallModule
	r.Form = FormWavefront // only this one has kernels beside
	r.Wave.Resume, r.Wave.Shade = smallModule, [][]uint32{smallModule, smallModule}
	r.Wave.Segments[0].Kernel, r.Wave.Segments[1].Kernel = 1, 0
	b := encodeResult(&r)
	got, err := decodeResult(b, 2)
	if err != nil || !reflect.DeepEqual(*got, r) {
		t.Errorf("decoded %+v, %v, want %+v", got, err, r)
	}
	for n := range b {
		if _, err := decodeResult(b[:n], 2); err == nil {
			t.Errorf("the first %d of %d bytes decode", n, len(b))
		}
	}
	if _, err := decodeResult(append(b, 0), 2); err == nil {
		t.Error("a byte more decodes")
	}
	if _, err := decodeResult(b, 1); err == nil {
		t.Error("it decodes for another number of stages")
	}
	huge := bytes.Repeat([]byte{0xFF}, 16)
	if _, err := decodeResult(huge, 2); err == nil {
		t.Error("a list longer than memory decodes")
	}
}

// leaves calls visit for each part of a value that can be changed on its own.
func leaves(v reflect.Value, path string, visit func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			leaves(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		visit(path, v)
		for i := range v.Len() {
			leaves(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	case reflect.Func:
	default:
		visit(path, v)
	}
}

// TestLinkKey changes every field of stages and options, those too that are yet to come: each changes the key.
func TestLinkKey(t *testing.T) {
	type input struct {
		Linker  [sha256.Size]byte
		Runtime []uint32
		Stages  []Stage
		Options link.Options
	}
	fresh := func() *input {
		in := &input{Runtime: []uint32{1, 2}}
		for range 2 {
			s := Stage{Specialization: map[uint32][]byte{7: {1, 2, 3, 4}}, Code: []uint32{3, 4}}
			in.Stages = append(in.Stages, s)
		}
		return in
	}
	key := func(in *input) cache.Key { return linkKey(in.Linker, in.Runtime, in.Stages, in.Options) }
	seen := map[cache.Key]string{key(fresh()): "nothing"}
	add := func(what string, in *input) {
		t.Helper()
		k := key(in)
		if other, ok := seen[k]; ok {
			t.Errorf("a change of %s has the key of a change of %s: add it to linkKey", what, other)
		}
		seen[k] = what
	}
	count := 0
	leaves(reflect.ValueOf(fresh()).Elem(), "", func(string, reflect.Value) { count++ })
	for i := range count {
		in, at, changed := fresh(), 0, ""
		leaves(reflect.ValueOf(in).Elem(), "", func(path string, v reflect.Value) {
			if at++; at-1 != i {
				return
			}
			switch v.Kind() {
			case reflect.Map:
				v.SetMapIndex(reflect.ValueOf(uint32(7)), reflect.ValueOf([]byte{1, 2, 3, 5}))
			case reflect.Slice:
				v.Set(reflect.MakeSlice(v.Type(), v.Len()+1, v.Len()+1))
			case reflect.Array:
				v.Index(5).SetUint(1)
			case reflect.Bool:
				v.SetBool(true)
			case reflect.String:
				v.SetString("x")
			case reflect.Int:
				v.SetInt(v.Int() + 1)
			case reflect.Uint32:
				v.SetUint(v.Uint() + 1)
			default:
				t.Fatalf("%s of kind %v: teach the test about it", path, v.Kind())
			}
			changed = path
		})
		if cacheable(in.Options) {
			add(changed, in)
		}
	}
	in := fresh()
	in.Stages[0].Specialization = map[uint32][]byte{8: {1, 2, 3, 4}}
	add("a constant's id", in)
	in = fresh()
	in.Stages[0].Code, in.Stages[1].Code = []uint32{3}, []uint32{4, 3, 4}
	add("where one stage's code ends", in)
}
