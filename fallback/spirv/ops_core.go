package spirv

// Opcodes: core instructions: debug, modes, types, constants, memory, composites.
// The grammar letters are explained in grammar.go.
const (
	// Miscellaneous, debug and mode-setting instructions.
	OpNop                       Op = 0
	OpUndef                     Op = 1
	OpSourceContinued           Op = 2
	OpSource                    Op = 3
	OpSourceExtension           Op = 4
	OpName                      Op = 5
	OpMemberName                Op = 6
	OpString                    Op = 7
	OpLine                      Op = 8
	OpNoLine                    Op = 317
	OpModuleProcessed           Op = 330
	OpExtension                 Op = 10
	OpExtInstImport             Op = 11
	OpExtInst                   Op = 12
	OpExtInstWithForwardRefsKHR Op = 4433
	OpMemoryModel               Op = 14
	OpEntryPoint                Op = 15
	OpExecutionMode             Op = 16
	OpExecutionModeId           Op = 331
	OpCapability                Op = 17

	// Annotations.
	OpDecorate             Op = 71
	OpMemberDecorate       Op = 72
	OpDecorationGroup      Op = 73
	OpGroupDecorate        Op = 74
	OpGroupMemberDecorate  Op = 75
	OpDecorateId           Op = 332
	OpDecorateString       Op = 5632
	OpMemberDecorateString Op = 5633

	// Types.
	OpTypeVoid                     Op = 19
	OpTypeBool                     Op = 20
	OpTypeInt                      Op = 21
	OpTypeFloat                    Op = 22
	OpTypeVector                   Op = 23
	OpTypeMatrix                   Op = 24
	OpTypeImage                    Op = 25
	OpTypeSampler                  Op = 26
	OpTypeSampledImage             Op = 27
	OpTypeArray                    Op = 28
	OpTypeRuntimeArray             Op = 29
	OpTypeStruct                   Op = 30
	OpTypeOpaque                   Op = 31
	OpTypePointer                  Op = 32
	OpTypeFunction                 Op = 33
	OpTypeForwardPointer           Op = 39
	OpTypeAccelerationStructureKHR Op = 5341
	OpTypeRayQueryKHR              Op = 4472
	OpTypeHitObjectNV              Op = 5281
	OpTypeHitObjectEXT             Op = 5313
	OpTypeCooperativeMatrixKHR     Op = 4456
	OpTypeCooperativeMatrixNV      Op = 5358

	// Constants.
	OpConstantTrue          Op = 41
	OpConstantFalse         Op = 42
	OpConstant              Op = 43
	OpConstantComposite     Op = 44
	OpConstantSampler       Op = 45
	OpConstantNull          Op = 46
	OpSpecConstantTrue      Op = 48
	OpSpecConstantFalse     Op = 49
	OpSpecConstant          Op = 50
	OpSpecConstantComposite Op = 51
	OpSpecConstantOp        Op = 52

	// Functions.
	OpFunction          Op = 54
	OpFunctionParameter Op = 55
	OpFunctionEnd       Op = 56
	OpFunctionCall      Op = 57

	// Memory.
	OpVariable               Op = 59
	OpImageTexelPointer      Op = 60
	OpLoad                   Op = 61
	OpStore                  Op = 62
	OpCopyMemory             Op = 63
	OpCopyMemorySized        Op = 64
	OpAccessChain            Op = 65
	OpInBoundsAccessChain    Op = 66
	OpPtrAccessChain         Op = 67
	OpInBoundsPtrAccessChain Op = 70
	OpArrayLength            Op = 68
	OpPtrEqual               Op = 401
	OpPtrNotEqual            Op = 402
	OpPtrDiff                Op = 403
	OpRawAccessChainNV       Op = 5398

	// Composites.
	OpVectorExtractDynamic Op = 77
	OpVectorInsertDynamic  Op = 78
	OpVectorShuffle        Op = 79
	OpCompositeConstruct   Op = 80
	OpCompositeExtract     Op = 81
	OpCompositeInsert      Op = 82
	OpCopyObject           Op = 83
	OpTranspose            Op = 84
	OpCopyLogical          Op = 400

	// Conversion.
	OpConvertFToU      Op = 109
	OpConvertFToS      Op = 110
	OpConvertSToF      Op = 111
	OpConvertUToF      Op = 112
	OpUConvert         Op = 113
	OpSConvert         Op = 114
	OpFConvert         Op = 115
	OpQuantizeToF16    Op = 116
	OpConvertPtrToU    Op = 117
	OpSatConvertSToU   Op = 118
	OpSatConvertUToS   Op = 119
	OpConvertUToPtr    Op = 120
	OpPtrCastToGeneric Op = 121
	OpGenericCastToPtr Op = 122
	OpBitcast          Op = 124
)
