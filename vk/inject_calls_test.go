package vk_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

func (f failing) texels() error {
	b, err := f.d.NewBuffer(vk.BufferOptions{Name: "texels", Size: 4096,
		Usage: vulkan.BufferUsageFlags(vulkan.BufferUsageUniformTexelBufferBit)})
	if err != nil {
		return err
	}
	defer b.Destroy()
	v, err := f.d.NewBufferView(vk.BufferViewOptions{Name: "texels", Buffer: b, Format: vulkan.FormatR32Uint})
	if err != nil {
		return err
	}
	v.Destroy()
	return nil
}

func (f failing) graphics() error {
	if !f.d.Features().DynamicRendering {
		return nil
	}
	l, err := f.d.NewPipelineLayout("graphics", nil, nil)
	if err != nil {
		return err
	}
	defer l.Destroy()
	p, err := f.d.NewGraphicsPipeline(vk.GraphicsPipelineOptions{Name: "graphics", Vertex: fixture(f.t, "smoke.vert"),
		Fragment: fixture(f.t, "smoke.frag"), Layout: l, Format: vulkan.FormatR8g8b8a8Unorm})
	if err != nil {
		return err
	}
	p.Destroy()
	return nil
}

// polled submits, and asks whether the work is done.
func (f failing) polled() error {
	cb, err := f.d.NewCommandBuffer("polled")
	if err != nil {
		return err
	}
	defer cb.Destroy()
	if err := cb.Begin(); err != nil {
		return err
	}
	if err := cb.End(); err != nil {
		return err
	}
	ticket, err := f.d.SubmitAsync(vk.Submission{CommandBuffers: []*vk.CommandBuffer{cb}})
	if err != nil {
		return err
	}
	if _, err := ticket.Done(); err != nil {
		return err
	}
	return ticket.Wait(f.t.Context())
}

// elsewhere are calls that other tests make fail: those of a window by TestFailures of package window, and of the validation
// layer's messenger by TestFailuresOfOpen of package engine where it is on.
var elsewhere = []string{
	"vkAcquireNextImageKHR", "vkCreateDebugUtilsMessengerEXT", "vkCreateSwapchainKHR", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
	"vkGetPhysicalDeviceSurfaceFormatsKHR", "vkGetPhysicalDeviceSurfacePresentModesKHR", "vkGetPhysicalDeviceSurfaceSupportKHR",
	"vkGetSwapchainImagesKHR", "vkQueuePresentKHR",
}

// TestEveryCallIsMadeToFail holds what the tests of failures make against the calls in the sources that can fail.
func TestEveryCallIsMadeToFail(t *testing.T) {
	var mu sync.Mutex
	made := map[string]bool{}
	intercept := func(call string) vulkan.Result {
		mu.Lock()
		defer mu.Unlock()
		made[call] = true
		return vulkan.Success
	}
	if err := openAndClose(intercept); err != nil {
		t.Fatal(err)
	}
	d := vktest.Device(t, vktest.Native(), vktest.Intercept(intercept))
	f := failing{t, d}
	for _, s := range append(f.steps(), f.nativeSteps(smokeScene(t, d))...) {
		if err := s.step(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	for _, call := range fallible(t) {
		if strings.HasPrefix(call, "vkGetPipelineExecutable") && !d.Features().PipelineExecutableInfo {
			continue
		}
		if made[call] == slices.Contains(elsewhere, call) && call != "vkCreateDebugUtilsMessengerEXT" {
			t.Errorf("%s: made to fail here %v, elsewhere %v: it needs a step of TestFailures", call, made[call], !made[call])
		}
	}
}

// fallible are the calls in this package's C that report failures.
func fallible(t *testing.T) (calls []string) {
	t.Helper()
	use := regexp.MustCompile(`EVK_TRY\(\w+, ([A-Z]\w+),`)
	files, err := filepath.Glob("*.[ch]")
	if err != nil || len(files) == 0 {
		t.Fatalf("no C sources: %v", err)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range use.FindAllSubmatch(source, -1) {
			calls = append(calls, "vk"+string(found[1]))
		}
	}
	slices.Sort(calls)
	if calls = slices.Compact(calls); len(calls) < 40 {
		t.Fatalf("only %d calls that can fail", len(calls))
	}
	return calls
}

// TestRecordingInOrder refuses what the layer would: an end without a beginning, and a beginning without a reset between.
func TestRecordingInOrder(t *testing.T) {
	d := vktest.Device(t)
	cb, err := d.NewCommandBuffer("order")
	if err != nil {
		t.Fatal(err)
	}
	defer cb.Destroy()
	for _, step := range []struct {
		name string
		call func() error
		want error
	}{
		{"end of nothing", cb.End, vk.ErrInvalid}, {"begin", cb.Begin, nil}, {"begin while recording", cb.Begin, vk.ErrInvalid},
		{"end", cb.End, nil}, {"end again", cb.End, vk.ErrInvalid}, {"begin of what is recorded", cb.Begin, vk.ErrInvalid},
		{"reset", cb.Reset, nil}, {"begin anew", cb.Begin, nil}, {"end anew", cb.End, nil},
	} {
		if err := step.call(); !errors.Is(err, step.want) {
			t.Errorf("%s: %v, want %v", step.name, err, step.want)
		}
	}
}
