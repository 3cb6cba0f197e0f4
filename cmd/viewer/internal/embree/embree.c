#include "embree.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

// Embree 3's types and values, as its headers have them.
typedef struct __attribute__((aligned(16))) {
	float origin[3], t_near, direction[3], time, t_far;
	uint32_t mask, id, flags;
} rtc_ray;
typedef struct __attribute__((aligned(16))) {
	float normal[3], u, v;
	uint32_t primitive, geometry, instance;
} rtc_hit;
typedef struct {
	rtc_ray ray;
	rtc_hit hit;
} rtc_ray_hit;
typedef struct {
	int flags;
	void *filter;
	uint32_t instance;
	float min_width; // in some builds of the library
} rtc_context;

enum {
	GEOMETRY_TRIANGLE = 0,
	GEOMETRY_INSTANCE = 121,
	BUFFER_INDEX = 0,
	BUFFER_VERTEX = 1,
	FORMAT_UINT3 = 0x5003,
	FORMAT_FLOAT3 = 0x9003,
	FORMAT_FLOAT4X4_COLUMN_MAJOR = 0x9244,
	QUALITY_HIGH = 2,
	PROPERTY_VERSION = 0,
};
#define INVALID_ID 0xffffffffu

struct emb_library {
	void *handle, *device;
	void *(*NewDevice)(const char *config);
	void (*ReleaseDevice)(void *device);
	ptrdiff_t (*GetDeviceProperty)(void *device, int property);
	int (*GetDeviceError)(void *device);
	void *(*NewScene)(void *device);
	void (*ReleaseScene)(void *scene);
	void (*SetSceneBuildQuality)(void *scene, int quality);
	void (*CommitScene)(void *scene);
	void *(*NewGeometry)(void *device, int type);
	void (*ReleaseGeometry)(void *geometry);
	void *(*SetNewGeometryBuffer)(void *geometry, int type, unsigned slot, int format, size_t stride, size_t count);
	void (*SetGeometryInstancedScene)(void *geometry, void *scene);
	void (*SetGeometryTransform)(void *geometry, unsigned step, int format, const void *transform);
	void (*CommitGeometry)(void *geometry);
	void (*AttachGeometryByID)(void *scene, void *geometry, unsigned id);
	void (*Intersect1)(void *scene, rtc_context *context, rtc_ray_hit *ray);
	void (*Occluded1)(void *scene, rtc_context *context, rtc_ray *ray);
};

static int load(emb_library *l) {
#define LOAD(name) \
	if (!(*(void **)&l->name = dlsym(l->handle, "rtc" #name))) return EMB_NO_FUNCTION
	LOAD(NewDevice);
	LOAD(ReleaseDevice);
	LOAD(GetDeviceProperty);
	LOAD(GetDeviceError);
	LOAD(NewScene);
	LOAD(ReleaseScene);
	LOAD(SetSceneBuildQuality);
	LOAD(CommitScene);
	LOAD(NewGeometry);
	LOAD(ReleaseGeometry);
	LOAD(SetNewGeometryBuffer);
	LOAD(SetGeometryInstancedScene);
	LOAD(SetGeometryTransform);
	LOAD(CommitGeometry);
	LOAD(AttachGeometryByID);
	LOAD(Intersect1);
	LOAD(Occluded1);
#undef LOAD
	return EMB_OK;
}

int emb_open(emb_library **out) {
	emb_library *l = calloc(1, sizeof *l);
	*out = NULL;
	if (!l) return EMB_NO_MEMORY;
	int status = EMB_OK;
	if (!(l->handle = dlopen("libembree3.so.3", RTLD_NOW | RTLD_LOCAL))) status = EMB_NO_LIBRARY;
	if (status == EMB_OK) status = load(l);
	if (status == EMB_OK && !(l->device = l->NewDevice(NULL))) status = EMB_NO_DEVICE;
	if (status != EMB_OK) {
		emb_close(l);
		return status;
	}
	*out = l;
	return EMB_OK;
}

void emb_close(emb_library *l) {
	if (l->device) l->ReleaseDevice(l->device);
	// The library stays: its threads may still be ending.
	free(l);
}

int emb_version(emb_library *l) { return (int)l->GetDeviceProperty(l->device, PROPERTY_VERSION); }

int emb_error(emb_library *l) { return l->GetDeviceError(l->device); }

void *emb_scene(emb_library *l) {
	void *scene = l->NewScene(l->device);
	if (scene) l->SetSceneBuildQuality(scene, QUALITY_HIGH);
	return scene;
}

static void attach(emb_library *l, void *scene, void *geometry, uint32_t id) {
	l->CommitGeometry(geometry);
	l->AttachGeometryByID(scene, geometry, id);
	l->ReleaseGeometry(geometry); // the scene has it now
}

void emb_triangles(emb_library *l, void *scene, uint32_t id, const float *positions, size_t vertices, const uint32_t *indices,
	size_t triangles) {
	void *g = l->NewGeometry(l->device, GEOMETRY_TRIANGLE);
	if (!g) return;
	void *v = l->SetNewGeometryBuffer(g, BUFFER_VERTEX, 0, FORMAT_FLOAT3, 12, vertices);
	void *i = l->SetNewGeometryBuffer(g, BUFFER_INDEX, 0, FORMAT_UINT3, 12, triangles);
	if (!v || !i) {
		l->ReleaseGeometry(g);
		return;
	}
	memcpy(v, positions, 12 * vertices);
	memcpy(i, indices, 12 * triangles);
	attach(l, scene, g, id);
}

void emb_instance(emb_library *l, void *scene, uint32_t id, void *of, const float *column_major) {
	void *g = l->NewGeometry(l->device, GEOMETRY_INSTANCE);
	if (!g) return;
	l->SetGeometryInstancedScene(g, of);
	l->SetGeometryTransform(g, 0, FORMAT_FLOAT4X4_COLUMN_MAJOR, column_major);
	attach(l, scene, g, id);
}

void emb_commit(emb_library *l, void *scene) { l->CommitScene(scene); }

void emb_release(emb_library *l, void *scene) { l->ReleaseScene(scene); }

// Embree's manual asks for flush-to-zero and denormals-are-zero while it traces, for speed.
static unsigned fast_floats(void) {
#if defined(__SSE__)
	unsigned before = _mm_getcsr();
	_mm_setcsr(before | 0x8040u);
	return before;
#else
	return 0;
#endif
}

static void restore_floats(unsigned before) {
#if defined(__SSE__)
	_mm_setcsr(before);
#else
	(void)before;
#endif
}

static rtc_ray ray_of(const emb_ray *r) {
	rtc_ray out = {.t_near = r->t_min, .t_far = r->t_max, .mask = INVALID_ID};
	memcpy(out.origin, r->origin, sizeof out.origin);
	memcpy(out.direction, r->direction, sizeof out.direction);
	return out;
}

void emb_closest(emb_library *l, void *scene, const emb_ray *rays, emb_hit *hits, size_t n) {
	unsigned before = fast_floats();
	for (size_t i = 0; i < n; i++) {
		rtc_context context = {.instance = INVALID_ID};
		rtc_ray_hit r = {.ray = ray_of(&rays[i])};
		r.hit.geometry = r.hit.instance = INVALID_ID;
		l->Intersect1(scene, &context, &r);
		if (r.hit.geometry == INVALID_ID) {
			hits[i] = (emb_hit){.t = -1, .instance = INVALID_ID, .geometry = INVALID_ID, .primitive = INVALID_ID};
			continue;
		}
		uint32_t instance = r.hit.instance == INVALID_ID ? 0 : r.hit.instance;
		hits[i] = (emb_hit){.t = r.ray.t_far, .instance = instance, .geometry = r.hit.geometry, .primitive = r.hit.primitive,
			.u = r.hit.u, .v = r.hit.v};
	}
	restore_floats(before);
}

void emb_occluded(emb_library *l, void *scene, const emb_ray *rays, uint32_t *occluded, size_t n) {
	unsigned before = fast_floats();
	for (size_t i = 0; i < n; i++) {
		rtc_context context = {.instance = INVALID_ID};
		rtc_ray r = ray_of(&rays[i]);
		l->Occluded1(scene, &context, &r);
		occluded[i] = r.t_far < 0; // minus infinity
	}
	restore_floats(before);
}
