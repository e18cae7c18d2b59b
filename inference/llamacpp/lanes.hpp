// Vectors with a row of weights in each lane: sixteen lanes where the processor has AVX-512 with sums of products
// (VNNI), else the eight of AVX2. A lane rounds as it would alone, so that results do not depend on their number.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

// add_words adds the products of two words to each lane of 32 bits; the first of a sum begin it. add_bytes does so with
// products of bytes, those of w without a sign: four to each lane of 32 bits, or two to each of 16, as byte_sum_bits
// says.
namespace lanes {

#if defined(__AVX512F__) && defined(__AVX512VNNI__)

typedef __m512 floats;
typedef __m512i integers;

inline floats load(const float * p) { return _mm512_loadu_ps(p); }
inline integers load(const int32_t * p) { return _mm512_loadu_si512(p); }
inline void store(float * p, floats v) { _mm512_storeu_ps(p, v); }
inline floats all(float x) { return _mm512_set1_ps(x); }
inline integers all(int32_t x) { return _mm512_set1_epi32(x); }
inline floats multiply(floats a, floats b) { return _mm512_mul_ps(a, b); }
inline floats fma(floats a, floats b, floats c) { return _mm512_fmadd_ps(a, b, c); }
inline floats convert(integers i) { return _mm512_cvtepi32_ps(i); }
inline integers add_words(bool first, integers sum, integers w, integers x) {
    return _mm512_dpwssd_epi32(first ? all(0) : sum, w, x);
}
inline integers add_bytes(bool first, integers sum, integers w, integers x) {
    return _mm512_dpbusd_epi32(first ? all(0) : sum, w, x);
}
constexpr int byte_sum_bits = 32;

#else

typedef __m256 floats;
typedef __m256i integers;

inline floats load(const float * p) { return _mm256_loadu_ps(p); }
inline integers load(const int32_t * p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)); }
inline void store(float * p, floats v) { _mm256_storeu_ps(p, v); }
inline floats all(float x) { return _mm256_set1_ps(x); }
inline integers all(int32_t x) { return _mm256_set1_epi32(x); }
inline floats multiply(floats a, floats b) { return _mm256_mul_ps(a, b); }
inline floats fma(floats a, floats b, floats c) { return _mm256_fmadd_ps(a, b, c); }
inline floats convert(integers i) { return _mm256_cvtepi32_ps(i); }
inline integers add_words(bool first, integers sum, integers w, integers x) {
    const integers p = _mm256_madd_epi16(w, x);
    return first ? p : _mm256_add_epi32(sum, p);
}
inline integers add_bytes(bool first, integers sum, integers w, integers x) {
    const integers p = _mm256_maddubs_epi16(w, x);
    return first ? p : _mm256_add_epi16(sum, p);
}
constexpr int byte_sum_bits = 16;

#endif

constexpr int rows = sizeof(floats) / sizeof(float);

// broadcast gives every lane the four bytes (or two words) at p.
inline integers broadcast(const void * p) {
    int32_t x;
    memcpy(&x, p, sizeof x);
    return all(x);
}

} // namespace lanes
