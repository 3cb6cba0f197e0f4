// Stands in for the absent shaders of a triangle hit group on drivers that crash without any (engine/internal/native).
#version 460
#extension GL_EXT_ray_tracing : require

void main() {}
