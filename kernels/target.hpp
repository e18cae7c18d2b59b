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
constexpr int most_beside = 16; // columns whose blocks lie together
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

// blocks_of are rounded columns, from a block of one of them on. Some columns, `beside`, lie together: block follows
// block, and within a block, column follows column, so that all of a product's numbers are near one address. Column c
// of these, up to the last that lies with the first, has in this block
//
//	byte[c * 32 + k]           number k, within -127 and 127, never -128
//	scale[c]                   what the numbers are multiplied by
//	sum[c]                     the scale times the sum of the numbers
//	half[h * beside + c]       the same for each half of them
//	shift[h * beside + c]      what products with bytes of weights that stand 128 too high begin with: -128 times the
//	                           sum of the bytes of the block, of its first half and of its second
template <typename Byte, typename Integer, typename Float> struct blocks_of {
    Byte * byte;
    Integer * shift;
    Float *scale, *sum, *half;
    int beside;

    // moved goes on by a number of blocks and then of columns. Targets call it too, so that there must be no copy of it
    // in them.
    __attribute__((always_inline)) blocks_of moved(size_t blocks, ptrdiff_t columns) const {
        const ptrdiff_t n = ptrdiff_t(blocks) * beside;
        return {byte + (n + columns) * block, shift + 3 * n + columns, scale + n + columns, sum + n + columns,
                half + 2 * n + columns,       beside};
    }
};
typedef blocks_of<int8_t, int32_t, float> rounding;
typedef blocks_of<const int8_t, const int32_t, const float> rounded;

// columns are rows of a batch from one on, as a product walks them: rounded, or as they are, column c at
// plain + c * stride (bytes).
struct columns {
    rounded first; // block 0 of the first column
    int place; // of the first among those that lie together
    const char * plain;
    size_t stride;
    int width, blocks;

    // from skips n columns that are rounded.
    __attribute__((always_inline)) columns from(int n) const {
        const int to = place + n, beside = first.beside;
        const rounded there = first.moved(size_t(to / beside) * blocks, to % beside - place);
        return {there, to % beside, plain, stride, width, blocks};
    }

    // together returns how many lie together from the first on.
    __attribute__((always_inline)) int together() const { return first.beside - place; }
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

    // round rounds n blocks of activations: what blocks_of says of one column.
    void (*round)(const float * x, int n, rounding to);

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
