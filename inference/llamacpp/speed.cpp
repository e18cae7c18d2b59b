//go:build cgo && !llama_none

// Peak rates of the machine: how fast it reads memory and multiplies, with a given number of threads.

#include "shim.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "simd.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "lanes.hpp"
#endif

namespace {

// best runs work on all threads at once, several times, and returns the highest rate in units of work per second.
template <typename Work> double best(int threads, double units, Work work) {
    double highest = 0;
    for (int repeat = 0; repeat < 5; repeat++) {
        std::atomic<int> ready{0};
        std::vector<std::thread> threads_running;
        std::chrono::steady_clock::time_point started;
        for (int i = 0; i < threads; i++) {
            threads_running.emplace_back([&, i] {
                if (++ready == threads) started = std::chrono::steady_clock::now();
                while (ready < threads) std::this_thread::yield();
                work(i);
            });
        }
        for (auto & t : threads_running) t.join();
        const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        highest = std::max(highest, units / took);
    }
    return highest;
}

std::atomic<float> sink; // keeps results from being optimised away

} // namespace

extern "C" parley_speed parley_measure(int32_t threads) {
    parley_speed s{};
    const size_t share = size_t(96) << 20; // bytes a thread reads: more than caches hold
    std::vector<std::vector<float>> memory(threads);
    for (auto & m : memory) m.assign(share / sizeof(float), 1);
    s.bytes = best(threads, double(share) * threads, [&](int i) {
        simd::f32x8 sum[4] = {};
        const float * p = memory[i].data();
        for (size_t k = 0; k + 32 <= share / sizeof(float); k += 32) {
            for (int j = 0; j < 4; j++) sum[j] += simd::load(p + k + j * 8);
        }
        sink = simd::sum(sum[0] + sum[1] + sum[2] + sum[3]);
    });
    const int rounds = 4'000'000, chains = 10;
    s.float_products = best(threads, double(threads) * rounds * chains * simd::lanes_of<simd::widest>, [&](int) {
        const auto x = simd::broadcast<simd::widest>(0.999f), y = simd::broadcast<simd::widest>(0.001f);
        simd::widest a[chains];
        for (auto & v : a) v = simd::broadcast<simd::widest>(1);
        for (int k = 0; k < rounds; k++) {
            for (auto & v : a) v = simd::fma(v, x, y);
        }
        for (auto & v : a) sink = v[0];
    });
    s.byte_products = s.float_products;
#if defined(__AVX2__) && defined(__FMA__)
    s.byte_products = best(threads, double(threads) * rounds * chains * lanes::rows * 4, [&](int) {
        lanes::integers a[chains], x = lanes::all(0x03030303);
        for (auto & v : a) v = lanes::all(0);
        for (int k = 0; k < rounds; k++) {
#pragma GCC unroll 10
            for (auto & v : a) v = lanes::add_bytes(false, v, v, x);
        }
        for (auto & v : a) sink = float(v[0]);
    });
#endif
    return s;
}
