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
constexpr int columns_at_once = lanes::rows / 2; // as many as there are registers for
constexpr int chunk = 24; // blocks unpacked together: what fits into the first cache
constexpr int slice = 256; // floats of the width unpacked together
constexpr int gemv_columns = 1; // up to so many columns, weights are not worth unpacking

// round_block rounds a block of activations to eight bits, like quantize_row_q8_0 of ggml, but the scale stays F32. It
// looks at these 32 numbers alone: a scale for more of them would tie a row of the batch to others.
inline void round_block(const float * x, int8_t * byte, float & scale, float & sum, float * half) {
    f32x8 v[4], highest_of{};
    for (int i = 0; i < 4; i++) {
        v[i] = load(x + i * 8);
        highest_of = max(highest_of, (f32x8)((i32x8)v[i] & INT32_MAX));
    }
    const float highest = largest(highest_of);
    scale = highest / 127;
    const f32x8 inverse = highest == 0 ? f32x8{} : broadcast(127 / highest);
    int total[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        const i32x8 n = whole(v[i] * inverse);
        for (int j = 0; j < 8; j++) byte[i * 8 + j] = int8_t(n[j]), total[i / 2] += byte[i * 8 + j];
    }
    sum = scale * float(total[0] + total[1]);
    for (int h = 0; h < 2; h++) half[h] = scale * float(total[h]);
}

inline void round(const float * x, int n, int8_t * byte, float * scale, float * sum, float * half) {
    for (int i = 0; i < n; i++) round_block(x + i * block, byte + i * block, scale[i], sum[i], half + 2 * i);
}

template <typename Type> constexpr bool in_words = sizeof(typename Type::number) == 2;

// unpacked is a block of a panel: number [g][row] has four bytes (or two words) of a row.
template <typename Type> struct alignas(64) unpacked {
    static constexpr int groups = block * sizeof(typename Type::number) / 4;
    int32_t number[groups][panel];
    float scale[panel], offset[most_of(1, Type::offsets)][panel];
};

template <typename Type> void unpack(const weights & w, int row, int b, unpacked<Type> & to) {
    typedef typename Type::number number;
    alignas(32) number numbers[8][block];
    for (int h = 0; h < panel; h += 8) {
        const char * p =
            w.data + size_t(row + h) * w.row_bytes + size_t(b / Type::parts) * sizeof(typename Type::block);
        for (int r = 0; r < 8; r++) Type::numbers(p + r * w.row_bytes, b % Type::parts, numbers[r]);
        for (int g = 0; g < to.groups; g += 8) {
            f32x8 vectors[8];
            transpose(reinterpret_cast<const char *>(numbers) + g * 4, sizeof numbers[0], vectors);
            for (int i = 0; i < 8; i++) store(&to.number[g + i][h], vectors[i]);
        }
        f32x8 scale, offset[most_of(1, Type::offsets)];
        Type::scales(p, b % Type::parts, w.row_bytes, scale, offset);
        store(&to.scale[h], scale);
        for (int i = 0; i < Type::offsets; i++) store(&to.offset[i][h], offset[i]);
    }
}

// group is where the numbers of a column begin that meet group g of a block of weights.
template <typename Type> INLINE const void * group(const columns & x, int c, int b, int g) {
    const size_t at = size_t(c) * x.width + b * block;
    if constexpr (in_words<Type>) return x.word + at + g * 2;
    return x.byte + at + g * 4;
}

// dots_in_pairs are dots of bytes where the sums of a pair of products have 16 bits.
template <typename Type, int N>
INLINE void dots_in_pairs(const unpacked<Type> & w, const columns & x, int b, lanes::integers (*out)[span]) {
    // maddubs adds two products in 16 bits and would saturate. Their sum is at most 2 x 15 x 127 = 3,810 where numbers
    // have four bits, so eight of them fit below 32,767, and only then are they widened to 32 bits; of five bits, four.
    constexpr int fit = INT16_MAX / (2 * Type::highest * INT8_MAX), run = fit >= 8   ? 8
                                                                          : fit >= 4 ? 4
                                                                          : fit >= 2 ? 2
                                                                                     : 1;
    static_assert(fit >= 1, "products of two numbers of a format fit into 16 bits");
    for (int from = 0; from < 8; from += run) {
        lanes::integers sum[N][span];
        for (int g = from; g < from + run; g++) {
            for (int c = 0; c < N; c++) {
                const lanes::integers v = lanes::broadcast(group<Type>(x, c, b, g));
                for (int h = 0; h < span; h++) {
                    const lanes::integers u = lanes::load(&w.number[g][h * lanes::rows]);
                    sum[c][h] = lanes::add_bytes(g == from, sum[c][h], u, v);
                }
            }
        }
        for (int c = 0; c < N; c++) {
            for (int h = 0; h < span; h++) out[c][h] = lanes::add_pairs(from == 0, out[c][h], sum[c][h]);
        }
    }
}

// dots are the exact sums of 32 products for the rows of a panel and N columns.
template <typename Type, int N>
inline void dots(const unpacked<Type> & w, const columns & x, int b, lanes::integers (*out)[span]) {
    for (int g = 0; g < w.groups; g++) {
        for (int c = 0; c < N; c++) {
            const lanes::integers v = lanes::broadcast(group<Type>(x, c, b, g));
            for (int h = 0; h < span; h++) {
                const lanes::integers u = lanes::load(&w.number[g][h * lanes::rows]);
                out[c][h] = in_words<Type> ? lanes::add_words(g == 0, out[c][h], u, v)
                                           : lanes::add_bytes(g == 0, out[c][h], u, v);
            }
        }
    }
}

// column_sum is what offset i of a block is multiplied by: the sum of block b of a column, or of half of it.
template <typename Type> INLINE float column_sum(const columns & x, size_t b, int i) {
    return Type::offsets == 2 ? x.half[2 * b + i] : x.sum[b];
}

// accumulate adds blocks [from, to) of a panel to the outputs of N columns. Block 0 starts a sum, later chunks go on
// from what is in out. The roundings are those of gemv, in its order.
template <typename Type> struct accumulate {
    template <int N>
    static void call(const unpacked<Type> * w, const columns & x, int from, int to, float * out, int rows) {
        lanes::floats sum[N][span];
        for (int c = 0; c < N; c++) {
            for (int h = 0; h < span; h++) {
                const float * o = out + size_t(c) * rows + h * lanes::rows;
                sum[c][h] = from == 0 ? lanes::floats{} : load<lanes::floats>(o);
            }
        }
        for (int b = from; b < to; b++) {
            const unpacked<Type> & u = w[b - from];
            lanes::integers product[N][span];
            if constexpr (!in_words<Type> && lanes::byte_sum_bits == 16) {
                dots_in_pairs<Type, N>(u, x, b, product);
            } else {
                dots<Type, N>(u, x, b, product);
            }
            for (int c = 0; c < N; c++) {
                const size_t at = size_t(c) * x.blocks + b;
                const auto column_scale = broadcast<lanes::floats>(x.scale[at]);
                for (int h = 0; h < span; h++) {
                    const int row = h * lanes::rows;
                    const lanes::floats scale = load<lanes::floats>(&u.scale[row]) * column_scale;
                    sum[c][h] = fma(lanes::convert(product[c][h]), scale, sum[c][h]);
                    for (int i = 0; i < Type::offsets; i++) {
                        const auto total = broadcast<lanes::floats>(column_sum<Type>(x, at, i));
                        sum[c][h] = fma(load<lanes::floats>(&u.offset[i][row]), total, sum[c][h]);
                    }
                }
            }
        }
        for (int c = 0; c < N; c++) {
            for (int h = 0; h < span; h++) store(out + size_t(c) * rows + h * lanes::rows, sum[c][h]);
        }
    }
};

// gemv does what unpack and accumulate do, with the same roundings in the same order, for few columns: it reads weights
// row by row, as they lie in memory, and keeps none. First come the dots of eight rows with a column, then the sums
// over their blocks, eight rows to a vector. Where the blocks do not fill the last eight, the last block stands in and
// its dots are not used.
template <typename Type>
void gemv(const weights & w, int row, const columns & x, int n, float * out, int32_t * scratch) {
    // Blocks at a time: as many vectors as `sums` takes, and the parts of a super-block. With these loops unrolled the
    // compiler knows each part's place, and reads what the parts share once.
    constexpr int some = 8;
    constexpr bool supers = Type::parts == some;
    static_assert(supers || Type::parts == 1, "blocks or super-blocks");
    constexpr size_t bytes = sizeof(typename Type::block);
    const size_t stride = size_t(x.blocks + some - 1) / some * some;
    int32_t * dots = scratch; // [row][block], stride apart
    for (int c = 0; c < n; c++) {
        for (int h = 0; h < 2; h++) {
            const char * first = w.data + size_t(row + h * 8) * w.row_bytes;
            for (int r = 0; r < 8; r++) {
                const char * p = first + r * w.row_bytes;
                for (int from = 0; from < x.blocks; from += some) {
                    i32x8 v[some];
#pragma GCC unroll 8
                    for (int i = 0; i < some; i++) {
                        const int b = supers ? from + i : least_of(from + i, x.blocks - 1);
                        const size_t at = size_t(c) * x.width + b * block;
                        alignas(32) typename Type::number numbers[block];
                        Type::numbers(p + size_t(b / Type::parts) * bytes, supers ? i : 0, numbers);
                        if constexpr (in_words<Type>) {
                            v[i] = products(numbers, x.word + at);
                        } else {
                            v[i] = products(numbers, x.byte + at);
                        }
                    }
                    store(dots + r * stride + from, sums(v));
                }
            }
            f32x8 sum{};
            for (int from = 0; from < x.blocks; from += some) {
                f32x8 product[some];
                transpose(dots + from, stride * sizeof *dots, product);
                const char * p = first + size_t(from / Type::parts) * bytes;
                const int n_blocks = supers ? some : least_of(some, x.blocks - from);
#pragma GCC unroll 8
                for (int i = 0; i < n_blocks; i++) {
                    f32x8 scale, offset[most_of(1, Type::offsets)];
                    Type::scales(supers ? p : p + size_t(i) * bytes, supers ? i : 0, w.row_bytes, scale, offset);
                    const size_t at = size_t(c) * x.blocks + from + i;
                    sum = fma(floats((i32x8)product[i]), scale * broadcast(x.scale[at]), sum);
                    for (int o = 0; o < Type::offsets; o++)
                        sum = fma(offset[o], broadcast(column_sum<Type>(x, at, o)), sum);
                }
            }
            store(out + size_t(c) * w.rows + row + h * 8, sum);
        }
    }
}

// fetch asks for the b-th of n parts of a panel that will be needed soon: sixteen rows at a time are more than the
// processor foresees.
inline void fetch(const weights & w, int row, int b, int n) {
    const size_t bytes = panel * w.row_bytes, line = 64;
    const char * p = w.data + size_t(row) * w.row_bytes;
    if (row >= w.rows) return;
    for (size_t at = bytes * b / n / line * line; at < bytes * (b + 1) / n; at += line)
        __builtin_prefetch(p + at, 0, 3);
}

template <typename Type>
void multiply(const weights & w, int row, const columns & all, int n, float * out, int32_t * scratch) {
    if (n <= gemv_columns) return gemv<Type>(w, row, all, n, out, scratch);
    unpacked<Type> u[chunk];
    for (int from = 0; from < all.blocks; from += chunk) {
        const int to = least_of(all.blocks, from + chunk);
        for (int b = from; b < to; b++) {
            fetch(w, row + panel, b, all.blocks);
            unpack<Type>(w, row, b, u[b - from]);
        }
        for (int c = 0; c < n;) {
            c += some<accumulate<Type>, columns_at_once, const unpacked<Type> *, const columns &>(
                n - c, u, all.from(c), from, to, out + size_t(c) * w.rows + row, w.rows);
        }
    }
}

// read_blocks writes the weights of a block as floats.
template <typename Type> void read_block(const char * p, float * to) {
    for (int i = 0; i < Type::parts; i++) {
        typename Type::number numbers[block] __attribute__((aligned(32)));
        f32x8 scale, offset[most_of(1, Type::offsets)] = {};
        Type::numbers(p, i, numbers);
        Type::scales(p, i, 0, scale, offset);
        for (int k = 0; k < block; k++) {
            const float own = offset[Type::offsets == 2 ? k / 16 : 0][0];
            to[i * block + k] = __builtin_fmaf(float(numbers[k]), scale[0], own);
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

// unpack_floats writes numbers [from, to) of a panel, one after the other: [number][row].
template <typename Type> void unpack_floats(const weights & w, int row, int from, int to, float * u) {
    for (int k = from; k < to; k += vector) {
        for (int h = 0; h < panel; h += 8) {
            f32x8 rows[8], columns[8];
            for (int r = 0; r < 8; r++) {
                const char * p = w.data + size_t(row + h + r) * w.row_bytes;
                rows[r] = Type::read(p + size_t(k) * sizeof(typename Type::block));
            }
            transpose(rows, sizeof rows[0], columns);
            for (int i = 0; i < vector; i++) store(u + size_t(k - from + i) * panel + h, columns[i]);
        }
    }
}

template <typename Type>
void multiply_floats(const weights & w, int row, const columns & all, int n, float * out, int32_t *) {
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
        return {about.name,
                about.type,
                bytes,
                Type::parts * block,
                in_words<Type> ? meets::words : meets::bytes,
                {about.halves[0], about.halves[1]},
                about.vector,
                multiply<Type>,
                read_block<Type>};
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
