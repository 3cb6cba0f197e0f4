package vk_test

import (
	"errors"
	"strings"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// TestSaid has the validation layer say something in a call that fails: the text is part of the error, which would be a number
// without.
func TestSaid(t *testing.T) {
	d := vktest.Device(t, vktest.Expect(func(m vk.Message) bool { return strings.Contains(m.Text, "usage") }))
	number := &vk.ResultError{Op: "vkTest", Result: -3000}
	err := vk.Listen(func() error {
		b, err := d.NewBuffer(vk.BufferOptions{Name: "odd", Size: 64, Usage: vulkan.BufferUsageFlags(1 << 30)})
		if err == nil {
			b.Destroy()
		}
		return number
	})
	if !errors.Is(err, error(number)) || !strings.Contains(number.Said, "usage") ||
		!strings.Contains(err.Error(), "vkTest: VkResult -3000: the driver says: ") {
		t.Errorf("got %q", err)
	}
	quiet := &vk.ResultError{Op: "vkTest", Result: -3}
	if err := vk.Listen(func() error { return quiet }); quiet.Said != "" || strings.Contains(err.Error(), "says") {
		t.Errorf("got %q, though nobody said anything", err)
	}
}
