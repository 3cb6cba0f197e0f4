#include "oidn.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// Open Image Denoise's types and values, as its headers have them.
typedef struct device_handle *device;
typedef struct filter_handle *filter;
enum { DEVICE_CPU = 1, FORMAT_FLOAT3 = 3 }; // others may not reach our memory

struct oidn_library {
	void *handle;
	device dev;
	device (*new_device)(int);
	void (*commit_device)(device);
	void (*release_device)(device);
	int (*error)(device, const char **);
	filter (*new_filter)(device, const char *);
	void (*set_image)(filter, const char *, void *, int, size_t, size_t, size_t, size_t, size_t);
	void (*set_flag)(filter, const char *, bool);
	void (*commit_filter)(filter);
	void (*execute)(filter);
	void (*release_filter)(filter);
};

// The first name is that of version 2, the second of version 1.
static void *either(void *handle, const char *name, const char *older)
{
	void *f = dlsym(handle, name);
	return f || !older ? f : dlsym(handle, older);
}

int oidn_open(const char *name, oidn_library **out)
{
	oidn_library *l = calloc(1, sizeof *l);
	*out = NULL;
	if (!l)
		return OIDN_NO_LIBRARY;
	l->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!l->handle) {
		free(l);
		return OIDN_NO_LIBRARY;
	}
	l->new_device = dlsym(l->handle, "oidnNewDevice");
	l->commit_device = dlsym(l->handle, "oidnCommitDevice");
	l->release_device = dlsym(l->handle, "oidnReleaseDevice");
	l->error = dlsym(l->handle, "oidnGetDeviceError");
	l->new_filter = dlsym(l->handle, "oidnNewFilter");
	l->set_image = dlsym(l->handle, "oidnSetSharedFilterImage");
	l->set_flag = either(l->handle, "oidnSetFilterBool", "oidnSetFilter1b");
	l->commit_filter = dlsym(l->handle, "oidnCommitFilter");
	l->execute = dlsym(l->handle, "oidnExecuteFilter");
	l->release_filter = dlsym(l->handle, "oidnReleaseFilter");
	int status = OIDN_OK;
	if (!l->new_device || !l->commit_device || !l->release_device || !l->error || !l->new_filter || !l->set_image ||
	    !l->set_flag || !l->commit_filter || !l->execute || !l->release_filter) {
		status = OIDN_NO_FUNCTION;
	} else if (!(l->dev = l->new_device(DEVICE_CPU))) {
		status = OIDN_NO_DEVICE;
	}
	if (status != OIDN_OK) {
		oidn_close(l);
		return status;
	}
	l->commit_device(l->dev);
	*out = l;
	return OIDN_OK;
}

void oidn_close(oidn_library *l)
{
	if (!l)
		return;
	if (l->dev)
		l->release_device(l->dev);
	// The library stays: its threads may still be ending.
	free(l);
}

const char *oidn_denoise(oidn_library *l, float *color, float *albedo, float *normal, float *out, size_t width, size_t height,
	char *message, size_t size)
{
	filter f = l->new_filter(l->dev, "RT");
	if (f) {
		l->set_image(f, "color", color, FORMAT_FLOAT3, width, height, 0, 0, 0);
		if (albedo && normal) {
			l->set_image(f, "albedo", albedo, FORMAT_FLOAT3, width, height, 0, 0, 0);
			l->set_image(f, "normal", normal, FORMAT_FLOAT3, width, height, 0, 0, 0);
		}
		l->set_image(f, "output", out, FORMAT_FLOAT3, width, height, 0, 0, 0);
		l->set_flag(f, "hdr", true);
		l->commit_filter(f);
		l->execute(f);
		l->release_filter(f);
	}
	const char *text = NULL;
	int code = l->error(l->dev, &text);
	if (f && code == 0)
		return NULL;
	snprintf(message, size, "error %d: %s", code, text ? text : "no filter");
	return message;
}
