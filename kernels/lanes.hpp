// Whole numbers in vectors with a row of weights in each lane, as many as `widest` has, and the products of them. Sums
// of whole numbers are exact, so that their order is free and every target gets the same.
#pragma once

#include "simd.hpp"

// add_bytes adds products of bytes to the lanes, those of w without a sign: four to each of 32 bits or, in_pairs, two
// to each of 16, where the first of a sum begin it, and add_pairs adds the two of such a lane to one of 32. For bytes
// of weights with a sign, magnitudes go in the place of w, and x with_sign of w. Where the bytes of w have_signs, those
// that need none are below 128.
//
// in_matrices, add_matrix adds the products of two rows, eight bytes of each, with two columns: a lane for each of the
// four. store_rows stores what it reads of eight rows, whose first four bytes are in a and the next in b; column is one
// of the columns of two such sums, a lane for each of four rows.
namespace kernels {
namespace TARGET {

#if VNNI
INLINE __m256i dpbusd(__m256i sum, __m256i w, __m256i x) {
#if VECTOR_BITS == 512
    return _mm256_dpbusd_epi32(sum, w, x);
#else
    return _mm256_dpbusd_avx_epi32(sum, w, x); // the same for processors without AVX-512
#endif
}
#endif

namespace lanes {

typedef widest floats;
constexpr int rows = lanes_of<floats>;
constexpr bool in_pairs = VECTOR_BITS >= 256 && !VNNI;
constexpr bool have_signs = VECTOR_BITS == 128;

#if VECTOR_BITS == 512

typedef __m512i integers;

INLINE integers all(int32_t x) { return _mm512_set1_epi32(x); }
INLINE floats convert(integers i) { return _mm512_cvtepi32_ps(i); }
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    return _mm512_dpbusd_epi32(first ? all(0) : sum, w, x);
}

#elif VECTOR_BITS == 256

typedef __m256i integers;

INLINE integers all(int32_t x) { return _mm256_set1_epi32(x); }
INLINE floats convert(integers i) { return _mm256_cvtepi32_ps(i); }
#if VNNI
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    return dpbusd(first ? all(0) : sum, w, x);
}
#else
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    const integers p = _mm256_maddubs_epi16(w, x);
    return first ? p : _mm256_add_epi16(sum, p);
}

INLINE i32x8 magnitudes(i32x8 w) { return (i32x8)_mm256_abs_epi8((__m256i)w); } // -128 is 128 without a sign
INLINE integers with_sign(integers x, integers w) { return _mm256_sign_epi8(x, w); }
INLINE integers add_pairs(bool first, integers sum, integers pairs) {
    const integers p = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
    return first ? p : _mm256_add_epi32(sum, p);
}
#endif

#elif VECTOR_BITS == 128

typedef int32x4_t integers;

INLINE integers all(int32_t x) { return vdupq_n_s32(x); }
INLINE floats convert(integers i) { return (floats)vcvtq_f32_s32(i); }
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    return vdotq_s32(first ? all(0) : sum, (int8x16_t)w, (int8x16_t)x);
}
#if MATRICES
INLINE void store_rows(int32_t * to, i32x8 a, i32x8 b) {
    const auto u = (int32x4_t)a.low, v = (int32x4_t)a.high, x = (int32x4_t)b.low, y = (int32x4_t)b.high;
    const int32x4_t pairs[] = {vzip1q_s32(u, x), vzip2q_s32(u, x), vzip1q_s32(v, y), vzip2q_s32(v, y)};
    memcpy(to, pairs, sizeof pairs);
}
INLINE integers two_columns(const int8_t * p, const int8_t * q) {
    return (integers)vcombine_s8(vld1_s8(p), vld1_s8(q));
}
INLINE integers add_matrix(integers sum, integers w, integers x) { return vmmlaq_s32(sum, (int8x16_t)w, (int8x16_t)x); }
INLINE integers column(integers a, integers b, int i) { return i == 0 ? vuzp1q_s32(a, b) : vuzp2q_s32(a, b); }
#endif

#else

typedef i32x8 integers;

INLINE integers all(int32_t x) { return x - integers{}; }
INLINE floats convert(integers i) { return TARGET::floats(i); }

// part is byte number i of each lane, with its sign.
INLINE integers part(integers v, int i) { return (integers)((u32x8)v << (24 - i * 8)) >> 24; }
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    if (first) sum = all(0);
    for (int i = 0; i < 4; i++) sum += (w >> (8 * i) & 255) * part(x, i);
    return sum;
}

#endif

#if VECTOR_BITS < 256 || VNNI // nothing is in pairs, and these are never called
i32x8 magnitudes(i32x8 w);
integers with_sign(integers x, integers w);
integers add_pairs(bool first, integers sum, integers pairs);
#endif

#if MATRICES
constexpr bool in_matrices = true;
#else // these are never called
constexpr bool in_matrices = false;
void store_rows(int32_t * to, i32x8 a, i32x8 b);
integers two_columns(const int8_t * p, const int8_t * q);
integers add_matrix(integers sum, integers w, integers x);
integers column(integers a, integers b, int i);
#endif

INLINE integers load(const int32_t * p) { return TARGET::load<integers>(p); }

// broadcast gives every lane the four bytes at p.
INLINE integers broadcast(const void * p) {
    int32_t x;
    memcpy(&x, p, sizeof x);
    return all(x);
}

} // namespace lanes

// products are the 32 products of a block of weights with one of activations, summed to eight, four for each half.
INLINE i32x8 products(const uint8_t * w, const int8_t * x) {
#if VECTOR_BITS == 128
    const int32x4_t zero = vdupq_n_s32(0); // numbers without a sign are below 128
    return {(i32x8::half)vdotq_s32(zero, load<int8x16_t>(w), load<int8x16_t>(x)),
            (i32x8::half)vdotq_s32(zero, load<int8x16_t>(w + 16), load<int8x16_t>(x + 16))};
#elif VNNI
    return (i32x8)dpbusd(_mm256_setzero_si256(), load<__m256i>(w), load<__m256i>(x));
#elif VECTOR_BITS
    const __m256i p = _mm256_maddubs_epi16(load<__m256i>(w), load<__m256i>(x));
    return (i32x8)_mm256_madd_epi16(p, _mm256_set1_epi16(1));
#else
    i32x8 sum{};
    for (int i = 0; i < 32; i++) sum[i / 4] += w[i] * x[i];
    return sum;
#endif
}
INLINE i32x8 products(const int8_t * w, const int8_t * x) {
#if VECTOR_BITS == 128
    return products(reinterpret_cast<const uint8_t *>(w), x);
#elif VECTOR_BITS
    alignas(32) uint8_t magnitude[32];
    alignas(32) int8_t with_sign[32];
    store(magnitude, _mm256_abs_epi8(load<__m256i>(w)));
    store(with_sign, _mm256_sign_epi8(load<__m256i>(x), load<__m256i>(w)));
    return products(magnitude, with_sign);
#else
    i32x8 sum{};
    for (int i = 0; i < 32; i++) sum[i / 4] += w[i] * x[i];
    return sum;
#endif
}

// sums adds up the lanes of each half of eight vectors: lane i of half[h] is the sum of half h of v[i].
INLINE void sums(const i32x8 * v, i32x8 * half) {
#if VECTOR_BITS == 128
    i32x8::half quarters[2][2];
    for (int i = 0; i < 8; i += 4) {
        quarters[0][i / 4] = (i32x8::half)vpaddq_s32(vpaddq_s32((int32x4_t)v[i].low, (int32x4_t)v[i + 1].low),
                                                     vpaddq_s32((int32x4_t)v[i + 2].low, (int32x4_t)v[i + 3].low));
        quarters[1][i / 4] = (i32x8::half)vpaddq_s32(vpaddq_s32((int32x4_t)v[i].high, (int32x4_t)v[i + 1].high),
                                                     vpaddq_s32((int32x4_t)v[i + 2].high, (int32x4_t)v[i + 3].high));
    }
    for (int h = 0; h < 2; h++) half[h] = {quarters[h][0], quarters[h][1]};
#elif VECTOR_BITS
    const __m256i low = _mm256_hadd_epi32((__m256i)v[0], (__m256i)v[1]);
    const __m256i high = _mm256_hadd_epi32((__m256i)v[4], (__m256i)v[5]);
    const __m256i a = _mm256_hadd_epi32(low, _mm256_hadd_epi32((__m256i)v[2], (__m256i)v[3]));
    const __m256i b = _mm256_hadd_epi32(high, _mm256_hadd_epi32((__m256i)v[6], (__m256i)v[7]));
    half[0] = (i32x8)_mm256_permute2x128_si256(a, b, 0x20);
    half[1] = (i32x8)_mm256_permute2x128_si256(a, b, 0x31);
#else
    for (int i = 0; i < 8; i++) {
        half[0][i] = v[i][0] + v[i][1] + v[i][2] + v[i][3];
        half[1][i] = v[i][4] + v[i][5] + v[i][6] + v[i][7];
    }
#endif
}

} // namespace TARGET
} // namespace kernels
