//go:build cgo && !llama_none

// Products of quantised weights. gemv reads weights straight from memory, for one column; for more, a chunk of blocks
// is unpacked once and meets all columns. Both round alike, in the order that matmul.cpp writes down.

#include "matmul_panels.hpp"

#ifdef PRODUCTS_ARE_BUILT

#include <algorithm>
#include <cstring>
#include <vector>

#include "formats_super.hpp"

namespace panels {
namespace {

constexpr int chunk = 24; // blocks unpacked together: what fits into the first cache
constexpr int gemv_columns = 1; // up to so many columns, weights are not worth unpacking

template <typename Type> constexpr bool in_words = sizeof(typename Type::number) == 2;

// unpacked is a block of a panel: number [g][row] has four bytes (or two words) of a row.
template <typename Type> struct alignas(64) unpacked {
    static constexpr int groups = block * sizeof(typename Type::number) / 4;
    int32_t number[groups][panel];
    float scale[panel], offset[std::max(1, Type::offsets)][panel];
};

template <typename Type> void unpack(const matmul::weights & w, int row, int b, unpacked<Type> & to) {
    typedef typename Type::number number;
    alignas(32) number numbers[8][block];
    for (int h = 0; h < panel; h += 8) {
        const char * p = w.data + size_t(row + h) * w.row_bytes + size_t(b / Type::parts) * Type::bytes;
        for (int r = 0; r < 8; r++) Type::numbers(p + r * w.row_bytes, b % Type::parts, numbers[r]);
        for (int g = 0; g < to.groups; g += 8) {
            __m256i vectors[8];
            transpose(reinterpret_cast<const char *>(numbers) + g * 4, sizeof numbers[0], vectors);
            for (int i = 0; i < 8; i++)
                _mm256_store_si256(reinterpret_cast<__m256i *>(&to.number[g + i][h]), vectors[i]);
        }
        __m256 scale, offset[std::max(1, Type::offsets)];
        Type::scales(p, b % Type::parts, w.row_bytes, scale, offset);
        _mm256_store_ps(&to.scale[h], scale);
        for (int i = 0; i < Type::offsets; i++) _mm256_store_ps(&to.offset[i][h], offset[i]);
    }
}

// group is where the numbers of a column begin that meet group g of a block of weights.
template <typename Type> const void * group(const columns & x, int c, int b, int g) {
    const size_t at = size_t(c) * x.width + b * block;
    if constexpr (in_words<Type>) return x.word + at + g * 2;
    return x.byte + at + g * 4;
}

// dots_in_pairs are dots of bytes where the sums of a pair of products have 16 bits.
template <typename Type, int N>
inline void dots_in_pairs(const unpacked<Type> & w, const columns & x, int b, __m256i (*out)[span]) {
    const __m256i ones = _mm256_set1_epi16(1);
    // maddubs adds two products in 16 bits and would saturate. Their sum is at most 2 x 15 x 127 = 3,810 where numbers
    // have four bits, so eight of them fit below 32,767, and only then are they widened to 32 bits; of five bits, four.
    constexpr int fit = INT16_MAX / (2 * Type::highest * INT8_MAX), run = fit >= 8   ? 8
                                                                          : fit >= 4 ? 4
                                                                          : fit >= 2 ? 2
                                                                                     : 1;
    static_assert(fit >= 1, "products of two numbers of a format fit into 16 bits");
    for (int from = 0; from < 8; from += run) {
        __m256i sum[N][span];
        for (int g = from; g < from + run; g++) {
            for (int c = 0; c < N; c++) {
                const __m256i v = lanes::broadcast(group<Type>(x, c, b, g));
                for (int h = 0; h < span; h++) {
                    const __m256i u = lanes::load(&w.number[g][h * lanes::rows]);
                    sum[c][h] = lanes::add_bytes(g == from, sum[c][h], u, v);
                }
            }
        }
        for (int c = 0; c < N; c++) {
            for (int h = 0; h < span; h++) {
                const __m256i p = _mm256_madd_epi16(sum[c][h], ones);
                out[c][h] = from == 0 ? p : _mm256_add_epi32(out[c][h], p);
            }
        }
    }
}

// dots are the exact sums of 32 products for the rows of a panel and N columns.
template <typename Type, int N>
inline void dots(const unpacked<Type> & w, const columns & x, int b, lanes::integers (*out)[span]) {
    if constexpr (!in_words<Type> && lanes::byte_sum_bits == 16) {
        dots_in_pairs<Type, N>(w, x, b, out);
    } else {
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
}

// column_sum is what offset i of a block is multiplied by: the sum of block b of a column, or of half of it.
template <typename Type> float column_sum(const columns & x, size_t b, int i) {
    return Type::offsets == 2 ? x.half[2 * b + i] : x.sum[b];
}

// accumulate adds blocks [from, to) of a panel to the outputs of N columns. Block 0 starts a sum, later chunks go on
// from what is in out. The roundings are those of gemv, in its order.
template <typename Type, int N>
void accumulate(const unpacked<Type> * w, const columns & x, int from, int to, float * out, int rows) {
    lanes::floats sum[N][span];
    auto output = [&](int c, int h) { return out + size_t(c) * rows + h * lanes::rows; };
    for (int c = 0; c < N; c++) {
        for (int h = 0; h < span; h++)
            sum[c][h] = from == 0 ? lanes::floats{} : simd::load<lanes::floats>(output(c, h));
    }
    for (int b = from; b < to; b++) {
        const unpacked<Type> & u = w[b - from];
        lanes::integers product[N][span];
        dots<Type, N>(u, x, b, product);
        for (int c = 0; c < N; c++) {
            const size_t at = size_t(c) * x.blocks + b;
            const auto column_scale = simd::broadcast<lanes::floats>(x.scale[at]);
            for (int h = 0; h < span; h++) {
                const int row = h * lanes::rows;
                const lanes::floats scale = simd::load<lanes::floats>(&u.scale[row]) * column_scale;
                sum[c][h] = simd::fma(lanes::convert(product[c][h]), scale, sum[c][h]);
                for (int i = 0; i < Type::offsets; i++) {
                    const auto total = simd::broadcast<lanes::floats>(column_sum<Type>(x, at, i));
                    sum[c][h] = simd::fma(simd::load<lanes::floats>(&u.offset[i][row]), total, sum[c][h]);
                }
            }
        }
    }
    for (int c = 0; c < N; c++) {
        for (int h = 0; h < span; h++) simd::store(output(c, h), sum[c][h]);
    }
}

// sums adds up the lanes of each of eight vectors: lane i of the result is the sum of v[i]. Whole numbers, so exact.
__m256i sums(const __m256i * v) {
    const __m256i a = _mm256_hadd_epi32(_mm256_hadd_epi32(v[0], v[1]), _mm256_hadd_epi32(v[2], v[3]));
    const __m256i b = _mm256_hadd_epi32(_mm256_hadd_epi32(v[4], v[5]), _mm256_hadd_epi32(v[6], v[7]));
    return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

// products are the 32 products of a row's block with column c, summed to eight.
__m256i products(const uint8_t * w, const columns & x, int c, int b) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(x.byte + size_t(c) * x.width + b * block));
    return _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_load_si256(reinterpret_cast<const __m256i *>(w)), v),
                             _mm256_set1_epi16(1));
}
__m256i products(const int16_t * w, const columns & x, int c, int b) {
    const auto * v = reinterpret_cast<const __m256i *>(x.word + size_t(c) * x.width + b * block);
    const auto * u = reinterpret_cast<const __m256i *>(w);
    return _mm256_add_epi32(_mm256_madd_epi16(_mm256_load_si256(u), _mm256_loadu_si256(v)),
                            _mm256_madd_epi16(_mm256_load_si256(u + 1), _mm256_loadu_si256(v + 1)));
}

// gemv does what unpack and accumulate do, with the same roundings in the same order, for few columns: it reads weights
// row by row, as they lie in memory, and keeps none. First come the dots of eight rows with a column, then the sums
// over their blocks, eight rows to a vector. Where the blocks do not fill the last eight, the last block stands in and
// its dots are not used.
template <typename Type> void gemv(const matmul::weights & w, int row, const columns & x, int n, float * out) {
    // Blocks at a time: as many vectors as `sums` takes, and the parts of a super-block. With these loops unrolled the
    // compiler knows each part's place, and reads what the parts share once.
    constexpr int some = 8;
    constexpr bool supers = Type::parts == some;
    static_assert(supers || Type::parts == 1, "blocks or super-blocks");
    const size_t stride = size_t(x.blocks + some - 1) / some * some;
    thread_local std::vector<int32_t> scratch;
    scratch.resize(8 * stride);
    int32_t * dots = scratch.data(); // [row][block], stride apart
    for (int c = 0; c < n; c++) {
        for (int h = 0; h < 2; h++) {
            const char * first = w.data + size_t(row + h * 8) * w.row_bytes;
            for (int r = 0; r < 8; r++) {
                const char * p = first + r * w.row_bytes;
                for (int from = 0; from < x.blocks; from += some) {
                    __m256i v[some];
#pragma GCC unroll 8
                    for (int i = 0; i < some; i++) {
                        const int b = supers ? from + i : std::min(from + i, x.blocks - 1);
                        alignas(32) typename Type::number numbers[block];
                        Type::numbers(p + size_t(b / Type::parts) * Type::bytes, supers ? i : 0, numbers);
                        v[i] = products(numbers, x, c, b);
                    }
                    _mm256_storeu_si256(reinterpret_cast<__m256i *>(dots + r * stride + from), sums(v));
                }
            }
            __m256 sum = _mm256_setzero_ps();
            for (int from = 0; from < x.blocks; from += some) {
                __m256i product[some];
                transpose(dots + from, stride * sizeof *dots, product);
                const char * p = first + size_t(from / Type::parts) * Type::bytes;
                const int n_blocks = supers ? some : std::min(some, x.blocks - from);
#pragma GCC unroll 8
                for (int i = 0; i < n_blocks; i++) {
                    __m256 scale, offset[std::max(1, Type::offsets)];
                    Type::scales(supers ? p : p + size_t(i) * Type::bytes, supers ? i : 0, w.row_bytes, scale, offset);
                    const size_t at = size_t(c) * x.blocks + from + i;
                    sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(product[i]),
                                          _mm256_mul_ps(scale, _mm256_set1_ps(x.scale[at])), sum);
                    for (int o = 0; o < Type::offsets; o++)
                        sum = _mm256_fmadd_ps(offset[o], _mm256_set1_ps(column_sum<Type>(x, at, o)), sum);
                }
            }
            _mm256_storeu_ps(out + size_t(c) * w.rows + row + h * 8, sum);
        }
    }
}

// fetch asks for the b-th of n parts of a panel that will be needed soon: sixteen rows at a time are more than the
// processor foresees.
void fetch(const matmul::weights & w, int row, int b, int n) {
    const size_t bytes = panel * w.row_bytes, line = 64;
    const char * p = w.data + size_t(row) * w.row_bytes;
    if (row >= w.rows) return;
    for (size_t at = bytes * b / n / line * line; at < bytes * (b + 1) / n; at += line)
        _mm_prefetch(p + at, _MM_HINT_T0);
}

// multiply writes the outputs of the panel that begins at a row of weights, for all n columns.
template <typename Type> void multiply(const matmul::weights & w, int row, const columns & all, int n, float * out) {
    if (n <= gemv_columns) return gemv<Type>(w, row, all, n, out);
    unpacked<Type> u[chunk];
    for (int from = 0; from < all.blocks; from += chunk) {
        const int to = std::min(all.blocks, from + chunk);
        for (int b = from; b < to; b++) {
            fetch(w, row + panel, b, all.blocks);
            unpack<Type>(w, row, b, u[b - from]);
        }
        for (int c = 0; c < n;) {
            columns x = all;
            x.byte += size_t(c) * all.width, x.word += size_t(c) * all.width;
            x.scale += size_t(c) * all.blocks, x.sum += size_t(c) * all.blocks, x.half += size_t(c) * all.blocks * 2;
            float * o = out + size_t(c) * w.rows + row;
            c += simd::some<columns_at_once>(n - c,
                                             [&](auto N) { accumulate<Type, N.value>(u, x, from, to, o, w.rows); });
        }
    }
}

// with calls f with the format of a kind, if the kind is quantised.
template <typename F> void with(matmul::kind kind, F f) {
    switch (kind) {
    case matmul::kind::q4_0: return f(format::q4_0());
    case matmul::kind::q4_1: return f(format::q4_1());
    case matmul::kind::q5_0: return f(format::q5_0());
    case matmul::kind::q5_1: return f(format::q5_1());
    case matmul::kind::q8_0: return f(format::q8_0());
    case matmul::kind::q2_k: return f(format::q2_k());
    case matmul::kind::q3_k: return f(format::q3_k());
    case matmul::kind::q4_k: return f(format::q4_k());
    case matmul::kind::q5_k: return f(format::q5_k());
    case matmul::kind::q6_k: return f(format::q6_k());
    case matmul::kind::iq4_nl: return f(format::iq4_nl());
    case matmul::kind::iq4_xs: return f(format::iq4_xs());
    case matmul::kind::mxfp4: return f(format::mxfp4());
    default: return;
    }
}

} // namespace

blocks blocks_of(matmul::kind type) {
    blocks found{};
    with(type, [&](auto format) {
        typedef decltype(format) Type;
        found = {Type::parts * block, in_words<Type>};
    });
    return found;
}

// quantized copies the rows of a panel that has fewer than sixteen, with zeros behind them.
void quantized(const matmul::weights & w, int row, const columns & x, int n, float * out) {
    const int rows = std::min(panel, w.rows - row);
    if (rows == panel) return with(w.type, [&](auto format) { multiply<decltype(format)>(w, row, x, n, out); });
    thread_local std::vector<char> filled;
    thread_local std::vector<float> part;
    filled.assign(panel * w.row_bytes, 0);
    std::copy_n(w.data + size_t(row) * w.row_bytes, size_t(rows) * w.row_bytes, filled.begin());
    part.resize(size_t(n) * panel);
    const matmul::weights whole{w.type, filled.data(), w.row_bytes, w.width, panel};
    with(w.type, [&](auto format) { multiply<decltype(format)>(whole, 0, x, n, part.data()); });
    for (int c = 0; c < n; c++) std::copy_n(&part[size_t(c) * panel], rows, out + size_t(c) * w.rows + row);
}

} // namespace panels

#endif
