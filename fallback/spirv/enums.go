package spirv

// AddressingModel selects how pointers are addressed.
type AddressingModel uint32

// Values of AddressingModel.
const (
	AddressingModelLogical                 AddressingModel = 0
	AddressingModelPhysical32              AddressingModel = 1
	AddressingModelPhysical64              AddressingModel = 2
	AddressingModelPhysicalStorageBuffer64 AddressingModel = 5348
)

// MemoryModel selects the memory consistency model.
type MemoryModel uint32

// Values of MemoryModel.
const (
	MemoryModelSimple  MemoryModel = 0
	MemoryModelGLSL450 MemoryModel = 1
	MemoryModelOpenCL  MemoryModel = 2
	MemoryModelVulkan  MemoryModel = 3
)

// ExecutionModel is a shader stage.
type ExecutionModel uint32

// Values of ExecutionModel.
const (
	ExecutionModelVertex                 ExecutionModel = 0
	ExecutionModelTessellationControl    ExecutionModel = 1
	ExecutionModelTessellationEvaluation ExecutionModel = 2
	ExecutionModelGeometry               ExecutionModel = 3
	ExecutionModelFragment               ExecutionModel = 4
	ExecutionModelGLCompute              ExecutionModel = 5
	ExecutionModelKernel                 ExecutionModel = 6
	ExecutionModelTaskNV                 ExecutionModel = 5267
	ExecutionModelMeshNV                 ExecutionModel = 5268
	ExecutionModelRayGenerationKHR       ExecutionModel = 5313
	ExecutionModelIntersectionKHR        ExecutionModel = 5314
	ExecutionModelAnyHitKHR              ExecutionModel = 5315
	ExecutionModelClosestHitKHR          ExecutionModel = 5316
	ExecutionModelMissKHR                ExecutionModel = 5317
	ExecutionModelCallableKHR            ExecutionModel = 5318
	ExecutionModelTaskEXT                ExecutionModel = 5364
	ExecutionModelMeshEXT                ExecutionModel = 5365
)

// ExecutionMode is a mode of an entry point.
type ExecutionMode uint32

// Values of ExecutionMode.
const (
	ExecutionModeInvocations                      ExecutionMode = 0
	ExecutionModeSpacingEqual                     ExecutionMode = 1
	ExecutionModeSpacingFractionalEven            ExecutionMode = 2
	ExecutionModeSpacingFractionalOdd             ExecutionMode = 3
	ExecutionModeVertexOrderCw                    ExecutionMode = 4
	ExecutionModeVertexOrderCcw                   ExecutionMode = 5
	ExecutionModePixelCenterInteger               ExecutionMode = 6
	ExecutionModeOriginUpperLeft                  ExecutionMode = 7
	ExecutionModeOriginLowerLeft                  ExecutionMode = 8
	ExecutionModeEarlyFragmentTests               ExecutionMode = 9
	ExecutionModePointMode                        ExecutionMode = 10
	ExecutionModeXfb                              ExecutionMode = 11
	ExecutionModeDepthReplacing                   ExecutionMode = 12
	ExecutionModeDepthGreater                     ExecutionMode = 14
	ExecutionModeDepthLess                        ExecutionMode = 15
	ExecutionModeDepthUnchanged                   ExecutionMode = 16
	ExecutionModeLocalSize                        ExecutionMode = 17
	ExecutionModeLocalSizeHint                    ExecutionMode = 18
	ExecutionModeInputPoints                      ExecutionMode = 19
	ExecutionModeInputLines                       ExecutionMode = 20
	ExecutionModeInputLinesAdjacency              ExecutionMode = 21
	ExecutionModeTriangles                        ExecutionMode = 22
	ExecutionModeInputTrianglesAdjacency          ExecutionMode = 23
	ExecutionModeQuads                            ExecutionMode = 24
	ExecutionModeIsolines                         ExecutionMode = 25
	ExecutionModeOutputVertices                   ExecutionMode = 26
	ExecutionModeOutputPoints                     ExecutionMode = 27
	ExecutionModeOutputLineStrip                  ExecutionMode = 28
	ExecutionModeOutputTriangleStrip              ExecutionMode = 29
	ExecutionModeVecTypeHint                      ExecutionMode = 30
	ExecutionModeContractionOff                   ExecutionMode = 31
	ExecutionModeSubgroupSize                     ExecutionMode = 35
	ExecutionModeSubgroupsPerWorkgroup            ExecutionMode = 36
	ExecutionModeSubgroupsPerWorkgroupId          ExecutionMode = 37
	ExecutionModeLocalSizeId                      ExecutionMode = 38
	ExecutionModeLocalSizeHintId                  ExecutionMode = 39
	ExecutionModeSubgroupUniformControlFlowKHR    ExecutionMode = 4421
	ExecutionModePostDepthCoverage                ExecutionMode = 4446
	ExecutionModeDenormPreserve                   ExecutionMode = 4459
	ExecutionModeDenormFlushToZero                ExecutionMode = 4460
	ExecutionModeSignedZeroInfNanPreserve         ExecutionMode = 4461
	ExecutionModeRoundingModeRTE                  ExecutionMode = 4462
	ExecutionModeRoundingModeRTZ                  ExecutionMode = 4463
	ExecutionModeEarlyAndLateFragmentTestsAMD     ExecutionMode = 5017
	ExecutionModeStencilRefReplacingEXT           ExecutionMode = 5027
	ExecutionModeQuadDerivativesKHR               ExecutionMode = 5088
	ExecutionModeRequireFullQuadsKHR              ExecutionMode = 5089
	ExecutionModeOutputLinesEXT                   ExecutionMode = 5269
	ExecutionModeOutputPrimitivesEXT              ExecutionMode = 5270
	ExecutionModeDerivativeGroupQuadsNV           ExecutionMode = 5289
	ExecutionModeDerivativeGroupLinearNV          ExecutionMode = 5290
	ExecutionModeOutputTrianglesEXT               ExecutionMode = 5298
	ExecutionModePixelInterlockOrderedEXT         ExecutionMode = 5366
	ExecutionModePixelInterlockUnorderedEXT       ExecutionMode = 5367
	ExecutionModeSampleInterlockOrderedEXT        ExecutionMode = 5368
	ExecutionModeSampleInterlockUnorderedEXT      ExecutionMode = 5369
	ExecutionModeShadingRateInterlockOrderedEXT   ExecutionMode = 5370
	ExecutionModeShadingRateInterlockUnorderedEXT ExecutionMode = 5371
	ExecutionModeMaximallyReconvergesKHR          ExecutionMode = 6023
)

// StorageClass says where a variable lives.
type StorageClass uint32

// Values of StorageClass.
const (
	StorageClassUniformConstant         StorageClass = 0
	StorageClassInput                   StorageClass = 1
	StorageClassUniform                 StorageClass = 2
	StorageClassOutput                  StorageClass = 3
	StorageClassWorkgroup               StorageClass = 4
	StorageClassCrossWorkgroup          StorageClass = 5
	StorageClassPrivate                 StorageClass = 6
	StorageClassFunction                StorageClass = 7
	StorageClassGeneric                 StorageClass = 8
	StorageClassPushConstant            StorageClass = 9
	StorageClassAtomicCounter           StorageClass = 10
	StorageClassImage                   StorageClass = 11
	StorageClassStorageBuffer           StorageClass = 12
	StorageClassTileImageEXT            StorageClass = 4172
	StorageClassCallableDataKHR         StorageClass = 5328
	StorageClassIncomingCallableDataKHR StorageClass = 5329
	StorageClassRayPayloadKHR           StorageClass = 5338
	StorageClassHitAttributeKHR         StorageClass = 5339
	StorageClassIncomingRayPayloadKHR   StorageClass = 5342
	StorageClassShaderRecordBufferKHR   StorageClass = 5343
	StorageClassPhysicalStorageBuffer   StorageClass = 5349
	StorageClassHitObjectAttributeNV    StorageClass = 5385
	StorageClassTaskPayloadWorkgroupEXT StorageClass = 5402
	StorageClassHitObjectAttributeEXT   StorageClass = 5411
)

// Dim is the dimensionality of an image.
type Dim uint32

// Values of Dim.
const (
	Dim1D               Dim = 0
	Dim2D               Dim = 1
	Dim3D               Dim = 2
	DimCube             Dim = 3
	DimRect             Dim = 4
	DimBuffer           Dim = 5
	DimSubpassData      Dim = 6
	DimTileImageDataEXT Dim = 4173
)

// ImageFormat is the texel format of a storage image.
type ImageFormat uint32

// Values of ImageFormat.
const (
	ImageFormatUnknown      ImageFormat = 0
	ImageFormatRgba32f      ImageFormat = 1
	ImageFormatRgba16f      ImageFormat = 2
	ImageFormatR32f         ImageFormat = 3
	ImageFormatRgba8        ImageFormat = 4
	ImageFormatRgba8Snorm   ImageFormat = 5
	ImageFormatRg32f        ImageFormat = 6
	ImageFormatRg16f        ImageFormat = 7
	ImageFormatR11fG11fB10f ImageFormat = 8
	ImageFormatR16f         ImageFormat = 9
	ImageFormatRgba16       ImageFormat = 10
	ImageFormatRgb10A2      ImageFormat = 11
	ImageFormatRg16         ImageFormat = 12
	ImageFormatRg8          ImageFormat = 13
	ImageFormatR16          ImageFormat = 14
	ImageFormatR8           ImageFormat = 15
	ImageFormatRgba16Snorm  ImageFormat = 16
	ImageFormatRg16Snorm    ImageFormat = 17
	ImageFormatRg8Snorm     ImageFormat = 18
	ImageFormatR16Snorm     ImageFormat = 19
	ImageFormatR8Snorm      ImageFormat = 20
	ImageFormatRgba32i      ImageFormat = 21
	ImageFormatRgba16i      ImageFormat = 22
	ImageFormatRgba8i       ImageFormat = 23
	ImageFormatR32i         ImageFormat = 24
	ImageFormatRg32i        ImageFormat = 25
	ImageFormatRg16i        ImageFormat = 26
	ImageFormatRg8i         ImageFormat = 27
	ImageFormatR16i         ImageFormat = 28
	ImageFormatR8i          ImageFormat = 29
	ImageFormatRgba32ui     ImageFormat = 30
	ImageFormatRgba16ui     ImageFormat = 31
	ImageFormatRgba8ui      ImageFormat = 32
	ImageFormatR32ui        ImageFormat = 33
	ImageFormatRgb10a2ui    ImageFormat = 34
	ImageFormatRg32ui       ImageFormat = 35
	ImageFormatRg16ui       ImageFormat = 36
	ImageFormatRg8ui        ImageFormat = 37
	ImageFormatR16ui        ImageFormat = 38
	ImageFormatR8ui         ImageFormat = 39
	ImageFormatR64ui        ImageFormat = 40
	ImageFormatR64i         ImageFormat = 41
)

// AccessQualifier is how an image may be accessed.
type AccessQualifier uint32

// Values of AccessQualifier.
const (
	AccessQualifierReadOnly  AccessQualifier = 0
	AccessQualifierWriteOnly AccessQualifier = 1
	AccessQualifierReadWrite AccessQualifier = 2
)

// GroupOperation is the shape of a group operation.
type GroupOperation uint32

// Values of GroupOperation.
const (
	GroupOperationReduce                     GroupOperation = 0
	GroupOperationInclusiveScan              GroupOperation = 1
	GroupOperationExclusiveScan              GroupOperation = 2
	GroupOperationClusteredReduce            GroupOperation = 3
	GroupOperationPartitionedReduceNV        GroupOperation = 6
	GroupOperationPartitionedInclusiveScanNV GroupOperation = 7
	GroupOperationPartitionedExclusiveScanNV GroupOperation = 8
)

// SourceLanguage is the language a module was compiled from.
type SourceLanguage uint32

// Values of SourceLanguage.
const (
	SourceLanguageUnknown    SourceLanguage = 0
	SourceLanguageESSL       SourceLanguage = 1
	SourceLanguageGLSL       SourceLanguage = 2
	SourceLanguageOpenCL_C   SourceLanguage = 3
	SourceLanguageOpenCL_CPP SourceLanguage = 4
	SourceLanguageHLSL       SourceLanguage = 5
)

// Scope is the set of invocations an operation reaches.
type Scope uint32

// Values of Scope.
const (
	ScopeCrossDevice   Scope = 0
	ScopeDevice        Scope = 1
	ScopeWorkgroup     Scope = 2
	ScopeSubgroup      Scope = 3
	ScopeInvocation    Scope = 4
	ScopeQueueFamily   Scope = 5
	ScopeShaderCallKHR Scope = 6
)
