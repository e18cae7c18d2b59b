// Whole numbers in vectors with a row of weights in each lane, as many as `widest` has, and the products of them. Sums
// of whole numbers are exact, so that their order is free and every target gets the same.
#pragma once

#include "simd.hpp"

// add_words adds the products of two words to each lane of 32 bits; the first of a sum begin it. add_bytes does so with
// products of bytes, those of w without a sign: four to each lane of 32 bits, or two to each of 16, as byte_sum_bits
// says; add_pairs adds the two of such a lane to one of 32.
namespace kernels {
namespace TARGET {
namespace lanes {

typedef widest floats;
constexpr int rows = lanes_of<floats>;

#if VECTOR_BITS == 512

typedef __m512i integers;
constexpr int byte_sum_bits = 32;

INLINE integers all(int32_t x) { return _mm512_set1_epi32(x); }
INLINE floats convert(integers i) { return _mm512_cvtepi32_ps(i); }
INLINE integers add_words(bool first, integers sum, integers w, integers x) {
    return _mm512_dpwssd_epi32(first ? all(0) : sum, w, x);
}
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    return _mm512_dpbusd_epi32(first ? all(0) : sum, w, x);
}
INLINE integers add_pairs(bool, integers, integers dots) { return dots; } // nothing is in pairs

#elif VECTOR_BITS == 256

typedef __m256i integers;
constexpr int byte_sum_bits = 16;

INLINE integers all(int32_t x) { return _mm256_set1_epi32(x); }
INLINE floats convert(integers i) { return _mm256_cvtepi32_ps(i); }
INLINE integers add_words(bool first, integers sum, integers w, integers x) {
    const integers p = _mm256_madd_epi16(w, x);
    return first ? p : _mm256_add_epi32(sum, p);
}
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    const integers p = _mm256_maddubs_epi16(w, x);
    return first ? p : _mm256_add_epi16(sum, p);
}

INLINE integers add_pairs(bool first, integers sum, integers pairs) {
    const integers p = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
    return first ? p : _mm256_add_epi32(sum, p);
}

#else

typedef i32x8 integers;
constexpr int byte_sum_bits = 32;

INLINE integers all(int32_t x) { return x - integers{}; }
INLINE floats convert(integers i) { return TARGET::floats(i); }

// part is byte or word number i of each lane, `bits` wide, with its sign.
template <int Bits> INLINE integers part(integers v, int i) {
    return (integers)((u32x8)v << (32 - Bits - i * Bits)) >> (32 - Bits);
}
INLINE integers add_words(bool first, integers sum, integers w, integers x) {
    const integers p = part<16>(w, 0) * part<16>(x, 0) + part<16>(w, 1) * part<16>(x, 1);
    return first ? p : sum + p;
}
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    if (first) sum = all(0);
    for (int i = 0; i < 4; i++) sum += (w >> (8 * i) & 255) * part<8>(x, i);
    return sum;
}
INLINE integers add_pairs(bool, integers, integers dots) { return dots; } // nothing is in pairs

#endif

INLINE integers load(const int32_t * p) { return TARGET::load<integers>(p); }

// broadcast gives every lane the four bytes (or two words) at p.
INLINE integers broadcast(const void * p) {
    int32_t x;
    memcpy(&x, p, sizeof x);
    return all(x);
}

} // namespace lanes

// products are the 32 products of a block of weights, bytes without a sign or words, with one of activations, summed to
// eight.
INLINE i32x8 products(const uint8_t * w, const int8_t * x) {
#if VECTOR_BITS
    const __m256i p = _mm256_maddubs_epi16(load<__m256i>(w), load<__m256i>(x));
    return (i32x8)_mm256_madd_epi16(p, _mm256_set1_epi16(1));
#else
    i32x8 sum{};
    for (int i = 0; i < 32; i++) sum[i % 8] += w[i] * x[i];
    return sum;
#endif
}
INLINE i32x8 products(const int16_t * w, const int16_t * x) {
#if VECTOR_BITS
    const __m256i low = _mm256_madd_epi16(load<__m256i>(w), load<__m256i>(x));
    const __m256i high = _mm256_madd_epi16(load<__m256i>(w + 16), load<__m256i>(x + 16));
    return (i32x8)_mm256_add_epi32(low, high);
#else
    i32x8 sum{};
    for (int i = 0; i < 32; i++) sum[i % 8] += w[i] * x[i];
    return sum;
#endif
}

// sums adds up the lanes of each of eight vectors: lane i of the result is the sum of v[i].
INLINE i32x8 sums(const i32x8 * v) {
#if VECTOR_BITS
    const __m256i low = _mm256_hadd_epi32((__m256i)v[0], (__m256i)v[1]);
    const __m256i high = _mm256_hadd_epi32((__m256i)v[4], (__m256i)v[5]);
    const __m256i a = _mm256_hadd_epi32(low, _mm256_hadd_epi32((__m256i)v[2], (__m256i)v[3]));
    const __m256i b = _mm256_hadd_epi32(high, _mm256_hadd_epi32((__m256i)v[6], (__m256i)v[7]));
    return (i32x8)_mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
#else
    i32x8 to{};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) to[i] += v[i][j];
    return to;
#endif
}

} // namespace TARGET
} // namespace kernels
