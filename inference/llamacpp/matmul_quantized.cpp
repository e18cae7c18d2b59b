//go:build cgo && (llama_carrier || llama_system) && !llama_none

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

// unpacked is a block of a panel: vector [half][g] has four bytes (or two words) from each of eight rows.
template <typename Type> struct unpacked {
    static constexpr int vectors = block * sizeof(typename Type::number) / 4;
    __m256i number[2][vectors];
    __m256 scale[2], offset[2][std::max(1, Type::offsets)];
};

template <typename Type> void unpack(const matmul::weights & w, int row, int b, unpacked<Type> & to) {
    typedef typename Type::number number;
    alignas(32) number numbers[8][block];
    for (int h = 0; h < 2; h++) {
        const char * p = w.data + size_t(row + h * 8) * w.row_bytes + size_t(b / Type::parts) * Type::bytes;
        for (int r = 0; r < 8; r++) Type::numbers(p + r * w.row_bytes, b % Type::parts, numbers[r]);
        for (int v = 0; v < to.vectors; v += 8)
            transpose(reinterpret_cast<const char *>(numbers) + v * 4, sizeof numbers[0], &to.number[h][v]);
        Type::scales(p, b % Type::parts, w.row_bytes, to.scale[h], to.offset[h]);
    }
}

// broadcast gives every 32-bit lane the four bytes (or two words) at p.
__m256i broadcast(const void * p) {
    int32_t x;
    memcpy(&x, p, sizeof x);
    return _mm256_set1_epi32(x);
}

// dot_bytes is the exact sum of 32 products for two times eight rows and N columns: bytes of weights without a sign.
template <typename Type, int N>
inline void dot_bytes(const unpacked<Type> & w, const columns & x, int b, __m256i (*out)[2]) {
    const __m256i ones = _mm256_set1_epi16(1);
    // maddubs adds two products in 16 bits and would saturate. Their sum is at most 2 x 15 x 127 = 3,810 where numbers
    // have four bits, so eight of them fit below 32,767, and only then are they widened to 32 bits; of five bits, four.
    constexpr int fit = INT16_MAX / (2 * Type::highest * INT8_MAX), run = fit >= 8   ? 8
                                                                          : fit >= 4 ? 4
                                                                          : fit >= 2 ? 2
                                                                                     : 1;
    static_assert(fit >= 1, "products of two numbers of a format fit into 16 bits");
    for (int from = 0; from < 8; from += run) {
        __m256i sum[N][2];
        for (int g = from; g < from + run; g++) {
            for (int c = 0; c < N; c++) {
                const __m256i v = broadcast(x.byte + size_t(c) * x.width + b * block + g * 4);
                for (int h = 0; h < 2; h++) {
                    const __m256i p = _mm256_maddubs_epi16(w.number[h][g], v);
                    sum[c][h] = g == from ? p : _mm256_add_epi16(sum[c][h], p);
                }
            }
        }
        for (int c = 0; c < N; c++) {
            for (int h = 0; h < 2; h++) {
                const __m256i p = _mm256_madd_epi16(sum[c][h], ones);
                out[c][h] = from == 0 ? p : _mm256_add_epi32(out[c][h], p);
            }
        }
    }
}

// dot_words is the same for words.
template <typename Type, int N>
inline void dot_words(const unpacked<Type> & w, const columns & x, int b, __m256i (*out)[2]) {
    for (int g = 0; g < 16; g++) {
        for (int c = 0; c < N; c++) {
            const __m256i v = broadcast(x.word + size_t(c) * x.width + b * block + g * 2);
            for (int h = 0; h < 2; h++) {
                const __m256i p = _mm256_madd_epi16(w.number[h][g], v);
                out[c][h] = g == 0 ? p : _mm256_add_epi32(out[c][h], p);
            }
        }
    }
}

// add_offsets adds the products of a block's offsets with column sums, of the block or of each half of it, for row b of
// columns.
template <int Offsets> inline __m256 add_offsets(const __m256 * offset, const columns & x, size_t b, __m256 sum) {
    if constexpr (Offsets == 1) return _mm256_fmadd_ps(offset[0], _mm256_set1_ps(x.sum[b]), sum);
    if constexpr (Offsets == 2) {
        for (int i = 0; i < 2; i++) sum = _mm256_fmadd_ps(offset[i], _mm256_set1_ps(x.half[2 * b + i]), sum);
    }
    return sum;
}

// accumulate adds blocks [from, to) of a panel to the outputs of N columns. Block 0 starts a sum, later chunks go on
// from what is in out. The roundings are those of gemv, in its order.
template <typename Type, int N>
void accumulate(const unpacked<Type> * w, const columns & x, int from, int to, float * out, int rows) {
    __m256 sum[N][2];
    for (int c = 0; c < N; c++) {
        for (int h = 0; h < 2; h++)
            sum[c][h] = from == 0 ? _mm256_setzero_ps() : _mm256_loadu_ps(out + size_t(c) * rows + h * 8);
    }
    for (int b = from; b < to; b++) {
        const unpacked<Type> & u = w[b - from];
        __m256i product[N][2];
        if constexpr (in_words<Type>) {
            dot_words<Type, N>(u, x, b, product);
        } else {
            dot_bytes<Type, N>(u, x, b, product);
        }
        for (int c = 0; c < N; c++) {
            const size_t at = size_t(c) * x.blocks + b;
            const __m256 scale = _mm256_set1_ps(x.scale[at]);
            for (int h = 0; h < 2; h++) {
                sum[c][h] =
                    _mm256_fmadd_ps(_mm256_cvtepi32_ps(product[c][h]), _mm256_mul_ps(u.scale[h], scale), sum[c][h]);
                sum[c][h] = add_offsets<Type::offsets>(u.offset[h], x, at, sum[c][h]);
            }
        }
    }
    for (int c = 0; c < N; c++) {
        for (int h = 0; h < 2; h++) _mm256_storeu_ps(out + size_t(c) * rows + h * 8, sum[c][h]);
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
                    sum = add_offsets<Type::offsets>(offset, x, at, sum);
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
    alignas(32) unpacked<Type> u[chunk];
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
            switch (std::min(4, n - c)) {
            case 4: accumulate<Type, 4>(u, x, from, to, o, w.rows); break;
            case 3: accumulate<Type, 3>(u, x, from, to, o, w.rows); break;
            case 2: accumulate<Type, 2>(u, x, from, to, o, w.rows); break;
            case 1: accumulate<Type, 1>(u, x, from, to, o, w.rows); break;
            }
            c += std::min(4, n - c);
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

void quantized(const matmul::weights & w, int row, const columns & x, int n, float * out) {
    with(w.type, [&](auto format) { multiply<decltype(format)>(w, row, x, n, out); });
}

} // namespace panels

#endif
