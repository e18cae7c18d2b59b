// The table of formats, last part: floats, and the list of all.
#pragma once

#include "formats_super.hpp"

namespace kernels {
namespace TARGET {
namespace formats {

// Floats have `read` in the place of numbers and scales: eight of them from p.

struct f32 {
    static constexpr row about = {"f32", 0, {-1, -1}, 0xaa4b8f8047d22a56};
    typedef float block;
    static f32x8 read(const char * p) { return load(p); }
};

struct f16 {
    static constexpr row about = {"f16", 1, {0, -1}, 0x7ada8e7ba5da0825};
    typedef half block;
    static f32x8 read(const char * p) { return from_half(load<u16x8>(p)); }
};

struct bf16 { // the upper half of a float
    static constexpr row about = {"bf16", 30, {-1, -1}, 0x4b25975c518f0825};
    typedef half block;
    static f32x8 read(const char * p) { return (f32x8)(__builtin_convertvector(load<u16x8>(p), u32x8) << 16); }
};

template <typename...> struct list {};

typedef list<q4_0, q4_1, q5_0, q5_1, q8_0, q2_k, q3_k, q4_k, q5_k, q6_k, iq4_nl, iq4_xs, mxfp4, f32, f16, bf16> all;

} // namespace formats
} // namespace TARGET
} // namespace kernels
