//go:build cgo && !llama_none

#include "speed.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

namespace kernels {

namespace {

// best runs work on all threads at once, several times, and returns the highest rate in units of work per second.
template <typename Work> double best(int threads, double units, Work work) {
    double highest = 0;
    for (int repeat = 0; repeat < 5; repeat++) {
        std::atomic<int> ready{0};
        std::vector<std::thread> threads_running;
        std::chrono::steady_clock::time_point started;
        std::exception_ptr refused; // a thread
        try {
            for (int i = 0; i < threads; i++) {
                threads_running.emplace_back([&, i] {
                    if (++ready == threads) started = std::chrono::steady_clock::now();
                    while (ready < threads) std::this_thread::yield();
                    work(i);
                });
            }
        } catch (...) {
            refused = std::current_exception();
            ready = threads; // those that run wait for no other
        }
        for (auto & t : threads_running) t.join();
        if (refused) std::rethrow_exception(refused);
        const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        highest = std::max(highest, units / took);
    }
    return highest;
}

std::atomic<float> sink; // keeps results from being optimised away

} // namespace

speed measure(const target & t, int threads) {
    speed s{};
    const size_t share = size_t(96) << 20; // bytes a thread reads: more than caches hold
    std::vector<std::vector<float>> memory(threads);
    for (auto & m : memory) m.assign(share / sizeof(float), 1);
    s.bytes = best(threads, double(share) * threads,
                   [&](int i) { sink = t.add_up(memory[i].data(), share / sizeof(float)); });
    const int rounds = 4'000'000;
    const double all = double(threads) * rounds;
    s.float_products = best(threads, all * t.floats_a_round, [&](int) { sink = t.multiply_floats(rounds); });
    s.byte_products = best(threads, all * t.bytes_a_round, [&](int) { sink = t.multiply_bytes(rounds); });
    return s;
}

} // namespace kernels
