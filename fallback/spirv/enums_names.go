package spirv

// String returns the name as SPIR-V tools write it.
func (v AddressingModel) String() string { return enumName(addressingModelNames, v) }

var addressingModelNames = map[AddressingModel]string{
	AddressingModelLogical:                 "Logical",
	AddressingModelPhysical32:              "Physical32",
	AddressingModelPhysical64:              "Physical64",
	AddressingModelPhysicalStorageBuffer64: "PhysicalStorageBuffer64",
}

// String returns the name as SPIR-V tools write it.
func (v MemoryModel) String() string { return enumName(memoryModelNames, v) }

var memoryModelNames = map[MemoryModel]string{
	MemoryModelSimple:  "Simple",
	MemoryModelGLSL450: "GLSL450",
	MemoryModelOpenCL:  "OpenCL",
	MemoryModelVulkan:  "Vulkan",
}

// String returns the name as SPIR-V tools write it.
func (v ExecutionModel) String() string { return enumName(executionModelNames, v) }

var executionModelNames = map[ExecutionModel]string{
	ExecutionModelVertex:                 "Vertex",
	ExecutionModelTessellationControl:    "TessellationControl",
	ExecutionModelTessellationEvaluation: "TessellationEvaluation",
	ExecutionModelGeometry:               "Geometry",
	ExecutionModelFragment:               "Fragment",
	ExecutionModelGLCompute:              "GLCompute",
	ExecutionModelKernel:                 "Kernel",
	ExecutionModelTaskNV:                 "TaskNV",
	ExecutionModelMeshNV:                 "MeshNV",
	ExecutionModelRayGenerationKHR:       "RayGenerationKHR",
	ExecutionModelIntersectionKHR:        "IntersectionKHR",
	ExecutionModelAnyHitKHR:              "AnyHitKHR",
	ExecutionModelClosestHitKHR:          "ClosestHitKHR",
	ExecutionModelMissKHR:                "MissKHR",
	ExecutionModelCallableKHR:            "CallableKHR",
	ExecutionModelTaskEXT:                "TaskEXT",
	ExecutionModelMeshEXT:                "MeshEXT",
}

// String returns the name as SPIR-V tools write it.
func (v ExecutionMode) String() string { return enumName(executionModeNames, v) }

var executionModeNames = map[ExecutionMode]string{
	ExecutionModeInvocations:                      "Invocations",
	ExecutionModeSpacingEqual:                     "SpacingEqual",
	ExecutionModeSpacingFractionalEven:            "SpacingFractionalEven",
	ExecutionModeSpacingFractionalOdd:             "SpacingFractionalOdd",
	ExecutionModeVertexOrderCw:                    "VertexOrderCw",
	ExecutionModeVertexOrderCcw:                   "VertexOrderCcw",
	ExecutionModePixelCenterInteger:               "PixelCenterInteger",
	ExecutionModeOriginUpperLeft:                  "OriginUpperLeft",
	ExecutionModeOriginLowerLeft:                  "OriginLowerLeft",
	ExecutionModeEarlyFragmentTests:               "EarlyFragmentTests",
	ExecutionModePointMode:                        "PointMode",
	ExecutionModeXfb:                              "Xfb",
	ExecutionModeDepthReplacing:                   "DepthReplacing",
	ExecutionModeDepthGreater:                     "DepthGreater",
	ExecutionModeDepthLess:                        "DepthLess",
	ExecutionModeDepthUnchanged:                   "DepthUnchanged",
	ExecutionModeLocalSize:                        "LocalSize",
	ExecutionModeLocalSizeHint:                    "LocalSizeHint",
	ExecutionModeInputPoints:                      "InputPoints",
	ExecutionModeInputLines:                       "InputLines",
	ExecutionModeInputLinesAdjacency:              "InputLinesAdjacency",
	ExecutionModeTriangles:                        "Triangles",
	ExecutionModeInputTrianglesAdjacency:          "InputTrianglesAdjacency",
	ExecutionModeQuads:                            "Quads",
	ExecutionModeIsolines:                         "Isolines",
	ExecutionModeOutputVertices:                   "OutputVertices",
	ExecutionModeOutputPoints:                     "OutputPoints",
	ExecutionModeOutputLineStrip:                  "OutputLineStrip",
	ExecutionModeOutputTriangleStrip:              "OutputTriangleStrip",
	ExecutionModeVecTypeHint:                      "VecTypeHint",
	ExecutionModeContractionOff:                   "ContractionOff",
	ExecutionModeSubgroupSize:                     "SubgroupSize",
	ExecutionModeSubgroupsPerWorkgroup:            "SubgroupsPerWorkgroup",
	ExecutionModeSubgroupsPerWorkgroupId:          "SubgroupsPerWorkgroupId",
	ExecutionModeLocalSizeId:                      "LocalSizeId",
	ExecutionModeLocalSizeHintId:                  "LocalSizeHintId",
	ExecutionModeSubgroupUniformControlFlowKHR:    "SubgroupUniformControlFlowKHR",
	ExecutionModePostDepthCoverage:                "PostDepthCoverage",
	ExecutionModeDenormPreserve:                   "DenormPreserve",
	ExecutionModeDenormFlushToZero:                "DenormFlushToZero",
	ExecutionModeSignedZeroInfNanPreserve:         "SignedZeroInfNanPreserve",
	ExecutionModeRoundingModeRTE:                  "RoundingModeRTE",
	ExecutionModeRoundingModeRTZ:                  "RoundingModeRTZ",
	ExecutionModeEarlyAndLateFragmentTestsAMD:     "EarlyAndLateFragmentTestsAMD",
	ExecutionModeStencilRefReplacingEXT:           "StencilRefReplacingEXT",
	ExecutionModeQuadDerivativesKHR:               "QuadDerivativesKHR",
	ExecutionModeRequireFullQuadsKHR:              "RequireFullQuadsKHR",
	ExecutionModeOutputLinesEXT:                   "OutputLinesEXT",
	ExecutionModeOutputPrimitivesEXT:              "OutputPrimitivesEXT",
	ExecutionModeDerivativeGroupQuadsNV:           "DerivativeGroupQuadsNV",
	ExecutionModeDerivativeGroupLinearNV:          "DerivativeGroupLinearNV",
	ExecutionModeOutputTrianglesEXT:               "OutputTrianglesEXT",
	ExecutionModePixelInterlockOrderedEXT:         "PixelInterlockOrderedEXT",
	ExecutionModePixelInterlockUnorderedEXT:       "PixelInterlockUnorderedEXT",
	ExecutionModeSampleInterlockOrderedEXT:        "SampleInterlockOrderedEXT",
	ExecutionModeSampleInterlockUnorderedEXT:      "SampleInterlockUnorderedEXT",
	ExecutionModeShadingRateInterlockOrderedEXT:   "ShadingRateInterlockOrderedEXT",
	ExecutionModeShadingRateInterlockUnorderedEXT: "ShadingRateInterlockUnorderedEXT",
	ExecutionModeMaximallyReconvergesKHR:          "MaximallyReconvergesKHR",
}

// String returns the name as SPIR-V tools write it.
func (v StorageClass) String() string { return enumName(storageClassNames, v) }

var storageClassNames = map[StorageClass]string{
	StorageClassUniformConstant:         "UniformConstant",
	StorageClassInput:                   "Input",
	StorageClassUniform:                 "Uniform",
	StorageClassOutput:                  "Output",
	StorageClassWorkgroup:               "Workgroup",
	StorageClassCrossWorkgroup:          "CrossWorkgroup",
	StorageClassPrivate:                 "Private",
	StorageClassFunction:                "Function",
	StorageClassGeneric:                 "Generic",
	StorageClassPushConstant:            "PushConstant",
	StorageClassAtomicCounter:           "AtomicCounter",
	StorageClassImage:                   "Image",
	StorageClassStorageBuffer:           "StorageBuffer",
	StorageClassTileImageEXT:            "TileImageEXT",
	StorageClassCallableDataKHR:         "CallableDataKHR",
	StorageClassIncomingCallableDataKHR: "IncomingCallableDataKHR",
	StorageClassRayPayloadKHR:           "RayPayloadKHR",
	StorageClassHitAttributeKHR:         "HitAttributeKHR",
	StorageClassIncomingRayPayloadKHR:   "IncomingRayPayloadKHR",
	StorageClassShaderRecordBufferKHR:   "ShaderRecordBufferKHR",
	StorageClassPhysicalStorageBuffer:   "PhysicalStorageBuffer",
	StorageClassHitObjectAttributeNV:    "HitObjectAttributeNV",
	StorageClassTaskPayloadWorkgroupEXT: "TaskPayloadWorkgroupEXT",
	StorageClassHitObjectAttributeEXT:   "HitObjectAttributeEXT",
}

// String returns the name as SPIR-V tools write it.
func (v Dim) String() string { return enumName(dimNames, v) }

var dimNames = map[Dim]string{
	Dim1D:               "1D",
	Dim2D:               "2D",
	Dim3D:               "3D",
	DimCube:             "Cube",
	DimRect:             "Rect",
	DimBuffer:           "Buffer",
	DimSubpassData:      "SubpassData",
	DimTileImageDataEXT: "TileImageDataEXT",
}

// String returns the name as SPIR-V tools write it.
func (v ImageFormat) String() string { return enumName(imageFormatNames, v) }

var imageFormatNames = map[ImageFormat]string{
	ImageFormatUnknown:      "Unknown",
	ImageFormatRgba32f:      "Rgba32f",
	ImageFormatRgba16f:      "Rgba16f",
	ImageFormatR32f:         "R32f",
	ImageFormatRgba8:        "Rgba8",
	ImageFormatRgba8Snorm:   "Rgba8Snorm",
	ImageFormatRg32f:        "Rg32f",
	ImageFormatRg16f:        "Rg16f",
	ImageFormatR11fG11fB10f: "R11fG11fB10f",
	ImageFormatR16f:         "R16f",
	ImageFormatRgba16:       "Rgba16",
	ImageFormatRgb10A2:      "Rgb10A2",
	ImageFormatRg16:         "Rg16",
	ImageFormatRg8:          "Rg8",
	ImageFormatR16:          "R16",
	ImageFormatR8:           "R8",
	ImageFormatRgba16Snorm:  "Rgba16Snorm",
	ImageFormatRg16Snorm:    "Rg16Snorm",
	ImageFormatRg8Snorm:     "Rg8Snorm",
	ImageFormatR16Snorm:     "R16Snorm",
	ImageFormatR8Snorm:      "R8Snorm",
	ImageFormatRgba32i:      "Rgba32i",
	ImageFormatRgba16i:      "Rgba16i",
	ImageFormatRgba8i:       "Rgba8i",
	ImageFormatR32i:         "R32i",
	ImageFormatRg32i:        "Rg32i",
	ImageFormatRg16i:        "Rg16i",
	ImageFormatRg8i:         "Rg8i",
	ImageFormatR16i:         "R16i",
	ImageFormatR8i:          "R8i",
	ImageFormatRgba32ui:     "Rgba32ui",
	ImageFormatRgba16ui:     "Rgba16ui",
	ImageFormatRgba8ui:      "Rgba8ui",
	ImageFormatR32ui:        "R32ui",
	ImageFormatRgb10a2ui:    "Rgb10a2ui",
	ImageFormatRg32ui:       "Rg32ui",
	ImageFormatRg16ui:       "Rg16ui",
	ImageFormatRg8ui:        "Rg8ui",
	ImageFormatR16ui:        "R16ui",
	ImageFormatR8ui:         "R8ui",
	ImageFormatR64ui:        "R64ui",
	ImageFormatR64i:         "R64i",
}

// String returns the name as SPIR-V tools write it.
func (v AccessQualifier) String() string { return enumName(accessQualifierNames, v) }

var accessQualifierNames = map[AccessQualifier]string{
	AccessQualifierReadOnly:  "ReadOnly",
	AccessQualifierWriteOnly: "WriteOnly",
	AccessQualifierReadWrite: "ReadWrite",
}

// String returns the name as SPIR-V tools write it.
func (v GroupOperation) String() string { return enumName(groupOperationNames, v) }

var groupOperationNames = map[GroupOperation]string{
	GroupOperationReduce:                     "Reduce",
	GroupOperationInclusiveScan:              "InclusiveScan",
	GroupOperationExclusiveScan:              "ExclusiveScan",
	GroupOperationClusteredReduce:            "ClusteredReduce",
	GroupOperationPartitionedReduceNV:        "PartitionedReduceNV",
	GroupOperationPartitionedInclusiveScanNV: "PartitionedInclusiveScanNV",
	GroupOperationPartitionedExclusiveScanNV: "PartitionedExclusiveScanNV",
}

// String returns the name as SPIR-V tools write it.
func (v SourceLanguage) String() string { return enumName(sourceLanguageNames, v) }

var sourceLanguageNames = map[SourceLanguage]string{
	SourceLanguageUnknown:    "Unknown",
	SourceLanguageESSL:       "ESSL",
	SourceLanguageGLSL:       "GLSL",
	SourceLanguageOpenCL_C:   "OpenCL_C",
	SourceLanguageOpenCL_CPP: "OpenCL_CPP",
	SourceLanguageHLSL:       "HLSL",
}

// String returns the name as SPIR-V tools write it.
func (v Scope) String() string { return enumName(scopeNames, v) }

var scopeNames = map[Scope]string{
	ScopeCrossDevice:   "CrossDevice",
	ScopeDevice:        "Device",
	ScopeWorkgroup:     "Workgroup",
	ScopeSubgroup:      "Subgroup",
	ScopeInvocation:    "Invocation",
	ScopeQueueFamily:   "QueueFamily",
	ScopeShaderCallKHR: "ShaderCallKHR",
}
