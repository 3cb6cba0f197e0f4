#version 460
// Specialisation constants of all types, operations on them, arrays sized by them.
layout(local_size_x = 1) in;
layout(constant_id = 0) const int a = 5;
layout(constant_id = 1) const uint b = 9u;
layout(constant_id = 2) const float c = 2.5;
layout(constant_id = 3) const bool d = true;
layout(constant_id = 4) const double e = 0.1LF;
const int f = a * 3 - int(b) / 2 + (a % 4) + (a << 2) - (~a);
const uint g = b > 4u ? b ^ 0xffu : b & 3u;
const bool h = d && a != 4 || !(b <= 2u);
const ivec4 vec = ivec4(a, f, 1, 2);
const int w = vec.yxzw.x + vec.w;
const uvec2 pair = uvec2(g, b) >> 1u;
struct S { int x; vec2 y; float z[3]; };
layout(set = 0, binding = 0, std430) buffer Data { double r; int p; uint q; float o[]; };
shared float sized[f + 3];
void main() {
	S s = S(a, vec2(c, 1), float[3](1.0, c, 3.0));
	sized[f] = c;
	barrier();
	int local[w + 40];
	for (int i = 0; i < local.length(); i++) local[i] = i * vec[i & 3];
	o[0] = sized[f - 1] * s.y.x + s.z[1];
	p = local[a] + w + s.x;
	q = g + pair.x + pair.y;
	r = e;
	if (h) o[1] = float(f); else o[2] = -c;
}
