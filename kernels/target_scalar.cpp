//go:build cgo && !llama_none

// The target for any processor: the compiler makes of the vectors what the program is compiled for.

#include <cstddef>
#include <cstdint>
#include <cstring>

#define TARGET scalar
#define VECTOR_BITS 0
#define VNNI 0
#define NEEDS "no vectors"
#include "source.hpp"
