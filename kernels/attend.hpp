// The part of attention that computes: queries advance through a tile of keys and values. attention.cpp says in which
// order sums run, and which tiles there are.
#pragma once

#include "simd.hpp"
#include "target.hpp"

namespace kernels {
namespace TARGET {

constexpr int eight = 8;
constexpr int queries_at_once = lanes_of<widest> == 16 ? 6 : lanes_of<widest> == 8 ? 3 : 2; // as registers suffice

// scores multiplies Q queries with the keys of a tile: out[i][c] = sum over d of q[i][d] * key[d][c], d rising.
template <int Q> void scores(const query * q, const float * key, int width, float (*out)[tile]) {
    constexpr int wide = lanes_of<widest>, vectors = tile / wide;
    widest sum[Q][vectors] = {};
    for (int d = 0; d < width; d++) {
        widest k[vectors];
        for (int j = 0; j < vectors; j++) k[j] = load<widest>(key + d * tile + j * wide);
        for (int i = 0; i < Q; i++) {
            const widest x = broadcast<widest>(q[i].numbers[d]);
            for (int j = 0; j < vectors; j++) sum[i][j] = fma(x, k[j], sum[i][j]);
        }
    }
    for (int i = 0; i < Q; i++) {
        for (int j = 0; j < vectors; j++) store(out[i] + j * wide, sum[i][j]);
    }
}

// weigh adds to Q outputs the first n values of a tile by weight, V vectors of them from d on: rising cells.
template <typename Vector, int Q, int V> void weigh(float * const * out, const float * rescale,
                                                    const float (*weight)[tile], const float * value, int width, int n,
                                                    int d) {
    constexpr int wide = lanes_of<Vector>;
    Vector sum[Q][V];
    for (int i = 0; i < Q; i++) {
        for (int j = 0; j < V; j++) sum[i][j] = load<Vector>(out[i] + d + j * wide) * broadcast<Vector>(rescale[i]);
    }
    for (int c = 0; c < n; c++) {
        Vector v[V];
        for (int j = 0; j < V; j++) v[j] = load<Vector>(value + c * width + d + j * wide);
        for (int i = 0; i < Q; i++) {
            const Vector x = broadcast<Vector>(weight[i][c]);
            for (int j = 0; j < V; j++) sum[i][j] = fma(x, v[j], sum[i][j]);
        }
    }
    for (int i = 0; i < Q; i++) {
        for (int j = 0; j < V; j++) store(out[i] + d + j * wide, sum[i][j]);
    }
}

// advance_some takes Q queries through one tile, whose first n cells somebody sees. All of key's 32 columns are filled,
// the rest with a copy of the last cell: scores of cells from s[i].sees on are discarded before anything looks at them.
struct advance_some {
    template <int Q> static void call(const query * s, float soft_cap, const float * key, int key_width,
                                      const float * value, int value_width, int n) {
        alignas(64) float products[Q][tile];
        scores<Q>(s, key, key_width, products);
        f32x8 score[Q][4];
        for (int i = 0; i < Q; i++) {
            for (int j = 0; j < 4; j++) score[i][j] = load(products[i] + j * eight);
        }
        if (soft_cap != 0) {
            for (int i = 0; i < Q; i++) {
                for (int j = 0; j < 4; j++) score[i][j] = broadcast(soft_cap) * tanh(score[i][j]);
            }
        }

        const float unseen = -__builtin_inff();
        alignas(32) float weight[Q][tile];
        float rescale[Q];
        float * output[Q];
        for (int i = 0; i < Q; i++) {
            if (s[i].sees < tile) {
                for (int c = s[i].sees; c < tile; c++) put(score[i][c / eight], c % eight, unseen);
            }
            const float tile_maximum = largest(max(max(score[i][0], score[i][1]), max(score[i][2], score[i][3])));
            const float maximum = most_of(*s[i].row_maximum, tile_maximum);
            rescale[i] = exp(broadcast(*s[i].row_maximum - maximum))[0];
            f32x8 p[4];
            for (int j = 0; j < 4; j++) {
                p[j] = exp(score[i][j] - broadcast(maximum));
                p[j] = chosen(score[i][j] == broadcast(unseen), f32x8{}, p[j]);
                store(weight[i] + j * eight, p[j]);
            }
            *s[i].total = __builtin_fmaf(*s[i].total, rescale[i], sum((p[0] + p[1]) + (p[2] + p[3])));
            *s[i].row_maximum = maximum;
            output[i] = s[i].output;
        }
        int d = 0;
        constexpr int wide = lanes_of<widest>;
        for (; d + 4 * wide <= value_width; d += 4 * wide)
            weigh<widest, Q, 4>(output, rescale, weight, value, value_width, n, d);
        for (; d + 2 * wide <= value_width; d += 2 * wide)
            weigh<widest, Q, 2>(output, rescale, weight, value, value_width, n, d);
        for (; d < value_width; d += eight) weigh<f32x8, Q, 1>(output, rescale, weight, value, value_width, n, d);
    }
};

inline void advance(const query * q, int n, float soft_cap, const float * key, int key_width, const float * value,
                    int value_width, int cells) {
    for (int i = 0; i < n;) {
        i += some<advance_some, queries_at_once>(n - i, q + i, soft_cap, key, key_width, value, value_width, cells);
    }
}

inline void halves_to_floats(const void * half, float * to, int64_t n) {
    for (int64_t i = 0; i < n; i += eight)
        store(to + i, from_half(load<u16x8>(static_cast<const char *>(half) + i * sizeof(uint16_t))));
}

inline void transpose_rows(const float * rows, int width, float * columns, int stride) {
    for (int d = 0; d < width; d += eight) {
        f32x8 v[eight];
        transpose(rows + d, width * sizeof(float), v);
        for (int i = 0; i < eight; i++) store(columns + size_t(d + i) * stride, v[i]);
    }
}

inline float exp_of(float x) { return exp(broadcast(x))[0]; }

} // namespace TARGET
} // namespace kernels
