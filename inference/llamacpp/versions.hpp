// Where llama.h has changed since the carrier's copy: each function takes the form that the header at hand has.
#pragma once

#include "llama.h"

namespace versions {

// Mapping the file: a truth value until 2026, then one of several load modes (0 reads, 1 maps).
template <typename Params> auto set_mmap(Params & p, bool on, int) -> decltype(p.use_mmap, void()) { p.use_mmap = on; }
template <typename Params> auto set_mmap(Params & p, bool on, long) -> decltype(p.load_mode, void()) {
    p.load_mode = static_cast<decltype(p.load_mode)>(on ? 1 : 0);
}

} // namespace versions
