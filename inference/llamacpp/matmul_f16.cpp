//go:build cgo && (llama_carrier || llama_system) && !llama_none

// Products of F16 weights. An output is a chain of fma over the width, from the first number to the last, whatever N
// is; the slices only bound what is unpacked at a time.

#include "matmul_panels.hpp"

#ifdef PRODUCTS_ARE_BUILT

#include <algorithm>

namespace panels {
namespace {

constexpr int slice = 256; // numbers of the width unpacked together

// accumulate adds the products of numbers [from, to) of the width to the outputs of N columns. The first slice starts a
// sum, later ones go on from what is in out.
template <int N>
void accumulate(const float * w, const char * x, size_t stride, int from, int to, float * out, int rows) {
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

} // namespace

void f16(const matmul::weights & w, int row, const matmul::batch & b, float * out) {
    alignas(32) float u[slice * panel];
    for (int from = 0; from < w.width; from += slice) {
        const int to = std::min(w.width, from + slice);
        for (int k = from; k < to; k += 8) {
            for (int h = 0; h < 2; h++) {
                alignas(32) float rows[8][8];
                __m256i transposed[8];
                for (int r = 0; r < 8; r++) {
                    const char * p = w.data + size_t(row + h * 8 + r) * w.row_bytes + size_t(k) * 2;
                    _mm256_store_ps(rows[r], _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p))));
                }
                transpose(rows, sizeof rows[0], transposed);
                for (int i = 0; i < 8; i++)
                    _mm256_store_si256(reinterpret_cast<__m256i *>(u + size_t(k - from + i) * panel + h * 8),
                                       transposed[i]);
            }
        }
        for (int c = 0; c < b.rows;) {
            const char * x = reinterpret_cast<const char *>(b.data) + size_t(c) * b.stride;
            float * o = out + size_t(c) * w.rows + row;
            switch (std::min(4, b.rows - c)) {
            case 4: accumulate<4>(u, x, b.stride, from, to, o, w.rows); break;
            case 3: accumulate<3>(u, x, b.stride, from, to, o, w.rows); break;
            case 2: accumulate<2>(u, x, b.stride, from, to, o, w.rows); break;
            case 1: accumulate<1>(u, x, b.stride, from, to, o, w.rows); break;
            }
            c += std::min(4, b.rows - c);
        }
    }
}

} // namespace panels

#endif
