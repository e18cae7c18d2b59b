// Threads that run the same function at the same time, as those of a ggml operation do, and share its work.
#pragma once

#include <atomic>
#include <sched.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

class team {
  public:
    // each calls f(i) for all i < n. All `size` threads must call it, with the same n; the last of them to finish calls
    // done(), and then all return.
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
