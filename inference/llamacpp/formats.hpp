// How the weights of each quantised format are read: 32 numbers of a row, and the scales and offsets of eight rows,
// with weight = scale * number + offset. layouts.hpp says where the fields of a block are.
//
// A format is a struct with
//
//	number    the type of the numbers: bytes without a sign, which go into maddubs and need an offset; or words of 16
//	          bits, which need none
//	offsets   how many offsets 32 weights have: 0 for words, 1 for bytes, 2 where each half of them has its own
//	highest   of bytes: the largest, which decides how many products fit into 16 bits before they are widened
//	bytes     the size of a block of the format
//	parts     how many times 32 weights such a block holds: 8 in the super-blocks of K quants and IQ4_XS, else 1
//	numbers   writes the 32 numbers of part i of the block at p
//	scales    reads scale and offsets of part i from the blocks of eight rows, the first of which is at p
//
// To add a format: its layout in layouts.hpp with its assertions in layouts.cpp, its struct here or in
// formats_super.hpp, a matmul::kind, a case in `with` of matmul_quantized.cpp and in kind_of of graph.cpp, and its name
// in `quantizations` of kernels_test.go, in `formats` of formats_test.go and of tools/sanitize/kernels.cpp, whose tests
// then cover it.
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

// words reads 32 bits from each of eight rows.
inline __m256i words(const char * p, size_t row_bytes) {
    int32_t w[8];
    for (int r = 0; r < 8; r++) memcpy(&w[r], p + r * row_bytes, sizeof w[r]);
    return _mm256_setr_epi32(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
}

// bits are `count` of each word, from bit `from` on.
inline __m256i bits(__m256i words, int from, int count) {
    return _mm256_and_si256(_mm256_srl_epi32(words, _mm_cvtsi32_si128(from)), _mm256_set1_epi32((1 << count) - 1));
}

// nibbles are 32 numbers of four bits: the low halves of 16 bytes, then the high ones.
inline __m256i nibbles(const char * p) {
    const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(q), _mm_srli_epi16(q, 4), 1);
    return _mm256_and_si256(both, _mm256_set1_epi8(15));
}

struct of_bytes {
    typedef uint8_t number;
    static constexpr int offsets = 1;
};

struct of_words {
    typedef int16_t number;
    static constexpr int offsets = 0;
};

struct q4_0 : of_bytes {
    static constexpr int highest = 15;
    static constexpr int bytes = sizeof(layout::q4_0), parts = 1;
    static void numbers(const char * p, int, uint8_t * to) {
        const __m256i n = nibbles(p + offsetof(layout::q4_0, nibbles));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to), n);
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 * offset) {
        scale = halves(p + offsetof(layout::q4_0, scale), row_bytes);
        *offset = _mm256_mul_ps(scale, _mm256_set1_ps(-8));
    }
};

struct q4_1 : of_bytes {
    static constexpr int highest = 15;
    static constexpr int bytes = sizeof(layout::q4_1), parts = 1;
    static void numbers(const char * p, int, uint8_t * to) {
        const __m256i n = nibbles(p + offsetof(layout::q4_1, nibbles));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to), n);
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 * offset) {
        scale = halves(p + offsetof(layout::q4_1, scale), row_bytes);
        *offset = halves(p + offsetof(layout::q4_1, minimum), row_bytes);
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

struct q5_0 : of_bytes {
    static constexpr int highest = 31;
    static constexpr int bytes = sizeof(layout::q5_0), parts = 1;
    static void numbers(const char * p, int, uint8_t * to) {
        const __m256i low = nibbles(p + offsetof(layout::q5_0, nibbles));
        const __m256i fifth = fifth_bits(p + offsetof(layout::q5_0, fifth));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to), _mm256_or_si256(low, fifth));
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 * offset) {
        scale = halves(p + offsetof(layout::q5_0, scale), row_bytes);
        *offset = _mm256_mul_ps(scale, _mm256_set1_ps(-16));
    }
};

struct q5_1 : of_bytes {
    static constexpr int highest = 31;
    static constexpr int bytes = sizeof(layout::q5_1), parts = 1;
    static void numbers(const char * p, int, uint8_t * to) {
        const __m256i low = nibbles(p + offsetof(layout::q5_1, nibbles));
        const __m256i fifth = fifth_bits(p + offsetof(layout::q5_1, fifth));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to), _mm256_or_si256(low, fifth));
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 * offset) {
        scale = halves(p + offsetof(layout::q5_1, scale), row_bytes);
        *offset = halves(p + offsetof(layout::q5_1, minimum), row_bytes);
    }
};

struct q8_0 : of_words {
    static constexpr int bytes = sizeof(layout::q8_0), parts = 1;
    static void numbers(const char * p, int, int16_t * to) {
        for (int h = 0; h < 2; h++) {
            const char * half = p + offsetof(layout::q8_0, numbers) + h * 16;
            const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i *>(half));
            _mm256_store_si256(reinterpret_cast<__m256i *>(to + h * 16), _mm256_cvtepi8_epi16(q));
        }
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 *) {
        scale = halves(p + offsetof(layout::q8_0, scale), row_bytes);
    }
};

// entries are those of a table of sixteen bytes that 32 nibbles name.
inline __m256i entries(__m128i table, __m256i nibbles) {
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), nibbles);
}

// iq4_entries writes 32 entries of the table of IQ4_NL and IQ4_XS (kvalues_iq4nl in ggml-common.h), which are too large
// for bytes without a sign.
inline void iq4_entries(const char * nibbles_at, int16_t * to) {
    const __m128i table = _mm_setr_epi8(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);
    const __m256i n = entries(table, nibbles(nibbles_at));
    __m256i * words = reinterpret_cast<__m256i *>(to);
    _mm256_store_si256(words, _mm256_cvtepi8_epi16(_mm256_castsi256_si128(n)));
    _mm256_store_si256(words + 1, _mm256_cvtepi8_epi16(_mm256_extracti128_si256(n, 1)));
}

struct iq4_nl : of_words {
    static constexpr int bytes = sizeof(layout::iq4_nl), parts = 1;
    static void numbers(const char * p, int, int16_t * to) { iq4_entries(p + offsetof(layout::iq4_nl, nibbles), to); }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 *) {
        scale = halves(p + offsetof(layout::iq4_nl, scale), row_bytes);
    }
};

// mxfp4 has the floats of four bits doubled, which makes whole numbers of them, and raised by the largest.
struct mxfp4 : of_bytes {
    static constexpr int highest = 24;
    static constexpr int bytes = sizeof(layout::mxfp4), parts = 1;
    static void numbers(const char * p, int, uint8_t * to) {
        const __m128i table = _mm_setr_epi8(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0);
        const __m256i n = entries(table, nibbles(p + offsetof(layout::mxfp4, nibbles)));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to), n);
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 * offset) {
        // 2^(exponent - 128), which is subnormal for exponents 0 and 1
        const __m256i e = bits(words(p + offsetof(layout::mxfp4, exponent), row_bytes), 0, 8);
        const __m256i normal = _mm256_slli_epi32(_mm256_sub_epi32(e, _mm256_set1_epi32(1)), 23);
        const __m256i subnormal = _mm256_sllv_epi32(_mm256_set1_epi32(0x00200000), e);
        const __m256i small = _mm256_cmpgt_epi32(_mm256_set1_epi32(2), e);
        scale = _mm256_castsi256_ps(_mm256_blendv_epi8(normal, subnormal, small));
        *offset = _mm256_mul_ps(scale, _mm256_set1_ps(-12));
    }
};

} // namespace format
