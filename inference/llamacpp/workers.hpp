// Threads that sleep until there is work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

// workers share the calls f(worker, 0) to f(worker, n - 1) by a counter. They draw samples between decodes: ggml's own
// threads cannot be used for that, and threads that spin would take cores from them.
//
// One thread owns the pool and calls `each`, one call at a time. Which worker gets which i is left to chance, so the
// result of f for an i must not depend on the worker; its number only selects scratch memory. f must not throw.
class workers {
  public:
    // n threads besides the caller's.
    explicit workers(int n) {
        for (int i = 0; i < n; i++) threads.emplace_back([this, i] { loop(i + 1); });
    }
    ~workers() {
        {
            std::lock_guard<std::mutex> lock(mutex);
            stop = true;
        }
        wake.notify_all();
        for (auto & t : threads) t.join();
    }

    // size is the number of workers, the caller included: worker numbers are [0, size).
    int size() const { return int(threads.size()) + 1; }

    // each calls f(worker, i) for all i < n, on the caller's thread too, and returns when all are done.
    void each(int n, const std::function<void(int, int)> & f) {
        if (n <= 1 || threads.empty()) {
            for (int i = 0; i < n; i++) f(0, i);
            return;
        }
        {
            std::lock_guard<std::mutex> lock(mutex);
            work = &f;
            count = n;
            next = 0;
            busy = int(threads.size());
            round++;
        }
        wake.notify_all();
        for (int i = next++; i < n; i = next++) f(0, i);
        std::unique_lock<std::mutex> lock(mutex);
        done.wait(lock, [this] { return busy == 0; });
    }

  private:
    void loop(int worker) {
        for (uint64_t seen = 0;;) {
            std::unique_lock<std::mutex> lock(mutex);
            wake.wait(lock, [&] { return stop || round != seen; });
            if (stop) return;
            seen = round;
            lock.unlock();
            for (int i = next++; i < count; i = next++) (*work)(worker, i);
            lock.lock();
            if (--busy == 0) done.notify_one();
        }
    }

    std::vector<std::thread> threads;
    std::mutex mutex;
    std::condition_variable wake, done;
    const std::function<void(int, int)> * work = nullptr;
    std::atomic<int> next{0};
    int count = 0, busy = 0;
    uint64_t round = 0;
    bool stop = false;
};
