//go:build cgo && !llama_none

// Products of F16, BF16 and F32 weights. An output is a chain of fma over the width, from the first number to the last,
// whatever N is; the slices only bound what is unpacked at a time.

#include "matmul_panels.hpp"

#ifdef PRODUCTS_ARE_BUILT

#include <algorithm>
#include <vector>

namespace panels {
namespace {

constexpr int slice = 256; // numbers of the width unpacked together

// accumulate adds the products of numbers [from, to) of the width to the outputs of N columns. The first slice starts a
// sum, later ones go on from what is in out.
template <int N>
void accumulate(const float * w, const char * x, size_t stride, int from, int to, float * out, int rows) {
    lanes::floats sum[N][span];
    const float * column[N];
    auto output = [&](int c, int h) { return out + size_t(c) * rows + h * lanes::rows; };
    for (int c = 0; c < N; c++) {
        column[c] = reinterpret_cast<const float *>(x + c * stride);
        for (int h = 0; h < span; h++)
            sum[c][h] = from == 0 ? lanes::floats{} : simd::load<lanes::floats>(output(c, h));
    }
    for (int k = from; k < to; k++) {
        lanes::floats numbers[span];
        for (int h = 0; h < span; h++)
            numbers[h] = simd::load<lanes::floats>(w + size_t(k - from) * panel + h * lanes::rows);
        for (int c = 0; c < N; c++) {
            const lanes::floats v = simd::broadcast<lanes::floats>(column[c][k]);
            for (int h = 0; h < span; h++) sum[c][h] = simd::fma(numbers[h], v, sum[c][h]);
        }
    }
    for (int c = 0; c < N; c++) {
        for (int h = 0; h < span; h++) simd::store(output(c, h), sum[c][h]);
    }
}

__m256 load_f16(const char * row, int k) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(row + size_t(k) * 2)));
}

// load_bf16: such a number is the upper half of a float.
__m256 load_bf16(const char * row, int k) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i *>(row + size_t(k) * 2));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
}

__m256 load_f32(const char * row, int k) { return _mm256_loadu_ps(reinterpret_cast<const float *>(row) + k); }

// unpack writes numbers [from, to) of a panel, one after the other: [number][row], with zeros for rows behind the last.
template <__m256 Load(const char *, int)> void unpack(const matmul::weights & w, int row, int from, int to, float * u) {
    for (int k = from; k < to; k += vector) {
        for (int h = 0; h < 2; h++) {
            alignas(32) float rows[8][vector];
            __m256i transposed[8];
            for (int r = 0; r < 8; r++) {
                const int at = row + h * 8 + r;
                const char * p = w.data + size_t(at) * w.row_bytes;
                _mm256_store_ps(rows[r], at < w.rows ? Load(p, k) : _mm256_setzero_ps());
            }
            transpose(rows, sizeof rows[0], transposed);
            for (int i = 0; i < vector; i++)
                _mm256_store_si256(reinterpret_cast<__m256i *>(u + size_t(k - from + i) * panel + h * 8),
                                   transposed[i]);
        }
    }
}

// whole writes the outputs of a panel of sixteen rows, `rows` apart for each column.
void whole(const matmul::weights & w, int row, const matmul::batch & b, float * out, int rows) {
    alignas(64) float u[slice * panel];
    for (int from = 0; from < w.width; from += slice) {
        const int to = std::min(w.width, from + slice);
        switch (w.type) {
        case matmul::kind::f16: unpack<load_f16>(w, row, from, to, u); break;
        case matmul::kind::bf16: unpack<load_bf16>(w, row, from, to, u); break;
        default: unpack<load_f32>(w, row, from, to, u); break;
        }
        for (int c = 0; c < b.rows;) {
            const char * x = reinterpret_cast<const char *>(b.data) + size_t(c) * b.stride;
            float * o = out + size_t(c) * rows;
            c += simd::some<columns_at_once>(b.rows - c,
                                             [&](auto N) { accumulate<N.value>(u, x, b.stride, from, to, o, rows); });
        }
    }
}

} // namespace

void floats(const matmul::weights & w, int row, const matmul::batch & b, float * out) {
    const int rows = std::min(panel, w.rows - row);
    if (rows == panel) return whole(w, row, b, out + row, w.rows);
    thread_local std::vector<float> part;
    part.resize(size_t(b.rows) * panel);
    whole(w, row, b, part.data(), panel);
    for (int c = 0; c < b.rows; c++) std::copy_n(&part[size_t(c) * panel], rows, out + size_t(c) * w.rows + row);
}

} // namespace panels

#endif
