package spirv

// Opcodes: arithmetic, logic, atomics and control flow.
// The grammar letters are explained in grammar.go.
const (
	// Arithmetic.
	OpSNegate           Op = 126
	OpFNegate           Op = 127
	OpIAdd              Op = 128
	OpFAdd              Op = 129
	OpISub              Op = 130
	OpFSub              Op = 131
	OpIMul              Op = 132
	OpFMul              Op = 133
	OpUDiv              Op = 134
	OpSDiv              Op = 135
	OpFDiv              Op = 136
	OpUMod              Op = 137
	OpSRem              Op = 138
	OpSMod              Op = 139
	OpFRem              Op = 140
	OpFMod              Op = 141
	OpVectorTimesScalar Op = 142
	OpMatrixTimesScalar Op = 143
	OpVectorTimesMatrix Op = 144
	OpMatrixTimesVector Op = 145
	OpMatrixTimesMatrix Op = 146
	OpOuterProduct      Op = 147
	OpDot               Op = 148
	OpIAddCarry         Op = 149
	OpISubBorrow        Op = 150
	OpUMulExtended      Op = 151
	OpSMulExtended      Op = 152
	OpSDotKHR           Op = 4450
	OpUDotKHR           Op = 4451
	OpSUDotKHR          Op = 4452
	OpSDotAccSatKHR     Op = 4453
	OpUDotAccSatKHR     Op = 4454
	OpSUDotAccSatKHR    Op = 4455

	// Relations and logic.
	OpAny                    Op = 154
	OpAll                    Op = 155
	OpIsNan                  Op = 156
	OpIsInf                  Op = 157
	OpIsFinite               Op = 158
	OpIsNormal               Op = 159
	OpSignBitSet             Op = 160
	OpLessOrGreater          Op = 161
	OpOrdered                Op = 162
	OpUnordered              Op = 163
	OpLogicalEqual           Op = 164
	OpLogicalNotEqual        Op = 165
	OpLogicalOr              Op = 166
	OpLogicalAnd             Op = 167
	OpLogicalNot             Op = 168
	OpSelect                 Op = 169
	OpIEqual                 Op = 170
	OpINotEqual              Op = 171
	OpUGreaterThan           Op = 172
	OpSGreaterThan           Op = 173
	OpUGreaterThanEqual      Op = 174
	OpSGreaterThanEqual      Op = 175
	OpULessThan              Op = 176
	OpSLessThan              Op = 177
	OpULessThanEqual         Op = 178
	OpSLessThanEqual         Op = 179
	OpFOrdEqual              Op = 180
	OpFUnordEqual            Op = 181
	OpFOrdNotEqual           Op = 182
	OpFUnordNotEqual         Op = 183
	OpFOrdLessThan           Op = 184
	OpFUnordLessThan         Op = 185
	OpFOrdGreaterThan        Op = 186
	OpFUnordGreaterThan      Op = 187
	OpFOrdLessThanEqual      Op = 188
	OpFUnordLessThanEqual    Op = 189
	OpFOrdGreaterThanEqual   Op = 190
	OpFUnordGreaterThanEqual Op = 191

	// Bits.
	OpShiftRightLogical    Op = 194
	OpShiftRightArithmetic Op = 195
	OpShiftLeftLogical     Op = 196
	OpBitwiseOr            Op = 197
	OpBitwiseXor           Op = 198
	OpBitwiseAnd           Op = 199
	OpNot                  Op = 200
	OpBitFieldInsert       Op = 201
	OpBitFieldSExtract     Op = 202
	OpBitFieldUExtract     Op = 203
	OpBitReverse           Op = 204
	OpBitCount             Op = 205

	// Derivatives.
	OpDPdx         Op = 207
	OpDPdy         Op = 208
	OpFwidth       Op = 209
	OpDPdxFine     Op = 210
	OpDPdyFine     Op = 211
	OpFwidthFine   Op = 212
	OpDPdxCoarse   Op = 213
	OpDPdyCoarse   Op = 214
	OpFwidthCoarse Op = 215

	// Atomics and barriers.
	OpControlBarrier            Op = 224
	OpMemoryBarrier             Op = 225
	OpAtomicLoad                Op = 227
	OpAtomicStore               Op = 228
	OpAtomicExchange            Op = 229
	OpAtomicCompareExchange     Op = 230
	OpAtomicCompareExchangeWeak Op = 231
	OpAtomicIIncrement          Op = 232
	OpAtomicIDecrement          Op = 233
	OpAtomicIAdd                Op = 234
	OpAtomicISub                Op = 235
	OpAtomicSMin                Op = 236
	OpAtomicUMin                Op = 237
	OpAtomicSMax                Op = 238
	OpAtomicUMax                Op = 239
	OpAtomicAnd                 Op = 240
	OpAtomicOr                  Op = 241
	OpAtomicXor                 Op = 242
	OpAtomicFlagTestAndSet      Op = 318
	OpAtomicFlagClear           Op = 319
	OpAtomicFMinEXT             Op = 5614
	OpAtomicFMaxEXT             Op = 5615
	OpAtomicFAddEXT             Op = 6035

	// Control flow.
	OpPhi                         Op = 245
	OpLoopMerge                   Op = 246
	OpSelectionMerge              Op = 247
	OpLabel                       Op = 248
	OpBranch                      Op = 249
	OpBranchConditional           Op = 250
	OpSwitch                      Op = 251
	OpKill                        Op = 252
	OpReturn                      Op = 253
	OpReturnValue                 Op = 254
	OpUnreachable                 Op = 255
	OpLifetimeStart               Op = 256
	OpLifetimeStop                Op = 257
	OpTerminateInvocation         Op = 4416
	OpDemoteToHelperInvocation    Op = 5380
	OpIsHelperInvocationEXT       Op = 5381
	OpBeginInvocationInterlockEXT Op = 5364
	OpEndInvocationInterlockEXT   Op = 5365
	OpAssumeTrueKHR               Op = 5630
	OpExpectKHR                   Op = 5631
	OpReadClockKHR                Op = 5056

	// Geometry and mesh stages.
	OpEmitVertex                       Op = 218
	OpEndPrimitive                     Op = 219
	OpEmitStreamVertex                 Op = 220
	OpEndStreamPrimitive               Op = 221
	OpEmitMeshTasksEXT                 Op = 5294
	OpSetMeshOutputsEXT                Op = 5295
	OpWritePackedPrimitiveIndices4x8NV Op = 5299
)
