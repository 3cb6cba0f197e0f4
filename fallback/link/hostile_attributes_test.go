package link

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/everray/everray/internal/glsltest"
)

// TestHostileAttributes links shaders whose hit objects have attributes of types that are larger than any program: structures of
// two of a structure of two and so on. Those of nothing never fill the room that attributes have.
func TestHostileAttributes(t *testing.T) {
	head := strings.NewReplacer(
		"OpExtension", "OpCapability ShaderInvocationReorderNV\nOpExtension \"SPV_NV_shader_invocation_reorder\"\nOpExtension",
		"%payload %v %record", "%payload %v %record %attributes",
		"FUNCTIONS", "%ho = OpTypeHitObjectNV\n%p_ho = OpTypePointer Private %ho\n%object = OpVariable %p_ho Private\n"+
			"%p_attributes = OpTypePointer HitObjectAttributeNV %t\n%attributes = OpVariable %p_attributes HitObjectAttributeNV\n",
	).Replace(tracing)
	head = strings.Replace(head, "%payload %v %record %attributes", "%payload %v %record %attributes %object", 1)
	for name, types := range map[string]string{
		"nothing": doubled("", 60), "words": doubled("%uint %uint", 60),
		"array":            "%big = OpConstant %uint 0x7fffffff\n%a = OpTypeArray %uint %big\n%t = OpTypeStruct %a\n",
		"array of nothing": "%big = OpConstant %uint 0x7fffffff\n%n = OpTypeStruct\n%a = OpTypeArray %n %big\n%t = OpTypeStruct %a\n",
	} {
		for use, body := range map[string]string{
			"get": "OpHitObjectGetAttributesNV %object %attributes\n",
			"record": "OpHitObjectRecordHitWithIndexNV %object %loaded %u0 %u0 %u0 %u0 %u0 %v0 %f0 %v0 %f0 %attributes\n" +
				"OpHitObjectExecuteShaderNV %object %payload\n",
		} {
			t.Run(fmt.Sprint(use, " ", name), func(t *testing.T) {
				code := glsltest.Assemble(t, strings.NewReplacer("TYPES", types, "BODY", body).Replace(head))
				_, err := Link(t.Context(), runtimeModule(t), []Stage{{Kind: Raygen, Code: code}}, Options{})
				t.Log(err)
				if err != nil && (isInternal(err) || !errors.Is(err, ErrUnsupported)) {
					t.Error(err)
				}
			})
		}
	}
}
