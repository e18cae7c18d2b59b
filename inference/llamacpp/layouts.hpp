// Blocks of quantised weights, as GGUF files hold them and ggml reads them.
//
// Each struct is named after ggml's type and mirrors the one of ggml-common.h that stands beside it, byte for byte;
// layouts.cpp compares them, graph.cpp compares their sizes with those of the library at run time. Which number belongs
// to which weight is written down in ggml-quants.c (dequantize_row_*).
#pragma once

#include <cstddef>
#include <cstdint>

namespace layout {

constexpr int small = 32;  // weights of a block: QK4_0, QK4_1, QK5_0, QK5_1, QK8_0, QK4_NL, QK_MXFP4
constexpr int super = 256; // weights of a super-block of K quants: QK_K

typedef uint16_t half; // an F16 number, as bits

// block_q4_0: weight i is scale * (number i - 8). Low halves of the bytes are numbers 0 to 15, high ones 16 to 31.
struct q4_0 {
    half scale;
    uint8_t nibbles[small / 2];
};

// block_q4_1: weight i is scale * number i + minimum, with the numbers where block_q4_0 has them.
struct q4_1 {
    half scale, minimum;
    uint8_t nibbles[small / 2];
};

// block_q5_0: weight i is scale * (number i - 16). Bit i of `fifth`, counted from the lowest, is the fifth of number i.
struct q5_0 {
    half scale;
    uint8_t fifth[small / 8];
    uint8_t nibbles[small / 2];
};

// block_q5_1: weight i is scale * number i + minimum, with the numbers as block_q5_0 has them.
struct q5_1 {
    half scale, minimum;
    uint8_t fifth[small / 8];
    uint8_t nibbles[small / 2];
};

// block_q8_0: weight i is scale * number i.
struct q8_0 {
    half scale;
    int8_t numbers[small];
};

// block_q2_K: sixteen parts of 16 weights; a weight is scale * part's scale * number - minimum * part's minimum, where
// the low half of scales[i] is the scale of part i and the high one its minimum. Half h of the weights has its numbers
// in pairs[32h, 32h + 32): the lowest two bits of these bytes are those of its parts 0 and 1, the next two those of its
// parts 2 and 3, and so on.
struct q2_k {
    uint8_t scales[super / 16];
    uint8_t pairs[super / 4];
    half scale, minimum;
};

// block_q3_K: sixteen parts of 16 weights, each with a scale of six bits (see q3_k in formats_super.hpp): weight =
// scale * (part's scale - 32) * (number - 4). The low two bits of numbers lie in `pairs` as those of block_q2_K; bit i
// of third[j] is the third of weight 32i + j.
struct q3_k {
    uint8_t third[super / 8];
    uint8_t pairs[super / 4];
    uint8_t scales[12];
    half scale;
};

// block_q4_K: eight parts of 32 weights, each with a scale and a minimum of six bits (see six_bits in
// formats_super.hpp); a weight is scale * part's scale * number - minimum * part's minimum. Parts 2k and 2k + 1 share
// 32 bytes: the low halves, then the high ones.
struct q4_k {
    half scale, minimum;
    uint8_t scales[12];
    uint8_t nibbles[super / 2];
};

// block_q5_K: as block_q4_K, with a fifth bit for each number: bit i of byte j is that of number j of part i.
struct q5_k {
    half scale, minimum;
    uint8_t scales[12];
    uint8_t fifth[super / 8];
    uint8_t nibbles[super / 2];
};

// block_q6_K: sixteen parts of 16 weights, each with a scale of eight bits: weight = scale * part's scale *
// (number - 32). Half h of the weights has its low four bits in nibbles[64h, 64h + 64) and the upper two in
// upper[32h, 32h + 32).
struct q6_k {
    uint8_t nibbles[super / 2];
    uint8_t upper[super / 4];
    int8_t scales[super / 16];
    half scale;
};

// block_iq4_nl: weight i is scale * entry number i of a table (iq4_entries in formats.hpp), with the numbers where
// block_q4_0 has them.
struct iq4_nl {
    half scale;
    uint8_t nibbles[small / 2];
};

// block_iq4_xs: eight parts of 32 weights, each laid out and read as block_iq4_nl. The scale of a part is that of the
// block times a number of six bits, less 32: part 2k has the low half of low[k], part 2k + 1 the high one, and the
// upper two bits are bits 2i and 2i + 1 of `high`, for part i.
struct iq4_xs {
    half scale;
    uint16_t high;
    uint8_t low[super / 64];
    uint8_t nibbles[super / 2];
};

// block_mxfp4: weight i is 2^(exponent - 127) times number i, which is a float of four bits (E2M1), with the numbers
// where block_q4_0 has them. (OCP Microscaling Formats, version 1.0, section 5.)
struct mxfp4 {
    uint8_t exponent;
    uint8_t nibbles[small / 2];
};

} // namespace layout
