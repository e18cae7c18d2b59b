// The source of a target. A file target_*.cpp says for which instructions it is compiled, defines TARGET, VECTOR_BITS,
// VNNI (whether AVX has sums of four products of bytes), with NEON MATRICES (whether there are products of matrices)
// and NEEDS, and includes this.
#include "attend.hpp"
#include "logits.hpp"
#include "products.hpp"
#include "rates.hpp"

namespace kernels {
namespace TARGET {

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

extern const target table;
const target table = {
    TEXT(TARGET),
    NEEDS,
    formats_table::rows,
    formats_table::size,
    round,
    halves_to_floats,
    transpose_rows,
    advance,
    exp_of,
    highest_logit,
    sums_of_logits,
    reaching,
    weigh_logits,
    add_up,
    float_chains,
    byte_chains,
    chains * lanes_of<widest>,
    chains * lanes::rows * 4,
};

} // namespace TARGET
} // namespace kernels
