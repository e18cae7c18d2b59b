// Differences between the carrier's llama.h and newer ones: each function compiles against whichever form the header
// has.
#pragma once

#include "llama.h"

namespace versions {

// Whether to map the file: a bool until 2026, then one of several load modes (0 reads, 1 maps).
template <typename Params> auto set_mmap(Params & p, bool on, int) -> decltype(p.use_mmap, void()) { p.use_mmap = on; }
template <typename Params> auto set_mmap(Params & p, bool on, long) -> decltype(p.load_mode, void()) {
    p.load_mode = static_cast<decltype(p.load_mode)>(on ? 1 : 0);
}

// The width of pooled states: that of the model until 2026, then one of its own.
template <typename M> auto pooled_width(const M * model, int) -> decltype(llama_model_n_embd_out(model)) {
    return llama_model_n_embd_out(model);
}
template <typename M> int32_t pooled_width(const M * model, long) { return llama_model_n_embd(model); }

} // namespace versions
