// Writes the pictures of this folder by OpenEXR (Debian's libopenexr-dev 3.1.5), for TestDecodeEXR, which knows the formulas:
//   g++ make.cpp -o make $(pkg-config --cflags --libs OpenEXR) && ./make
#include <ImfChannelList.h>
#include <ImfCompression.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfOutputFile.h>
#include <half.h>
#include <string>
#include <vector>

using namespace OPENEXR_IMF_NAMESPACE;

int main() {
    const int width = 21, height = 70, left = -3, top = 5;
    std::vector<half> r(width * height), g(width * height), b(width * height);
    std::vector<float> z(width * height);
    std::vector<unsigned> id(width * height);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            r[i] = half(float(x) / 4);
            g[i] = half(float(y % 7 == 0 ? 0 : y * x - 300));
            b[i] = half(x > 10 ? 0.5f : 1e-7f * float(y)); // flat, and below the smallest normal half
            z[i] = float(1 + x * x * y) / 3;
            id[i] = unsigned(i) * 2654435761u;
        }
    }
    const struct { const char *name; Compression compression; } files[] = {
        {"none", NO_COMPRESSION}, {"rle", RLE_COMPRESSION}, {"zips", ZIPS_COMPRESSION}, {"zip", ZIP_COMPRESSION},
        {"piz", PIZ_COMPRESSION}, {"piz-few", PIZ_COMPRESSION}, // of fewer than 2^14 values: other wavelets
    };
    for (auto &f : files) {
        Imath::Box2i box({left, top}, {left + width - 1, top + height - 1});
        Header h(box, box, 1, {0, 0}, 1, f.compression == RLE_COMPRESSION ? DECREASING_Y : INCREASING_Y, f.compression);
        FrameBuffer frame;
        auto add = [&](const char *name, PixelType type, void *data, size_t size) {
            h.channels().insert(name, Channel(type));
            char *origin = (char *)data - (ptrdiff_t(top) * width + left) * ptrdiff_t(size);
            frame.insert(name, Slice(type, origin, size, size * width));
        };
        add("R", HALF, r.data(), 2);
        add("G", HALF, g.data(), 2);
        add("B", HALF, b.data(), 2);
        if (std::string(f.name) != "piz-few") {
            add("Z", FLOAT, z.data(), 4);
            add("id", UINT, id.data(), 4);
        }
        OutputFile out((std::string(f.name) + ".exr").c_str(), h);
        out.setFrameBuffer(frame);
        out.writePixels(height);
    }
}
