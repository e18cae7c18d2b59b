// The table of formats, last part: floats, and the whole of it.
#pragma once

#include "formats_super.hpp"

namespace kernels {
namespace TARGET {
namespace formats {

// Floats have other functions in the place of numbers and scales: `read` gives eight from p, and `numbers` those that
// sixteen bytes of each row hold, a row in each lane.

struct f32 {
    static constexpr row about = {"f32", 0, {-1, -1}, 0xaa4b8f8047d22a56};
    typedef float block;
    static f32x8 read(const char * p) { return load(p); }
    INLINE static void numbers(const words * w, floats * to) {
        for (int i = 0; i < 4; i++) to[i] = (floats)w[i];
    }
};

struct f16 {
    static constexpr row about = {"f16", 1, {0, -1}, 0x7ada8e7ba5da0825};
    typedef half block;
    static f32x8 read(const char * p) { return from_half(load<u16x8>(p)); }
    INLINE static void numbers(const words * w, floats * to) {
        for (int i = 0; i < 4; i++) both_halves(w[i], to[2 * i], to[2 * i + 1]);
    }
};

struct bf16 { // the upper half of a float
    static constexpr row about = {"bf16", 30, {-1, -1}, 0x4b25975c518f0825};
    typedef half block;
    static f32x8 read(const char * p) { return (f32x8)(widened(load<u16x8>(p)) << 16); }
    INLINE static void numbers(const words * w, floats * to) {
        for (int i = 0; i < 4; i++) {
            to[2 * i] = (floats)(w[i] << 16);
            to[2 * i + 1] = (floats)(w[i] & int32_t(0xffff0000));
        }
    }
};

typedef list<f32, f16, bf16> plain;

template <typename... A, typename... B, typename... C>
list<A..., B..., C...> joined(list<A...>, list<B...>, list<C...>);
typedef decltype(joined(of_blocks(), super_blocks(), plain())) all;

} // namespace formats
} // namespace TARGET
} // namespace kernels
