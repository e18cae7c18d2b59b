// What the files of matrix products share (matmul*.cpp): a panel is sixteen rows of weights, and one call computes the
// outputs of a panel for all columns. matmul.cpp says how a product runs.
#pragma once

#include "layouts.hpp"
#include "matmul.hpp"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define PRODUCTS_ARE_BUILT

#include "lanes.hpp"
#include "simd.hpp"

namespace panels {

constexpr int block = layout::small; // weights that share a scale, once unpacked; of activations too
constexpr int vector = 8; // numbers of a row of floats that are read at a time
constexpr int panel = 16; // rows of weights unpacked together
constexpr int span = panel / lanes::rows; // vectors that have a lane for each of them
constexpr int columns_at_once = lanes::rows / 2; // as many as there are registers for

// columns are rows of the batch from one on, as a block loop walks them: number k of column c is at [c * width + k] of
// byte and of word, its scale and sum at [c * blocks + k / 32], the sum of its half of the block at
// [c * blocks * 2 + k / 16]. Bytes are within -127 and 127, never -128.
struct columns {
    const int8_t * byte;
    const int16_t * word;
    const float *scale, *sum, *half;
    int width, blocks;
};

// blocks are those of a quantised format: how many weights each has, none for other kinds, and whether their numbers
// are words, not bytes.
struct blocks {
    int weights;
    bool words;
};
blocks blocks_of(matmul::kind type);

// quantized writes the outputs of the panel that begins at `row`, for columns [0, n): out[column][weight row]. The last
// panel may have fewer rows.
void quantized(const matmul::weights & w, int row, const columns & x, int n, float * out);

// floats does so for F16, BF16 and F32 weights, which meet the activations as they are.
void floats(const matmul::weights & w, int row, const matmul::batch & b, float * out);

// transpose is simd::transpose of whole numbers.
inline void transpose(const void * from, size_t stride, __m256i * to) {
    simd::f32x8 columns[8];
    simd::transpose(from, stride, columns);
    for (int i = 0; i < 8; i++) to[i] = _mm256_castps_si256(columns[i]);
}

} // namespace panels

#endif
