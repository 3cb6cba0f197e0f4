// Package window shows pixels: a GLFW window, its input, and a Vulkan swapchain to present to. It is the only package that
// needs X11 libraries; builds with -tags headless leave it out (what remains is this comment).
//
// # Contract
//
// GLFW belongs to one thread: the goroutine that calls Open locks itself to its thread with runtime.LockOSThread before, and
// makes all other calls of this package too. Open fails with ErrNoDisplay where there is no display. One window may be open at
// a time. Poll does not block; Wait blocks until there is input or the timeout has passed. Presenter.Present may wait for the
// display. Destroy a Presenter before its device is closed, which destroys the surface, and Close the window last.
package window
