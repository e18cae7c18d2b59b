// The formats in super-blocks of 256 weights: K quants and IQ4_XS. formats.hpp says what a format is. Loops are
// unrolled where they count parts, so that the compiler knows each part's place.
#pragma once

#include "formats.hpp"

namespace kernels {
namespace TARGET {
namespace formats {

// ones and pairs_of have a bit of each byte, or two, from a bit of it on.
INLINE words ones(words w, int from) { return shifted(w, from) & 0x01010101; }
INLINE words pairs_of(words w, int from) { return shifted(w, from) & 0x03030303; }

// q2_k has numbers that are multiplied by the scales of their halves of a part. Each half has a minimum as well.
struct q2_k : of_bytes {
    static constexpr row about = {"q2_K", 10, {80, 82}, 0xe32343d3f20d5b25};
    // Sixteen parts of 16 weights; a weight is scale * part's scale * number - minimum * part's minimum, where the low
    // half of scales[i] is the scale of part i and the high one its minimum. Half h of the weights has its numbers in
    // pairs[32h, 32h + 32): the lowest two bits of these bytes are those of its parts 0 and 1, the next two those of
    // its parts 2 and 3, and so on.
    struct block {
        uint8_t scales[16];
        uint8_t pairs[64];
        half scale, minimum;
    };
    static constexpr int offsets = 2, highest = 3 * 15, parts = 8;
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
        words s[4], w[4];
        rows.read(offsetof(block, scales), s);
#pragma GCC unroll 4
        for (int from = 0; from < 4; from++) { // sixteen bytes, with the numbers of four parts
            rows.read(offsetof(block, pairs) + from * 16, w);
            const int g = from % 2 * 4;
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++) {
                const int i = from / 2 * 4 + k;
                const words scale = bits(s[i / 2], (i % 2 * 2 + from % 2) * 8, 4);
                to(i, g, pairs_of(w[0], 2 * k) * scale, pairs_of(w[1], 2 * k) * scale);
                to(i, g + 2, pairs_of(w[2], 2 * k) * scale, pairs_of(w[3], 2 * k) * scale);
            }
        }
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*offset)[2]) {
        words packed[4], w[4];
        floats minimum;
        rows.read(offsetof(block, scales), packed);
        rows.read(sizeof(block) - 16, w);
        both_halves(w[3], scale[0], minimum);
#pragma GCC unroll 8
        for (int i = 0; i < parts; i++) {
            scale[i] = scale[0];
            for (int h = 0; h < 2; h++)
                offset[i][h] = minimum * converted(0 - bits(packed[i / 2], (i % 2 * 2 + h) * 8 + 4, 4));
        }
    }
};

struct q3_k : of_signed_bytes {
    static constexpr row about = {"q3_K", 11, {108, -1}, 0x9cf01c7c0d5abd25};
    // Sixteen parts of 16 weights, each with a scale of six bits: weight = scale * (part's scale - 32) * (number - 4).
    // The low two bits of numbers lie in `pairs` as those of q2_k; bit i of third[j] is the third of weight 32i + j. Of
    // the scale of part i the low four bits are a half of byte i % 8, and the upper two are those of byte 8 + i % 4
    // from bit 2 * (i / 4) on.
    struct block {
        uint8_t third[32];
        uint8_t pairs[64];
        uint8_t scales[12];
        half scale;
    };
    static constexpr int factors = 2, highest = 4, factor = 32, parts = 8;
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
        words third[4], w[4];
#pragma GCC unroll 4
        for (int from = 0; from < 4; from++) { // sixteen bytes, with the numbers of four parts
            rows.read(offsetof(block, third) + from % 2 * 16, third);
            rows.read(offsetof(block, pairs) + from * 16, w);
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++) {
                const int i = from / 2 * 4 + k, g = from % 2 * 4;
                words n[4];
                for (int j = 0; j < 4; j++) n[j] = less(pairs_of(w[j], 2 * k) | ones(third[j], i) << 2, 4);
                to(i, g, n[0], n[1]), to(i, g + 2, n[2], n[3]);
            }
        }
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*factor)[2]) {
        words w[4], packed[3];
        rows.read(sizeof(block) - 16, w); // two bytes of something else, the packed scales and the scale
        for (int i = 0; i < 3; i++) packed[i] = shifted(w[i], 16) | w[i + 1] << 16;
        scale[0] = from_halves(shifted(w[3], 16));
#pragma GCC unroll 8
        for (int i = 0; i < parts; i++) {
            scale[i] = scale[0];
            for (int h = 0; h < 2; h++) {
                const int at = (i % 2 * 2 + h) * 8; // of the byte, in a word of four
                const words low = bits(packed[i / 2 % 2], at + i / 4 * 4, 4);
                factor[i][h] = converted((low | bits(packed[2], at + i / 2 * 2, 2) << 4) - 32);
            }
        }
    }
};

// super_scales are the scales and minima of the parts of q4_k or q5_k, six bits each (get_scale_min_k4 in
// ggml-quants.c): those of the first four parts are the low six bits of bytes i and i + 4 of `scales`; of the others,
// the low four bits lie in byte i + 4 and the upper two above those of the part four places before.
template <typename Block> INLINE void super_scales(const blocks & rows, floats * scale, floats (*offset)[1]) {
    static_assert(offsetof(Block, scale) == 0 && offsetof(Block, minimum) == 2 && offsetof(Block, scales) == 4,
                  "words");
    words w[4];
    rows.read(0, w);
    floats of_all, minimum;
    both_halves(w[0], of_all, minimum);
    minimum = floats{} - minimum;
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        const int at = i % 4 * 8;
        words s, m;
        if (i < 4) {
            s = bits(w[1], at, 6), m = bits(w[2], at, 6);
        } else {
            s = bits(w[3], at, 4) | bits(w[1], at + 6, 2) << 4;
            m = bits(w[3], at + 4, 4) | bits(w[2], at + 6, 2) << 4;
        }
        scale[i] = of_all * converted(s), offset[i][0] = minimum * converted(m);
    }
}

struct q4_k : of_bytes {
    static constexpr row about = {"q4_K", 12, {0, 2}, 0x81b84007aa4a0aed};
    // Eight parts of 32 weights, each with a scale and a minimum of six bits (see super_scales); a weight is scale *
    // part's scale * number - minimum * part's minimum. Parts 2k and 2k + 1 have the low and the high halves of
    // nibbles[32k, 32k + 32).
    struct block {
        half scale, minimum;
        uint8_t scales[12];
        uint8_t nibbles[128];
    };
    static constexpr int highest = 15, parts = 8;
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
#pragma GCC unroll 8
        for (int from = 0; from < 8; from++) { // sixteen bytes
            words w[4];
            rows.read(offsetof(block, nibbles) + from * 16, w);
            const int i = from / 2 * 2, g = from % 2 * 4;
            to(i, g, low_nibbles(w[0]), low_nibbles(w[1]));
            to(i, g + 2, low_nibbles(w[2]), low_nibbles(w[3]));
            to(i + 1, g, high_nibbles(w[0]), high_nibbles(w[1]));
            to(i + 1, g + 2, high_nibbles(w[2]), high_nibbles(w[3]));
        }
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*offset)[1]) {
        super_scales<block>(rows, scale, offset);
    }
};

struct q5_k : of_bytes {
    static constexpr row about = {"q5_K", 13, {0, 2}, 0x2c4ed3912861a6c1};
    // As q4_k, with a fifth bit for each number: bit i of byte j is that of number j of part i.
    struct block {
        half scale, minimum;
        uint8_t scales[12];
        uint8_t fifth[32];
        uint8_t nibbles[128];
    };
    static constexpr int highest = 31, parts = 8;
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
#pragma GCC unroll 2
        for (int side = 0; side < 2; side++) {
            words fifth[4], w[4];
            rows.read(offsetof(block, fifth) + side * 16, fifth);
#pragma GCC unroll 4
            for (int i = 0; i < parts; i += 2) {
                rows.read(offsetof(block, nibbles) + (i + side) * 16, w);
                words low[4], high[4];
                for (int j = 0; j < 4; j++) {
                    low[j] = low_nibbles(w[j]) | ones(fifth[j], i) << 4;
                    high[j] = high_nibbles(w[j]) | ones(fifth[j], i + 1) << 4;
                }
                to(i, side * 4, low[0], low[1]), to(i, side * 4 + 2, low[2], low[3]);
                to(i + 1, side * 4, high[0], high[1]), to(i + 1, side * 4 + 2, high[2], high[3]);
            }
        }
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*offset)[1]) {
        super_scales<block>(rows, scale, offset);
    }
};

struct q6_k : of_signed_bytes {
    static constexpr row about = {"q6_K", 14, {208, -1}, 0xf294f65980753035};
    // Sixteen parts of 16 weights, each with a scale of eight bits: weight = scale * part's scale * (number - 32). Half
    // h of the weights has its low four bits in nibbles[64h, 64h + 64) and the upper two in upper[32h, 32h + 32).
    struct block {
        uint8_t nibbles[128];
        uint8_t upper[64];
        int8_t scales[16];
        half scale;
    };
    static constexpr int factors = 2, highest = 32, factor = 128, parts = 8;
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
#pragma GCC unroll 4
        for (int from = 0; from < 4; from++) { // sixteen bytes of `upper`, for four parts
            words upper[4], w[4];
            rows.read(offsetof(block, upper) + from * 16, upper);
            const int half = from / 2, g = from % 2 * 4;
#pragma GCC unroll 2
            for (int k = 0; k < 2; k++) {
                rows.read(offsetof(block, nibbles) + half * 64 + k * 32 + from % 2 * 16, w);
                words low[4], high[4];
                for (int j = 0; j < 4; j++) {
                    low[j] = less(low_nibbles(w[j]) | pairs_of(upper[j], 2 * k) << 4, 32);
                    high[j] = less(high_nibbles(w[j]) | pairs_of(upper[j], 2 * k + 4) << 4, 32);
                }
                const int i = half * 4 + k;
                to(i, g, low[0], low[1]), to(i, g + 2, low[2], low[3]);
                to(i + 2, g, high[0], high[1]), to(i + 2, g + 2, high[2], high[3]);
            }
        }
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*factor)[2]) {
        words packed[4], w[4];
        rows.read(offsetof(block, scales), packed); // two parts share four bytes
        rows.read(sizeof(block) - 16, w);
        scale[0] = from_halves(shifted(w[3], 16));
#pragma GCC unroll 8
        for (int i = 0; i < parts; i++) {
            scale[i] = scale[0];
            for (int h = 0; h < 2; h++) factor[i][h] = converted(packed[i / 2] << (24 - (i % 2 * 2 + h) * 8) >> 24);
        }
    }
};

struct iq4_xs : of_signed_bytes {
    static constexpr row about = {"iq4_xs", 23, {0, -1}, 0x43dc4cd5308a54e5};
    // Eight parts of 32 weights, each laid out and read as iq4_nl. The scale of a part is that of the block times a
    // number of six bits, less 32: part 2k has the low half of low[k], part 2k + 1 the high one, and the upper two bits
    // are bits 2i and 2i + 1 of `high`, for part i.
    struct block {
        half scale;
        uint16_t high;
        uint8_t low[4];
        uint8_t nibbles[128];
    };
    static constexpr int highest = 127, parts = 8;
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
#pragma GCC unroll 8
        for (int i = 0; i < parts; i++) both_nibbles(rows, offsetof(block, nibbles) + i * 16, i, to, iq4_table());
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*)[1]) {
        static_assert(offsetof(block, high) == 2 && offsetof(block, low) == 4, "two words");
        words w[4];
        rows.read(0, w);
        const floats of_all = from_halves(w[0]);
#pragma GCC unroll 8
        for (int i = 0; i < parts; i++)
            scale[i] = of_all * converted((bits(w[1], 4 * i, 4) | bits(w[0], 16 + 2 * i, 2) << 4) - 32);
    }
};

typedef list<q2_k, q3_k, q4_k, q5_k, q6_k, iq4_xs> super_blocks;

} // namespace formats
} // namespace TARGET
} // namespace kernels
