// Products of weights with a batch, panel by panel. Quantised: gemv reads weights straight from memory, for one column;
// for more, a chunk of blocks is unpacked once and meets all columns. Both round alike, in the order that matmul.cpp
// writes down. Floats: an output is a chain of fma over the width, from the first number to the last, however many
// columns go together; the slices only bound what is unpacked at a time.
#pragma once

#include "formats_table.hpp"
#include "lanes.hpp"
#include "target.hpp"

namespace kernels {
namespace TARGET {

constexpr int span = panel / lanes::rows; // vectors that have a lane for each row of a panel
constexpr int columns_at_once = lanes::rows == 16 ? 8 : 4; // as many as there are registers for
constexpr int chunk = 24; // blocks unpacked together: what fits into the first cache
constexpr int slice = 256; // floats of the width unpacked together

// round_block rounds a block of activations to eight bits, like quantize_row_q8_0 of ggml, but the scale stays F32. It
// looks at these 32 numbers alone: a scale for more of them would tie a row of the batch to others.
inline void round_block(const float * x, rounding to) {
    f32x8 v[4], highest_of{};
    for (int i = 0; i < 4; i++) {
        v[i] = load(x + i * 8);
        highest_of = max(highest_of, (f32x8)((i32x8)v[i] & INT32_MAX));
    }
    const float highest = largest(highest_of);
    const float scale = highest / 127;
    const f32x8 inverse = highest == 0 ? f32x8{} : broadcast(127 / highest);
    i32x8 n[4];
    for (int i = 0; i < 4; i++) n[i] = whole(v[i] * inverse);
    int total[2]; // of each half
    store_bytes(n, to.byte, total);
    *to.scale = scale;
    *to.sum = scale * float(total[0] + total[1]);
    to.shift[0] = -128 * (total[0] + total[1]);
    for (int h = 0; h < 2; h++)
        to.half[h * to.beside] = scale * float(total[h]), to.shift[(1 + h) * to.beside] = -128 * total[h];
}

inline void round(const float * x, int n, rounding to) {
    for (int i = 0; i < n; i++) round_block(x + i * block, to.moved(i, 0));
}

constexpr int groups = block / 4; // of four bytes, which are multiplied and added up together

// A format has offsets or factors, or none; two_of is what is kept for them.
template <typename Type> constexpr int two_of = most_of(1, Type::offsets + Type::factors);

// has_sign says that a format's numbers have a sign. With instructions for bytes without one, they are multiplied as
// numbers that stand 128 too_high, and the sum begins with what takes that off again (columns::shift): whole numbers,
// so that it is exact.
template <typename Type> constexpr bool has_sign = typename Type::number(-1) < 0;
template <typename Type> constexpr bool too_high = has_sign<Type> && !lanes::in_pairs && !lanes::have_signs;

// unpacked is a block of a panel: number [0][g][row] has four bytes of a row, and [1] their magnitudes, where they are
// needed. For products of matrices, eight bytes of a row lie together in the place of two groups.
template <typename Type> struct alignas(64) unpacked {
    static constexpr bool in_magnitudes = has_sign<Type> && lanes::in_pairs;
    int32_t number[in_magnitudes ? 2 : 1][groups][panel];
    float scale[panel], other[two_of<Type>][panel]; // other are offsets or factors
};

// bytes_to_multiply are four numbers of rows as instructions take them.
template <typename Type> INLINE lanes::integers bytes_to_multiply(lanes::words numbers) {
    constexpr int sign_bits = int32_t(0x80808080);
    return (lanes::integers)(too_high<Type> ? numbers ^ sign_bits : numbers);
}

// blocks_at are the blocks of a vector of rows, from a row on, that hold block b of 32 weights.
template <typename Type> INLINE formats::blocks blocks_at(const weights & w, int row, int b) {
    const char * first = w.data + size_t(row) * w.row_bytes;
    return {{first + size_t(b / Type::parts) * sizeof(typename Type::block), w.row_bytes}};
}

// keep stores numbers in unpacked blocks, for the rows of a vector.
template <typename Type> struct keep {
    unpacked<Type> * to; // one for each part
    int row;

    INLINE void operator()(int i, int g, lanes::words a, lanes::words b) const {
        if constexpr (lanes::in_matrices) {
            lanes::store_rows(&to[i].number[0][g][0] + 2 * row, (lanes::integers)a, (lanes::integers)b);
        } else {
            store(&to[i].number[0][g][row], bytes_to_multiply<Type>(a));
            store(&to[i].number[0][g + 1][row], bytes_to_multiply<Type>(b));
        }
        if constexpr (unpacked<Type>::in_magnitudes) {
            store(&to[i].number[1][g][row], lanes::magnitudes((lanes::integers)a));
            store(&to[i].number[1][g + 1][row], lanes::magnitudes((lanes::integers)b));
        }
    }
};

// fetching hands numbers on to another, and asks for what will be needed soon: for as many bytes of the next rows as
// those blocks have whose numbers it is given. Many rows at a time are more than the processor foresees. It asks for a
// line or two each time, since a processor that is asked for many at once waits until some have come, and has them
// brought to the second cache, which can wait for more at a time than the first.
template <typename Type, typename To> struct fetching {
    static constexpr int line = 64, bytes = lanes::rows * sizeof(typename Type::block);
    static constexpr int calls = Type::parts * groups / 2; // each of which asks for so many lines:
    static constexpr int lines = (bytes + line * calls - 1) / (line * calls);
    To to;
    const char * next; // null if there are no further rows

    // Bytes of the rows from `row` on, which lie together, are asked for from the first to the last while blocks b of
    // 32 weights are gone through.
    INLINE fetching(To to, const weights & w, int row, int b) : to(to), next(nullptr) {
        if (row < w.rows) next = w.data + size_t(row) * w.row_bytes + size_t(b / Type::parts) * bytes;
    }

    INLINE void operator()(int i, int g, lanes::words a, lanes::words b) const {
        to(i, g, a, b);
        if (!next) return;
        const int first = (i * groups + g) / 2 * lines;
#pragma GCC unroll 4
        for (int k = first; k < first + lines; k++) __builtin_prefetch(next + k * line, 0, 2);
    }
};

// unpack does so with the block of GGUF that block b of 32 weights begins: with all parts of a super-block.
template <typename Type> void unpack(const weights & w, int row, int b, unpacked<Type> * to) {
    static_assert(!lanes::have_signs || has_sign<Type> || Type::highest <= INT8_MAX, "numbers are bytes with a sign");
    for (int h = 0; h < panel; h += lanes::rows) {
        const auto rows = blocks_at<Type>(w, row + h, b);
        lanes::floats scale[Type::parts], other[Type::parts][two_of<Type>];
        Type::scales(rows, scale, other);
        for (int i = 0; i < Type::parts; i++) {
            store(&to[i].scale[h], scale[i]);
            for (int k = 0; k < Type::offsets + Type::factors; k++) store(&to[i].other[k][h], other[i][k]);
        }
        Type::numbers(rows, fetching<Type, keep<Type>>({to, h}, w, row + panel + h, b));
    }
}

// The dot of a block is exact as a float, too, where its halves are multiplied by factors before they are added: no sum
// on the way needs more than 24 bits.
template <typename Type> constexpr bool exact_as_floats =
    int64_t(block) * Type::highest * INT8_MAX * Type::factor < 1 << 24;

// add_half makes the dot of a block of its halves: `sum` is that of half h, for one vector of rows, and `factor` where
// that half's is.
template <typename Type> INLINE void add_half(int h, lanes::integers sum, const void * factor, lanes::floats & dot) {
    static_assert(exact_as_floats<Type>, "sums of products with factors");
    const lanes::floats whole = lanes::convert(sum);
    if constexpr (Type::factors == 0) {
        dot = whole;
    } else {
        const auto f = load<lanes::floats>(factor);
        dot = h == 0 ? whole * f : fma(whole, f, dot);
    }
}

// factor_of is where the factor of half h of a block is, if there are some.
template <typename Type> INLINE const float * factor_of(const unpacked<Type> & w, int h, int row) {
    return &w.other[Type::factors ? h : 0][row];
}

// bytes_of are those of a column that meet group g of a block of weights, and four_of has four of them in every lane.
INLINE const int8_t * bytes_of(const rounded & x, int c, int g) { return x.byte + c * block + g * 4; }
INLINE lanes::integers four_of(const rounded & x, int c, int g) { return lanes::broadcast(bytes_of(x, c, g)); }

// dots are the exact sums of 32 products for the rows of a panel and N columns, times factors where there are some.
template <typename Type, int N>
INLINE void dots(const unpacked<Type> & w, const rounded & x, lanes::floats (*out)[span]) {
    constexpr int run = Type::factors ? groups / 2 : groups;
    for (int from = 0; from < groups; from += run) {
        lanes::integers sum[N][span];
        for (int c = 0; c < N; c++) {
            const int32_t * shift = x.shift + (Type::factors ? 1 + from / run : 0) * x.beside + c;
            for (int h = 0; h < span; h++) sum[c][h] = too_high<Type> ? lanes::broadcast(shift) : lanes::all(0);
        }
#if VECTOR_BITS == 128
#pragma GCC unroll 1 // unrolled, GCC 12 loads everything first, for which there are no registers
#endif
        for (int g = from; g < from + run; g++) {
            for (int c = 0; c < N; c++) {
                const lanes::integers v = four_of(x, c, g);
                for (int h = 0; h < span; h++)
                    sum[c][h] = lanes::add_bytes(false, sum[c][h], lanes::load(&w.number[0][g][h * lanes::rows]), v);
            }
        }
        for (int c = 0; c < N; c++)
            for (int h = 0; h < span; h++)
                add_half<Type>(from / run, sum[c][h], factor_of(w, from / run, h * lanes::rows), out[c][h]);
    }
}

// dots_in_matrices are dots by products of matrices, of two rows with two columns. An odd column is its own neighbour.
template <typename Type, int N>
INLINE void dots_in_matrices(const unpacked<Type> & w, const rounded & x, lanes::floats (*out)[span]) {
    constexpr int run = Type::factors ? groups / 2 : groups, pairs = (N + 1) / 2;
    for (int from = 0; from < groups; from += run) {
        lanes::integers sum[pairs][panel / 2];
        for (int c = 0; c < pairs; c++)
            for (int r = 0; r < panel / 2; r++) sum[c][r] = lanes::all(0);
#pragma GCC unroll 1 // as in dots
        for (int g = from; g < from + run; g += 2) {
            for (int c = 0; c < pairs; c++) {
                const int second = least_of(2 * c + 1, N - 1);
                const auto v = lanes::two_columns(bytes_of(x, 2 * c, g), bytes_of(x, second, g));
                for (int r = 0; r < panel / 2; r++)
                    sum[c][r] = lanes::add_matrix(sum[c][r], lanes::load(&w.number[0][g][0] + 4 * r), v);
            }
        }
        for (int c = 0; c < N; c++) {
            for (int h = 0; h < span; h++) {
                const auto dot = lanes::column(sum[c / 2][2 * h], sum[c / 2][2 * h + 1], c % 2);
                add_half<Type>(from / run, dot, factor_of(w, from / run, h * lanes::rows), out[c][h]);
            }
        }
    }
}

// dots_in_pairs are dots where the sums of a pair of products have 16 bits: maddubs adds two products there and would
// saturate beyond 32,767. No activation is below -127 or above 127. So the sum of two is at most 2 x 15 x 127 = 3,810
// where numbers have four bits, and eight such sums fit before they have to be widened to 32 bits; of five bits, four.
// A number with a sign gives it to the activation: magnitudes up to 32 (Q6_K) leave room for four sums, 128 (Q8_0) for
// one of 32,512.
template <typename Type, int N>
INLINE void dots_in_pairs(const unpacked<Type> & w, const rounded & x, lanes::floats (*out)[span]) {
    constexpr int fit = INT16_MAX / (2 * Type::highest * INT8_MAX), half = Type::factors ? groups / 2 : groups;
    constexpr int run = least_of(half, fit >= 8 ? 8 : fit >= 4 ? 4 : fit >= 2 ? 2 : 1);
    static_assert(fit >= 1, "products of two numbers of a format fit into 16 bits");
    lanes::integers sum[N][span];
    for (int from = 0; from < groups; from += run) {
        lanes::integers pairs[N][span];
        for (int g = from; g < from + run; g++) {
            for (int c = 0; c < N; c++) {
                const lanes::integers v = four_of(x, c, g);
                for (int h = 0; h < span; h++) {
                    const lanes::integers u = lanes::load(&w.number[0][g][h * lanes::rows]);
                    const lanes::integers magnitude = lanes::load(&w.number[w.in_magnitudes][g][h * lanes::rows]);
                    const lanes::integers with_sign = w.in_magnitudes ? lanes::with_sign(v, u) : v;
                    pairs[c][h] = lanes::add_bytes(g == from, pairs[c][h], magnitude, with_sign);
                }
            }
        }
        for (int c = 0; c < N; c++) {
            for (int h = 0; h < span; h++) {
                sum[c][h] = lanes::add_pairs(from % half == 0, sum[c][h], pairs[c][h]);
                if ((from + run) % half == 0)
                    add_half<Type>(from / half, sum[c][h], factor_of(w, from / half, h * lanes::rows), out[c][h]);
            }
        }
    }
}

// column_sum is what offset i of a block is multiplied by: the sum of the block of a column, or of half of it.
template <typename Type> INLINE float column_sum(const rounded & x, int c, int i) {
    return Type::offsets == 2 ? x.half[i * x.beside + c] : x.sum[c];
}

// accumulate adds blocks [from, to) of a panel to the outputs of N columns. Block 0 starts a sum, later chunks go on
// from what is in out. The roundings are those of gemv, in its order. The next panel's outputs lie a line for each
// column, far apart: the processor does not foresee them, so that their lines are asked for.
template <typename Type> struct accumulate {
    template <int N>
    static void call(const unpacked<Type> * w, const columns & x, int from, int to, float * out, int rows) {
        lanes::floats sum[N][span];
        for (int c = 0; c < N; c++) {
            for (int h = 0; h < span; h++) {
                const float * o = out + size_t(c) * rows + h * lanes::rows;
                sum[c][h] = from == 0 ? lanes::floats{} : load<lanes::floats>(o);
            }
            if (from == 0) __builtin_prefetch(out + size_t(c) * rows + panel, 1, 2);
        }
        rounded r = x.first.moved(from, 0);
        for (int b = from; b < to; b++, r = r.moved(1, 0)) {
            const unpacked<Type> & u = w[b - from];
            lanes::floats dot[N][span];
            if constexpr (lanes::in_pairs) {
                dots_in_pairs<Type, N>(u, r, dot);
            } else if constexpr (lanes::in_matrices) {
                dots_in_matrices<Type, N>(u, r, dot);
            } else {
                dots<Type, N>(u, r, dot);
            }
            for (int c = 0; c < N; c++) {
                const auto column_scale = broadcast<lanes::floats>(r.scale[c]);
                for (int h = 0; h < span; h++) {
                    const int row = h * lanes::rows;
                    const lanes::floats scale = load<lanes::floats>(&u.scale[row]) * column_scale;
                    sum[c][h] = fma(dot[c][h], scale, sum[c][h]);
                    for (int i = 0; i < Type::offsets; i++) {
                        const auto total = broadcast<lanes::floats>(column_sum<Type>(r, c, i));
                        sum[c][h] = fma(load<lanes::floats>(&u.other[i][row]), total, sum[c][h]);
                    }
                }
            }
        }
        for (int c = 0; c < N; c++) {
            for (int h = 0; h < span; h++) store(out + size_t(c) * rows + h * lanes::rows, sum[c][h]);
        }
    }
};

// meet multiplies numbers of a vector of rows with those of a column as soon as they are unpacked, and adds the
// products of a part to its sum, or to those of its halves.
template <typename Type> struct meet {
    static constexpr int halves = Type::factors ? 2 : 1;
    static constexpr int fit = INT16_MAX / (2 * Type::highest * INT8_MAX); // see dots_in_pairs
    static constexpr bool widen_last = lanes::in_pairs && fit >= groups / halves;
    struct sums {
        lanes::integers of[Type::parts][halves];
    };
    const int8_t * x; // the bytes that meet part 0
    int away; // from them to those that meet part 1
    sums * sum;

    INLINE void operator()(int i, int g, lanes::words a, lanes::words b) const {
        lanes::integers & s = sum->of[i][g / (groups / halves)];
        const auto u = bytes_to_multiply<Type>(a), v = bytes_to_multiply<Type>(b);
        const int8_t * four = x + i * away + g * 4;
        const auto p = lanes::broadcast(four), q = lanes::broadcast(four + 4);
        if constexpr (!lanes::in_pairs) {
            s = lanes::add_bytes(false, lanes::add_bytes(false, s, u, p), v, q);
        } else if constexpr (widen_last) {
            s = add(add(s, u, p, g % (groups / halves) == 0), v, q, false);
        } else if constexpr (fit >= 2) {
            s = lanes::add_pairs(false, s, add(add(s, u, p, true), v, q, false));
        } else {
            s = lanes::add_pairs(false, lanes::add_pairs(false, s, add(s, u, p, true)), add(s, v, q, true));
        }
    }

    // add adds pairs of products, or begins with them.
    static INLINE lanes::integers add(lanes::integers sum, lanes::integers w, lanes::integers x, bool first) {
        if constexpr (has_sign<Type>) {
            return lanes::add_bytes(first, sum, lanes::magnitudes(w), lanes::with_sign(x, w));
        } else {
            return lanes::add_bytes(first, sum, w, x);
        }
    }

    // whole is the sum of half h of a part.
    INLINE lanes::integers whole(int i, int h) const {
        if constexpr (widen_last) {
            return lanes::add_pairs(true, sum->of[i][h], sum->of[i][h]);
        } else {
            return sum->of[i][h];
        }
    }
};

// gemv does what unpack and accumulate do, with the same roundings in the same order, for one column: numbers meet it
// when they are unpacked, and none are kept.
template <typename Type> void gemv(const weights & w, int row, const columns & x, float * out) {
    constexpr int halves = meet<Type>::halves;
    for (int h = row; h < row + panel; h += lanes::rows) {
        lanes::floats total{};
        rounded at = x.first;
        for (int from = 0; from < x.blocks; from += Type::parts, at = at.moved(Type::parts, 0)) {
            const auto rows = blocks_at<Type>(w, h, from);
            lanes::floats scale[Type::parts], other[Type::parts][two_of<Type>];
            Type::scales(rows, scale, other);
            typename meet<Type>::sums sums;
#pragma GCC unroll 8
            for (int i = 0; i < Type::parts; i++) {
                const int32_t * shift = at.moved(i, 0).shift;
                for (int k = 0; k < halves; k++)
                    sums.of[i][k] =
                        too_high<Type> ? lanes::broadcast(shift + ((halves == 2) + k) * at.beside) : lanes::all(0);
            }
            const meet<Type> met{at.byte, at.beside * block, &sums};
            Type::numbers(rows, fetching<Type, meet<Type>>(met, w, h + lanes::rows, from));
#pragma GCC unroll 8
            for (int i = 0; i < Type::parts; i++) {
                const rounded part = at.moved(i, 0);
                lanes::floats dot;
                for (int k = 0; k < halves; k++)
                    add_half<Type>(k, met.whole(i, k), &other[i][Type::factors ? k : 0], dot);
                total = fma(dot, scale[i] * broadcast<lanes::floats>(*part.scale), total);
                for (int k = 0; k < Type::offsets; k++)
                    total = fma(other[i][k], broadcast<lanes::floats>(column_sum<Type>(part, 0, k)), total);
            }
        }
        store(out + h, total);
    }
}

template <typename Type> void multiply(const weights & w, int row, const columns & all, int n, float * out) {
    if (n == 1) return gemv<Type>(w, row, all, out);
    static_assert(chunk % Type::parts == 0, "whole super-blocks");
    unpacked<Type> u[chunk];
    for (int from = 0; from < all.blocks; from += chunk) {
        const int to = least_of(all.blocks, from + chunk);
        for (int b = from; b < to; b += Type::parts) unpack<Type>(w, row, b, u + (b - from));
        for (int c = 0; c < n;) {
            const columns x = all.from(c);
            c += some<accumulate<Type>, columns_at_once, const unpacked<Type> *, const columns &>(
                least_of(n - c, x.together()), u, x, from, to, out + size_t(c) * w.rows + row, w.rows);
        }
    }
}

// first_of keeps the numbers of the first row.
template <typename Type> struct first_of {
    typename Type::number (*to)[block]; // of each part

    INLINE void operator()(int i, int g, lanes::words a, lanes::words b) const {
        const int32_t two[2] = {a[0], b[0]};
        memcpy(to[i] + g * 4, two, sizeof two);
    }
};

// read_block writes the weights of a block as floats.
template <typename Type> void read_block(const char * p, float * to) {
    const formats::blocks rows{{p, 0}}; // all of them the same
    typename Type::number numbers[Type::parts][block];
    lanes::floats scale[Type::parts], other[Type::parts][two_of<Type>] = {};
    Type::numbers(rows, first_of<Type>{numbers});
    Type::scales(rows, scale, other);
    for (int i = 0; i < Type::parts; i++) {
        for (int k = 0; k < block; k++) {
            const float own = other[i][Type::offsets + Type::factors == 2 ? k / 16 : 0][0];
            const float number = Type::factors ? float(numbers[i][k]) * own : float(numbers[i][k]);
            to[i * block + k] = __builtin_fmaf(number, scale[i][0], Type::factors ? 0 : own);
        }
    }
}

// accumulate_floats adds the products of numbers [from, to) of the width to the outputs of N columns. The first slice
// starts a sum, later ones go on from what is in out.
struct accumulate_floats {
    template <int N>
    static void call(const float * w, const char * x, size_t stride, int from, int to, float * out, int rows) {
        lanes::floats sum[N][span];
        const float * column[N];
        for (int c = 0; c < N; c++) {
            column[c] = reinterpret_cast<const float *>(x + c * stride);
            for (int h = 0; h < span; h++) {
                const float * o = out + size_t(c) * rows + h * lanes::rows;
                sum[c][h] = from == 0 ? lanes::floats{} : load<lanes::floats>(o);
            }
        }
        for (int k = from; k < to; k++) {
            lanes::floats numbers[span];
            for (int h = 0; h < span; h++)
                numbers[h] = load<lanes::floats>(w + size_t(k - from) * panel + h * lanes::rows);
            for (int c = 0; c < N; c++) {
                const lanes::floats v = broadcast<lanes::floats>(column[c][k]);
                for (int h = 0; h < span; h++) sum[c][h] = fma(numbers[h], v, sum[c][h]);
            }
        }
        for (int c = 0; c < N; c++) {
            for (int h = 0; h < span; h++) store(out + size_t(c) * rows + h * lanes::rows, sum[c][h]);
        }
    }
};

// some_floats reads sixteen bytes of each row of a vector, from number k on, and asks for as many of the next panel.
template <typename Type> constexpr int floats_at_once = 16 / sizeof(typename Type::block);
template <typename Type> INLINE void some_floats(const weights & w, int row, int k, lanes::floats * to) {
    constexpr int line = 64, bytes = 16 * lanes::rows;
    const int next = row + panel;
    if (next < w.rows) {
        const char * p = w.data + size_t(next) * w.row_bytes + size_t(k / floats_at_once<Type>) * bytes;
        for (int i = 0; i < bytes; i += line) __builtin_prefetch(p + i, 0, 2);
    }
    formats::words four[4];
    lanes::read({w.data + size_t(row) * w.row_bytes, w.row_bytes}, size_t(k) * sizeof(typename Type::block), four);
    Type::numbers(four, to);
}

// unpack_floats writes numbers [from, to) of a panel, one after the other: [number][row].
template <typename Type> void unpack_floats(const weights & w, int row, int from, int to, float * u) {
    for (int h = 0; h < panel; h += lanes::rows) {
        for (int k = from; k < to; k += floats_at_once<Type>) {
            lanes::floats numbers[floats_at_once<Type>];
            some_floats<Type>(w, row + h, k, numbers);
            for (int i = 0; i < floats_at_once<Type>; i++) store(u + size_t(k - from + i) * panel + h, numbers[i]);
        }
    }
}

// gemv_floats does what unpack_floats and accumulate_floats do, for one column: no numbers are kept.
template <typename Type> void gemv_floats(const weights & w, int row, const columns & x, float * out) {
    const float * column = reinterpret_cast<const float *>(x.plain);
    lanes::floats sum[span] = {};
    for (int k = 0; k < w.width; k += floats_at_once<Type>) {
        for (int h = 0; h < span; h++) {
            lanes::floats numbers[floats_at_once<Type>];
            some_floats<Type>(w, row + h * lanes::rows, k, numbers);
            for (int i = 0; i < floats_at_once<Type>; i++)
                sum[h] = fma(numbers[i], broadcast<lanes::floats>(column[k + i]), sum[h]);
        }
    }
    for (int h = 0; h < span; h++) store(out + row + h * lanes::rows, sum[h]);
}

template <typename Type> void multiply_floats(const weights & w, int row, const columns & all, int n, float * out) {
    if (n == 1) return gemv_floats<Type>(w, row, all, out);
    alignas(64) float u[slice * panel];
    for (int from = 0; from < w.width; from += slice) {
        const int to = least_of(w.width, from + slice);
        unpack_floats<Type>(w, row, from, to, u);
        for (int c = 0; c < n;) {
            c += some<accumulate_floats, columns_at_once>(n - c, static_cast<const float *>(u),
                                                          all.plain + size_t(c) * all.stride, all.stride, from, to,
                                                          out + size_t(c) * w.rows + row, w.rows);
        }
    }
}

// read_float writes eight numbers as floats.
template <typename Type> void read_floats(const char * p, float * to) { store(to, Type::read(p)); }

// row_of is a format's row of the table: the struct's own, and what follows from the struct.
template <typename Type> constexpr format row_of() {
    constexpr formats::row about = Type::about;
    constexpr int bytes = sizeof(typename Type::block);
    if constexpr (bytes <= int(sizeof(float))) {
        return {about.name,
                about.type,
                bytes,
                1,
                meets::floats,
                {about.halves[0], about.halves[1]},
                about.vector,
                multiply_floats<Type>,
                read_floats<Type>};
    } else {
        return {about.name,          about.type,     bytes,
                Type::parts * block, meets::bytes,   {about.halves[0], about.halves[1]},
                about.vector,        multiply<Type>, read_block<Type>};
    }
}

template <typename... Types> struct table_of {
    static constexpr int size = sizeof...(Types);
    static constexpr format rows[] = {row_of<Types>()...};
};
template <typename... Types> constexpr table_of<Types...> table_of_list(formats::list<Types...>) { return {}; }
typedef decltype(table_of_list(formats::all())) formats_table;

} // namespace TARGET
} // namespace kernels
