//go:build cgo && !llama_none

// What a limit of addresses (ulimit -v, as on login nodes) means. It is looked at before Go's runtime starts, which
// ends with a dump where it gets too few, before anything of the program runs.

#ifdef __linux__

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#ifdef __GLIBC__
#include <malloc.h>
#endif

static const rlim_t least = rlim_t(1) << 30;  // with less, the runtime does not start, and with more it may not
static const rlim_t little = rlim_t(2) << 30; // machine.LeastAddresses

__attribute__((constructor)) static void check_addresses() {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= little) return;
    if (limit.rlim_cur < least) {
        fprintf(stderr,
                "parley: this process may have %llu kB of addresses (ulimit -v), and needs %llu kB to start and %llu "
                "kB beside a model: take the limit off with ulimit -v unlimited, or work in a job of the cluster\n",
                (unsigned long long)limit.rlim_cur >> 10, (unsigned long long)least >> 10,
                (unsigned long long)little >> 10);
        _exit(3); // exit.CodeInput
    }
    fprintf(stderr,
            "parley: warning: this process may have %llu kB of addresses (ulimit -v) and needs %llu kB: where it ends "
            "with a dump, take the limit off with ulimit -v unlimited\n",
            (unsigned long long)limit.rlim_cur >> 10, (unsigned long long)little >> 10);
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1); // each further one of a thread reserves 64 MiB
#endif
}

#endif
