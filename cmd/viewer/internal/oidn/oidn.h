#ifndef EVERRAY_OIDN_H
#define EVERRAY_OIDN_H

#include <stddef.h>

typedef struct oidn_library oidn_library;

enum { OIDN_OK, OIDN_NO_LIBRARY, OIDN_NO_FUNCTION, OIDN_NO_DEVICE };

// oidn_open opens the library of that name.
int oidn_open(const char *name, oidn_library **out);
void oidn_close(oidn_library *);

// oidn_denoise filters a picture of three floats per pixel in place of out. albedo and normal are as large; both or neither are
// NULL. It returns NULL, or what went wrong, copied to message.
const char *oidn_denoise(oidn_library *, float *color, float *albedo, float *normal, float *out, size_t width, size_t height,
	char *message, size_t size);

#endif
