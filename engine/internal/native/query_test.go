package native

import (
	"errors"
	"strings"
	"testing"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// TestLowerShaderUnsupported refuses ray queries where they are not enabled.
func TestLowerShaderUnsupported(t *testing.T) {
	code, err := shaders.Load("enginetest/query.comp")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := shaders.Load("bvh/build/morton.comp")
	if err != nil {
		t.Fatal(err)
	}
	d := &Driver{device: vktest.Device(t)} // opened without ray tracing
	_, err = d.LowerShader(t.Context(), driver.Shader{Stage: vk.StageCompute, Code: code})
	if !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "VK_KHR_ray_query") {
		t.Errorf("got %v, want ErrUnsupported that names the extension", err)
	}
	if _, err := d.LowerShader(t.Context(), driver.Shader{Stage: vk.StageCompute, Code: plain}); err != nil {
		t.Errorf("a shader without queries: %v", err)
	}
}
