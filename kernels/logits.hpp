// What sampling does to every logit of a row, eight at a time.
//
// Sums are taken in blocks of 1,024 logits, in double precision from block to block, so that a sampler finds the block
// that a random number falls into without going over the vocabulary again. The sizes of blocks and vectors determine
// what is drawn: another order of the same additions rounds differently, and once in many draws would give another
// token.
#pragma once

#include "simd.hpp"
#include "target.hpp"

namespace kernels {
namespace TARGET {

// eight_logits loads logits [i, i + 8), with minus infinity beyond the end.
inline f32x8 eight_logits(const float * logits, int32_t i, int32_t n) {
    if (i + 8 <= n) return load(logits + i);
    f32x8 v = broadcast(-__builtin_inff());
    for (int32_t j = i; j < n; j++) put(v, j - i, logits[j]);
    return v;
}

inline float highest_logit(const float * logits, int32_t n) {
    f32x8 highest = broadcast(-__builtin_inff()), zero{};
    int32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const f32x8 v = load(logits + i);
        highest = max(v, highest);
        zero += v - v; // not a number for what is not finite
    }
    for (; i < n; i++) {
        put(highest, 0, logits[i] > highest[0] ? logits[i] : highest[0]);
        put(zero, 0, zero[0] + (logits[i] - logits[i]));
    }
    return sum(zero) == 0 ? largest(highest) : __builtin_nanf("");
}

inline f32x8 weights_of(f32x8 logits, float top, float inverse) {
    return exp((logits - broadcast(top)) * broadcast(inverse));
}

inline double sums_of_logits(const float * logits, int32_t n, float top, float inverse, double * to) {
    double total = 0;
    for (int32_t from = 0; from < n; from += sums_of) {
        const int32_t end = least_of(n, from + sums_of);
        f32x8 a{}, b{};
        for (int32_t i = from; i < end; i += 16) {
            a += weights_of(eight_logits(logits, i, n), top, inverse);
            if (i + 8 < end) b += weights_of(eight_logits(logits, i + 8, n), top, inverse);
        }
        *to = sum(a + b);
        total += *to++;
    }
    return total;
}

inline int32_t reaching(const float * logits, int32_t i, int32_t n, float least) {
    for (; i < n; i += 8)
        if (!(largest(eight_logits(logits, i, n)) < least)) return i;
    return n;
}

inline void weigh_logits(const float * logits, int32_t from, int32_t to, int32_t n, float top, float inverse,
                         float * weights) {
    for (int32_t i = from; i < to; i += 8) {
        const f32x8 w = weights_of(eight_logits(logits, i, n), top, inverse);
        for (int32_t j = i; j < least_of(to, i + 8); j++) weights[j - from] = w[j - i];
    }
}

} // namespace TARGET
} // namespace kernels
