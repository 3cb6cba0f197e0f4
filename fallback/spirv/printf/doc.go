// Package printf rewrites shaders so that they tell the host something: what debugPrintfEXT says (NonSemantic.DebugPrintf), and, of
// ray tracing shaders, for one place of a launch, each step that its shaders and rays take.
//
// Lower turns both into writes to a buffer whose address stands in the code. The result is a shader like any other, for either way
// of ray tracing; shaders that Lower has not seen pay nothing. Decode makes texts of what is in the buffer.
//
// The buffer holds words: the first counts those behind it that were asked for, which may be more than there are. A message is the
// number of its site, and the words of its arguments. Messages of one lane follow each other in the order of its steps.
//
// Contract: no Vulkan. Functions keep nothing and may be called at once. Modules are the application's: what is not valid comes
// back as it is, for the linker or the driver to refuse.
package printf
