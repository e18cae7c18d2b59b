//go:build cgo && !llama_none

// The target for NEON with dot products of bytes, whatever the rest of the program is compiled for.

#if defined(__aarch64__)

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <arm_neon.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#else
#pragma GCC target("arch=armv8.2-a+dotprod")
#endif

#define TARGET neon
#define VECTOR_BITS 128
#define VNNI 0
#define MATRICES 0
#define NEEDS "NEON with dot products (dotprod)"
#include "source.hpp"

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
