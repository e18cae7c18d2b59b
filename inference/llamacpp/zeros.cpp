//go:build cgo && !llama_none

// Caches take memory once they are used. llama.cpp fills the keys, values and states of all sequences with zeros when
// it makes a context. The linker puts the function of this file in the place of the one that does so (`--wrap`, which
// linkers of Linux have): what is to be zeros goes back to the system, which fills a page with zeros when it is first
// used. The new pages are large ones, which take less time to find.

#ifdef __linux__

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "ggml-backend.h"

extern "C" void __real_ggml_backend_buffer_clear(ggml_backend_buffer_t buffer, uint8_t value);

// Only buffers of ggml's own for the processor are memory of nobody else: others may be a file's or a device's.
extern "C" void __wrap_ggml_backend_buffer_clear(ggml_backend_buffer_t buffer, uint8_t value) {
    const bool own = buffer && ggml_backend_buffer_get_type(buffer) == ggml_backend_cpu_buffer_type();
    const size_t size = own ? ggml_backend_buffer_get_size(buffer) : 0, page = size_t(sysconf(_SC_PAGESIZE));
    if (value != 0 || size < 2 * page) return __real_ggml_backend_buffer_clear(buffer, value);
    char * const from = static_cast<char *>(ggml_backend_buffer_get_base(buffer));
    char * const first = from + (page - uintptr_t(from) % page) % page;
    char * const end = first + (size - page) / page * page;
    if (madvise(first, size_t(end - first), MADV_DONTNEED) != 0) {
        return __real_ggml_backend_buffer_clear(buffer, value);
    }
    madvise(first, size_t(end - first), MADV_HUGEPAGE);
    memset(from, 0, size_t(first - from));
    memset(end, 0, size_t(from + size - end));
}

#endif
