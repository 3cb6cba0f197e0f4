// Package accel puts the geometry of a scene on a device: vertex data in a few large buffers, one bottom level acceleration
// structure per mesh with one geometry per primitive, and one top level structure over the instances.
//
// # Contract
//
// Upload blocks until the structures are built, takes a context, and on an error leaves nothing allocated. It trusts that
// the scene passed assets.Scene.Validate, as all scenes of package assets have. The Scene it returns belongs to the caller,
// who destroys it before the device is closed; it keeps a reference to the assets.Scene, which must not change. Its methods
// are safe for concurrent use, but for Compact and Rebuild, which are nobody's but their caller's. A Batch and its Compactions
// belong to one goroutine, which destroys them before what they were made from.
package accel
