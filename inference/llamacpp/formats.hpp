// How the weights of each quantised format are read: 32 numbers of a row, and the scales and offsets of eight rows,
// with weight = scale * number + offset. layouts.hpp says where the fields of a block are.
//
// A format is a struct with
//
//	number    the type of the numbers: bytes without a sign, which go into maddubs and need an offset; or words of 16
//	          bits, which need none
//	wide      of bytes: they have five bits, so that fewer products fit into 16 bits before they are widened
//	bytes     the size of a block of the format
//	parts     how many times 32 weights such a block holds: 8 in the super-blocks of K quants, else 1
//	numbers   writes the 32 numbers of part i of the block at p
//	scales    reads scale and offset of part i from the blocks of eight rows, the first of which is at p
//
// To add a format: its layout in layouts.hpp with its assertions in layouts.cpp, its struct here, a matmul::kind, a
// case in multiply of matmul_quantized.cpp and in kind_of of graph.cpp, and its name in `quantizations` of
// kernels_test.go, whose tests then cover it.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "layouts.hpp"

namespace format {

// halves reads an F16 number from each of eight rows.
inline __m256 halves(const char * p, size_t row_bytes) {
    uint16_t h[8];
    for (int r = 0; r < 8; r++) memcpy(&h[r], p + r * row_bytes, sizeof h[r]);
    return _mm256_cvtph_ps(_mm_setr_epi16(short(h[0]), short(h[1]), short(h[2]), short(h[3]), short(h[4]), short(h[5]),
                                          short(h[6]), short(h[7])));
}

// nibbles are 32 numbers of four bits: the low halves of 16 bytes, then the high ones.
inline __m256i nibbles(const char * p) {
    const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(q), _mm_srli_epi16(q, 4), 1);
    return _mm256_and_si256(both, _mm256_set1_epi8(15));
}

struct q4_0 {
    typedef uint8_t number;
    static constexpr bool wide = false;
    static constexpr int bytes = sizeof(layout::q4_0), parts = 1;
    static void numbers(const char * p, int, uint8_t * to) {
        const __m256i n = nibbles(p + offsetof(layout::q4_0, nibbles));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to), n);
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 & offset) {
        scale = halves(p + offsetof(layout::q4_0, scale), row_bytes);
        offset = _mm256_mul_ps(scale, _mm256_set1_ps(-8));
    }
};

// fifth_bits spreads 32 bits over the fifth bits of 32 bytes.
inline __m256i fifth_bits(const char * p) {
    uint32_t bits;
    memcpy(&bits, p, sizeof bits);
    const __m256i which = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(int32_t(bits)), which);
    const __m256i mask = _mm256_set1_epi64x(int64_t(0x8040201008040201));
    return _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(spread, mask), mask), _mm256_set1_epi8(16));
}

struct q5_0 {
    typedef uint8_t number;
    static constexpr bool wide = true;
    static constexpr int bytes = sizeof(layout::q5_0), parts = 1;
    static void numbers(const char * p, int, uint8_t * to) {
        const __m256i low = nibbles(p + offsetof(layout::q5_0, nibbles));
        const __m256i fifth = fifth_bits(p + offsetof(layout::q5_0, fifth));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to), _mm256_or_si256(low, fifth));
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 & offset) {
        scale = halves(p + offsetof(layout::q5_0, scale), row_bytes);
        offset = _mm256_mul_ps(scale, _mm256_set1_ps(-16));
    }
};

// six_bits reads the i-th scale and minimum of a super-block of K quants (get_scale_min_k4 in ggml-quants.c).
inline void six_bits(const uint8_t * q, int i, int & scale, int & minimum) {
    if (i < 4) {
        scale = q[i] & 63, minimum = q[i + 4] & 63;
    } else {
        scale = (q[i + 4] & 15) | (q[i - 4] >> 6) << 4, minimum = q[i + 4] >> 4 | (q[i] >> 6) << 4;
    }
}

// super_scales are the scales and minima of part i of eight super-blocks of K quants.
inline void super_scales(const char * p, int i, size_t row_bytes, __m256 & scale, __m256 & offset) {
    alignas(32) int32_t s[8], m[8];
    static_assert(offsetof(layout::q4_k, scales) == offsetof(layout::q5_k, scales), "one function reads both");
    const char * packed = p + offsetof(layout::q4_k, scales);
    for (int r = 0; r < 8; r++) six_bits(reinterpret_cast<const uint8_t *>(packed + r * row_bytes), i, s[r], m[r]);
    const auto floats = [](const int32_t * n) {
        return _mm256_cvtepi32_ps(_mm256_load_si256(reinterpret_cast<const __m256i *>(n)));
    };
    scale = _mm256_mul_ps(halves(p + offsetof(layout::q4_k, scale), row_bytes), floats(s));
    offset = _mm256_mul_ps(_mm256_sub_ps(_mm256_setzero_ps(), halves(p + offsetof(layout::q4_k, minimum), row_bytes)),
                           floats(m));
}

struct q4_k {
    typedef uint8_t number;
    static constexpr bool wide = false;
    static constexpr int bytes = sizeof(layout::q4_k), parts = 8;
    static void numbers(const char * p, int i, uint8_t * to) {
        const char * bytes = p + offsetof(layout::q4_k, nibbles) + i / 2 * 32;
        const __m256i q = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(bytes));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to),
                           _mm256_and_si256(i % 2 ? _mm256_srli_epi16(q, 4) : q, _mm256_set1_epi8(15)));
    }
    static void scales(const char * p, int i, size_t row_bytes, __m256 & scale, __m256 & offset) {
        super_scales(p, i, row_bytes, scale, offset);
    }
};

struct q5_k {
    typedef uint8_t number;
    static constexpr bool wide = true;
    static constexpr int bytes = sizeof(layout::q5_k), parts = 8;
    static void numbers(const char * p, int i, uint8_t * to) {
        const char * bytes = p + offsetof(layout::q5_k, nibbles) + i / 2 * 32;
        const __m256i q = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(bytes));
        const __m256i low = _mm256_and_si256(i % 2 ? _mm256_srli_epi16(q, 4) : q, _mm256_set1_epi8(15));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p + offsetof(layout::q5_k, fifth)));
        const __m256i bit = _mm256_set1_epi8(char(1 << i));
        const __m256i fifth =
            _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(high, bit), bit), _mm256_set1_epi8(16));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to), _mm256_or_si256(low, fifth));
    }
    static void scales(const char * p, int i, size_t row_bytes, __m256 & scale, __m256 & offset) {
        super_scales(p, i, row_bytes, scale, offset);
    }
};

struct q8_0 {
    typedef int16_t number;
    static constexpr int bytes = sizeof(layout::q8_0), parts = 1;
    static void numbers(const char * p, int, int16_t * to) {
        for (int h = 0; h < 2; h++) {
            const char * half = p + offsetof(layout::q8_0, numbers) + h * 16;
            const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i *>(half));
            _mm256_store_si256(reinterpret_cast<__m256i *>(to + h * 16), _mm256_cvtepi8_epi16(q));
        }
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 & offset) {
        scale = halves(p + offsetof(layout::q8_0, scale), row_bytes);
        offset = _mm256_setzero_ps();
    }
};

struct q6_k {
    typedef int16_t number;
    static constexpr int bytes = sizeof(layout::q6_k), parts = 8;
    static void numbers(const char * p, int i, int16_t * to) {
        const int half = i / 4, quarter = i % 4; // of 256 weights, and of those
        const __m256i low = _mm256_loadu_si256(
            reinterpret_cast<const __m256i *>(p + offsetof(layout::q6_k, nibbles) + half * 64 + quarter % 2 * 32));
        const __m256i high =
            _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p + offsetof(layout::q6_k, upper) + half * 32));
        const __m256i four_bits = _mm256_and_si256(quarter < 2 ? low : _mm256_srli_epi16(low, 4), _mm256_set1_epi8(15));
        const __m256i two_bits =
            _mm256_and_si256(_mm256_srl_epi16(high, _mm_cvtsi32_si128(2 * quarter)), _mm256_set1_epi8(3));
        const __m256i q =
            _mm256_sub_epi8(_mm256_or_si256(four_bits, _mm256_slli_epi16(two_bits, 4)), _mm256_set1_epi8(32));
        const int8_t * scales = reinterpret_cast<const int8_t *>(p + offsetof(layout::q6_k, scales)) + i * 2;
        for (int h = 0; h < 2; h++) { // at most 32 x 128
            const __m256i words = _mm256_cvtepi8_epi16(h ? _mm256_extracti128_si256(q, 1) : _mm256_castsi256_si128(q));
            _mm256_store_si256(reinterpret_cast<__m256i *>(to + h * 16),
                               _mm256_mullo_epi16(words, _mm256_set1_epi16(scales[h])));
        }
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 & offset) {
        scale = halves(p + offsetof(layout::q6_k, scale), row_bytes);
        offset = _mm256_setzero_ps();
    }
};

} // namespace format
