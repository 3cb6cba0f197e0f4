// Package host builds, updates and copies acceleration structures by the CPU, as vkBuildAccelerationStructuresKHR and its like
// do: bvh's twin without a device.
//
// Contract:
//   - Build, Copies and Property check their arguments; errors wrap bvh.ErrInvalidBuild and bvh.ErrInvalidCopy, and name the
//     build and the field. What they return is an Operation: nothing happens until goroutines join it. Join blocks while
//     others' tasks must end first.
//   - Structures are those of the device but for the tree, which does not depend on how many join; updates are those of the
//     device, bit for bit but for the inverse transforms of instances. The host trusts no index.
//   - Copies and Property do what CmdCopy and CmdWriteProperties of bvh do, to the same bytes. They trust no source: of what is
//     no structure or blob they write nothing, and read nothing outside.
//   - All memory is the caller's, and stays as it is until the operation is done.
package host
