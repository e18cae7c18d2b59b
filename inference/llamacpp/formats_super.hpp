// The formats in super-blocks of 256 weights: K quants and IQ4_XS. formats.hpp says what a format is.
#pragma once

#include "formats.hpp"

namespace format {

// two_bits are the numbers of two bits of part i of a super-block: of 256 weights, half i / 4 has 32 bytes.
inline __m256i two_bits(const char * pairs, int i) {
    const __m256i q = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(pairs + i / 4 * 32));
    return _mm256_and_si256(_mm256_srl_epi16(q, _mm_cvtsi32_si128(i % 4 * 2)), _mm256_set1_epi8(3));
}

// scaled_words writes 32 numbers, each half of them times a scale of its own, as words.
inline void scaled_words(__m256i numbers, int first, int second, int16_t * to) {
    const __m256i low = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(numbers));
    const __m256i high = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(numbers, 1));
    __m256i * words = reinterpret_cast<__m256i *>(to);
    _mm256_store_si256(words, _mm256_mullo_epi16(low, _mm256_set1_epi16(short(first))));
    _mm256_store_si256(words + 1, _mm256_mullo_epi16(high, _mm256_set1_epi16(short(second))));
}

// q2_k has numbers that are multiplied by the scales of their halves of a part. Each half has a minimum as well.
struct q2_k : of_bytes {
    static constexpr int offsets = 2, highest = 3 * 15;
    static constexpr int bytes = sizeof(layout::q2_k), parts = 8;
    static void numbers(const char * p, int i, uint8_t * to) {
        const uint8_t * s = reinterpret_cast<const uint8_t *>(p + offsetof(layout::q2_k, scales)) + i * 2;
        const auto multiples = [](int scale) { return _mm_set1_epi32((scale & 15) * 0x03020100); }; // 0 to 3 times it
        const __m256i table = _mm256_inserti128_si256(_mm256_castsi128_si256(multiples(s[0])), multiples(s[1]), 1);
        const __m256i n = two_bits(p + offsetof(layout::q2_k, pairs), i);
        _mm256_store_si256(reinterpret_cast<__m256i *>(to), _mm256_shuffle_epi8(table, n));
    }
    static void scales(const char * p, int i, size_t row_bytes, __m256 & scale, __m256 * offset) {
        scale = halves(p + offsetof(layout::q2_k, scale), row_bytes);
        const __m256 minimum = halves(p + offsetof(layout::q2_k, minimum), row_bytes);
        const char * packed = p + offsetof(layout::q2_k, scales) + i / 2 * 4; // of parts i and i + 1, if i is even
        for (int h = 0; h < 2; h++) {
            const __m256i m = bits(words(packed, row_bytes), (i % 2 * 2 + h) * 8 + 4, 4);
            offset[h] = _mm256_mul_ps(minimum, _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_setzero_si256(), m)));
        }
    }
};

struct q3_k : of_words {
    static constexpr int bytes = sizeof(layout::q3_k), parts = 8;
    static void numbers(const char * p, int i, int16_t * to) {
        const __m256i third = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p + offsetof(layout::q3_k, third)));
        const __m256i bit = _mm256_set1_epi8(char(1 << i));
        const __m256i missing = _mm256_andnot_si256(_mm256_cmpeq_epi8(_mm256_and_si256(third, bit), bit),
                                                    _mm256_set1_epi8(4)); // 4 where the third bit is not set
        const __m256i n = _mm256_sub_epi8(two_bits(p + offsetof(layout::q3_k, pairs), i), missing);
        scaled_words(n, six_bits(p, i * 2), six_bits(p, i * 2 + 1), to); // at most 4 x 32
    }
    // six_bits is the scale of part i of 16: the low four bits are a half of byte i % 8, the upper two those of byte
    // 8 + i % 4 from bit 2 * (i / 4) on.
    static int six_bits(const char * p, int i) {
        const uint8_t * s = reinterpret_cast<const uint8_t *>(p + offsetof(layout::q3_k, scales));
        return ((s[i % 8] >> i / 8 * 4 & 15) | (s[8 + i % 4] >> i / 4 * 2 & 3) << 4) - 32;
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 *) {
        scale = halves(p + offsetof(layout::q3_k, scale), row_bytes);
    }
};

// six_bits reads the i-th scale and minimum of eight super-blocks of K quants from 12 bytes of each (get_scale_min_k4
// in ggml-quants.c): those of the first four parts are the low six bits of bytes i and i + 4; of the others, the low
// four bits lie in byte i + 4 and the upper two above those of the part four places before.
inline void six_bits(const char * p, int i, size_t row_bytes, __m256i & scale, __m256i & minimum) {
    const __m256i first = words(p, row_bytes), second = words(p + 4, row_bytes);
    const int at = i % 4 * 8;
    if (i < 4) {
        scale = bits(first, at, 6), minimum = bits(second, at, 6);
    } else {
        const __m256i low = words(p + 8, row_bytes);
        scale = _mm256_or_si256(bits(low, at, 4), _mm256_slli_epi32(bits(first, at + 6, 2), 4));
        minimum = _mm256_or_si256(bits(low, at + 4, 4), _mm256_slli_epi32(bits(second, at + 6, 2), 4));
    }
}

// super_scales are the scales and minima of part i of eight super-blocks of K quants.
inline void super_scales(const char * p, int i, size_t row_bytes, __m256 & scale, __m256 * offset) {
    static_assert(offsetof(layout::q4_k, scales) == offsetof(layout::q5_k, scales), "one function reads both");
    __m256i s, m;
    six_bits(p + offsetof(layout::q4_k, scales), i, row_bytes, s, m);
    scale = _mm256_mul_ps(halves(p + offsetof(layout::q4_k, scale), row_bytes), _mm256_cvtepi32_ps(s));
    *offset = _mm256_mul_ps(_mm256_sub_ps(_mm256_setzero_ps(), halves(p + offsetof(layout::q4_k, minimum), row_bytes)),
                            _mm256_cvtepi32_ps(m));
}

struct q4_k : of_bytes {
    static constexpr int highest = 15;
    static constexpr int bytes = sizeof(layout::q4_k), parts = 8;
    static void numbers(const char * p, int i, uint8_t * to) {
        const char * bytes = p + offsetof(layout::q4_k, nibbles) + i / 2 * 32;
        const __m256i q = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(bytes));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to),
                           _mm256_and_si256(i % 2 ? _mm256_srli_epi16(q, 4) : q, _mm256_set1_epi8(15)));
    }
    static void scales(const char * p, int i, size_t row_bytes, __m256 & scale, __m256 * offset) {
        super_scales(p, i, row_bytes, scale, offset);
    }
};

struct q5_k : of_bytes {
    static constexpr int highest = 31;
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
    static void scales(const char * p, int i, size_t row_bytes, __m256 & scale, __m256 * offset) {
        super_scales(p, i, row_bytes, scale, offset);
    }
};

struct q6_k : of_words {
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
        scaled_words(q, scales[0], scales[1], to); // at most 32 x 128
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 *) {
        scale = halves(p + offsetof(layout::q6_k, scale), row_bytes);
    }
};

struct iq4_xs : of_words {
    static constexpr int bytes = sizeof(layout::iq4_xs), parts = 8;
    static void numbers(const char * p, int i, int16_t * to) {
        iq4_entries(p + offsetof(layout::iq4_xs, nibbles) + i * 16, to);
    }
    static void scales(const char * p, int i, size_t row_bytes, __m256 & scale, __m256 *) {
        static_assert(offsetof(layout::iq4_xs, high) == 2 && offsetof(layout::iq4_xs, low) == 4, "two words");
        const __m256i low = bits(words(p + offsetof(layout::iq4_xs, low), row_bytes), 4 * i, 4);
        const __m256i high = bits(words(p, row_bytes), 16 + 2 * i, 2);
        const __m256i part = _mm256_sub_epi32(_mm256_or_si256(low, _mm256_slli_epi32(high, 4)), _mm256_set1_epi32(32));
        scale = _mm256_mul_ps(halves(p + offsetof(layout::iq4_xs, scale), row_bytes), _mm256_cvtepi32_ps(part));
    }
};

} // namespace format
