package vk

// Listen is listen, for tests.
func Listen(call func() error) error { return listen(call) }
