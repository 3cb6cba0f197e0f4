package spirv

import "testing"

// TestViewsByName reads and changes instructions by names, and has views of other instructions refused.
func TestViewsByName(t *testing.T) {
	trace := &Inst{Op: OpTraceRayKHR, Operands: []uint32{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}}
	if v := trace.TraceRay(); v.Accel() != 10 || v.MissIndex() != 15 || v.RayTmax() != 19 || v.Payload() != 20 {
		t.Errorf("%v: structure %d, miss index %d, tmax %d, payload %d", trace, v.Accel(), v.MissIndex(), v.RayTmax(), v.Payload())
	}
	variable := &Inst{Op: OpVariable, Operands: []uint32{uint32(StorageClassPrivate)}}
	if v := variable.Variable(); v.Initializer() != 0 || v.StorageClass() != StorageClassPrivate {
		t.Errorf("initial value %d, class %v", v.Initializer(), v.StorageClass())
	}
	variable.Variable().SetStorageClass(StorageClassFunction)
	variable.Operands = append(variable.Operands, 7)
	if v := variable.Variable(); v.Initializer() != 7 || v.StorageClass() != StorageClassFunction {
		t.Errorf("initial value %d, class %v", v.Initializer(), v.StorageClass())
	}
	phi := &Inst{Op: OpPhi, Operands: []uint32{1, 2, 3, 4, 5, 6}}
	phi.Phi().Keep(func(_, parent ID) bool { return parent != 4 })
	if v := phi.Phi(); v.Sources() != 2 || v.Variable(1) != 5 || v.Parent(1) != 6 {
		t.Errorf("the phi is %v", phi)
	}
	name := &Inst{Op: OpMemberName, Operands: append([]uint32{3, 1}, EncodeString("second")...)}
	if v := name.MemberName(); v.Type() != 3 || v.Member() != 1 || v.Name() != "second" {
		t.Errorf("member %d of %d is %q", v.Member(), v.Type(), v.Name())
	}
	defer func() {
		if text, _ := recover().(string); text != "OpPhi is no TraceRay" {
			t.Errorf("a phi as a trace call: %q", text)
		}
	}()
	phi.TraceRay()
}
