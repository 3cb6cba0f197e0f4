// Finds the corners of a chunk of triangles that share a vertex: those of equal
// keys, which who includes this says. For workgroups of ER_CHUNK_RECORDS, with
// barriers between clearing, claims, and what reads the table.
#ifndef ER_BVH_CORNERS_GLSL
#define ER_BVH_CORNERS_GLSL

const uint ER_CORNER_PLACES = 512u; // more than twice the corners
const uint ER_NO_CORNER = 0xffffffffu;

shared uint erCornerTable[ER_CORNER_PLACES]; // a corner, in the end the first one, of every key

uvec3 erCornerKey(uint corner);

void erClearCorners() {
    for (uint k = gl_LocalInvocationIndex; k < ER_CORNER_PLACES; k += ER_CHUNK_RECORDS) {
        erCornerTable[k] = ER_NO_CORNER;
    }
}

// erClaimCorner finds the place of a corner's key. A place, once taken, belongs to one key, so it does not matter who came
// first.
uint erClaimCorner(uint corner) {
    uvec3 key = erCornerKey(corner);
    uint h = (key.x * 0x9e3779b1u ^ key.y) * 0x85ebca77u;
    h = (h ^ (h >> 15) ^ key.z) * 0xc2b2ae3du;
    uint place = (h ^ (h >> 16)) % ER_CORNER_PLACES;
    for (;;) {
        uint before = atomicCompSwap(erCornerTable[place], ER_NO_CORNER, corner);
        if (before == ER_NO_CORNER) {
            return place;
        }
        if (erCornerKey(before) == key) {
            atomicMin(erCornerTable[place], corner);
            return place;
        }
        place = (place + 1u) % ER_CORNER_PLACES;
    }
}

#endif
