package fallback

// LaunchParams has the names of launchParams' addresses.
type LaunchParams struct {
	_                                        [3]uint32
	_                                        uint32
	StackBase, Faults, Raygen, PushConstants uint64
}
