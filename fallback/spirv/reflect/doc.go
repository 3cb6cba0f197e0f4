// Package reflect reads from SPIR-V what a pipeline has to provide for a shader: descriptors, push constants, capabilities,
// specialisation constants.
//
// Contract: it validates nothing but what it reads, and trusts nothing: any module that package spirv decodes may come in,
// verified or not, and what makes no sense is left out. It neither blocks nor touches files, and knows nothing of Vulkan's
// handles. A Module is read-only after Parse and safe for concurrent use.
package reflect
