//go:build cgo && (llama_carrier || llama_system) && !llama_none

// Contexts and steps: decode a batch, then draw from it in parallel.

#include "shim.hpp"
#include "versions.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

// workers are threads that sleep until there is work: n calls of a function, shared out by a counter.
class workers {
  public:
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

    int size() const { return int(threads.size()) + 1; }

    // each calls f(worker, i) for all i < n, on the caller's thread too, and returns when all are done.
    void each(int n, const std::function<void(int, int)> & f) {
        if (n == 1 || threads.empty()) {
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

struct sampler_free {
    void operator()(llama_sampler * s) const { llama_sampler_free(s); }
};

// stream is the sampler of one sequence.
struct stream {
    parley_sampler options{};
    uint64_t index = 0; // of the next token in its generation
    std::unique_ptr<llama_sampler, sampler_free> chain; // only where candidates are cut or changed

    void start(const parley_sampler & o, int32_t vocab, const int32_t * history, int32_t n) {
        options = o;
        index = 0;
        chain.reset();
        const bool penalty = o.repeat_penalty != 0 && o.repeat_penalty != 1;
        const bool cuts = o.temperature > 0 && (o.top_k > 0 || (o.top_p > 0 && o.top_p < 1) || o.min_p > 0);
        if (!penalty && !cuts) return;
        chain.reset(llama_sampler_chain_init(llama_sampler_chain_default_params()));
        const int32_t last = o.repeat_last_n ? o.repeat_last_n : 64;
        if (penalty) llama_sampler_chain_add(chain.get(), versions::penalties(llama_sampler_init_penalties, vocab, last, o.repeat_penalty, 0));
        if (cuts && o.top_k > 0) llama_sampler_chain_add(chain.get(), llama_sampler_init_top_k(o.top_k));
        if (cuts && o.top_p > 0 && o.top_p < 1) llama_sampler_chain_add(chain.get(), llama_sampler_init_top_p(o.top_p, 1));
        if (cuts && o.min_p > 0) llama_sampler_chain_add(chain.get(), llama_sampler_init_min_p(o.min_p, 1));
        if (penalty) {
            for (int32_t i = std::max(0, n - last); i < n; i++) llama_sampler_accept(chain.get(), history[i]);
        }
    }
};

uint64_t mix(uint64_t z) { // the finaliser of splitmix64 (Steele, Lea, Flood 2014)
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// uniform is in [0, 1) and a function of the seed and the token's index alone.
double uniform(uint64_t seed, uint64_t index) {
    return double(mix(mix(seed) + (index + 1) * 0x9e3779b97f4a7c15) >> 11) * 0x1p-53;
}

int32_t argmax(const float * logits, int32_t n) {
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++) {
        if (logits[i] > logits[best]) best = i;
    }
    return best;
}

// draw_from picks i with probability proportional to exp((logit(i) - most) / temperature). weight is room for n numbers.
template <typename Logit>
int32_t draw_from(Logit logit, int32_t n, float most, float temperature, double u, std::vector<float> & weight) {
    weight.resize(n);
    double total = 0;
    for (int32_t i = 0; i < n; i++) {
        weight[i] = std::exp((logit(i) - most) / temperature);
        total += weight[i];
    }
    double left = u * total;
    int32_t last = 0;
    for (int32_t i = 0; i < n; i++) {
        if (weight[i] <= 0) continue;
        last = i;
        left -= weight[i];
        if (left < 0) break;
    }
    return last;
}

// scratch is what a worker needs while it samples.
struct scratch {
    std::vector<float> weight;
    std::vector<llama_token_data> candidates;
    std::vector<int32_t> best;
};

int32_t draw(stream & s, const float * logits, int32_t n, int32_t top, scratch & room) {
    const parley_sampler & o = s.options;
    const double u = uniform(o.seed, s.index++);
    if (!s.chain) {
        if (o.temperature <= 0) return top;
        return draw_from([&](int32_t i) { return logits[i]; }, n, logits[top], o.temperature, u, room.weight);
    }
    room.candidates.resize(n);
    for (int32_t i = 0; i < n; i++) room.candidates[i] = {i, logits[i], 0};
    llama_token_data_array list{room.candidates.data(), room.candidates.size(), -1, false};
    llama_sampler_apply(s.chain.get(), &list);
    const llama_token_data * c = list.data;
    const int32_t size = int32_t(list.size);
    int32_t at = 0;
    for (int32_t i = 1; i < size; i++) {
        if (c[i].logit > c[at].logit || (c[i].logit == c[at].logit && c[i].id < c[at].id)) at = i;
    }
    if (o.temperature > 0) {
        at = draw_from([&](int32_t i) { return c[i].logit; }, size, c[at].logit, o.temperature, u, room.weight);
    }
    llama_sampler_accept(s.chain.get(), c[at].id);
    return c[at].id;
}

// rivals writes the best n tokens other than `drawn`, and returns how many there are.
int32_t find_rivals(const float * logits, int32_t vocab, int32_t drawn, int32_t n, double norm, parley_rival * out, std::vector<int32_t> & best) {
    auto better = [&](int32_t a, int32_t b) { return logits[a] > logits[b] || (logits[a] == logits[b] && a < b); };
    best.resize(vocab);
    for (int32_t i = 0; i < vocab; i++) best[i] = i;
    const int32_t some = std::min(n + 1, vocab);
    std::partial_sort(best.begin(), best.begin() + some, best.end(), better);
    int32_t found = 0;
    for (int32_t i = 0; i < some && found < n; i++) {
        if (best[i] != drawn) out[found++] = {best[i], float(logits[best[i]] - norm)};
    }
    return found;
}

} // namespace

struct parley_context {
    parley_model * model = nullptr;
    llama_context * context = nullptr;
    ggml_threadpool_t pool = nullptr;
    void (*pool_free)(ggml_threadpool_t) = nullptr;
    std::atomic<int32_t> abort{0};
    std::unique_ptr<workers> crew;
    std::vector<scratch> rooms; // one a worker
    std::vector<stream> streams; // one a sequence

    // The batch as llama.cpp wants it, kept from step to step.
    std::vector<llama_token> token;
    std::vector<llama_pos> pos;
    std::vector<int32_t> n_seq;
    std::vector<llama_seq_id> seq;
    std::vector<llama_seq_id *> seqs;
    std::vector<int8_t> wanted;
    std::vector<const float *> logits;
    std::vector<parley_rival> rivals;

    ~parley_context() {
        crew.reset();
        if (context) llama_free(context);
        if (pool) pool_free(pool);
    }

    void make_pool(int32_t threads, int32_t poll);
    void change_memory(const parley_op * ops, int32_t n);
    int decode(const parley_row * rows, int32_t n, const parley_sample * samples, int32_t n_samples);
    void sample(const parley_sample * samples, int32_t n, parley_sampled * out);
};

// make_pool gives the context threads that live as long as it does; without them every decode starts its own.
void parley_context::make_pool(int32_t threads, int32_t poll) {
    ggml_backend_dev_t cpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    if (!cpu) return;
    ggml_backend_reg_t reg = ggml_backend_dev_backend_reg(cpu);
    auto make = reinterpret_cast<ggml_threadpool_t (*)(ggml_threadpool_params *)>(ggml_backend_reg_get_proc_address(reg, "ggml_threadpool_new"));
    pool_free = reinterpret_cast<void (*)(ggml_threadpool_t)>(ggml_backend_reg_get_proc_address(reg, "ggml_threadpool_free"));
    if (!make || !pool_free) return;
    ggml_threadpool_params params = ggml_threadpool_params_default(threads);
    params.poll = uint32_t(poll);
    pool = make(&params);
    if (!pool) throw std::runtime_error("could not start the compute threads");
    llama_attach_threadpool(context, pool, pool);
}

extern "C" parley_context * parley_context_new(parley_model * model, parley_context_options o, char * error) {
    guard g;
    try {
        auto c = std::make_unique<parley_context>();
        c->model = model;
        llama_context_params params = llama_context_default_params();
        params.n_ctx = o.cells;
        params.n_seq_max = o.sequences;
        params.n_batch = o.batch;
        params.n_ubatch = o.micro_batch;
        params.n_threads = params.n_threads_batch = o.threads;
        params.type_k = static_cast<ggml_type>(o.key_type);
        params.type_v = static_cast<ggml_type>(o.value_type);
        params.flash_attn_type = static_cast<llama_flash_attn_type>(o.flash_attention);
        params.kv_unified = o.unified;
        params.no_perf = true;
        params.abort_callback = [](void * data) { return static_cast<std::atomic<int32_t> *>(data)->load(std::memory_order_relaxed) != 0; };
        params.abort_callback_data = &c->abort;
        c->context = llama_init_from_model(model->model, params);
        if (!c->context) throw std::runtime_error(logged_reason("llama.cpp could not make a context and gave no reason"));
        c->make_pool(o.threads, o.poll);
        c->streams.resize(o.sequences);
        c->crew = std::make_unique<workers>(o.threads - 1);
        c->rooms.resize(c->crew->size());
        return c.release();
    } catch (const std::exception & e) {
        write_error(error, e.what());
    } catch (...) {
        write_error(error, "unknown exception in llama.cpp");
    }
    return nullptr;
}

extern "C" void parley_context_free(parley_context * c) { delete c; }
extern "C" uint32_t parley_context_cells(const parley_context * c) { return llama_n_ctx(c->context); }
extern "C" void parley_context_abort(parley_context * c, int32_t flag) { c->abort.store(flag, std::memory_order_relaxed); }
extern "C" const parley_rival * parley_context_rivals(const parley_context * c) { return c->rivals.data(); }
extern "C" const float * parley_context_logits(parley_context * c, int32_t row) {
    if (row < 0 || row >= int32_t(c->wanted.size()) || !c->wanted[row]) return nullptr;
    return llama_get_logits_ith(c->context, row);
}

void parley_context::change_memory(const parley_op * ops, int32_t n) {
    llama_memory_t memory = llama_get_memory(context);
    for (int32_t i = 0; i < n; i++) {
        const parley_op & op = ops[i];
        if (op.kind == 1) {
            llama_memory_seq_cp(memory, op.src, op.dst, op.from, op.to);
        } else if (!llama_memory_seq_rm(memory, op.dst, op.from, op.to)) {
            throw std::runtime_error("this model cannot forget a part of a sequence: recurrent architectures are not supported");
        }
    }
}

int parley_context::decode(const parley_row * rows, int32_t n, const parley_sample * samples, int32_t n_samples) {
    token.resize(n), pos.resize(n), seq.resize(n), seqs.resize(n), n_seq.assign(n, 1), wanted.assign(n, 0);
    for (int32_t i = 0; i < n; i++) {
        token[i] = rows[i].token, pos[i] = rows[i].pos, seq[i] = rows[i].seq, seqs[i] = &seq[i];
    }
    for (int32_t i = 0; i < n_samples; i++) wanted[samples[i].row] = 1;
    llama_batch batch{n, token.data(), nullptr, pos.data(), n_seq.data(), seqs.data(), wanted.data()};
    return llama_decode(context, batch);
}

void parley_context::sample(const parley_sample * samples, int32_t n, parley_sampled * out) {
    const int32_t vocab = llama_vocab_n_tokens(model->vocab);
    logits.resize(n);
    int32_t room = 0;
    for (int32_t i = 0; i < n; i++) {
        logits[i] = llama_get_logits_ith(context, samples[i].row); // not in parallel: the first call may reorder
        if (!logits[i]) throw std::runtime_error("llama.cpp gave no logits for a row");
        out[i].rivals = room;
        room += std::clamp(streams[samples[i].seq].options.rivals, 0, vocab - 1);
    }
    rivals.resize(room);
    std::atomic<bool> broken{false};
    crew->each(n, [&](int worker, int i) {
        const float * l = logits[i];
        stream & s = streams[samples[i].seq];
        const int32_t top = argmax(l, vocab);
        double sum = 0;
        for (int32_t k = 0; k < vocab; k++) sum += std::exp(l[k] - l[top]);
        if (!std::isfinite(sum)) {
            broken = true;
            return;
        }
        const double norm = l[top] + std::log(sum);
        const int32_t t = draw(s, l, vocab, top, rooms[worker]);
        out[i].token = t;
        out[i].log_prob = float(l[t] - norm);
        out[i].end = llama_vocab_is_eog(model->vocab, t);
        const int32_t wanted_rivals = std::clamp(s.options.rivals, 0, vocab - 1);
        out[i].n_rivals = wanted_rivals == 0 ? 0 : find_rivals(l, vocab, t, wanted_rivals, norm, &rivals[out[i].rivals], rooms[worker].best);
    });
    if (broken) throw std::runtime_error("the model computed a logit that is not a number: its weights are damaged");
}

extern "C" int parley_step(parley_context * c, const parley_op * ops, int32_t n_ops, const parley_row * rows, int32_t n_rows,
                           const parley_sample * samples, int32_t n_samples, const parley_sampler * samplers, const int32_t * history,
                           parley_sampled * out, char * error) {
    try {
        c->change_memory(ops, n_ops);
        if (n_rows == 0) return PARLEY_OK;
        for (int32_t i = 0; i < n_samples; i++) {
            const parley_sample & s = samples[i];
            if (s.start >= 0) c->streams[s.seq].start(samplers[s.start], llama_vocab_n_tokens(c->model->vocab), history + s.history, s.n_history);
        }
        switch (const int code = c->decode(rows, n_rows, samples, n_samples)) {
        case 0: break;
        case 1: return PARLEY_NO_SLOT;
        case 2: return PARLEY_ABORTED;
        default: throw std::runtime_error(logged_reason("llama_decode failed") + " (code " + std::to_string(code) + ")");
        }
        c->sample(samples, n_samples, out);
        return PARLEY_OK;
    } catch (const std::exception & e) {
        write_error(error, e.what());
    } catch (...) {
        write_error(error, "unknown exception in llama.cpp");
    }
    return PARLEY_FAILED;
}
