//go:build cgo && !llama_none

// The target for AVX2 with sums of four products of bytes (AVX-VNNI), which processors without AVX-512 have, whatever
// the rest of the program is compiled for.

#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>
#include <cstring>

// The compiler's own header stands where its functions are compiled for the same instructions as ours.
#ifdef __clang__
#include <immintrin.h>
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avxvnni,no-avx512f"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c,avxvnni,no-avx512f")
#include <immintrin.h>
#endif

#define TARGET avxvnni
#define VECTOR_BITS 256
#define VNNI 1
#define NEEDS "AVX2, FMA, F16C and AVX-VNNI"
#include "source.hpp"

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
