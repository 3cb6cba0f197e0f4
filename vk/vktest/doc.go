// Package vktest opens a Vulkan device for tests, with the validation layer watching.
//
// Any message of the validation layer fails the test that owns the device, and so does any object left alive at its
// end. Without a driver or layer a test is skipped with a message that says what to install; `make test` sets
// EVERRAY_REQUIRE_VULKAN=1, and then it fails instead.
//
// The device is the CPU driver (lavapipe) where there is one, unless EVERRAY_TEST_DEVICE names a part of another
// device's name. Shaders that lavapipe compiles for tests are kept apart from the user's (OwnCache).
package vktest
