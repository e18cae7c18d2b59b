// What the kernels of one set of vector instructions offer. The same source (source.hpp) is compiled once for each
// target, in a namespace of its own; targets.cpp lists them and chooses one when the program runs. All of them give the
// same bits.
//
// The functions of a target know nothing of threads and allocate nothing: matmul.cpp, attention.cpp and whoever samples
// share out the work and bring the memory. That is not only tidy. An inline function or template of the standard
// library that a target compiled for itself could be the copy that the linker keeps for all of the program, which would
// then end on a processor without these instructions. So the sources of targets use none of them, and a test
// (TestTargetsShareNoCode) looks at what the compiler made of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernels {

constexpr int block = 32; // numbers of activations that are rounded together; of weights, once unpacked
constexpr int panel = 16; // rows of weights that are multiplied together
constexpr int tile = 32; // cells of attention that are read together
constexpr int vector = 8; // numbers that are read at a time: widths are multiples of it
constexpr int sums_of = 1024; // logits whose exponentials make one sum

// weights are a matrix in a format of the table.
struct weights {
    int format; // row of the table
    const char * data; // [rows] of row_bytes, in the layout of GGUF
    size_t row_bytes;
    int width, rows;
};

// columns are rows of a batch from one on, as a product walks them. Rounded: number k of column c is byte
// [c * width + k], its scale and sum are at [c * blocks + k / 32], the sum of its half of the block at
// [c * blocks * 2 + k / 16]; bytes are within -127 and 127, never -128. What products with bytes of weights that stand
// 128 too high begin with is at shift[(c * blocks + k / 32) * 3]: -128 times the sum of the bytes of the block, of its
// first half and of its second. As they are: column c is at plain + c * stride (bytes).
struct columns {
    const int8_t * byte;
    const int32_t * shift;
    const float *scale, *sum, *half;
    const char * plain;
    size_t stride;
    int width, blocks;

    // from skips the first n columns. Targets call it too, so that there must be no copy of it in them.
    __attribute__((always_inline)) columns from(int n) const {
        const size_t at = size_t(n) * width, b = size_t(n) * blocks;
        return {byte + at, shift + 3 * b, scale + b, sum + b, half + 2 * b, plain + n * stride, stride, width, blocks};
    }
};

// How weights of a format meet activations: as floats, as they are, or as bytes.
enum class meets { floats, bytes };

// format is a row of the table of formats: what formats.hpp says of one, and the functions that follow from it.
struct format {
    const char * name; // as ggml names the type
    int32_t type; // its number in GGUF files (enum ggml_type)
    int32_t bytes, weights; // of a block
    meets activations;
    int32_t halves[2]; // places of F16 numbers in a block, -1 for none: random bits there may not be finite
    uint64_t vector; // the test vector: a hash of the weights that a block of fixed bytes holds (see check/)

    // multiply writes the outputs of the panel that begins at a row of weights, for columns [0, n):
    // out[column][weight row].
    void (*multiply)(const kernels::weights & w, int row, const columns & x, int n, float * out);

    // read writes the weights of a block as floats.
    void (*read)(const char * block, float * to);
};

// query is what attention computes for a head of a row, and what it has accumulated in its tiles so far.
struct query {
    const float * numbers; // [key width], times the scale
    float * output; // [value width]: sum of weight * value so far
    float * row_maximum; // the largest score so far, -infinity before the first tile
    float * total; // the sum of the weights so far
    int sees; // cells of this tile, from its first; the others have weight 0
};

struct target {
    const char * name;
    const char * needs; // instructions, for people
    const format * formats;
    int n_formats;

    // round rounds n blocks of activations to bytes, each with a scale; sum is the scale times the sum of the numbers,
    // half that of 16, and shift as columns have it.
    void (*round)(const float * x, int n, int8_t * byte, int32_t * shift, float * scale, float * sum, float * half);

    // Attention.
    void (*from_half)(const void * half, float * to, int64_t n); // n F16 numbers, a multiple of 8
    void (*transpose)(const float * rows, int width, float * columns, int stride); // eight rows: [d * stride + row]
    // advance takes n queries through a tile, the first `cells` of which somebody sees. key is [width][tile], value is
    // [cell][width].
    void (*advance)(const query * q, int n, float soft_cap, const float * key, int key_width, const float * value,
                    int value_width, int cells);
    float (*exp)(float x); // for x <= 0

    // Sampling. highest is the largest logit, not a number if any is not finite. sums writes the sum of
    // exp((logit - top) * inverse) for each 1,024 logits and returns the total. reaching is the first i, in steps of
    // eight from a multiple of eight, of which one of eight logits is not below `least`; n if there is none. weigh
    // writes exp((logit - top) * inverse) for logits [from, to), as sums has them; from is a multiple of eight.
    float (*highest)(const float * logits, int32_t n);
    double (*sums)(const float * logits, int32_t n, float top, float inverse, double * sums);
    int32_t (*reaching)(const float * logits, int32_t i, int32_t n, float least);
    void (*weigh)(const float * logits, int32_t from, int32_t to, int32_t n, float top, float inverse, float * weights);

    // Work for measuring peak rates: reading so many floats, a multiple of 32, and rounds of chains of products. The
    // result keeps it from being optimised away.
    float (*add_up)(const float * p, size_t n);
    float (*multiply_floats)(int rounds);
    float (*multiply_bytes)(int rounds);
    int floats_a_round, bytes_a_round; // products

    // format_of is the row of the table for a type of GGUF files; -1 if there is none.
    int format_of(int32_t type) const {
        for (int i = 0; i < n_formats; i++)
            if (formats[i].type == type) return i;
        return -1;
    }
};

} // namespace kernels
