// How many threads to compute with on a machine that other programs use too.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

// thread_governor estimates what share of a core each thread gets. Threads that compute a graph wait for each other
// after every operation, so that one that shares its core holds up all. Fewer threads on whole cores are then many
// times faster than more threads on parts of cores. Results do not depend on the number of threads (see matmul.cpp and
// attention.cpp).
//
// The thread that steps calls begin, decodes with threads() threads, and calls end. The share is the CPU time of the
// whole process in between, divided by wall time and threads. Below 0.75 another program uses the cores, and the number
// of threads falls at once. It rises by one after `patience` undisturbed steps, and patience doubles each time a rise
// did not last.
class thread_governor {
  public:
    explicit thread_governor(int most = 1) : most(most), now(most) {}

    int threads() const { return now; }

    void begin() { wall = std::chrono::steady_clock::now(), cpu = clock_of_process(); }

    // end looks at the step since begin, and changes the number of threads for the next one.
    void end() {
        const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
        if (took < 0.002) return; // too short to tell
        const double share = (clock_of_process() - cpu) / took / now;
        if (share < 0.75) {
            if (raised) patience = std::min(2 * patience, 1024); // the last attempt to use more did not last
            now = std::max(1, int(now * share + 0.5));
            calm = 0;
            raised = false;
        } else if (now < most && ++calm >= patience) {
            now++;
            calm = 0;
            raised = true;
        } else if (now == most && calm++ > 64) {
            patience = 8;
        }
    }

  private:
    static double clock_of_process() {
        timespec t{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
    }

    int most, now;
    int calm = 0, patience = 8; // undisturbed steps so far; how many there must be before one more thread is tried
    bool raised = false; // the last change was to more threads
    std::chrono::steady_clock::time_point wall;
    double cpu = 0;
};
