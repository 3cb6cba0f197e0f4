package spirv

// Opcodes: ray tracing.
// The grammar letters are explained in grammar.go.
const (
	// Ray tracing pipelines.
	OpTraceRayKHR                           Op = 4445
	OpExecuteCallableKHR                    Op = 4446
	OpConvertUToAccelerationStructureKHR    Op = 4447
	OpIgnoreIntersectionKHR                 Op = 4448
	OpTerminateRayKHR                       Op = 4449
	OpReportIntersectionKHR                 Op = 5334
	OpIgnoreIntersectionNV                  Op = 5335
	OpTerminateRayNV                        Op = 5336
	OpTraceNV                               Op = 5337
	OpTraceMotionNV                         Op = 5338
	OpTraceRayMotionNV                      Op = 5339
	OpExecuteCallableNV                     Op = 5344
	OpFetchMicroTriangleVertexPositionNV    Op = 5300
	OpFetchMicroTriangleVertexBarycentricNV Op = 5301

	// Ray queries.
	OpRayQueryInitializeKHR                                            Op = 4473
	OpRayQueryTerminateKHR                                             Op = 4474
	OpRayQueryGenerateIntersectionKHR                                  Op = 4475
	OpRayQueryConfirmIntersectionKHR                                   Op = 4476
	OpRayQueryProceedKHR                                               Op = 4477
	OpRayQueryGetIntersectionTypeKHR                                   Op = 4479
	OpRayQueryGetIntersectionTriangleVertexPositionsKHR                Op = 5340
	OpRayQueryGetIntersectionClusterIdNV                               Op = 5345
	OpRayQueryGetRayTMinKHR                                            Op = 6016
	OpRayQueryGetRayFlagsKHR                                           Op = 6017
	OpRayQueryGetIntersectionTKHR                                      Op = 6018
	OpRayQueryGetIntersectionInstanceCustomIndexKHR                    Op = 6019
	OpRayQueryGetIntersectionInstanceIdKHR                             Op = 6020
	OpRayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR Op = 6021
	OpRayQueryGetIntersectionGeometryIndexKHR                          Op = 6022
	OpRayQueryGetIntersectionPrimitiveIndexKHR                         Op = 6023
	OpRayQueryGetIntersectionBarycentricsKHR                           Op = 6024
	OpRayQueryGetIntersectionFrontFaceKHR                              Op = 6025
	OpRayQueryGetIntersectionCandidateAABBOpaqueKHR                    Op = 6026
	OpRayQueryGetIntersectionObjectRayDirectionKHR                     Op = 6027
	OpRayQueryGetIntersectionObjectRayOriginKHR                        Op = 6028
	OpRayQueryGetWorldRayDirectionKHR                                  Op = 6029
	OpRayQueryGetWorldRayOriginKHR                                     Op = 6030
	OpRayQueryGetIntersectionObjectToWorldKHR                          Op = 6031
	OpRayQueryGetIntersectionWorldToObjectKHR                          Op = 6032

	// Hit objects (shader execution reordering).
	OpHitObjectRecordHitMotionNV                  Op = 5249
	OpHitObjectRecordHitWithIndexMotionNV         Op = 5250
	OpHitObjectRecordMissMotionNV                 Op = 5251
	OpHitObjectGetWorldToObjectNV                 Op = 5252
	OpHitObjectGetObjectToWorldNV                 Op = 5253
	OpHitObjectGetObjectRayDirectionNV            Op = 5254
	OpHitObjectGetObjectRayOriginNV               Op = 5255
	OpHitObjectTraceRayMotionNV                   Op = 5256
	OpHitObjectGetShaderRecordBufferHandleNV      Op = 5257
	OpHitObjectGetShaderBindingTableRecordIndexNV Op = 5258
	OpHitObjectRecordEmptyNV                      Op = 5259
	OpHitObjectTraceRayNV                         Op = 5260
	OpHitObjectRecordHitNV                        Op = 5261
	OpHitObjectRecordHitWithIndexNV               Op = 5262
	OpHitObjectRecordMissNV                       Op = 5263
	OpHitObjectExecuteShaderNV                    Op = 5264
	OpHitObjectGetCurrentTimeNV                   Op = 5265
	OpHitObjectGetAttributesNV                    Op = 5266
	OpHitObjectGetHitKindNV                       Op = 5267
	OpHitObjectGetPrimitiveIndexNV                Op = 5268
	OpHitObjectGetGeometryIndexNV                 Op = 5269
	OpHitObjectGetInstanceIdNV                    Op = 5270
	OpHitObjectGetInstanceCustomIndexNV           Op = 5271
	OpHitObjectGetWorldRayDirectionNV             Op = 5272
	OpHitObjectGetWorldRayOriginNV                Op = 5273
	OpHitObjectGetRayTMaxNV                       Op = 5274
	OpHitObjectGetRayTMinNV                       Op = 5275
	OpHitObjectIsEmptyNV                          Op = 5276
	OpHitObjectIsHitNV                            Op = 5277
	OpHitObjectIsMissNV                           Op = 5278
	OpReorderThreadWithHitObjectNV                Op = 5279
	OpReorderThreadWithHintNV                     Op = 5280

	// Hit objects of SPV_EXT_shader_invocation_reorder.
	OpHitObjectRecordFromQueryEXT                        Op = 5304
	OpHitObjectRecordMissEXT                             Op = 5305
	OpHitObjectRecordMissMotionEXT                       Op = 5306
	OpHitObjectGetIntersectionTriangleVertexPositionsEXT Op = 5307
	OpHitObjectGetRayFlagsEXT                            Op = 5308
	OpHitObjectSetShaderBindingTableRecordIndexEXT       Op = 5309
	OpHitObjectReorderExecuteShaderEXT                   Op = 5310
	OpHitObjectTraceReorderExecuteEXT                    Op = 5311
	OpHitObjectTraceMotionReorderExecuteEXT              Op = 5312
	OpReorderThreadWithHintEXT                           Op = 5314
	OpReorderThreadWithHitObjectEXT                      Op = 5315
	OpHitObjectTraceRayEXT                               Op = 5316
	OpHitObjectTraceRayMotionEXT                         Op = 5317
	OpHitObjectRecordEmptyEXT                            Op = 5318
	OpHitObjectExecuteShaderEXT                          Op = 5319
	OpHitObjectGetCurrentTimeEXT                         Op = 5320
	OpHitObjectGetAttributesEXT                          Op = 5321
	OpHitObjectGetHitKindEXT                             Op = 5322
	OpHitObjectGetPrimitiveIndexEXT                      Op = 5323
	OpHitObjectGetGeometryIndexEXT                       Op = 5324
	OpHitObjectGetInstanceIdEXT                          Op = 5325
	OpHitObjectGetInstanceCustomIndexEXT                 Op = 5326
	OpHitObjectGetObjectRayOriginEXT                     Op = 5327
	OpHitObjectGetObjectRayDirectionEXT                  Op = 5328
	OpHitObjectGetWorldRayDirectionEXT                   Op = 5329
	OpHitObjectGetWorldRayOriginEXT                      Op = 5330
	OpHitObjectGetObjectToWorldEXT                       Op = 5331
	OpHitObjectGetWorldToObjectEXT                       Op = 5332
	OpHitObjectGetRayTMaxEXT                             Op = 5333
	OpHitObjectGetClusterIdNV                            Op = 5346
	OpHitObjectGetRayTMinEXT                             Op = 5347
	OpHitObjectGetShaderBindingTableRecordIndexEXT       Op = 5348
	OpHitObjectGetShaderRecordBufferHandleEXT            Op = 5349
	OpHitObjectIsEmptyEXT                                Op = 5350
	OpHitObjectIsHitEXT                                  Op = 5351
	OpHitObjectIsMissEXT                                 Op = 5352

	// Spheres and linear swept spheres.
	OpRayQueryGetIntersectionSpherePositionNV Op = 5427
	OpRayQueryGetIntersectionSphereRadiusNV   Op = 5428
	OpRayQueryGetIntersectionLSSPositionsNV   Op = 5429
	OpRayQueryGetIntersectionLSSRadiiNV       Op = 5430
	OpRayQueryGetIntersectionLSSHitValueNV    Op = 5431
	OpHitObjectGetSpherePositionNV            Op = 5432
	OpHitObjectGetSphereRadiusNV              Op = 5433
	OpHitObjectGetLSSPositionsNV              Op = 5434
	OpHitObjectGetLSSRadiiNV                  Op = 5435
	OpHitObjectIsSphereHitNV                  Op = 5436
	OpHitObjectIsLSSHitNV                     Op = 5437
	OpRayQueryIsSphereHitNV                   Op = 5438
	OpRayQueryIsLSSHitNV                      Op = 5439
)
