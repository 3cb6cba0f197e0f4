package spirv

// GLSLInst is an instruction of the extended set GLSL.std.450.
type GLSLInst uint32

// Instructions of GLSL.std.450.
const (
	GLSLRound                 GLSLInst = 1
	GLSLRoundEven             GLSLInst = 2
	GLSLTrunc                 GLSLInst = 3
	GLSLFAbs                  GLSLInst = 4
	GLSLSAbs                  GLSLInst = 5
	GLSLFSign                 GLSLInst = 6
	GLSLSSign                 GLSLInst = 7
	GLSLFloor                 GLSLInst = 8
	GLSLCeil                  GLSLInst = 9
	GLSLFract                 GLSLInst = 10
	GLSLRadians               GLSLInst = 11
	GLSLDegrees               GLSLInst = 12
	GLSLSin                   GLSLInst = 13
	GLSLCos                   GLSLInst = 14
	GLSLTan                   GLSLInst = 15
	GLSLAsin                  GLSLInst = 16
	GLSLAcos                  GLSLInst = 17
	GLSLAtan                  GLSLInst = 18
	GLSLSinh                  GLSLInst = 19
	GLSLCosh                  GLSLInst = 20
	GLSLTanh                  GLSLInst = 21
	GLSLAsinh                 GLSLInst = 22
	GLSLAcosh                 GLSLInst = 23
	GLSLAtanh                 GLSLInst = 24
	GLSLAtan2                 GLSLInst = 25
	GLSLPow                   GLSLInst = 26
	GLSLExp                   GLSLInst = 27
	GLSLLog                   GLSLInst = 28
	GLSLExp2                  GLSLInst = 29
	GLSLLog2                  GLSLInst = 30
	GLSLSqrt                  GLSLInst = 31
	GLSLInverseSqrt           GLSLInst = 32
	GLSLDeterminant           GLSLInst = 33
	GLSLMatrixInverse         GLSLInst = 34
	GLSLModf                  GLSLInst = 35
	GLSLModfStruct            GLSLInst = 36
	GLSLFMin                  GLSLInst = 37
	GLSLUMin                  GLSLInst = 38
	GLSLSMin                  GLSLInst = 39
	GLSLFMax                  GLSLInst = 40
	GLSLUMax                  GLSLInst = 41
	GLSLSMax                  GLSLInst = 42
	GLSLFClamp                GLSLInst = 43
	GLSLUClamp                GLSLInst = 44
	GLSLSClamp                GLSLInst = 45
	GLSLFMix                  GLSLInst = 46
	GLSLIMix                  GLSLInst = 47
	GLSLStep                  GLSLInst = 48
	GLSLSmoothStep            GLSLInst = 49
	GLSLFma                   GLSLInst = 50
	GLSLFrexp                 GLSLInst = 51
	GLSLFrexpStruct           GLSLInst = 52
	GLSLLdexp                 GLSLInst = 53
	GLSLPackSnorm4x8          GLSLInst = 54
	GLSLPackUnorm4x8          GLSLInst = 55
	GLSLPackSnorm2x16         GLSLInst = 56
	GLSLPackUnorm2x16         GLSLInst = 57
	GLSLPackHalf2x16          GLSLInst = 58
	GLSLPackDouble2x32        GLSLInst = 59
	GLSLUnpackSnorm2x16       GLSLInst = 60
	GLSLUnpackUnorm2x16       GLSLInst = 61
	GLSLUnpackHalf2x16        GLSLInst = 62
	GLSLUnpackSnorm4x8        GLSLInst = 63
	GLSLUnpackUnorm4x8        GLSLInst = 64
	GLSLUnpackDouble2x32      GLSLInst = 65
	GLSLLength                GLSLInst = 66
	GLSLDistance              GLSLInst = 67
	GLSLCross                 GLSLInst = 68
	GLSLNormalize             GLSLInst = 69
	GLSLFaceForward           GLSLInst = 70
	GLSLReflect               GLSLInst = 71
	GLSLRefract               GLSLInst = 72
	GLSLFindILsb              GLSLInst = 73
	GLSLFindSMsb              GLSLInst = 74
	GLSLFindUMsb              GLSLInst = 75
	GLSLInterpolateAtCentroid GLSLInst = 76
	GLSLInterpolateAtSample   GLSLInst = 77
	GLSLInterpolateAtOffset   GLSLInst = 78
	GLSLNMin                  GLSLInst = 79
	GLSLNMax                  GLSLInst = 80
	GLSLNClamp                GLSLInst = 81
)

// String returns the name as SPIR-V tools write it.
func (v GLSLInst) String() string { return enumName(glslNames, v) }

func (v GLSLInst) known() bool { return glslNames[v] != "" }

var glslNames = map[GLSLInst]string{
	GLSLRound:                 "Round",
	GLSLRoundEven:             "RoundEven",
	GLSLTrunc:                 "Trunc",
	GLSLFAbs:                  "FAbs",
	GLSLSAbs:                  "SAbs",
	GLSLFSign:                 "FSign",
	GLSLSSign:                 "SSign",
	GLSLFloor:                 "Floor",
	GLSLCeil:                  "Ceil",
	GLSLFract:                 "Fract",
	GLSLRadians:               "Radians",
	GLSLDegrees:               "Degrees",
	GLSLSin:                   "Sin",
	GLSLCos:                   "Cos",
	GLSLTan:                   "Tan",
	GLSLAsin:                  "Asin",
	GLSLAcos:                  "Acos",
	GLSLAtan:                  "Atan",
	GLSLSinh:                  "Sinh",
	GLSLCosh:                  "Cosh",
	GLSLTanh:                  "Tanh",
	GLSLAsinh:                 "Asinh",
	GLSLAcosh:                 "Acosh",
	GLSLAtanh:                 "Atanh",
	GLSLAtan2:                 "Atan2",
	GLSLPow:                   "Pow",
	GLSLExp:                   "Exp",
	GLSLLog:                   "Log",
	GLSLExp2:                  "Exp2",
	GLSLLog2:                  "Log2",
	GLSLSqrt:                  "Sqrt",
	GLSLInverseSqrt:           "InverseSqrt",
	GLSLDeterminant:           "Determinant",
	GLSLMatrixInverse:         "MatrixInverse",
	GLSLModf:                  "Modf",
	GLSLModfStruct:            "ModfStruct",
	GLSLFMin:                  "FMin",
	GLSLUMin:                  "UMin",
	GLSLSMin:                  "SMin",
	GLSLFMax:                  "FMax",
	GLSLUMax:                  "UMax",
	GLSLSMax:                  "SMax",
	GLSLFClamp:                "FClamp",
	GLSLUClamp:                "UClamp",
	GLSLSClamp:                "SClamp",
	GLSLFMix:                  "FMix",
	GLSLIMix:                  "IMix",
	GLSLStep:                  "Step",
	GLSLSmoothStep:            "SmoothStep",
	GLSLFma:                   "Fma",
	GLSLFrexp:                 "Frexp",
	GLSLFrexpStruct:           "FrexpStruct",
	GLSLLdexp:                 "Ldexp",
	GLSLPackSnorm4x8:          "PackSnorm4x8",
	GLSLPackUnorm4x8:          "PackUnorm4x8",
	GLSLPackSnorm2x16:         "PackSnorm2x16",
	GLSLPackUnorm2x16:         "PackUnorm2x16",
	GLSLPackHalf2x16:          "PackHalf2x16",
	GLSLPackDouble2x32:        "PackDouble2x32",
	GLSLUnpackSnorm2x16:       "UnpackSnorm2x16",
	GLSLUnpackUnorm2x16:       "UnpackUnorm2x16",
	GLSLUnpackHalf2x16:        "UnpackHalf2x16",
	GLSLUnpackSnorm4x8:        "UnpackSnorm4x8",
	GLSLUnpackUnorm4x8:        "UnpackUnorm4x8",
	GLSLUnpackDouble2x32:      "UnpackDouble2x32",
	GLSLLength:                "Length",
	GLSLDistance:              "Distance",
	GLSLCross:                 "Cross",
	GLSLNormalize:             "Normalize",
	GLSLFaceForward:           "FaceForward",
	GLSLReflect:               "Reflect",
	GLSLRefract:               "Refract",
	GLSLFindILsb:              "FindILsb",
	GLSLFindSMsb:              "FindSMsb",
	GLSLFindUMsb:              "FindUMsb",
	GLSLInterpolateAtCentroid: "InterpolateAtCentroid",
	GLSLInterpolateAtSample:   "InterpolateAtSample",
	GLSLInterpolateAtOffset:   "InterpolateAtOffset",
	GLSLNMin:                  "NMin",
	GLSLNMax:                  "NMax",
	GLSLNClamp:                "NClamp",
}
