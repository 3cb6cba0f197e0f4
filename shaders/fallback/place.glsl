// Body of what places lane RT_PLACED of a workgroup in a direct launch: the grid of workgroups covers the launch by tiles, each
// by some of a row. False outside of the launch.

    uint lane = RT_PLACED % RT_TILE_LANES;
    uint log2 = rtLaunch.tileWidthLog2;
    uvec2 tile = uvec2(1u << log2, RT_TILE_LANES >> log2);
    uvec2 inTile = log2 == 3u ? rtMorton(lane) : uvec2(lane & (tile.x - 1u), lane >> log2);
    uvec3 group = gl_WorkGroupID;
#ifdef ER_SIMD
    group.y = group.y * rtLaunch.tilesPerRow % gl_NumWorkGroups.y;
#endif
    uvec3 place = group + uvec3(rtLaunch.firstGroup, rtLaunch.groupStride, rtLaunch.groupCount);
    place.x = place.x * RT_TILES + RT_PLACED / RT_TILE_LANES;
    rtLaunchId = uvec3(place.xy * tile + inTile, place.z);
    rtLaunchSize = rtLaunch.launchSize;
    return all(lessThan(rtLaunchId.xy, rtLaunchSize.xy));
