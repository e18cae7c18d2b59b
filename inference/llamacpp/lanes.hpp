// Whole numbers in vectors with a row of weights in each lane, as many as simd::widest has. A lane rounds as it would
// alone, so that results do not depend on their number. For processors with AVX2.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "simd.hpp"

// add_words adds the products of two words to each lane of 32 bits; the first of a sum begin it. add_bytes does so with
// products of bytes, those of w without a sign: four to each lane of 32 bits, or two to each of 16, as byte_sum_bits
// says.
namespace lanes {

typedef simd::widest floats;
constexpr int rows = simd::lanes_of<floats>;

#ifdef SIXTEEN_LANES

typedef __m512i integers;
constexpr int byte_sum_bits = 32;

inline integers all(int32_t x) { return _mm512_set1_epi32(x); }
inline floats convert(integers i) { return _mm512_cvtepi32_ps(i); }
inline integers add_words(bool first, integers sum, integers w, integers x) {
    return _mm512_dpwssd_epi32(first ? all(0) : sum, w, x);
}
inline integers add_bytes(bool first, integers sum, integers w, integers x) {
    return _mm512_dpbusd_epi32(first ? all(0) : sum, w, x);
}

#else

typedef __m256i integers;
constexpr int byte_sum_bits = 16;

inline integers all(int32_t x) { return _mm256_set1_epi32(x); }
inline floats convert(integers i) { return _mm256_cvtepi32_ps(i); }
inline integers add_words(bool first, integers sum, integers w, integers x) {
    const integers p = _mm256_madd_epi16(w, x);
    return first ? p : _mm256_add_epi32(sum, p);
}
inline integers add_bytes(bool first, integers sum, integers w, integers x) {
    const integers p = _mm256_maddubs_epi16(w, x);
    return first ? p : _mm256_add_epi16(sum, p);
}

#endif

inline integers load(const int32_t * p) {
    integers v;
    memcpy(&v, p, sizeof v);
    return v;
}

// broadcast gives every lane the four bytes (or two words) at p.
inline integers broadcast(const void * p) {
    int32_t x;
    memcpy(&x, p, sizeof x);
    return all(x);
}

} // namespace lanes
