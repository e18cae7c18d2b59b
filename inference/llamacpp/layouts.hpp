// Blocks of quantised weights, as GGUF files hold them and ggml reads them.
//
// Each struct is named after ggml's type and mirrors the one of ggml-common.h that stands beside it, byte for byte;
// layouts.cpp compares them when the carrier's sources are at hand, graph.cpp compares their sizes with those of the
// library at run time. Which number belongs to which weight is written down in ggml-quants.c (dequantize_row_*).
#pragma once

#include <cstddef>
#include <cstdint>

namespace layout {

constexpr int small = 32;  // weights of a block: QK4_0, QK5_0, QK8_0
constexpr int super = 256; // weights of a super-block of K quants: QK_K

typedef uint16_t half; // an F16 number, as bits

// block_q4_0: weight i is scale * (number i - 8). Low halves of the bytes are numbers 0 to 15, high ones 16 to 31.
struct q4_0 {
    half scale;
    uint8_t nibbles[small / 2];
};

// block_q5_0: weight i is scale * (number i - 16). Bit i of `fifth`, counted from the lowest, is the fifth of number i.
struct q5_0 {
    half scale;
    uint8_t fifth[small / 8];
    uint8_t nibbles[small / 2];
};

// block_q8_0: weight i is scale * number i.
struct q8_0 {
    half scale;
    int8_t numbers[small];
};

// block_q4_K: eight parts of 32 weights, each with a scale and a minimum of six bits (see six_bits in formats.hpp); a
// weight is scale * part's scale * number - minimum * part's minimum. Parts 2k and 2k + 1 share 32 bytes: the low
// halves, then the high ones.
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

} // namespace layout
