// What traversal found, `hit`, becomes the lane's hit, and the index of the record that answers it is returned. Text for two
// functions, hoFind and rtWalkEnd: see place.glsl.
    rtHit = hit;
    if (hoMissed()) return rtOperands >> 16u;
    if (rtUsesAttributes()) {
        rtAttributes = rtCommitted;
        if (hit.hitKind >= ER_HIT_KIND_FRONT) {
            rtAttributes[0] = floatBitsToUint(hit.barycentrics.x);
            rtAttributes[1] = floatBitsToUint(hit.barycentrics.y);
        }
    }
    return hit.instanceRecordOffset + hit.geometryIndex * rtRay.sbtStride + rtRay.sbtOffset;
