// The part of Embree 3's interface that the reference needs, reached through a table of functions.
#ifndef EVERRAY_EMBREE_H
#define EVERRAY_EMBREE_H

#include <stddef.h>
#include <stdint.h>

typedef struct emb_library emb_library; // the table, and one Embree device

// A ray as rays.Ray, and a hit as rays.Hit, in Go.
typedef struct {
	float origin[3], t_min, direction[3], t_max;
} emb_ray;
typedef struct {
	float t;
	uint32_t instance, geometry, primitive;
	float u, v;
	uint32_t kind, custom;
} emb_hit;

// What emb_open found.
enum { EMB_OK, EMB_NO_LIBRARY, EMB_NO_FUNCTION, EMB_NO_DEVICE, EMB_NO_MEMORY };

int emb_open(emb_library **out);
void emb_close(emb_library *l);
int emb_version(emb_library *l); // 31305 is 3.13.5
int emb_error(emb_library *l);   // the last error of this thread, 0 for none; forgets it

void *emb_scene(emb_library *l);
// Geometry id of a scene: triangles, copied, or an instance of another scene.
void emb_triangles(emb_library *l, void *scene, uint32_t id, const float *positions, size_t vertices, const uint32_t *indices,
	size_t triangles);
void emb_instance(emb_library *l, void *scene, uint32_t id, void *of, const float *column_major);
void emb_commit(emb_library *l, void *scene);
void emb_release(emb_library *l, void *scene);

// The nearest hits. Of a scene without instances, all hits are those of instance 0.
void emb_closest(emb_library *l, void *scene, const emb_ray *rays, emb_hit *hits, size_t n);
// 1 for each ray that meets anything.
void emb_occluded(emb_library *l, void *scene, const emb_ray *rays, uint32_t *occluded, size_t n);

#endif
