// Where llama.h has changed since the carrier's copy: each function takes the form that the header at hand has.
#pragma once

#include "llama.h"

namespace versions {

// Mapping the file: a truth value until 2026, then one of several load modes (0 reads, 1 maps).
template <typename Params> auto set_mmap(Params & p, bool on, int) -> decltype(p.use_mmap, void()) { p.use_mmap = on; }
template <typename Params> auto set_mmap(Params & p, bool on, long) -> decltype(p.load_mode, void()) {
    p.load_mode = static_cast<decltype(p.load_mode)>(on ? 1 : 0);
}

// The repetition penalty got the size of the vocabulary as its first argument.
template <typename Init> auto penalties(Init init, int32_t, int32_t last, float repeat, int) -> decltype(init(last, repeat, 0.f, 0.f)) {
    return init(last, repeat, 0.f, 0.f);
}
template <typename Init> auto penalties(Init init, int32_t vocab, int32_t last, float repeat, long) -> decltype(init(vocab, last, repeat, 0.f, 0.f)) {
    return init(vocab, last, repeat, 0.f, 0.f);
}

} // namespace versions
