//go:build cgo && !llama_none

// The target for AVX-512 with sums of products (VNNI), whatever the rest of the program is compiled for.

#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>
#include <cstring>

// The compiler's own header stands where its functions are compiled for the same instructions as ours.
#ifdef __clang__
#include <immintrin.h>
#pragma clang attribute push(                                                                                          \
        __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni"))),               \
            apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni")
#include <immintrin.h>
#endif

#define TARGET avx512vnni
#define VECTOR_BITS 512
#define VNNI 1
#define NEEDS "AVX-512 (F, BW, CD, DQ, VL) with VNNI"
#include "source.hpp"

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
