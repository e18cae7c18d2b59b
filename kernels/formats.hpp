// The table of formats, first part: what the weights of a block are, as GGUF files hold them, and how they are read: 32
// numbers of a row, and the scales and offsets of eight rows, with weight = scale * number + offset. formats_super.hpp
// goes on with super-blocks, formats_table.hpp with floats.
//
// A format is a struct with
//
//	about     its row of the table: name, type, places of halves, test vector (see struct format in target.hpp)
//	block     the layout of a block, byte for byte that of ggml-common.h; which number belongs to which weight is
//	          written down in ggml-quants.c (dequantize_row_*)
//	number    the type of the numbers: bytes without a sign, which have an offset, or with one, which have none
//	offsets   how many offsets 32 weights have: 0, 1, or 2 where each half of them has its own
//	factors   how many whole numbers multiply the numbers of 32 weights: 0, or 2 where each half of them has one; such a
//	          format has no offsets
//	highest   the largest magnitude of a number, which decides how many products fit into 16 bits before they are
//	          widened; `factor` is that of a factor
//	parts     how many times 32 weights such a block holds: 8 in super-blocks, else 1
//	numbers   writes the 32 numbers of part i of the block at p
//	scales    reads the scale of part i, and its offsets or factors, from the blocks of eight rows, the first of which
//	          is at p
//
// To add a format: its struct in one of these files and its name in the list at the file's end, and the name of the
// files' type in models/tensors.go. Tests go over the table. `make kernels` says what the test vector is; TestFormats
// compares what is read with llama.cpp.
#pragma once

#include "simd.hpp"

namespace kernels {
namespace TARGET {
namespace formats {

typedef uint16_t half; // an F16 number, as bits

struct row {
    const char * name;
    int32_t type, halves[2];
    uint64_t vector;
};

// list is a part of the table: each of the three files ends with its own.
template <typename...> struct list {};

struct of_bytes {
    typedef uint8_t number;
    static constexpr int offsets = 1, factors = 0, factor = 1, parts = 1;
};

struct of_signed_bytes {
    typedef int8_t number;
    static constexpr int offsets = 0, factors = 0, factor = 1, parts = 1;
};

// halves reads an F16 number from each of eight rows.
INLINE f32x8 halves(const char * p, size_t row_bytes) {
    uint16_t h[8];
    for (int r = 0; r < 8; r++) memcpy(&h[r], p + r * row_bytes, sizeof h[r]);
    return from_half(u16x8{h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]});
}

// words reads 32 bits from each of eight rows.
INLINE i32x8 words(const char * p, size_t row_bytes) {
    int32_t w[8];
    for (int r = 0; r < 8; r++) memcpy(&w[r], p + r * row_bytes, sizeof w[r]);
    return i32x8{w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]};
}

// bits are `count` of each word, from bit `from` on.
INLINE i32x8 bits(i32x8 words, int from, int count) { return (i32x8)((u32x8)words >> from) & ((1 << count) - 1); }

INLINE u8x32 all_bytes(int x) { return uint8_t(x) - u8x32{}; }

// shifted moves bits of bytes to the right; those of a neighbour come in from the left.
INLINE u8x32 shifted(u8x32 bytes, int n) { return (u8x32)((u16x16)bytes >> n); }

// where is a mask of bytes in which all bits of another mask are set.
INLINE u8x32 where(u8x32 bytes, u8x32 mask) { return (u8x32)((bytes & mask) == mask); }

// nibbles are 32 numbers of four bits: the low halves of 16 bytes, then the high ones.
INLINE u8x32 nibbles(const char * p) {
    const u8x16 q = load<u8x16>(p);
    return both(q, (u8x16)((u16x8)q >> 4)) & all_bytes(15);
}

struct q4_0 : of_bytes {
    static constexpr row about = {"q4_0", 2, {0, -1}, 0x5da27f1434920f25};
    struct block { // weight i is scale * (number i - 8); low halves are numbers 0 to 15, high ones 16 to 31
        half scale;
        uint8_t nibbles[16];
    };
    static constexpr int highest = 15;
    static void numbers(const char * p, int, uint8_t * to) { store(to, nibbles(p + offsetof(block, nibbles))); }
    static void scales(const char * p, int, size_t row_bytes, f32x8 & scale, f32x8 * offset) {
        scale = halves(p + offsetof(block, scale), row_bytes);
        *offset = scale * broadcast(-8);
    }
};

struct q4_1 : of_bytes {
    static constexpr row about = {"q4_1", 3, {0, 2}, 0xf12f733613469f25};
    struct block { // weight i is scale * number i + minimum
        half scale, minimum;
        uint8_t nibbles[16];
    };
    static constexpr int highest = 15;
    static void numbers(const char * p, int, uint8_t * to) { store(to, nibbles(p + offsetof(block, nibbles))); }
    static void scales(const char * p, int, size_t row_bytes, f32x8 & scale, f32x8 * offset) {
        scale = halves(p + offsetof(block, scale), row_bytes);
        *offset = halves(p + offsetof(block, minimum), row_bytes);
    }
};

// fifth_bits spreads 32 bits over the fifth bits of 32 bytes.
INLINE u8x32 fifth_bits(const char * p) {
    uint32_t bits;
    memcpy(&bits, p, sizeof bits);
    const u8x32 which = (u8x32)u64x4{0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303};
    const u8x32 mask = (u8x32)(0x8040201008040201 - u64x4{});
    return where(entries((u8x32)(bits - u32x8{}), which), mask) & all_bytes(16);
}

struct q5_0 : of_bytes {
    static constexpr row about = {"q5_0", 6, {0, -1}, 0xa4bef639bf17e725};
    struct block { // weight i is scale * (number i - 16); bit i of `fifth`, from the lowest on, is that of number i
        half scale;
        uint8_t fifth[4];
        uint8_t nibbles[16];
    };
    static constexpr int highest = 31;
    static void numbers(const char * p, int, uint8_t * to) {
        store(to, nibbles(p + offsetof(block, nibbles)) | fifth_bits(p + offsetof(block, fifth)));
    }
    static void scales(const char * p, int, size_t row_bytes, f32x8 & scale, f32x8 * offset) {
        scale = halves(p + offsetof(block, scale), row_bytes);
        *offset = scale * broadcast(-16);
    }
};

struct q5_1 : of_bytes {
    static constexpr row about = {"q5_1", 7, {0, 2}, 0x56b9f41f9ea9c025};
    struct block { // weight i is scale * number i + minimum, with the numbers as q5_0 has them
        half scale, minimum;
        uint8_t fifth[4];
        uint8_t nibbles[16];
    };
    static constexpr int highest = 31;
    static void numbers(const char * p, int, uint8_t * to) {
        store(to, nibbles(p + offsetof(block, nibbles)) | fifth_bits(p + offsetof(block, fifth)));
    }
    static void scales(const char * p, int, size_t row_bytes, f32x8 & scale, f32x8 * offset) {
        scale = halves(p + offsetof(block, scale), row_bytes);
        *offset = halves(p + offsetof(block, minimum), row_bytes);
    }
};

struct q8_0 : of_signed_bytes {
    static constexpr row about = {"q8_0", 8, {0, -1}, 0x2d4d8198d41f8565};
    struct block { // weight i is scale * number i
        half scale;
        int8_t numbers[32];
    };
    static constexpr int highest = 128;
    static void numbers(const char * p, int, int8_t * to) { store(to, load<i8x32>(p + offsetof(block, numbers))); }
    static void scales(const char * p, int, size_t row_bytes, f32x8 & scale, f32x8 *) {
        scale = halves(p + offsetof(block, scale), row_bytes);
    }
};

// iq4_entries writes 32 entries of the table of IQ4_NL and IQ4_XS (kvalues_iq4nl in ggml-common.h).
INLINE void iq4_entries(const char * nibbles_at, int8_t * to) {
    typedef int8_t i8x16 __attribute__((vector_size(16)));
    const u8x16 table = (u8x16)i8x16{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
    store(to, entries(both(table, table), nibbles(nibbles_at)));
}

struct iq4_nl : of_signed_bytes {
    static constexpr row about = {"iq4_nl", 20, {0, -1}, 0xb96f2c904cb14265};
    struct block { // weight i is scale * entry number i of the table
        half scale;
        uint8_t nibbles[16];
    };
    static constexpr int highest = 127;
    static void numbers(const char * p, int, int8_t * to) { iq4_entries(p + offsetof(block, nibbles), to); }
    static void scales(const char * p, int, size_t row_bytes, f32x8 & scale, f32x8 *) {
        scale = halves(p + offsetof(block, scale), row_bytes);
    }
};

// mxfp4 has the floats of four bits doubled, which makes whole numbers of them, and raised by the largest. (OCP
// Microscaling Formats, version 1.0, section 5.)
struct mxfp4 : of_bytes {
    static constexpr row about = {"mxfp4", 39, {-1, -1}, 0xa37c35a9852bb725};
    struct block { // weight i is 2^(exponent - 127) times number i, which is a float of four bits (E2M1)
        uint8_t exponent;
        uint8_t nibbles[16];
    };
    static constexpr int highest = 24;
    static void numbers(const char * p, int, uint8_t * to) {
        const u8x16 table = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};
        store(to, entries(both(table, table), nibbles(p + offsetof(block, nibbles))));
    }
    static void scales(const char * p, int, size_t row_bytes, f32x8 & scale, f32x8 * offset) {
        // 2^(exponent - 128), which is subnormal for exponents 0 and 1
        const i32x8 e = bits(words(p + offsetof(block, exponent), row_bytes), 0, 8);
        const i32x8 normal = (i32x8)((u32x8)(e - 1) << 23), subnormal = 0x00200000 << (e & 1);
        scale = (f32x8)chosen(e < 2, subnormal, normal);
        *offset = scale * broadcast(-12);
    }
};

typedef list<q4_0, q4_1, q5_0, q5_1, q8_0, iq4_nl, mxfp4> blocks;

} // namespace formats
} // namespace TARGET
} // namespace kernels
