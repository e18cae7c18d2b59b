//go:build cgo && !llama_none

// Memory of llama.cpp in large pages, which are found in less time than small ones, and caches that take none until
// they are used. The linker puts the functions of this file in the place of two of ggml's (`--wrap`, which linkers of
// Linux have).

#ifdef __linux__

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "ggml-backend.h"

// The whole pages of a piece of memory.
struct whole_pages {
    char *first, *end;

    whole_pages(void * from, size_t size) {
        const size_t page = size_t(sysconf(_SC_PAGESIZE));
        first = reinterpret_cast<char *>((uintptr_t(from) + page - 1) / page * page);
        end = reinterpret_cast<char *>((uintptr_t(from) + size) / page * page);
    }
    bool advise(int advice) const { return end > first && madvise(first, size_t(end - first), advice) == 0; }
};

// Weights that are read, caches and results of a graph are allocated so. Small ones share their pages.
extern "C" void * __real_ggml_aligned_malloc(size_t size);
extern "C" void * __wrap_ggml_aligned_malloc(size_t size) {
    void * const allocated = __real_ggml_aligned_malloc(size);
    if (allocated && size >= size_t(4) << 20) whole_pages(allocated, size).advise(MADV_HUGEPAGE);
    return allocated;
}

// llama.cpp fills the keys, values and states of all sequences with zeros when it makes a context. What is to be zeros
// goes back to the system instead, which fills a page with zeros when it is first used. Only buffers of ggml's own for
// the processor are memory of nobody else: others may be a file's or a device's.
extern "C" void __real_ggml_backend_buffer_clear(ggml_backend_buffer_t buffer, uint8_t value);
extern "C" void __wrap_ggml_backend_buffer_clear(ggml_backend_buffer_t buffer, uint8_t value) {
    const bool own = buffer && ggml_backend_buffer_get_type(buffer) == ggml_backend_cpu_buffer_type();
    if (value != 0 || !own) return __real_ggml_backend_buffer_clear(buffer, value);
    char * const from = static_cast<char *>(ggml_backend_buffer_get_base(buffer));
    const size_t size = ggml_backend_buffer_get_size(buffer);
    const whole_pages inside(from, size);
    if (!inside.advise(MADV_DONTNEED)) return __real_ggml_backend_buffer_clear(buffer, value);
    memset(from, 0, size_t(inside.first - from));
    memset(inside.end, 0, size_t(from + size - inside.end));
}

#endif
