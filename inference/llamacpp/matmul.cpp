//go:build cgo && (llama_carrier || llama_system) && !llama_none

#include "matmul.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

#include <immintrin.h>

namespace {

constexpr int block = 32;  // weights that share a scale, once unpacked
constexpr int panel = 16;  // rows of weights unpacked together
constexpr int chunk = 24;  // blocks unpacked together: what fits into the first cache
constexpr int slice = 256; // columns of F16 weights unpacked together

float half(const char * p) {
    uint16_t h;
    memcpy(&h, p, sizeof h);
    return _cvtsh_ss(h);
}

// Layouts of GGUF. Each unpacks 32 weights of a row: weight = scale * number + offset.

struct q4_0 {
    typedef uint8_t number;
    static constexpr bool wide = false;
    static void unpack(const char * row, int b, uint8_t * to, float & scale, float & offset) {
        const char * p = row + size_t(b) * 18;
        scale = half(p);
        offset = -8 * scale;
        const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p + 2)), low = _mm_set1_epi8(15);
        _mm_storeu_si128(reinterpret_cast<__m128i *>(to), _mm_and_si128(q, low));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(to + 16), _mm_and_si128(_mm_srli_epi16(q, 4), low));
    }
};

struct q5_0 {
    typedef uint8_t number;
    static constexpr bool wide = true;
    static void unpack(const char * row, int b, uint8_t * to, float & scale, float & offset) {
        const char * p = row + size_t(b) * 22;
        scale = half(p);
        offset = -16 * scale;
        uint32_t high;
        memcpy(&high, p + 2, sizeof high);
        const uint8_t * q = reinterpret_cast<const uint8_t *>(p + 6);
        for (int i = 0; i < 16; i++) {
            to[i] = uint8_t((q[i] & 15) | (high >> i & 1) << 4);
            to[i + 16] = uint8_t((q[i] >> 4) | (high >> (i + 16) & 1) << 4);
        }
    }
};

// six_bits reads the i-th scale and minimum of a super-block of K quants.
void six_bits(const uint8_t * q, int i, int & scale, int & minimum) {
    if (i < 4) {
        scale = q[i] & 63, minimum = q[i + 4] & 63;
    } else {
        scale = (q[i + 4] & 15) | (q[i - 4] >> 6) << 4, minimum = q[i + 4] >> 4 | (q[i] >> 6) << 4;
    }
}

struct q4_k {
    typedef uint8_t number;
    static constexpr bool wide = false;
    static void unpack(const char * row, int b, uint8_t * to, float & scale, float & offset) {
        const char * p = row + size_t(b / 8) * 144;
        int s, m;
        six_bits(reinterpret_cast<const uint8_t *>(p + 4), b % 8, s, m);
        scale = half(p) * float(s);
        offset = -half(p + 2) * float(m);
        const __m256i q = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p + 16 + b % 8 / 2 * 32));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), _mm256_and_si256(b % 2 ? _mm256_srli_epi16(q, 4) : q, _mm256_set1_epi8(15)));
    }
};

struct q5_k {
    typedef uint8_t number;
    static constexpr bool wide = true;
    static void unpack(const char * row, int b, uint8_t * to, float & scale, float & offset) {
        const char * p = row + size_t(b / 8) * 176;
        int s, m;
        six_bits(reinterpret_cast<const uint8_t *>(p + 4), b % 8, s, m);
        scale = half(p) * float(s);
        offset = -half(p + 2) * float(m);
        const uint8_t * high = reinterpret_cast<const uint8_t *>(p + 16);
        const uint8_t * q = reinterpret_cast<const uint8_t *>(p + 48 + b % 8 / 2 * 32);
        for (int i = 0; i < 32; i++) to[i] = uint8_t((b % 2 ? q[i] >> 4 : q[i] & 15) | (high[i] >> (b % 8) & 1) << 4);
    }
};

struct q8_0 {
    typedef int16_t number;
    static void unpack(const char * row, int b, int16_t * to, float & scale, float & offset) {
        const char * p = row + size_t(b) * 34;
        scale = half(p);
        offset = 0;
        for (int i = 0; i < 32; i++) to[i] = reinterpret_cast<const int8_t *>(p + 2)[i];
    }
};

struct q6_k {
    typedef int16_t number;
    static void unpack(const char * row, int b, int16_t * to, float & scale, float & offset) {
        const char * p = row + size_t(b / 8) * 210;
        const int part = b % 8 / 4, quarter = b % 4; // of 128 weights, and of those
        const uint8_t * low = reinterpret_cast<const uint8_t *>(p) + part * 64 + quarter % 2 * 32;
        const uint8_t * high = reinterpret_cast<const uint8_t *>(p + 128) + part * 32;
        const int8_t * scales = reinterpret_cast<const int8_t *>(p + 192) + part * 8 + quarter * 2;
        scale = half(p + 208);
        offset = 0;
        for (int i = 0; i < 32; i++) {
            const int q = ((quarter < 2 ? low[i] & 15 : low[i] >> 4) | (high[i] >> (2 * quarter) & 3) << 4) - 32;
            to[i] = int16_t(q * scales[i / 16]); // at most 32 x 128
        }
    }
};

// transpose makes of eight rows of eight 32-bit numbers, `stride` bytes apart, eight vectors.
void transpose(const char * from, size_t stride, __m256i * to) {
    __m256i r[8], t[8];
    for (int i = 0; i < 8; i++) r[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from + i * stride));
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        to[i] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x20);
        to[i + 4] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x31);
    }
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
    alignas(32) float scale[8], offset[8];
    for (int h = 0; h < 2; h++) {
        for (int r = 0; r < 8; r++) Type::unpack(w.data + size_t(row + h * 8 + r) * w.row_bytes, b, numbers[r], scale[r], offset[r]);
        for (int v = 0; v < to.vectors; v += 8) transpose(reinterpret_cast<const char *>(numbers) + v * 4, sizeof numbers[0], &to.number[h][v]);
        to.scale[h] = _mm256_load_ps(scale);
        to.offset[h] = _mm256_load_ps(offset);
    }
}

__m256i four(const void * p) {
    int32_t x;
    memcpy(&x, p, sizeof x);
    return _mm256_set1_epi32(x);
}

// columns are rows of the batch from one on, as a block loop walks them.
struct columns {
    const int8_t * byte;
    const int16_t * word;
    const float *scale, *sum;
    int width, blocks;
};

// dot is the exact sum of 32 products for two times eight rows and N columns: bytes of weights without a sign.
template <int N, bool Wide> inline void dot(const unpacked<uint8_t> & w, const columns & x, int b, __m256i (*out)[2]) {
    const __m256i ones = _mm256_set1_epi16(1);
    // A sum of two products is at most 2 x 15 x 127 (Wide: 2 x 31 x 127): eight (four) of them fit into 16 bits.
    constexpr int run = Wide ? 4 : 8;
    for (int from = 0; from < 8; from += run) {
        __m256i sum[N][2];
        for (int g = from; g < from + run; g++) {
            for (int c = 0; c < N; c++) {
                const __m256i v = four(x.byte + size_t(c) * x.width + b * block + g * 4);
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
            const __m256i v = four(x.word + size_t(c) * x.width + b * block + g * 2);
            for (int h = 0; h < 2; h++) {
                const __m256i p = _mm256_madd_epi16(w.number[h][g], v);
                out[c][h] = g == 0 ? p : _mm256_add_epi32(out[c][h], p);
            }
        }
    }
}

// accumulate adds blocks [from, to) of a panel to the outputs of N columns.
template <typename Type, int N> void accumulate(const unpacked<typename Type::number> * w, const columns & x, int from, int to, float * out, int rows) {
    constexpr bool words = sizeof(typename Type::number) == 2;
    __m256 sum[N][2];
    for (int c = 0; c < N; c++) {
        for (int h = 0; h < 2; h++) sum[c][h] = from == 0 ? _mm256_setzero_ps() : _mm256_loadu_ps(out + size_t(c) * rows + h * 8);
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
                sum[c][h] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(product[c][h]), _mm256_mul_ps(u.scale[h], scale), sum[c][h]);
                if constexpr (!words) sum[c][h] = _mm256_fmadd_ps(u.offset[h], _mm256_set1_ps(x.sum[size_t(c) * x.blocks + b]), sum[c][h]);
            }
        }
    }
    for (int c = 0; c < N; c++) {
        for (int h = 0; h < 2; h++) _mm256_storeu_ps(out + size_t(c) * rows + h * 8, sum[c][h]);
    }
}

template <typename Type> void multiply(const matmul::weights & w, int row, const columns & all, int n, float * out) {
    alignas(32) unpacked<typename Type::number> u[chunk];
    for (int from = 0; from < all.blocks; from += chunk) {
        const int to = std::min(all.blocks, from + chunk);
        for (int b = from; b < to; b++) unpack<Type>(w, row, b, u[b - from]);
        for (int c = 0; c < n;) {
            columns x = all;
            x.byte += size_t(c) * all.width, x.word += size_t(c) * all.width;
            x.scale += size_t(c) * all.blocks, x.sum += size_t(c) * all.blocks;
            float * o = out + size_t(c) * w.rows + row;
            switch (std::min(3, n - c)) {
            case 3: accumulate<Type, 3>(u, x, from, to, o, w.rows); break;
            case 2: accumulate<Type, 2>(u, x, from, to, o, w.rows); break;
            case 1: accumulate<Type, 1>(u, x, from, to, o, w.rows); break;
            }
            c += std::min(3, n - c);
        }
    }
}

// F16 weights meet the activations as they are.
template <int N> void accumulate_floats(const float * w, const char * x, size_t stride, int from, int to, float * out, int rows) {
    __m256 sum[N][2];
    const float * column[N];
    for (int c = 0; c < N; c++) {
        column[c] = reinterpret_cast<const float *>(x + c * stride);
        for (int h = 0; h < 2; h++) sum[c][h] = from == 0 ? _mm256_setzero_ps() : _mm256_loadu_ps(out + size_t(c) * rows + h * 8);
    }
    for (int k = from; k < to; k++) {
        const __m256 a = _mm256_loadu_ps(w + size_t(k - from) * panel), b = _mm256_loadu_ps(w + size_t(k - from) * panel + 8);
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
                transpose(reinterpret_cast<const char *>(rows), sizeof rows[0], columns);
                for (int i = 0; i < 8; i++) _mm256_store_si256(reinterpret_cast<__m256i *>(u + size_t(k - from + i) * panel + h * 8), columns[i]);
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

// quantize rounds a block of activations to eight bits.
void quantize(const float * x, int8_t * byte, float & scale, float & sum) {
    __m256 v[4], most = _mm256_setzero_ps();
    const __m256 sign = _mm256_set1_ps(-0.f);
    for (int i = 0; i < 4; i++) {
        v[i] = _mm256_loadu_ps(x + i * 8);
        most = _mm256_max_ps(most, _mm256_andnot_ps(sign, v[i]));
    }
    alignas(32) float lanes[8];
    _mm256_store_ps(lanes, most);
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

bool matmul::possible(kind type, int64_t width, int64_t rows) {
    const bool super = type == kind::q4_k || type == kind::q5_k || type == kind::q6_k;
    return type != kind::none && rows % panel == 0 && width % (super ? 256 : block) == 0;
}

// prepare quantises the batch, unless the product before this one did (keys, queries and values have the same input).
void matmul::prepare(const weights & w, const batch & b, int threads, team & t) {
    const bool fresh = quantized != b.identity, need_words = in_words(w.type) && (fresh || !words);
    if (!fresh && !need_words) return;
    if (fresh) {
        const size_t n = size_t(b.rows) * w.width;
        t.each(threads, 1, [&](int) { // one of them makes room
            width = w.width, rows = b.rows;
            byte.resize(n), word.resize(n), scale.resize(n / block), sum.resize(n / block);
        });
    }
    t.each(threads, b.rows, [&](int r) {
        int8_t * to = &byte[size_t(r) * w.width];
        if (fresh) {
            const float * from = reinterpret_cast<const float *>(reinterpret_cast<const char *>(b.data) + r * b.stride);
            const size_t first = size_t(r) * (w.width / block);
            for (int i = 0; i < w.width / block; i++) quantize(from + i * block, to + i * block, scale[first + i], sum[first + i]);
        }
        if (need_words) std::copy(to, to + w.width, &word[size_t(r) * w.width]);
    }, [&] {
        quantized = b.identity;
        words = need_words || (words && !fresh);
    });
}

void matmul::compute(const weights & w, const batch & b, float * out, int, int threads, team & t) {
    const int panels = w.rows / panel;
    if (w.type == kind::f16) {
        t.each(threads, panels, [&](int i) { multiply_floats(w, i * panel, b, out); });
        return;
    }
    prepare(w, b, threads, t);
    const columns all{byte.data(), word.data(), scale.data(), sum.data(), w.width, w.width / block};
    t.each(threads, panels, [&](int i) {
        switch (w.type) {
        case kind::q4_0: multiply<q4_0>(w, i * panel, all, b.rows, out); break;
        case kind::q5_0: multiply<q5_0>(w, i * panel, all, b.rows, out); break;
        case kind::q8_0: multiply<q8_0>(w, i * panel, all, b.rows, out); break;
        case kind::q4_k: multiply<q4_k>(w, i * panel, all, b.rows, out); break;
        case kind::q5_k: multiply<q5_k>(w, i * panel, all, b.rows, out); break;
        case kind::q6_k: multiply<q6_k>(w, i * panel, all, b.rows, out); break;
        default: break;
        }
    });
}

#else

bool matmul::possible(kind, int64_t, int64_t) { return false; }
void matmul::prepare(const weights &, const batch &, int, team &) {}
void matmul::compute(const weights &, const batch &, float *, int, int, team &) {}

#endif
