// All differences between the carrier's llama.cpp and newer ones. Functions of templates compile against whichever form
// the header has.
#pragma once

#include "ggml-backend.h"
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

// An installed library tells its version, and loads backends that may lie beside it. The Makefile passes the version
// whose headers this is compiled with; the program may meet another when it runs.
#ifdef PARLEY_LLAMA_SYSTEM
#ifndef PARLEY_LLAMA_VERSION
#define PARLEY_LLAMA_VERSION
#endif
#define PARLEY_TEXT_OF(...) #__VA_ARGS__
#define PARLEY_TEXT(...) PARLEY_TEXT_OF(__VA_ARGS__)
inline const char * headers() { return PARLEY_TEXT(PARLEY_LLAMA_VERSION); }
inline const char * library() { return llama_version(); }
inline const char * ggml() { return ggml_version(); }
inline const char * ggml_of() { return ggml_commit(); }
inline void load_backends() { ggml_backend_load_all(); }
#else
inline const char * headers() { return ""; }
inline const char * library() { return ""; }
inline const char * ggml() { return ""; }
inline const char * ggml_of() { return ""; }
inline void load_backends() {}
#endif

} // namespace versions
