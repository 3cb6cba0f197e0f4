#version 460
layout(location = 0) in vec3 position;
layout(location = 1) in mat3 basis;
layout(location = 0) out block { vec3 normal; flat int id; } o;
layout(set = 0, binding = 0, row_major) uniform Matrices { mat4 mvp[4]; mat3x4 extra; };
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
invariant gl_Position;
void main() {
	precise vec4 p = mvp[gl_InstanceIndex & 3] * vec4(position, 1);
	gl_Position = p;
	gl_PointSize = 1.0;
	gl_ClipDistance[0] = p.x;
	gl_ClipDistance[1] = determinant(basis) + (extra * basis[0]).w;
	o.normal = inverse(transpose(basis)) * cross(basis[0], basis[1]);
	o.id = gl_VertexIndex;
}
