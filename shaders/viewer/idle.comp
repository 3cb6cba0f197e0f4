#version 460
// A dispatch that does nothing, to compare launches with.
layout(local_size_x = 64) in;

void main() {}
