package vk

// Listen is listen, for tests.
func Listen(call func() error) error { return listen(call) }

// GiveAlone makes structures of more than so many bytes have memory alone, for tests on devices that gain nothing by it.
func (d *Device) GiveAlone(above uint64) { d.memory.aloneAbove = above }

// Alone tells whether a buffer has memory alone.
func (b *Buffer) Alone() bool { return b.memory.block.alone }
