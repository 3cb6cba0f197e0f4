// Package inspect reads acceleration structures that bvh or bvh/host made: it decodes and validates them, measures their trees
// (SAH, EPO, bytes), looks into blobs, and has the reference tracer, brute force in float64, that decides what is right.
//
// Contract:
//   - Structures and blobs may come from anybody. Decode looks at the header alone; Open, Contents, Validate, Quality and
//     ValidateSerialized check what they follow and read nothing outside. Other methods of a Structure are for one that Open
//     took, and panic on others.
//   - A Structure keeps the slice that it was decoded from, which stays the caller's. Nothing here writes to it, and reading is
//     safe by several goroutines.
//   - Nothing blocks but Read, which submits and waits.
package inspect
