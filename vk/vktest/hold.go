package vktest

import "github.com/everray/everray/vk"

// Hold keeps the driver loaded until release is called, for TestMain of packages whose tests open many instances one after
// the other: the loader loads the driver anew for each, and NVIDIA's takes a part of the process's memory for static
// thread-local storage each time, which is used up after some twenty.
func Hold() (release func()) {
	i, err := vk.NewInstance(vk.InstanceOptions{AppName: "vktest"})
	if err != nil {
		return func() {} // the tests say so themselves
	}
	return i.Destroy
}
