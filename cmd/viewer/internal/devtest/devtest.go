// Package devtest opens devices for the tests of the viewer's packages.
package devtest

import (
	"errors"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// Open opens a device of a way under the validation layer, whose messages fail the test, as do objects that it leaves. Without
// such a device the test is skipped, or fails where Vulkan is required.
func Open(t *testing.T, backend engine.Backend) *engine.Device {
	t.Helper()
	dev, err := engine.Open(t.Context(), engine.Options{
		Backend: backend, Validation: true, SyncValidation: true, Restrict: vktest.Restrict(t),
		OnMessage: func(m vk.Message) {
			if m.Validation {
				t.Error(m.Text)
			}
		},
	})
	if errors.Is(err, engine.ErrNativeUnavailable) {
		vktest.MissingNative(t, err.Error())
	}
	if err != nil {
		vktest.Missing(t, "no device: "+err.Error())
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil { // leaks are errors
			t.Error(err)
		}
	})
	return dev
}
