// Random weights in the layout of GGUF, for the programs of this directory.
#pragma once

#include <cstring>
#include <memory>
#include <random>

#include "../target.hpp"

// small_half is an F16 number of about 1/16, of either sign.
inline uint16_t small_half(std::mt19937 & bits) { return uint16_t(0x2c00 | (bits() & 0x83ff)); }

// random_weights are so many bytes of blocks, and not one more, so that a sanitizer sees a read beyond the end. Their
// scales are finite.
inline std::unique_ptr<char[]> random_weights(const kernels::format & f, size_t bytes, std::mt19937 & bits) {
    std::unique_ptr<char[]> data(new char[bytes]);
    for (size_t i = 0; i < bytes; i++) data[i] = char(bits());
    for (size_t block = 0; block < bytes; block += f.bytes) {
        for (int at : f.halves) {
            const uint16_t h = small_half(bits);
            if (at >= 0) memcpy(data.get() + block + at, &h, sizeof h);
        }
        if (f.halves[0] >= 0) continue;
        // what is no half: an exponent of eight bits in the first byte, or in the last one's
        const bool floats = f.activations == kernels::meets::floats;
        char & exponent = data[block + (floats ? f.bytes - 1 : 0)];
        exponent &= floats ? 0xbf : 127;
    }
    return data;
}
