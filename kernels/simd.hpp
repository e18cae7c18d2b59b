// Vectors of eight floats, or of as many as a target has, and of the numbers that formats are read from. Everything
// here rounds the same way whatever it is inlined into, and on every target: a result depends on its operands alone.
//
// Where the compiler's own vectors say all that is to be said, they stand for themselves. The rest has a form for NEON,
// one for AVX2 and one for any processor: VECTOR_BITS is 128 on targets with NEON, 256 or 512 on those with AVX2, FMA
// and F16C, and 0 elsewhere.
#pragma once

// What is written in a few instructions is never called: compilers judge by the rest of a file whether to do without.
#define INLINE __attribute__((always_inline)) inline

#if VECTOR_BITS == 128
#include "pair.hpp"
#endif

namespace kernels {
namespace TARGET {

#if VECTOR_BITS == 128
typedef pair_of<float> f32x8;
typedef pair_of<int32_t> i32x8;
typedef pair_of<uint32_t> u32x8;
#else
typedef float f32x8 __attribute__((vector_size(32)));
typedef int32_t i32x8 __attribute__((vector_size(32)));
typedef uint32_t u32x8 __attribute__((vector_size(32)));
#endif
typedef uint16_t u16x8 __attribute__((vector_size(16)));
typedef uint8_t u8x16 __attribute__((vector_size(16)));

template <typename Vector = f32x8> INLINE Vector load(const void * p) {
    Vector v;
    memcpy(&v, p, sizeof v);
    return v;
}
template <typename Vector> INLINE void store(void * p, Vector v) { memcpy(p, &v, sizeof v); }
template <typename Vector = f32x8> INLINE Vector broadcast(float x) {
    return x - Vector{};
} // minus zero stays minus zero
template <typename Vector> constexpr int lanes_of = sizeof(Vector) / sizeof(float);

// chosen has the lanes of a where those of a comparison hold, else of b; put sets a lane.
#if VECTOR_BITS == 128
template <typename Mask, typename Vector> INLINE Vector chosen(Mask holds, Vector a, Vector b) {
    return {holds.low ? a.low : b.low, holds.high ? a.high : b.high};
}
INLINE void put(f32x8 & v, int i, float x) { v.put(i, x); }
#else
template <typename Mask, typename Vector> INLINE Vector chosen(Mask holds, Vector a, Vector b) { return holds ? a : b; }
INLINE void put(f32x8 & v, int i, float x) { v[i] = x; }
#endif
INLINE f32x8 max(f32x8 a, f32x8 b) { return chosen(a > b, a, b); }

template <typename T> constexpr T least_of(T a, T b) { return b < a ? b : a; }
template <typename T> constexpr T most_of(T a, T b) { return a < b ? b : a; }

// fma is a * b + c, rounded once.
#if VECTOR_BITS == 128
typedef f32x8::half f32x4;
INLINE f32x4 fma(f32x4 a, f32x4 b, f32x4 c) { return (f32x4)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b); }
#endif
INLINE f32x8 fma(f32x8 a, f32x8 b, f32x8 c) {
#if VECTOR_BITS == 128
    return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)};
#elif VECTOR_BITS
    return _mm256_fmadd_ps(a, b, c);
#else
    for (int i = 0; i < 8; i++) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
#endif
}

// widest is for loops in which each lane stands alone.
#if VECTOR_BITS == 512
typedef float f32x16 __attribute__((vector_size(64)));
typedef f32x16 widest;
INLINE f32x16 fma(f32x16 a, f32x16 b, f32x16 c) { return _mm512_fmadd_ps(a, b, c); }
#elif VECTOR_BITS == 128
typedef f32x4 widest;
#else
typedef f32x8 widest;
#endif

// some calls F<N>::call(arguments) for N of n items, as many as there are registers for, or for fewer if there are not
// so many, and returns for how many.
template <typename F, int N, typename... Arguments> int some(int n, Arguments... arguments) {
    if constexpr (N > 1) {
        if (n < N) return some<F, (N > 4 ? N / 2 : N - 1)>(n, arguments...);
    }
    F::template call<N>(arguments...);
    return N;
}

// sum adds the lanes in this order, which is part of the results of attention and sampling.
INLINE float sum(f32x8 v) { return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7])); }
INLINE float largest(f32x8 v) {
#if VECTOR_BITS >= 256
    __m128 m = _mm_max_ps(_mm256_extractf128_ps(v, 1), _mm256_castps256_ps128(v));
    m = _mm_max_ps(_mm_movehl_ps(m, m), m);
    return _mm_cvtss_f32(_mm_max_ss(_mm_shuffle_ps(m, m, 1), m));
#else
    float m = v[0];
    for (int i = 1; i < 8; i++) m = v[i] > m ? v[i] : m;
    return m;
#endif
}

// exp is e^x for x <= 0 within two units in the last place; below -87 it stays at the smallest normal number. (Range
// reduction to half a binade, then the polynomial of Cephes' expf.)
INLINE f32x8 exp(f32x8 x) {
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
    const i32x8 power = ((i32x8)t - 0x4B400000 + 127) << 23; // 2^n
    return y * (f32x8)power;
}

// tanh follows from exp: its error is that of a number near 1.
INLINE f32x8 tanh(f32x8 x) {
    const f32x8 magnitude = max(x, -x), e = exp(broadcast(-2) * magnitude);
    const f32x8 y = (broadcast(1) - e) / (broadcast(1) + e);
    return chosen(x < broadcast(0), -y, y);
}

// transpose turns eight rows of eight 32-bit numbers, `stride` bytes apart, into eight vectors of columns. It only
// moves bits, so the numbers may be of any type.
INLINE void transpose(const void * from, size_t stride, f32x8 * to) {
    const char * p = static_cast<const char *>(from);
#if VECTOR_BITS == 128
    float64x2_t column[2][8]; // the upper four numbers of each column, then the lower four
    for (int h = 0; h < 2; h++) {
        for (int side = 0; side < 8; side += 4) {
            float32x4_t r[4];
            for (int i = 0; i < 4; i++) r[i] = load<float32x4_t>(p + (h * 4 + i) * stride + side * sizeof(float));
            const auto a = (float64x2_t)vtrn1q_f32(r[0], r[1]), b = (float64x2_t)vtrn2q_f32(r[0], r[1]);
            const auto c = (float64x2_t)vtrn1q_f32(r[2], r[3]), d = (float64x2_t)vtrn2q_f32(r[2], r[3]);
            column[h][side] = vtrn1q_f64(a, c), column[h][side + 1] = vtrn1q_f64(b, d);
            column[h][side + 2] = vtrn2q_f64(a, c), column[h][side + 3] = vtrn2q_f64(b, d);
        }
    }
    for (int i = 0; i < 8; i++) to[i] = {(f32x4)column[0][i], (f32x4)column[1][i]};
#elif VECTOR_BITS
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

// widened are numbers of 16 bits, without a sign, as numbers of 32.
INLINE u32x8 widened(u16x8 words) {
#if VECTOR_BITS == 128
    const auto w = (uint16x8_t)words;
    return {(u32x8::half)vmovl_u16(vget_low_u16(w)), (u32x8::half)vmovl_high_u16(w)};
#elif VECTOR_BITS
    return (u32x8)_mm256_cvtepu16_epi32((__m128i)words);
#else
    return __builtin_convertvector(words, u32x8);
#endif
}

// from_half converts eight F16 numbers. Not every compiler has a type for them.
INLINE f32x8 from_half(u16x8 halves) {
#if VECTOR_BITS == 128
    const auto h = (float16x8_t)halves;
    return {(f32x4)vcvt_f32_f16(vget_low_f16(h)), (f32x4)vcvt_high_f32_f16(h)};
#elif VECTOR_BITS
    return _mm256_cvtph_ps((__m128i)halves);
#else
    const u32x8 bits = widened(halves), magnitude = (bits & 0x7fff) << 13, sign = (bits & 0x8000) << 16;
    const u32x8 finite = (u32x8)((f32x8)magnitude * broadcast(0x1p112f)); // exact, since it moves the exponent alone
    const u32x8 infinite = magnitude | 0x7f800000, quiet = (u32x8)(magnitude > 0x0f800000) & 0x00400000;
    return (f32x8)(chosen(magnitude < 0x0f800000, finite, infinite | quiet) | sign);
#endif
}

// whole rounds to whole numbers, halves to even ones. What is no number or too large becomes the lowest.
INLINE i32x8 whole(f32x8 x) {
#if VECTOR_BITS == 128
    const i32x8 rounded = {(i32x8::half)vcvtnq_s32_f32((float32x4_t)x.low),
                           (i32x8::half)vcvtnq_s32_f32((float32x4_t)x.high)}; // the lowest for what is too low
    return chosen(x < broadcast(0x1p31f), rounded, i32x8(INT32_MIN));
#elif VECTOR_BITS
    return (i32x8)_mm256_cvtps_epi32(x);
#else
    i32x8 to;
    for (int i = 0; i < 8; i++) to[i] = x[i] < 0x1p31f && x[i] >= -0x1p31f ? int32_t(__builtin_rintf(x[i])) : INT32_MIN;
    return to;
#endif
}

// store_bytes stores the lowest byte of each of 32 numbers, and says what the bytes of each half add up to.
INLINE void store_bytes(const i32x8 * n, int8_t * to, int * total) {
#if VECTOR_BITS == 128
    for (int h = 0; h < 2; h++) {
        int16x8_t words[2];
        for (int i = 0; i < 2; i++) {
            const i32x8 v = n[2 * h + i];
            words[i] = vcombine_s16(vmovn_s32((int32x4_t)v.low), vmovn_s32((int32x4_t)v.high));
        }
        const int8x16_t bytes = vcombine_s8(vmovn_s16(words[0]), vmovn_s16(words[1]));
        vst1q_s8(to + 16 * h, bytes);
        total[h] = vaddlvq_s8(bytes);
    }
#elif VECTOR_BITS
    const __m256i lowest = _mm256_set1_epi32(255);
    __m256i v[4];
    for (int i = 0; i < 4; i++) v[i] = _mm256_and_si256((__m256i)n[i], lowest);
    const __m256i a = _mm256_packus_epi32(v[0], v[1]), b = _mm256_packus_epi32(v[2], v[3]); // in halves of 128 bits
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(a, b), order);
    store(to, bytes);
    // Bytes without a sign are added up in eights, so that each is taken 128 higher.
    const __m256i eights = _mm256_sad_epu8(_mm256_xor_si256(bytes, _mm256_set1_epi8(-128)), _mm256_setzero_si256());
    const __m256i sums = _mm256_add_epi32(eights, _mm256_shuffle_epi32(eights, 0x4e));
    total[0] = _mm256_extract_epi32(sums, 0) - 16 * 128, total[1] = _mm256_extract_epi32(sums, 4) - 16 * 128;
#else
    for (int i = 0; i < 32; i++) to[i] = int8_t(n[i / 8][i % 8]);
    for (int h = 0; h < 2; h++) {
        total[h] = 0;
        for (int i = 0; i < 16; i++) total[h] += to[h * 16 + i];
    }
#endif
}

} // namespace TARGET
} // namespace kernels
