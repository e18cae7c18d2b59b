//go:build cgo && !llama_none

// Comparisons of our layouts with ggml's, all of them at compile time.

#include "layouts.hpp"

#include "ggml.h"

#define GGML_COMMON_DECL_CPP
#include "ggml-common.h"

#define SAME_SIZE(ours, theirs) static_assert(sizeof(layout::ours) == sizeof(theirs), #theirs " of ggml-common.h")
#define SAME_PLACE(ours, field, theirs, their_field)                                                                   \
    static_assert(offsetof(layout::ours, field) == offsetof(theirs, their_field), #theirs " of ggml-common.h")

static_assert(layout::small == QK4_0 && layout::small == QK4_1 && layout::small == QK5_0 && layout::small == QK5_1 &&
                  layout::small == QK8_0 && layout::small == QK4_NL && layout::small == QK_MXFP4 &&
                  layout::super == QK_K,
              "weights of a block in ggml-common.h");

SAME_SIZE(q4_0, block_q4_0);
SAME_PLACE(q4_0, scale, block_q4_0, d);
SAME_PLACE(q4_0, nibbles, block_q4_0, qs);

SAME_SIZE(q4_1, block_q4_1);
SAME_PLACE(q4_1, scale, block_q4_1, data.data.d);
SAME_PLACE(q4_1, minimum, block_q4_1, data.data.m);
SAME_PLACE(q4_1, nibbles, block_q4_1, qs);

SAME_SIZE(q5_0, block_q5_0);
SAME_PLACE(q5_0, scale, block_q5_0, d);
SAME_PLACE(q5_0, fifth, block_q5_0, qh);
SAME_PLACE(q5_0, nibbles, block_q5_0, qs);

SAME_SIZE(q5_1, block_q5_1);
SAME_PLACE(q5_1, scale, block_q5_1, data.data.d);
SAME_PLACE(q5_1, minimum, block_q5_1, data.data.m);
SAME_PLACE(q5_1, fifth, block_q5_1, qh);
SAME_PLACE(q5_1, nibbles, block_q5_1, qs);

SAME_SIZE(q8_0, block_q8_0);
SAME_PLACE(q8_0, scale, block_q8_0, d);
SAME_PLACE(q8_0, numbers, block_q8_0, qs);

SAME_SIZE(q2_k, block_q2_K);
SAME_PLACE(q2_k, scales, block_q2_K, scales);
SAME_PLACE(q2_k, pairs, block_q2_K, qs);
SAME_PLACE(q2_k, scale, block_q2_K, data.data.d);
SAME_PLACE(q2_k, minimum, block_q2_K, data.data.dmin);

SAME_SIZE(q3_k, block_q3_K);
SAME_PLACE(q3_k, third, block_q3_K, hmask);
SAME_PLACE(q3_k, pairs, block_q3_K, qs);
SAME_PLACE(q3_k, scales, block_q3_K, scales);
SAME_PLACE(q3_k, scale, block_q3_K, d);

SAME_SIZE(q4_k, block_q4_K);
SAME_PLACE(q4_k, scale, block_q4_K, data.data.d);
SAME_PLACE(q4_k, minimum, block_q4_K, data.data.dmin);
SAME_PLACE(q4_k, scales, block_q4_K, scales);
SAME_PLACE(q4_k, nibbles, block_q4_K, qs);

SAME_SIZE(q5_k, block_q5_K);
SAME_PLACE(q5_k, scale, block_q5_K, data.data.d);
SAME_PLACE(q5_k, minimum, block_q5_K, data.data.dmin);
SAME_PLACE(q5_k, scales, block_q5_K, scales);
SAME_PLACE(q5_k, fifth, block_q5_K, qh);
SAME_PLACE(q5_k, nibbles, block_q5_K, qs);

SAME_SIZE(q6_k, block_q6_K);
SAME_PLACE(q6_k, nibbles, block_q6_K, ql);
SAME_PLACE(q6_k, upper, block_q6_K, qh);
SAME_PLACE(q6_k, scales, block_q6_K, scales);
SAME_PLACE(q6_k, scale, block_q6_K, d);

SAME_SIZE(iq4_nl, block_iq4_nl);
SAME_PLACE(iq4_nl, scale, block_iq4_nl, d);
SAME_PLACE(iq4_nl, nibbles, block_iq4_nl, qs);

SAME_SIZE(iq4_xs, block_iq4_xs);
SAME_PLACE(iq4_xs, scale, block_iq4_xs, d);
SAME_PLACE(iq4_xs, high, block_iq4_xs, scales_h);
SAME_PLACE(iq4_xs, low, block_iq4_xs, scales_l);
SAME_PLACE(iq4_xs, nibbles, block_iq4_xs, qs);

SAME_SIZE(mxfp4, block_mxfp4);
SAME_PLACE(mxfp4, exponent, block_mxfp4, e);
SAME_PLACE(mxfp4, nibbles, block_mxfp4, qs);

static_assert(GGML_TYPE_F32 == 0 && GGML_TYPE_F16 == 1 && GGML_TYPE_Q8_0 == 8,
              "kvTypes in types.go, enum ggml_type in ggml.h");
static_assert(sizeof(layout::q8_0) == 34, "kvTypes in types.go: bytes of 32 elements");
