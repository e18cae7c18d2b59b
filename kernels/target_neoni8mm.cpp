//go:build cgo && !llama_none

// The target for NEON with products of matrices of bytes (smmla), whatever the rest of the program is compiled for.

#if defined(__aarch64__)

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <arm_neon.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("dotprod,i8mm"))), apply_to = function)
#else
#pragma GCC target("arch=armv8.2-a+dotprod+i8mm")
#endif

#define TARGET neoni8mm
#define VECTOR_BITS 128
#define VNNI 0
#define MATRICES 1
#define NEEDS "NEON with dot products (dotprod) and products of matrices (i8mm)"
#include "source.hpp"

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
