package spirv

import "errors"

// What Decode, FoldSpecConstants and Verify may fail with.
var (
	// ErrNotSPIRV: the header is not that of a SPIR-V 1.x module.
	ErrNotSPIRV = errors.New("not a SPIR-V module; compile the shader with glslangValidator -V or dxc -spirv")
	// ErrTruncated: an instruction, function or block reaches beyond the end.
	ErrTruncated = errors.New("truncated SPIR-V module")
	// ErrUnknownInstruction: an opcode that is not in the grammar.
	ErrUnknownInstruction = errors.New("unknown SPIR-V instruction")
	// ErrMalformed: the operands of an instruction do not fit its grammar.
	ErrMalformed = errors.New("malformed SPIR-V instruction")
	// ErrLayout: an instruction stands where the logical layout forbids it.
	ErrLayout = errors.New("SPIR-V instruction out of place")
	// ErrSpecialization: a value does not fit its specialisation constant, or
	// an operation on constants cannot be folded.
	ErrSpecialization = errors.New("cannot specialise SPIR-V constant")
	// ErrUnsupported: a module that may well be valid has more of something
	// than is borne here, or operations on constants that nobody folds.
	ErrUnsupported = errors.New("unsupported SPIR-V")
	// ErrInvalid: Verify found the module broken.
	ErrInvalid = errors.New("invalid SPIR-V module")
)
