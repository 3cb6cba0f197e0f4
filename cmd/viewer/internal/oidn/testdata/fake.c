// A stand-in for Open Image Denoise, to test how it is called where it is not installed: it has version 2's functions, averages
// 3 x 3 pixels, and weighs neighbours by how alike their albedo is.
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct image { float *data; size_t width, height; };
struct filter { struct image color, albedo, normal, output; bool hdr, committed; };
static int errors;

void *oidnNewDevice(int type) { return type == 1 ? malloc(1) : NULL; }
void oidnCommitDevice(void *d) { (void)d; }
void oidnReleaseDevice(void *d) { free(d); }
int oidnGetDeviceError(void *d, const char **text) { (void)d; int e = errors; errors = 0; *text = e ? "not committed" : NULL; return e; }
void *oidnNewFilter(void *d, const char *type) { (void)d; return strcmp(type, "RT") ? NULL : calloc(1, sizeof(struct filter)); }
void oidnSetSharedFilterImage(struct filter *f, const char *name, void *data, int format, size_t width, size_t height, size_t offset,
	size_t pixel, size_t row)
{
	struct image i = { data, width, height };
	if (format != 3 || offset || pixel || row)
		errors = 2;
	if (!strcmp(name, "color")) f->color = i;
	if (!strcmp(name, "albedo")) f->albedo = i;
	if (!strcmp(name, "normal")) f->normal = i;
	if (!strcmp(name, "output")) f->output = i;
}
void oidnSetFilterBool(struct filter *f, const char *name, bool v) { if (!strcmp(name, "hdr")) f->hdr = v; }
void oidnCommitFilter(struct filter *f) { f->committed = f->hdr; }
void oidnReleaseFilter(struct filter *f) { free(f); }
void oidnExecuteFilter(struct filter *f)
{
	if (!f->committed || !f->color.data || !f->output.data) { errors = 3; return; }
	long w = f->color.width, h = f->color.height;
	for (long y = 0; y < h; y++) for (long x = 0; x < w; x++) {
		float sum[3] = { 0 }, weights = 0;
		for (long v = y - 1; v <= y + 1; v++) for (long u = x - 1; u <= x + 1; u++) {
			if (u < 0 || v < 0 || u >= w || v >= h) continue;
			float weight = 1;
			if (f->albedo.data) weight = fabsf(f->albedo.data[3 * (y * w + x)] - f->albedo.data[3 * (v * w + u)]) < 0.1f;
			weights += weight;
			for (int k = 0; k < 3; k++) sum[k] += weight * f->color.data[3 * (v * w + u) + k];
		}
		for (int k = 0; k < 3; k++) f->output.data[3 * (y * w + x) + k] = sum[k] / weights;
	}
}
