// Package vk is the project's Vulkan: what the binding github.com/vulkan-go/vulkan lacks or does unsafely.
//
// vulkan-go gives the handle types and the enums. All calls go through this package's own C functions (evk*.c), which
// build structures on the C stack: vulkan-go frees slices of structures while the driver still reads them, and its
// scalar calls use one table for the whole process that, built headless, looks for libvulkan.so without a version. The
// Vulkan library is opened with dlopen, so that a program needs libvulkan.so.1 at run time and nothing at link time;
// every device has its own function table.
//
// Who validates: constructors check what the driver would not tell (sizes, missing features, missing extensions) and
// wrap every VkResult; recording commands are thin, and wrong use of them is found by the validation layer, which
// package vktest turns on and turns into test failures.
//
// Who owns: the caller of a constructor owns the object and calls its Destroy, which is idempotent and safe on nil.
// Destroying an object that the GPU still uses is the caller's fault, unless nobody waits any more for what uses it: a wait that
// its context ended, or a compilation. Then it is freed when that is done. Device.Destroy waits for the GPU, and reports
// by name what was not destroyed. A CommandBuffer owns its transient memory until Reset or Destroy,
// and with it its report, in which shaders tell the host what happened to them (CommandBuffer.Reports).
// A primary does not own the secondary command buffers that it executes.
//
// What other packages record goes through a Recorder, of which a CommandBuffer is one: kernels, sets, barriers, and memory by
// address. It has its own rules about what is foreign: kernels, layouts, sets and caches of another device fail.
//
// Who may block: Submit, Run, UploadBuffer, ReadBuffer, UploadImage, Ticket.Wait, Settle, Swapchain.Acquire, Drain and WaitIdle
// wait for the GPU. Those with a context stop waiting when it ends, Run a tenth of a second later; the GPU work goes on, and what
// it uses must not be written before Settle returns nil. Submit, Run, uploads and reads settle first. WaitIdle waits for ever if
// it has to, Drain and Device.Destroy do not (ErrBusy). Pipelines compile in their constructors; those with a context return when
// it ends while the driver goes on in the background.
//
// Concurrency: an Instance, a PhysicalDevice and a Device may be used from several goroutines. Objects may be used
// for recording from several goroutines; one CommandBuffer, DescriptorSet or Swapchain belongs to one goroutine at
// a time. Allocation and submission lock internally. The OnMessage callback may run on any thread inside any call
// and must not call this package.
package vk
