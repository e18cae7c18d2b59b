// The formats in super-blocks of 256 weights: K quants and IQ4_XS. formats.hpp says what a format is.
#pragma once

#include "formats.hpp"

namespace kernels {
namespace TARGET {
namespace formats {

// two_bits are the numbers of two bits of part i of a super-block: of 256 weights, half i / 4 has 32 bytes.
INLINE u8x32 two_bits(const char * pairs, int i) {
    return shifted(load<u8x32>(pairs + i / 4 * 32), i % 4 * 2) & all_bytes(3);
}

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
    static void numbers(const char * p, int i, uint8_t * to) {
        const uint8_t * s = reinterpret_cast<const uint8_t *>(p + offsetof(block, scales)) + i * 2;
        typedef int32_t i32x4 __attribute__((vector_size(16)));
        const i32x4 low = (s[0] & 15) * 0x03020100 - i32x4{}, high = (s[1] & 15) * 0x03020100 - i32x4{}; // 0 to 3 times
        store(to, entries(both((u8x16)low, (u8x16)high), two_bits(p + offsetof(block, pairs), i)));
    }
    static void scales(const char * p, int i, size_t row_bytes, f32x8 & scale, f32x8 * offset) {
        scale = halves(p + offsetof(block, scale), row_bytes);
        const f32x8 minimum = halves(p + offsetof(block, minimum), row_bytes);
        const char * packed = p + offsetof(block, scales) + i / 2 * 4; // of parts i and i + 1, if i is even
        for (int h = 0; h < 2; h++)
            offset[h] = minimum * floats(0 - bits(words(packed, row_bytes), (i % 2 * 2 + h) * 8 + 4, 4));
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
    static void numbers(const char * p, int i, int8_t * to) {
        const u8x32 third = where(load<u8x32>(p + offsetof(block, third)), all_bytes(1 << i));
        store(to, two_bits(p + offsetof(block, pairs), i) - (~third & all_bytes(4))); // 4 less where it is not set
    }
    static void scales(const char * p, int i, size_t row_bytes, f32x8 & scale, f32x8 * factor) {
        scale = halves(p + offsetof(block, scale), row_bytes);
        const char * packed = p + offsetof(block, scales);
        const i32x8 low = words(packed + i / 2 % 2 * 4, row_bytes), high = words(packed + 8, row_bytes);
        for (int h = 0; h < 2; h++) {
            const int at = (i % 2 * 2 + h) * 8; // of the byte, in a word of four
            factor[h] = floats((bits(low, at + i / 4 * 4, 4) | bits(high, at + i / 2 * 2, 2) << 4) - 32);
        }
    }
};

// six_bits reads the i-th scale and minimum of eight super-blocks of K quants from 12 bytes of each (get_scale_min_k4
// in ggml-quants.c): those of the first four parts are the low six bits of bytes i and i + 4; of the others, the low
// four bits lie in byte i + 4 and the upper two above those of the part four places before.
INLINE void six_bits(const char * p, int i, size_t row_bytes, i32x8 & scale, i32x8 & minimum) {
    const i32x8 first = words(p, row_bytes), second = words(p + 4, row_bytes);
    const int at = i % 4 * 8;
    if (i < 4) {
        scale = bits(first, at, 6), minimum = bits(second, at, 6);
    } else {
        const i32x8 low = words(p + 8, row_bytes);
        scale = bits(low, at, 4) | bits(first, at + 6, 2) << 4;
        minimum = bits(low, at + 4, 4) | bits(second, at + 6, 2) << 4;
    }
}

// super_scales are the scales and minima of part i of eight super-blocks of q4_k or q5_k.
template <typename Block>
INLINE void super_scales(const char * p, int i, size_t row_bytes, f32x8 & scale, f32x8 * offset) {
    i32x8 s, m;
    six_bits(p + offsetof(Block, scales), i, row_bytes, s, m);
    scale = halves(p + offsetof(Block, scale), row_bytes) * floats(s);
    *offset = (f32x8{} - halves(p + offsetof(Block, minimum), row_bytes)) * floats(m);
}

// alternate are the numbers of four bits of part i, where parts 2k and 2k + 1 share 32 bytes: the low halves, then the
// high ones.
INLINE u8x32 alternate(const char * nibbles, int i) {
    const u8x32 q = load<u8x32>(nibbles + i / 2 * 32);
    return (i % 2 ? shifted(q, 4) : q) & all_bytes(15);
}

struct q4_k : of_bytes {
    static constexpr row about = {"q4_K", 12, {0, 2}, 0x81b84007aa4a0aed};
    // Eight parts of 32 weights, each with a scale and a minimum of six bits (see six_bits); a weight is scale * part's
    // scale * number - minimum * part's minimum.
    struct block {
        half scale, minimum;
        uint8_t scales[12];
        uint8_t nibbles[128];
    };
    static constexpr int highest = 15, parts = 8;
    static void numbers(const char * p, int i, uint8_t * to) { store(to, alternate(p + offsetof(block, nibbles), i)); }
    static void scales(const char * p, int i, size_t row_bytes, f32x8 & scale, f32x8 * offset) {
        super_scales<block>(p, i, row_bytes, scale, offset);
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
    static void numbers(const char * p, int i, uint8_t * to) {
        const u8x32 fifth = where(load<u8x32>(p + offsetof(block, fifth)), all_bytes(1 << i)) & all_bytes(16);
        store(to, alternate(p + offsetof(block, nibbles), i) | fifth);
    }
    static void scales(const char * p, int i, size_t row_bytes, f32x8 & scale, f32x8 * offset) {
        super_scales<block>(p, i, row_bytes, scale, offset);
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
    static void numbers(const char * p, int i, int8_t * to) {
        const int half = i / 4, quarter = i % 4; // of 256 weights, and of those
        const u8x32 low = load<u8x32>(p + offsetof(block, nibbles) + half * 64 + quarter % 2 * 32);
        const u8x32 four_bits = (quarter < 2 ? low : shifted(low, 4)) & all_bytes(15);
        const u8x32 two = two_bits(p + offsetof(block, upper), i);
        store(to, (four_bits | (u8x32)((u16x16)two << 4)) - all_bytes(32));
    }
    static void scales(const char * p, int i, size_t row_bytes, f32x8 & scale, f32x8 * factor) {
        scale = halves(p + offsetof(block, scale), row_bytes);
        const i32x8 packed = words(p + offsetof(block, scales) + i / 2 * 4, row_bytes); // two parts share four bytes
        for (int h = 0; h < 2; h++) factor[h] = floats(packed << (24 - (i % 2 * 2 + h) * 8) >> 24);
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
    static void numbers(const char * p, int i, int8_t * to) { iq4_entries(p + offsetof(block, nibbles) + i * 16, to); }
    static void scales(const char * p, int i, size_t row_bytes, f32x8 & scale, f32x8 *) {
        static_assert(offsetof(block, high) == 2 && offsetof(block, low) == 4, "two words");
        const i32x8 low = bits(words(p + offsetof(block, low), row_bytes), 4 * i, 4);
        const i32x8 high = bits(words(p, row_bytes), 16 + 2 * i, 2);
        scale = halves(p + offsetof(block, scale), row_bytes) * floats((low | high << 4) - 32);
    }
};

typedef list<q2_k, q3_k, q4_k, q5_k, q6_k, iq4_xs> super_blocks;

} // namespace formats
} // namespace TARGET
} // namespace kernels
