// Work that takes as long as the processor needs at best: reading memory and multiplying, one thread's share.
#pragma once

#include "lanes.hpp"

namespace kernels {
namespace TARGET {

constexpr int chains = 10; // products that do not wait for one another

inline float add_up(const float * p, size_t n) {
    f32x8 total[4] = {};
    for (size_t k = 0; k + 32 <= n; k += 32) {
        for (int j = 0; j < 4; j++) total[j] += load(p + k + j * 8);
    }
    return sum(total[0] + total[1] + total[2] + total[3]);
}

inline float float_chains(int rounds) {
    const auto x = broadcast<widest>(0.999f), y = broadcast<widest>(0.001f);
    widest a[chains];
    for (int i = 0; i < chains; i++) a[i] = broadcast<widest>(1);
    for (int k = 0; k < rounds; k++) {
        for (int i = 0; i < chains; i++) a[i] = fma(a[i], x, y);
    }
    float all = 0;
    for (int i = 0; i < chains; i++) all += a[i][0];
    return all;
}

inline float byte_chains(int rounds) {
    lanes::integers a[chains], x = lanes::all(0x03030303);
    for (int i = 0; i < chains; i++) a[i] = lanes::all(0);
    for (int k = 0; k < rounds; k++) {
#pragma GCC unroll 10
        for (int i = 0; i < chains; i++) a[i] = lanes::add_bytes(false, a[i], a[i], x);
    }
    float all = 0;
    for (int i = 0; i < chains; i++) all += float(a[i][0]);
    return all;
}

} // namespace TARGET
} // namespace kernels
