//go:build cgo && (llama_carrier || llama_system) && !llama_none

// Comparisons of our layouts with ggml's, all of them at compile time. An installed library comes without the header.

#include "layouts.hpp"

#include "ggml.h"

#if __has_include("../src/ggml-common.h")
#define GGML_COMMON_DECL_CPP
#include "../src/ggml-common.h"

#define SAME_SIZE(ours, theirs) static_assert(sizeof(layout::ours) == sizeof(theirs), #theirs " of ggml-common.h")
#define SAME_PLACE(ours, field, theirs, their_field)                                                                   \
    static_assert(offsetof(layout::ours, field) == offsetof(theirs, their_field), #theirs " of ggml-common.h")

static_assert(layout::small == QK4_0 && layout::small == QK5_0 && layout::small == QK8_0 && layout::super == QK_K,
              "weights of a block in ggml-common.h");

SAME_SIZE(q4_0, block_q4_0);
SAME_PLACE(q4_0, scale, block_q4_0, d);
SAME_PLACE(q4_0, nibbles, block_q4_0, qs);

SAME_SIZE(q5_0, block_q5_0);
SAME_PLACE(q5_0, scale, block_q5_0, d);
SAME_PLACE(q5_0, fifth, block_q5_0, qh);
SAME_PLACE(q5_0, nibbles, block_q5_0, qs);

SAME_SIZE(q8_0, block_q8_0);
SAME_PLACE(q8_0, scale, block_q8_0, d);
SAME_PLACE(q8_0, numbers, block_q8_0, qs);

SAME_SIZE(q4_k, block_q4_K);
SAME_PLACE(q4_k, scales, block_q4_K, scales);
SAME_PLACE(q4_k, nibbles, block_q4_K, qs);

SAME_SIZE(q5_k, block_q5_K);
SAME_PLACE(q5_k, scales, block_q5_K, scales);
SAME_PLACE(q5_k, fifth, block_q5_K, qh);
SAME_PLACE(q5_k, nibbles, block_q5_K, qs);

SAME_SIZE(q6_k, block_q6_K);
SAME_PLACE(q6_k, nibbles, block_q6_K, ql);
SAME_PLACE(q6_k, upper, block_q6_K, qh);
SAME_PLACE(q6_k, scales, block_q6_K, scales);
SAME_PLACE(q6_k, scale, block_q6_K, d);
#endif

static_assert(GGML_TYPE_F32 == 0 && GGML_TYPE_F16 == 1 && GGML_TYPE_Q8_0 == 8,
              "kvTypes in types.go, enum ggml_type in ggml.h");
static_assert(sizeof(layout::q8_0) == 34, "kvTypes in types.go: bytes of 32 elements");
