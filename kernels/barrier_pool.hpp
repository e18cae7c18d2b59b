// Threads that run the same function at the same time, as those of a ggml operation do, and share its work.
#pragma once

#include <atomic>
#include <sched.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// barrier_pool owns no threads: it is where those of ggml meet. It holds the counter of the call under way and the
// barrier at its end, so one pool serves one graph at a time.
//
// Every thread must make the same calls of `each` in the same order. A thread that skips one leaves the others waiting
// for ever. So a variable that decides whether to call must not change between the moments at which two threads read
// it: it is written in `done`, after all threads have come to the barrier, as matmul::quantized and attention::seen
// are. What f(i) writes is visible to all threads when `each` has returned.
class barrier_pool {
  public:
    // each calls f(i) for all i < n, each i once, on any thread and in any order. All `size` threads must call it, with
    // the same n; the last of them to finish calls done(), and then all return.
    template <typename F, typename Done> void each(int size, int n, F f, Done done) {
        for (int i = next++; i < n; i = next++) f(i);
        const unsigned before = phase.load(std::memory_order_relaxed);
        if (++arrived == size) {
            done();
            next = 0;
            arrived = 0;
            phase.store(before + 1, std::memory_order_release);
            return;
        }
        for (int waited = 0; phase.load(std::memory_order_acquire) == before; waited++) {
            if (waited < 4000) {
                relax();
            } else {
                sched_yield(); // others need the core
            }
        }
    }
    template <typename F> void each(int size, int n, F f) {
        each(size, n, f, [] {});
    }

  private:
    static void relax() {
#if defined(__x86_64__)
        _mm_pause();
#endif
    }

    std::atomic<int> next{0}, arrived{0};
    std::atomic<unsigned> phase{0};
};
