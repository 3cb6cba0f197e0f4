//go:build !headless

package engine_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/everray/everray/engine"
	vulkan "github.com/vulkan-go/vulkan"
)

// vulkan-go beside the engine: a sampler that it makes, in the engine's device.
func ExampleDevice_VK() {
	dev := must(engine.Open(context.Background(), engine.Options{}))
	defer func() { must(0, dev.Close()) }()
	instance := dev.VK().Instance()
	vulkan.SetGetInstanceProcAddr(instance.GetInstanceProcAddr())
	must(0, errors.Join(vulkan.Init(), vulkan.InitInstance(instance.Handle())))
	var sampler vulkan.Sampler
	info := vulkan.SamplerCreateInfo{SType: vulkan.StructureTypeSamplerCreateInfo}
	fmt.Println(vulkan.CreateSampler(dev.VK().Handle(), &info, nil, &sampler) == vulkan.Success)
	vulkan.DestroySampler(dev.VK().Handle(), sampler, nil)
	// Output:
	// true
}
