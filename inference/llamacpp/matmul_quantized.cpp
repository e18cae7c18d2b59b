//go:build cgo && (llama_carrier || llama_system) && !llama_none

// Products of quantised weights. gemv reads weights straight from memory, for one column; for more, a chunk of blocks
// is unpacked once and meets all columns. Both round alike, in the order that matmul.cpp writes down.

#include "matmul_panels.hpp"

#ifdef PRODUCTS_ARE_BUILT

#include <algorithm>
#include <cstring>
#include <vector>

#include "formats.hpp"

namespace panels {
namespace {

constexpr int chunk = 24; // blocks unpacked together: what fits into the first cache
constexpr int gemv_columns = 1; // up to so many columns, weights are not worth unpacking

// unpacked is a block of a panel: vector [half][g] has four bytes (or two words) from each of eight rows.
template <typename Number> struct unpacked {
    static constexpr int vectors = block * sizeof(Number) / 4;
    __m256i number[2][vectors];
    __m256 scale[2], offset[2];
};

template <typename Type> void unpack(const matmul::weights & w, int row, int b, unpacked<typename Type::number> & to) {
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

// dot is the exact sum of 32 products for two times eight rows and N columns: bytes of weights without a sign.
template <int N, bool Wide> inline void dot(const unpacked<uint8_t> & w, const columns & x, int b, __m256i (*out)[2]) {
    const __m256i ones = _mm256_set1_epi16(1);
    // maddubs adds two products in 16 bits and would saturate. A sum of two is at most 2 x 15 x 127 = 3,810 (Wide: 2 x
    // 31 x 127 = 7,874), so eight (four) of them fit below 32,767, and only then are they widened to 32 bits.
    constexpr int run = Wide ? 4 : 8;
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

template <int N, bool Wide> inline void dot(const unpacked<int16_t> & w, const columns & x, int b, __m256i (*out)[2]) {
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

// accumulate adds blocks [from, to) of a panel to the outputs of N columns. Block 0 starts a sum, later chunks go on
// from what is in out. The roundings are those of gemv, in its order.
template <typename Type, int N>
void accumulate(const unpacked<typename Type::number> * w, const columns & x, int from, int to, float * out, int rows) {
    constexpr bool words = sizeof(typename Type::number) == 2;
    __m256 sum[N][2];
    for (int c = 0; c < N; c++) {
        for (int h = 0; h < 2; h++)
            sum[c][h] = from == 0 ? _mm256_setzero_ps() : _mm256_loadu_ps(out + size_t(c) * rows + h * 8);
    }
    for (int b = from; b < to; b++) {
        const unpacked<typename Type::number> & u = w[b - from];
        __m256i product[N][2];
        if constexpr (words) {
            dot<N, false>(u, x, b, product);
        } else {
            dot<N, Type::wide>(u, x, b, product);
        }
        for (int c = 0; c < N; c++) {
            const __m256 scale = _mm256_set1_ps(x.scale[size_t(c) * x.blocks + b]);
            for (int h = 0; h < 2; h++) {
                sum[c][h] =
                    _mm256_fmadd_ps(_mm256_cvtepi32_ps(product[c][h]), _mm256_mul_ps(u.scale[h], scale), sum[c][h]);
                if constexpr (!words)
                    sum[c][h] =
                        _mm256_fmadd_ps(u.offset[h], _mm256_set1_ps(x.sum[size_t(c) * x.blocks + b]), sum[c][h]);
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
    constexpr int some = 8; // blocks at a time: as many vectors as `sums` takes
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
                    for (int i = 0; i < some; i++) {
                        const int b = std::min(from + i, x.blocks - 1);
                        alignas(32) typename Type::number numbers[block];
                        Type::numbers(p + size_t(b / Type::parts) * Type::bytes, b % Type::parts, numbers);
                        v[i] = products(numbers, x, c, b);
                    }
                    _mm256_storeu_si256(reinterpret_cast<__m256i *>(dots + r * stride + from), sums(v));
                }
            }
            __m256 sum = _mm256_setzero_ps();
            for (int from = 0; from < x.blocks; from += some) {
                __m256i product[some];
                transpose(dots + from, stride * sizeof *dots, product);
                for (int b = from; b < std::min(x.blocks, from + some); b++) {
                    __m256 scale, offset;
                    Type::scales(first + size_t(b / Type::parts) * Type::bytes, b % Type::parts, w.row_bytes, scale,
                                 offset);
                    const size_t at = size_t(c) * x.blocks + b;
                    sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(product[b - from]),
                                          _mm256_mul_ps(scale, _mm256_set1_ps(x.scale[at])), sum);
                    if constexpr (sizeof(typename Type::number) == 1)
                        sum = _mm256_fmadd_ps(offset, _mm256_set1_ps(x.sum[at]), sum);
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
    alignas(32) unpacked<typename Type::number> u[chunk];
    for (int from = 0; from < all.blocks; from += chunk) {
        const int to = std::min(all.blocks, from + chunk);
        for (int b = from; b < to; b++) {
            fetch(w, row + panel, b, all.blocks);
            unpack<Type>(w, row, b, u[b - from]);
        }
        for (int c = 0; c < n;) {
            columns x = all;
            x.byte += size_t(c) * all.width, x.word += size_t(c) * all.width;
            x.scale += size_t(c) * all.blocks, x.sum += size_t(c) * all.blocks;
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

} // namespace

void quantized(const matmul::weights & w, int row, const columns & x, int n, float * out) {
    switch (w.type) {
    case matmul::kind::q4_0: multiply<format::q4_0>(w, row, x, n, out); break;
    case matmul::kind::q5_0: multiply<format::q5_0>(w, row, x, n, out); break;
    case matmul::kind::q8_0: multiply<format::q8_0>(w, row, x, n, out); break;
    case matmul::kind::q4_k: multiply<format::q4_k>(w, row, x, n, out); break;
    case matmul::kind::q5_k: multiply<format::q5_k>(w, row, x, n, out); break;
    case matmul::kind::q6_k: multiply<format::q6_k>(w, row, x, n, out); break;
    default: break;
    }
}

} // namespace panels

#endif
