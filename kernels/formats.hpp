// The table of formats, first part: what the weights of a block are, as GGUF files hold them, and how they are read: 32
// numbers of a row, and the scales and offsets of some rows, with weight = scale * number + offset. formats_super.hpp
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
//	scales    reads from the blocks of `lanes::rows` rows the scale of each part, and its offsets or factors
//	numbers   gives their numbers to a function: to(i, g, a, b) gets numbers 4g to 4g + 3 of part i of each row in a,
//	          one to a byte, and the next four in b; g is 0, 2, 4 and 6
//
// Each lane of a vector has a row, and four of its bytes: nothing has to be rearranged once it is unpacked.
//
// To add a format: its struct in one of these files and its name in the list at the file's end, and the name of the
// files' type in models/tensors.go. Tests go over the table. `make kernels` says what the test vector is; TestFormats
// compares what is read with llama.cpp.
#pragma once

#include "lanes.hpp"

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

using lanes::both_halves;
using lanes::bytes;
using lanes::entries;
using lanes::floats;
using lanes::from_halves;
using lanes::unsigned_words;
using lanes::words;

// blocks are those of some rows, one of each.
struct blocks {
    lanes::places at;

    // read reads sixteen bytes of each, from a place on, and word four of them; all must lie within the block.
    INLINE void read(size_t from, words * to) const { lanes::read(at, from, to); }
    INLINE words word(size_t from) const { return lanes::read_word(at, from); }
};

// shifted moves bits of words to the right.
INLINE words shifted(words w, int n) { return (words)((unsigned_words)w >> n); }

// bits are `count` of each word, from bit `from` on.
INLINE words bits(words w, int from, int count) { return shifted(w, from) & ((1 << count) - 1); }

INLINE floats converted(words w) { return lanes::convert((lanes::integers)w); }

// low_nibbles and high_nibbles are the numbers of four bits in the bytes of words.
INLINE words low_nibbles(words w) { return w & 0x0f0f0f0f; }
INLINE words high_nibbles(words w) { return shifted(w, 4) & 0x0f0f0f0f; }

// less takes a number off each byte.
INLINE words less(words w, int n) { return (words)((bytes)w - uint8_t(n)); }

// both_nibbles gives 32 numbers, the low halves of 16 bytes and then the high ones, each as f has it.
template <typename To, typename F> INLINE void both_nibbles(const blocks & rows, size_t from, int i, To to, F f) {
    words w[4];
    rows.read(from, w);
    to(i, 0, f(low_nibbles(w[0]), 0), f(low_nibbles(w[1]), 1));
    to(i, 2, f(low_nibbles(w[2]), 2), f(low_nibbles(w[3]), 3));
    to(i, 4, f(high_nibbles(w[0]), 4), f(high_nibbles(w[1]), 5));
    to(i, 6, f(high_nibbles(w[2]), 6), f(high_nibbles(w[3]), 7));
}

struct as_they_are {
    INLINE words operator()(words numbers, int) const { return numbers; }
};

struct q4_0 : of_bytes {
    static constexpr row about = {"q4_0", 2, {0, -1}, 0x5da27f1434920f25};
    struct block { // weight i is scale * (number i - 8); low halves are numbers 0 to 15, high ones 16 to 31
        half scale;
        uint8_t nibbles[16];
    };
    static constexpr int highest = 15;
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
        both_nibbles(rows, offsetof(block, nibbles), 0, to, as_they_are());
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*offset)[1]) {
        *scale = from_halves(rows.word(offsetof(block, scale)));
        **offset = *scale * broadcast<floats>(-8);
    }
};

struct q4_1 : of_bytes {
    static constexpr row about = {"q4_1", 3, {0, 2}, 0xf12f733613469f25};
    struct block { // weight i is scale * number i + minimum
        half scale, minimum;
        uint8_t nibbles[16];
    };
    static constexpr int highest = 15;
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
        both_nibbles(rows, offsetof(block, nibbles), 0, to, as_they_are());
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*offset)[1]) {
        both_halves(rows.word(offsetof(block, scale)), *scale, **offset);
    }
};

// with_fifth adds fifth bits to numbers of four: bit i of a word is that of number i.
struct with_fifth {
    words fifth;
    INLINE words operator()(words numbers, int g) const {
        return numbers | lanes::fifths(shifted(fifth, 4 * g));
    }
};

struct q5_0 : of_bytes {
    static constexpr row about = {"q5_0", 6, {0, -1}, 0xa4bef639bf17e725};
    struct block { // weight i is scale * (number i - 16); bit i of `fifth`, from the lowest on, is that of number i
        half scale;
        uint8_t fifth[4];
        uint8_t nibbles[16];
    };
    static constexpr int highest = 31;
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
        both_nibbles(rows, offsetof(block, nibbles), 0, to, with_fifth{rows.word(offsetof(block, fifth))});
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*offset)[1]) {
        *scale = from_halves(rows.word(offsetof(block, scale)));
        **offset = *scale * broadcast<floats>(-16);
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
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
        both_nibbles(rows, offsetof(block, nibbles), 0, to, with_fifth{rows.word(offsetof(block, fifth))});
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*offset)[1]) {
        both_halves(rows.word(offsetof(block, scale)), *scale, **offset);
    }
};

struct q8_0 : of_signed_bytes {
    static constexpr row about = {"q8_0", 8, {0, -1}, 0x2d4d8198d41f8565};
    struct block { // weight i is scale * number i
        half scale;
        int8_t numbers[32];
    };
    static constexpr int highest = 128;
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
        for (int half = 0; half < 2; half++) {
            words w[4];
            rows.read(offsetof(block, numbers) + half * 16, w);
            to(0, half * 4, w[0], w[1]), to(0, half * 4 + 2, w[2], w[3]);
        }
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*)[1]) {
        *scale = from_halves(rows.word(offsetof(block, scale)));
    }
};

// in_table looks numbers of four bits up.
struct in_table {
    u8x16 table;
    INLINE words operator()(words numbers, int) const { return entries(table, numbers); }
};

// iq4_table is that of IQ4_NL and IQ4_XS (kvalues_iq4nl in ggml-common.h).
INLINE in_table iq4_table() {
    typedef int8_t i8x16 __attribute__((vector_size(16)));
    return {(u8x16)i8x16{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}};
}

struct iq4_nl : of_signed_bytes {
    static constexpr row about = {"iq4_nl", 20, {0, -1}, 0xb96f2c904cb14265};
    struct block { // weight i is scale * entry number i of the table
        half scale;
        uint8_t nibbles[16];
    };
    static constexpr int highest = 127;
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
        both_nibbles(rows, offsetof(block, nibbles), 0, to, iq4_table());
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*)[1]) {
        *scale = from_halves(rows.word(offsetof(block, scale)));
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
    template <typename To> INLINE static void numbers(const blocks & rows, To to) {
        const u8x16 table = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};
        both_nibbles(rows, offsetof(block, nibbles), 0, to, in_table{table});
    }
    INLINE static void scales(const blocks & rows, floats * scale, floats (*offset)[1]) {
        // 2^(exponent - 128), which is subnormal for exponents 0 and 1
        const words e = bits(rows.word(offsetof(block, exponent)), 0, 8), small = (words)(e < 2);
        *scale = (floats)((((e + 1) << 21) & small) | (((e - 1) << 23) & ~small));
        **offset = *scale * broadcast<floats>(-12);
    }
};

typedef list<q4_0, q4_1, q5_0, q5_1, q8_0, iq4_nl, mxfp4> of_blocks;

} // namespace formats
} // namespace TARGET
} // namespace kernels
