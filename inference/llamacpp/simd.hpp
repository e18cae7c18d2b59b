// Eight floats at a time, or sixteen with AVX-512. Everything here rounds the same way whatever it is inlined into: a
// result depends on its operands alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace simd {

typedef float f32x8 __attribute__((vector_size(32)));
typedef int32_t i32x8 __attribute__((vector_size(32)));

template <typename Vector = f32x8> Vector load(const float * p) {
    Vector v;
    memcpy(&v, p, sizeof v);
    return v;
}
template <typename Vector> void store(float * p, Vector v) { memcpy(p, &v, sizeof v); }
template <typename Vector = f32x8> Vector broadcast(float x) { return x - Vector{}; } // minus zero stays minus zero
template <typename Vector> constexpr int lanes_of = sizeof(Vector) / sizeof(float);
inline f32x8 max(f32x8 a, f32x8 b) { return a > b ? a : b; }

// fma is a * b + c, rounded once.
inline f32x8 fma(f32x8 a, f32x8 b, f32x8 c) {
#if defined(__AVX2__) && defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#else
    for (int i = 0; i < 8; i++) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
#endif
}

// widest is for loops in which each lane stands alone: sixteen lanes where the processor has AVX-512 with sums of
// products (VNNI), which lanes.hpp takes for products of whole numbers.
#if defined(__AVX512F__) && defined(__AVX512VNNI__)
#define SIXTEEN_LANES
typedef float f32x16 __attribute__((vector_size(64)));
typedef f32x16 widest;
inline f32x16 fma(f32x16 a, f32x16 b, f32x16 c) { return _mm512_fmadd_ps(a, b, c); }
#else
typedef f32x8 widest;
#endif

// some calls f(N) for N of n items, as many as there are registers for, or for fewer if there are not so many, and
// returns for how many.
template <int N, typename F> int some(int n, F f) {
    if constexpr (N > 1) {
        if (n < N) return some<(N > 4 ? N / 2 : N - 1)>(n, f);
    }
    f(std::integral_constant<int, N>());
    return N;
}

// sum adds the lanes in this order, which is part of the results of attention and sampling.
inline float sum(f32x8 v) { return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7])); }
inline float largest(f32x8 v) {
    float m = v[0];
    for (int i = 1; i < 8; i++) m = v[i] > m ? v[i] : m;
    return m;
}

// exp is e^x for x <= 0 within two units in the last place; below -87 it stays at the smallest normal number. (Range
// reduction to half a binade, then the polynomial of Cephes' expf.)
inline f32x8 exp(f32x8 x) {
    const f32x8 magic = broadcast(12582912.f); // 1.5 x 2^23: adding it rounds to a whole number
    x = max(x, broadcast(-87.f));
    const f32x8 t = fma(x, broadcast(1.44269504088896341f), magic);
    const f32x8 n = t - magic;
    f32x8 r = fma(n, broadcast(-0.693359375f), x);
    r = fma(n, broadcast(2.12194440e-4f), r);
    f32x8 y = fma(broadcast(1.9875691500e-4f), r, broadcast(1.3981999507e-3f));
    y = fma(y, r, broadcast(8.3334519073e-3f));
    y = fma(y, r, broadcast(4.1665795894e-2f));
    y = fma(y, r, broadcast(1.6666665459e-1f));
    y = fma(y, r, broadcast(5.0000001201e-1f));
    y = fma(y, r * r, r) + broadcast(1);
    i32x8 bits;
    memcpy(&bits, &t, sizeof bits);
    bits = (bits - 0x4B400000 + 127) << 23; // 2^n
    f32x8 power;
    memcpy(&power, &bits, sizeof power);
    return y * power;
}

// tanh follows from exp: its error is that of a number near 1.
inline f32x8 tanh(f32x8 x) {
    const f32x8 magnitude = max(x, -x), e = exp(broadcast(-2) * magnitude);
    const f32x8 y = (broadcast(1) - e) / (broadcast(1) + e);
    return x < broadcast(0) ? -y : y;
}

// transpose turns eight rows of eight 32-bit numbers, `stride` bytes apart, into eight vectors of columns. It only
// moves bits, so the numbers may be of any type.
inline void transpose(const void * from, size_t stride, f32x8 * to) {
    const char * p = static_cast<const char *>(from);
#if defined(__AVX2__) && defined(__FMA__)
    __m256 r[8], t[8];
    for (int i = 0; i < 8; i++) r[i] = _mm256_loadu_ps(reinterpret_cast<const float *>(p + i * stride));
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xEE);
        r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xEE);
    }
    for (int i = 0; i < 4; i++) {
        to[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x20);
        to[i + 4] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x31);
    }
#else
    float row[8];
    for (int i = 0; i < 8; i++) {
        memcpy(row, p + i * stride, sizeof row);
        for (int j = 0; j < 8; j++) to[j][i] = row[j];
    }
#endif
}

// from_half converts n F16 numbers, a multiple of 8.
inline void from_half(const void * from, float * to, int64_t n) {
#ifdef __F16C__
    for (int64_t i = 0; i < n; i += 8) {
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(
                                     reinterpret_cast<const __m128i *>(static_cast<const uint16_t *>(from) + i))));
    }
#else
#ifdef __ARM_FP16_FORMAT_IEEE
    using half = __fp16; // GCC before 13 has no _Float16 in C++ there
#else
    using half = _Float16;
#endif
    for (int64_t i = 0; i < n; i++) {
        half number; // whoever wrote it may have written a uint16_t
        memcpy(&number, static_cast<const char *>(from) + i * sizeof number, sizeof number);
        to[i] = float(number);
    }
#endif
}

} // namespace simd
