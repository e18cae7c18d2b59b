//go:build cgo && (llama_carrier || llama_system) && !llama_none

#include "matmul.hpp"

#include "layouts.hpp"

#include <algorithm>
#include <cstring>

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

#include "simd.hpp"

// How a product runs, and why its bits do not depend on the batch
//
//	compute                  all threads of the pool
//	  prepare                rounds each column (a row of the batch) to bytes, a scale and a sum for each block of 32
//	  multiply               for each panel of 16 rows of weights, which one thread takes:
//	    gemv                 up to gemv_columns: straight from memory, one column after the other
//	    unpack, accumulate   else: a chunk of blocks is unpacked once and meets all columns, four at a time
//
// Each output, of a row of weights and a column, is computed as
//
//	sum = 0
//	for each block b, from the first to the last:
//	    dot = the 32 products of whole numbers, added up       exact, so in any order
//	    sum = fma(float(dot), weight scale * column scale, sum)
//	    sum = fma(weight offset, column sum, sum)              in formats with an offset
//
// and by nothing else, in gemv and in accumulate. So an output is a function of its row of weights and its column, and
// TestBitsDoNotDependOnTheBatch holds. Free to change: how many columns go together, the sizes of panel and chunk (a
// sum that waits in `out` is the same float), which thread takes what, the order within a dot. What would break it:
// adding up parts of a row's blocks that different threads or lanes have summed, rounding a product before it is added
// (no fma) in one of the two paths, multiplying by the two scales in another order, or -ffast-math. A change to both
// paths alike keeps the batch out of the results, but changes them: recorded runs are then no longer repeated bit by
// bit.

namespace {

constexpr int block = layout::small; // weights that share a scale, once unpacked; of activations too
constexpr int panel = 16; // rows of weights unpacked together: two vectors of eight
constexpr int chunk = 24; // blocks unpacked together: what fits into the first cache
constexpr int gemv_columns = 1; // up to so many columns, weights are not worth unpacking
constexpr int slice = 256; // columns of F16 weights unpacked together

// halves reads an F16 number from each of eight rows.
__m256 halves(const char * p, size_t row_bytes) {
    uint16_t h[8];
    for (int r = 0; r < 8; r++) memcpy(&h[r], p + r * row_bytes, sizeof h[r]);
    return _mm256_cvtph_ps(_mm_setr_epi16(short(h[0]), short(h[1]), short(h[2]), short(h[3]), short(h[4]), short(h[5]),
                                          short(h[6]), short(h[7])));
}

// Formats. Each unpacks 32 weights of a row, and the scales and offsets of eight rows: weight = scale * number +
// offset. p is the block of 32, or the super-block of 256 that it is part `i` of; layouts.hpp says where its fields
// are.
//
// To add a format: its struct in layouts.hpp with its assertions, its unpacking here, a matmul::kind, a case in
// multiply below and in kind_of of graph.cpp, and its name in `quantizations` of kernels_test.go, whose tests then
// cover it. Numbers that are bytes without a sign take part in maddubs, and need an offset; `wide` says that they have
// five bits, so that fewer products fit into 16 bits before they are widened. Numbers that are words need no offset.

// nibbles are 32 numbers of four bits: the low halves of 16 bytes, then the high ones.
__m256i nibbles(const char * p) {
    const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(q), _mm_srli_epi16(q, 4), 1);
    return _mm256_and_si256(both, _mm256_set1_epi8(15));
}

struct q4_0 {
    typedef uint8_t number;
    static constexpr bool wide = false;
    static constexpr int bytes = sizeof(layout::q4_0), parts = 1;
    static void numbers(const char * p, int, uint8_t * to) {
        const __m256i n = nibbles(p + offsetof(layout::q4_0, nibbles));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to), n);
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 & offset) {
        scale = halves(p + offsetof(layout::q4_0, scale), row_bytes);
        offset = _mm256_mul_ps(scale, _mm256_set1_ps(-8));
    }
};

// fifth_bits spreads 32 bits over the fifth bits of 32 bytes.
__m256i fifth_bits(const char * p) {
    uint32_t bits;
    memcpy(&bits, p, sizeof bits);
    const __m256i which = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(int32_t(bits)), which);
    const __m256i mask = _mm256_set1_epi64x(int64_t(0x8040201008040201));
    return _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(spread, mask), mask), _mm256_set1_epi8(16));
}

struct q5_0 {
    typedef uint8_t number;
    static constexpr bool wide = true;
    static constexpr int bytes = sizeof(layout::q5_0), parts = 1;
    static void numbers(const char * p, int, uint8_t * to) {
        const __m256i low = nibbles(p + offsetof(layout::q5_0, nibbles));
        const __m256i fifth = fifth_bits(p + offsetof(layout::q5_0, fifth));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to), _mm256_or_si256(low, fifth));
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 & offset) {
        scale = halves(p + offsetof(layout::q5_0, scale), row_bytes);
        offset = _mm256_mul_ps(scale, _mm256_set1_ps(-16));
    }
};

// six_bits reads the i-th scale and minimum of a super-block of K quants (get_scale_min_k4 in ggml-quants.c).
void six_bits(const uint8_t * q, int i, int & scale, int & minimum) {
    if (i < 4) {
        scale = q[i] & 63, minimum = q[i + 4] & 63;
    } else {
        scale = (q[i + 4] & 15) | (q[i - 4] >> 6) << 4, minimum = q[i + 4] >> 4 | (q[i] >> 6) << 4;
    }
}

// super_scales are the scales and minima of part i of eight super-blocks of K quants.
void super_scales(const char * p, int i, size_t row_bytes, __m256 & scale, __m256 & offset) {
    alignas(32) int32_t s[8], m[8];
    static_assert(offsetof(layout::q4_k, scales) == offsetof(layout::q5_k, scales), "one function reads both");
    const char * packed = p + offsetof(layout::q4_k, scales);
    for (int r = 0; r < 8; r++) six_bits(reinterpret_cast<const uint8_t *>(packed + r * row_bytes), i, s[r], m[r]);
    const auto floats = [](const int32_t * n) {
        return _mm256_cvtepi32_ps(_mm256_load_si256(reinterpret_cast<const __m256i *>(n)));
    };
    scale = _mm256_mul_ps(halves(p + offsetof(layout::q4_k, scale), row_bytes), floats(s));
    offset = _mm256_mul_ps(_mm256_sub_ps(_mm256_setzero_ps(), halves(p + offsetof(layout::q4_k, minimum), row_bytes)),
                           floats(m));
}

struct q4_k {
    typedef uint8_t number;
    static constexpr bool wide = false;
    static constexpr int bytes = sizeof(layout::q4_k), parts = 8;
    static void numbers(const char * p, int i, uint8_t * to) {
        const char * bytes = p + offsetof(layout::q4_k, nibbles) + i / 2 * 32;
        const __m256i q = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(bytes));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to),
                           _mm256_and_si256(i % 2 ? _mm256_srli_epi16(q, 4) : q, _mm256_set1_epi8(15)));
    }
    static void scales(const char * p, int i, size_t row_bytes, __m256 & scale, __m256 & offset) {
        super_scales(p, i, row_bytes, scale, offset);
    }
};

struct q5_k {
    typedef uint8_t number;
    static constexpr bool wide = true;
    static constexpr int bytes = sizeof(layout::q5_k), parts = 8;
    static void numbers(const char * p, int i, uint8_t * to) {
        const char * bytes = p + offsetof(layout::q5_k, nibbles) + i / 2 * 32;
        const __m256i q = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(bytes));
        const __m256i low = _mm256_and_si256(i % 2 ? _mm256_srli_epi16(q, 4) : q, _mm256_set1_epi8(15));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p + offsetof(layout::q5_k, fifth)));
        const __m256i bit = _mm256_set1_epi8(char(1 << i));
        const __m256i fifth =
            _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(high, bit), bit), _mm256_set1_epi8(16));
        _mm256_store_si256(reinterpret_cast<__m256i *>(to), _mm256_or_si256(low, fifth));
    }
    static void scales(const char * p, int i, size_t row_bytes, __m256 & scale, __m256 & offset) {
        super_scales(p, i, row_bytes, scale, offset);
    }
};

struct q8_0 {
    typedef int16_t number;
    static constexpr int bytes = sizeof(layout::q8_0), parts = 1;
    static void numbers(const char * p, int, int16_t * to) {
        for (int h = 0; h < 2; h++) {
            const char * half = p + offsetof(layout::q8_0, numbers) + h * 16;
            const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i *>(half));
            _mm256_store_si256(reinterpret_cast<__m256i *>(to + h * 16), _mm256_cvtepi8_epi16(q));
        }
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 & offset) {
        scale = halves(p + offsetof(layout::q8_0, scale), row_bytes);
        offset = _mm256_setzero_ps();
    }
};

struct q6_k {
    typedef int16_t number;
    static constexpr int bytes = sizeof(layout::q6_k), parts = 8;
    static void numbers(const char * p, int i, int16_t * to) {
        const int half = i / 4, quarter = i % 4; // of 256 weights, and of those
        const __m256i low = _mm256_loadu_si256(
            reinterpret_cast<const __m256i *>(p + offsetof(layout::q6_k, nibbles) + half * 64 + quarter % 2 * 32));
        const __m256i high =
            _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p + offsetof(layout::q6_k, upper) + half * 32));
        const __m256i four_bits = _mm256_and_si256(quarter < 2 ? low : _mm256_srli_epi16(low, 4), _mm256_set1_epi8(15));
        const __m256i two_bits =
            _mm256_and_si256(_mm256_srl_epi16(high, _mm_cvtsi32_si128(2 * quarter)), _mm256_set1_epi8(3));
        const __m256i q =
            _mm256_sub_epi8(_mm256_or_si256(four_bits, _mm256_slli_epi16(two_bits, 4)), _mm256_set1_epi8(32));
        const int8_t * scales = reinterpret_cast<const int8_t *>(p + offsetof(layout::q6_k, scales)) + i * 2;
        for (int h = 0; h < 2; h++) { // at most 32 x 128
            const __m256i words = _mm256_cvtepi8_epi16(h ? _mm256_extracti128_si256(q, 1) : _mm256_castsi256_si128(q));
            _mm256_store_si256(reinterpret_cast<__m256i *>(to + h * 16),
                               _mm256_mullo_epi16(words, _mm256_set1_epi16(scales[h])));
        }
    }
    static void scales(const char * p, int, size_t row_bytes, __m256 & scale, __m256 & offset) {
        scale = halves(p + offsetof(layout::q6_k, scale), row_bytes);
        offset = _mm256_setzero_ps();
    }
};

// transpose is simd::transpose of whole numbers.
void transpose(const void * from, size_t stride, __m256i * to) {
    simd::f32x8 columns[8];
    simd::transpose(from, stride, columns);
    for (int i = 0; i < 8; i++) to[i] = _mm256_castps_si256(columns[i]);
}

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

// columns are rows of the batch from one on, as a block loop walks them: number k of column c is at [c * width + k] of
// byte and of word, its scale and sum at [c * blocks + k / 32]. Bytes are within -127 and 127, never -128.
struct columns {
    const int8_t * byte;
    const int16_t * word;
    const float *scale, *sum;
    int width, blocks;
};

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

void multiply(const matmul::weights & w, int row, const columns & all, int n, float * out) {
    switch (w.type) {
    case matmul::kind::q4_0: multiply<q4_0>(w, row, all, n, out); break;
    case matmul::kind::q5_0: multiply<q5_0>(w, row, all, n, out); break;
    case matmul::kind::q8_0: multiply<q8_0>(w, row, all, n, out); break;
    case matmul::kind::q4_k: multiply<q4_k>(w, row, all, n, out); break;
    case matmul::kind::q5_k: multiply<q5_k>(w, row, all, n, out); break;
    case matmul::kind::q6_k: multiply<q6_k>(w, row, all, n, out); break;
    default: break;
    }
}

// F16 weights meet the activations as they are. An output is a chain of fma over the width, from the first number to
// the last, whatever N is; the slices only bound what is unpacked at a time.
template <int N>
void accumulate_floats(const float * w, const char * x, size_t stride, int from, int to, float * out, int rows) {
    __m256 sum[N][2];
    const float * column[N];
    for (int c = 0; c < N; c++) {
        column[c] = reinterpret_cast<const float *>(x + c * stride);
        for (int h = 0; h < 2; h++)
            sum[c][h] = from == 0 ? _mm256_setzero_ps() : _mm256_loadu_ps(out + size_t(c) * rows + h * 8);
    }
    for (int k = from; k < to; k++) {
        const __m256 a = _mm256_loadu_ps(w + size_t(k - from) * panel);
        const __m256 b = _mm256_loadu_ps(w + size_t(k - from) * panel + 8);
        for (int c = 0; c < N; c++) {
            const __m256 v = _mm256_set1_ps(column[c][k]);
            sum[c][0] = _mm256_fmadd_ps(a, v, sum[c][0]);
            sum[c][1] = _mm256_fmadd_ps(b, v, sum[c][1]);
        }
    }
    for (int c = 0; c < N; c++) {
        for (int h = 0; h < 2; h++) _mm256_storeu_ps(out + size_t(c) * rows + h * 8, sum[c][h]);
    }
}

void multiply_floats(const matmul::weights & w, int row, const matmul::batch & b, float * out) {
    alignas(32) float u[slice * panel];
    for (int from = 0; from < w.width; from += slice) {
        const int to = std::min(w.width, from + slice);
        for (int k = from; k < to; k += 8) {
            for (int h = 0; h < 2; h++) {
                alignas(32) float rows[8][8];
                __m256i columns[8];
                for (int r = 0; r < 8; r++) {
                    const char * p = w.data + size_t(row + h * 8 + r) * w.row_bytes + size_t(k) * 2;
                    _mm256_store_ps(rows[r], _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p))));
                }
                transpose(rows, sizeof rows[0], columns);
                for (int i = 0; i < 8; i++)
                    _mm256_store_si256(reinterpret_cast<__m256i *>(u + size_t(k - from + i) * panel + h * 8),
                                       columns[i]);
            }
        }
        for (int c = 0; c < b.rows;) {
            const char * x = reinterpret_cast<const char *>(b.data) + size_t(c) * b.stride;
            float * o = out + size_t(c) * w.rows + row;
            switch (std::min(4, b.rows - c)) {
            case 4: accumulate_floats<4>(u, x, b.stride, from, to, o, w.rows); break;
            case 3: accumulate_floats<3>(u, x, b.stride, from, to, o, w.rows); break;
            case 2: accumulate_floats<2>(u, x, b.stride, from, to, o, w.rows); break;
            case 1: accumulate_floats<1>(u, x, b.stride, from, to, o, w.rows); break;
            }
            c += std::min(4, b.rows - c);
        }
    }
}

// quantize rounds a block of activations to eight bits, like quantize_row_q8_0 of ggml, but the scale stays F32. It
// looks at these 32 numbers alone: a scale for more of them would tie a row of the batch to others.
void quantize(const float * x, int8_t * byte, float & scale, float & sum) {
    __m256 v[4], largest = _mm256_setzero_ps();
    const __m256 sign = _mm256_set1_ps(-0.f);
    for (int i = 0; i < 4; i++) {
        v[i] = _mm256_loadu_ps(x + i * 8);
        largest = _mm256_max_ps(largest, _mm256_andnot_ps(sign, v[i]));
    }
    alignas(32) float lanes[8];
    _mm256_store_ps(lanes, largest);
    const float highest = *std::max_element(lanes, lanes + 8);
    scale = highest / 127;
    const __m256 inverse = _mm256_set1_ps(highest == 0 ? 0 : 127 / highest);
    int total = 0;
    for (int i = 0; i < 4; i++) {
        alignas(32) int32_t n[8];
        _mm256_store_si256(reinterpret_cast<__m256i *>(n), _mm256_cvtps_epi32(_mm256_mul_ps(v[i], inverse)));
        for (int j = 0; j < 8; j++) byte[i * 8 + j] = int8_t(n[j]), total += n[j];
    }
    sum = scale * float(total);
}

bool in_words(matmul::kind type) { return type == matmul::kind::q8_0 || type == matmul::kind::q6_k; }

} // namespace

bool matmul::built() { return true; }

bool matmul::possible(kind type, int64_t width, int64_t rows) {
    const bool super_blocks = type == kind::q4_k || type == kind::q5_k || type == kind::q6_k;
    return type != kind::none && rows % panel == 0 && width % (super_blocks ? layout::super : block) == 0;
}

// prepare quantises the batch, unless the product before this one did (keys, queries and values have the same input).
void matmul::prepare(const weights & w, const batch & b, int threads, barrier_pool & pool) {
    const bool fresh = quantized != b.identity, need_words = in_words(w.type) && (fresh || !words);
    if (!fresh && !need_words) return;
    if (fresh) {
        const size_t n = size_t(b.rows) * w.width;
        pool.each(threads, 1, [&](int) { // one of them resizes
            byte.resize(n), word.resize(n), scale.resize(n / block), sum.resize(n / block);
        });
    }
    auto quantize_row = [&](int r) {
        int8_t * to = &byte[size_t(r) * w.width];
        if (fresh) {
            const float * from = reinterpret_cast<const float *>(reinterpret_cast<const char *>(b.data) + r * b.stride);
            const size_t first = size_t(r) * (w.width / block);
            for (int i = 0; i < w.width / block; i++)
                quantize(from + i * block, to + i * block, scale[first + i], sum[first + i]);
        }
        if (need_words) std::copy(to, to + w.width, &word[size_t(r) * w.width]);
    };
    pool.each(threads, b.rows, quantize_row, [&] {
        quantized = b.identity;
        words = need_words || (words && !fresh);
    });
}

// compute: a thread writes whole panels of the output, and reads activations that `prepare` has finished, because each
// pool.each returns when all threads are done.
void matmul::compute(const weights & w, const batch & b, float * out, int threads, barrier_pool & pool) {
    const int panels = w.rows / panel;
    if (w.type == kind::f16) {
        pool.each(threads, panels, [&](int i) { multiply_floats(w, i * panel, b, out); });
        return;
    }
    prepare(w, b, threads, pool);
    const columns all{byte.data(), word.data(), scale.data(), sum.data(), w.width, w.width / block};
    // A thread takes neighbouring panels: more at once where a small batch makes memory the limit.
    const int share = std::max(1, panels / ((b.rows <= 8 ? 2 : 8) * threads));
    pool.each(threads, (panels + share - 1) / share, [&](int i) {
        for (int p = i * share; p < std::min(panels, (i + 1) * share); p++) multiply(w, p * panel, all, b.rows, out);
    });
}

#else

bool matmul::built() { return false; }
bool matmul::possible(kind, int64_t, int64_t) { return false; }
void matmul::prepare(const weights &, const batch &, int, barrier_pool &) {}
void matmul::compute(const weights &, const batch &, float *, int, barrier_pool &) {}

#endif
