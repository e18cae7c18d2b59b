//go:build cgo && !llama_none

// Contexts and steps: decode a batch, then draw from it in parallel.
//
// parley_step is called by one Go goroutine at a time for each context. It carries out memory operations, starts the
// samplers that begin a generation, decodes, and samples, in this order. It keeps no pointer: all of them are to Go
// memory, which is only valid during the call. Three kinds of threads run below it: the caller's, ggml's (in decode),
// and `samplers` (in sample); the last two never at the same time.
//
// After a failed decode the content of the cells is undefined, except after PARLEY_NO_SLOT. Samplers that were started
// stay started.

#include "graph.hpp"
#include "thread_governor.hpp"
#include "sampling.hpp"
#include "shim.hpp"
#include "workers.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

// parley_context owns everything but the model, which Go keeps open longer. It destroys the samplers first, whose
// threads may still look at streams, then llama.cpp's context, then the threads that compute for it.
struct parley_context {
    explicit parley_context(parley_model * m) : model(m), kernels(*m->by) {}

    parley_model * model;
    bool recurrent = false; // see decode
    bool pools = false; // for an Embedder: the states of all rows are wanted
    int32_t twins = 0; // how far from each sequence its twin is; 0 without twins: see decode
    llama_context * context = nullptr;
    ggml_threadpool_t pool = nullptr;
    void (*pool_free)(ggml_threadpool_t) = nullptr;
    std::atomic<int32_t> abort{0};
    std::unique_ptr<workers> samplers;
    graph kernels;
    thread_governor governor;
    std::vector<sampling_scratch> scratches; // one for each worker
    std::vector<stream> streams; // one for each sequence
    std::vector<stream> single; // for samples without a sequence, by their index in the batch
    std::unordered_map<std::string, std::shared_ptr<const grammar>> grammars; // by their programs' bytes

    // The batch in llama.cpp's form, kept from step to step so that a step allocates nothing.
    std::vector<llama_token> token;
    std::vector<llama_pos> pos;
    std::vector<int32_t> n_seq;
    std::vector<llama_seq_id> seq; // of all rows, one after the other
    std::vector<llama_seq_id *> seqs;
    std::vector<int8_t> wanted;
    std::vector<int32_t> order, place; // the rows of the step as the batch has them, and where each is in the batch
    std::vector<const float *> logits;
    std::vector<parley_alternative> alternatives;

    ~parley_context() {
        samplers.reset();
        if (context) llama_free(context);
        if (pool) pool_free(pool);
    }

    // What is allocated, see parley_memory. Written by the thread that steps, read by any.
    std::atomic<int64_t> compute_bytes{0}, logit_bytes{0}, kernel_bytes{0}, sampling_bytes{0};

    void account();
    stream & stream_of(const parley_sample * samples, int32_t i) {
        return samples[i].seq >= 0 ? streams[samples[i].seq] : single[i];
    }
    std::shared_ptr<const grammar> grammar_of(const int32_t * numbers);
    void make_pool(int32_t threads, int32_t poll);
    void change_memory(const parley_op * ops, int32_t n);
    void check_whole(const parley_op & op) const;
    void arrange(const parley_row * rows, int32_t n);
    int decode(const parley_row * rows, int32_t n, const int32_t * also, const parley_sample * samples,
               int32_t n_samples);
    void sample(const parley_sample * samples, int32_t n, parley_sampled * out);
};

// make_pool gives the context threads that live as long as it does; without them every decode starts its own.
void parley_context::make_pool(int32_t threads, int32_t poll) {
    ggml_backend_dev_t cpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    if (!cpu) return;
    ggml_backend_reg_t reg = ggml_backend_dev_backend_reg(cpu);
    auto make = reinterpret_cast<ggml_threadpool_t (*)(ggml_threadpool_params *)>(
        ggml_backend_reg_get_proc_address(reg, "ggml_threadpool_new"));
    pool_free =
        reinterpret_cast<void (*)(ggml_threadpool_t)>(ggml_backend_reg_get_proc_address(reg, "ggml_threadpool_free"));
    if (!make || !pool_free) return;
    ggml_threadpool_params params = ggml_threadpool_params_default(threads);
    params.poll = uint32_t(poll);
    pool = make(&params);
    if (!pool) throw std::runtime_error("could not start the compute threads");
    llama_attach_threadpool(context, pool, pool);
}

// check_pooling refuses models whose pooled states would not be those of the text.
static void check_pooling(const llama_model * m) {
    if (keeps_states(m)) throw std::runtime_error("states of recurrent architectures are not pooled");
    if (llama_model_has_encoder(m) && llama_model_has_decoder(m))
        throw std::runtime_error("states of a model with both an encoder and a decoder are not pooled");
}

extern "C" parley_context * parley_context_new(parley_model * model, parley_context_options o, char * error) {
    guard g;
    try {
        auto c = std::make_unique<parley_context>(model);
        c->samplers = std::make_unique<workers>(o.threads - 1);
        c->governor = thread_governor(o.threads);
        c->kernels.in_parts = llama_model_is_hybrid(model->model); // see arrange
        // of a hybrid with a sliding window, rows do not see how many tokens come before them
        const bool counts = !c->kernels.in_parts || llama_model_n_swa(model->model) == 0;
        c->kernels.own_attention = o.own_kernels && o.unified && counts;
        c->kernels.own_products = o.own_kernels && model->own_products;
        llama_context_params params = llama_context_default_params();
        params.n_ctx = (o.cells + 255) / 256 * 256; // llama.cpp rounds too, but only after it limits the batch to n_ctx
        c->recurrent = keeps_states(model->model);
        if (llama_model_n_swa(model->model) > 0 && o.pooling == 0) c->twins = int32_t(o.sequences);
        params.n_seq_max = o.sequences + c->twins;
        params.n_batch = o.batch;
        params.n_ubatch = o.batch; // one decode is one graph: see graph.hpp
        params.n_threads = params.n_threads_batch = o.threads;
        params.type_k = static_cast<ggml_type>(o.key_type);
        params.type_v = static_cast<ggml_type>(o.value_type);
        params.flash_attn_type = o.flash_attention ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
        params.kv_unified = o.unified;
        if ((c->pools = o.pooling != 0)) check_pooling(model->model);
        params.embeddings = c->pools;
        if (c->pools) params.pooling_type = static_cast<enum llama_pooling_type>(o.pooling);
        params.no_perf = true;
        params.abort_callback = [](void * data) {
            return static_cast<std::atomic<int32_t> *>(data)->load(std::memory_order_relaxed) != 0;
        };
        params.abort_callback_data = &c->abort;
        if (o.watch) {
            params.cb_eval = graph::on_node;
            params.cb_eval_user_data = &c->kernels;
        }
        c->context = llama_init_from_model(model->model, params);
        if (!c->context)
            throw std::runtime_error(logged_reason("llama.cpp could not make a context and gave no reason"));
        if (!llama_get_memory(c->context)) c->kernels.own_attention = false; // it needs the positions of cells
        c->make_pool(o.threads, o.poll);
        c->streams.resize(o.sequences);
        c->scratches.assign(c->samplers->size(), sampling_scratch(*model->by));
        return c.release();
    } catch (const std::exception & e) {
        write_error(error, e.what());
    } catch (...) {
        write_error(error, "unknown exception in llama.cpp");
    }
    return nullptr;
}

extern "C" void parley_context_free(parley_context * c) { delete c; }
extern "C" parley_work parley_context_work(const parley_context * c) { return c->kernels.work(); }
extern "C" const char * parley_context_operations(parley_context * c) { return c->kernels.operations(); }
extern "C" parley_memory parley_context_memory(const parley_context * c) {
    return {c->compute_bytes, c->logit_bytes, c->kernel_bytes, c->sampling_bytes};
}
extern "C" int32_t parley_context_threads(const parley_context * c) { return c->governor.threads(); }
extern "C" uint32_t parley_context_cells(const parley_context * c) { return llama_n_ctx(c->context); }
extern "C" void parley_context_abort(parley_context * c, int32_t flag) {
    c->abort.store(flag, std::memory_order_relaxed);
}
extern "C" const parley_alternative * parley_context_alternatives(const parley_context * c) {
    return c->alternatives.data();
}
extern "C" const float * parley_context_logits(parley_context * c, int32_t row) {
    if (row < 0 || row >= int32_t(c->wanted.size()) || !c->wanted[c->place[row]]) return nullptr;
    return llama_get_logits_ith(c->context, c->place[row]);
}

// grammar_of makes a grammar once for all replies that follow it: of a number, how many there are, and the program. At
// most 256 are kept.
std::shared_ptr<const grammar> parley_context::grammar_of(const int32_t * numbers) {
    const std::string name(reinterpret_cast<const char *>(numbers + 1), size_t(numbers[0]) * sizeof *numbers);
    auto known = grammars.find(name);
    if (known != grammars.end()) return known->second;
    if (grammars.size() >= 256) grammars.clear();
    std::call_once(model->sorted, [this] { model->texts = std::make_unique<pieces>(model->vocab); });
    auto rules = std::make_shared<const program>(*model->texts, numbers + 1, numbers[0]);
    return grammars[name] = std::make_shared<const grammar>(std::move(rules));
}

void parley_context::change_memory(const parley_op * ops, int32_t n) {
    llama_memory_t memory = llama_get_memory(context);
    for (int32_t i = 0; i < n; i++) {
        const parley_op & op = ops[i];
        if (recurrent) check_whole(op);
        for (int32_t twin = 0; twin <= twins; twin += std::max(1, twins)) {
            if (op.kind == 1) {
                llama_memory_seq_cp(memory, op.src, op.dst + twin, op.from, op.to);
            } else if (!llama_memory_seq_rm(memory, op.dst + twin, op.from, op.to)) {
                throw std::runtime_error("llama.cpp did not remove cells");
            }
        }
    }
}

// check_whole refuses to copy or remove a part of a sequence that has a state, which is that after its last token:
// llama.cpp would copy all of it, or remove nothing.
void parley_context::check_whole(const parley_op & op) const {
    const bool copy = op.kind == 1;
    const llama_pos last = llama_memory_seq_pos_max(llama_get_memory(context), copy ? op.src : op.dst);
    if (op.from > 0 || (op.to >= 0 && op.to != last + 1))
        throw std::runtime_error("positions " + std::to_string(op.from) + " to " + std::to_string(op.to) +
                                 " of a recurrent model's sequence that ends at " + std::to_string(last + 1) +
                                 ": such a sequence can be copied or removed only as a whole");
}

// arrange says where each row of a step goes in the batch. A recurrent model's are sorted by their sequences, since
// llama.cpp computes only sequences with consecutive numbers in the same graph.
void parley_context::arrange(const parley_row * rows, int32_t n) {
    order.resize(n), place.resize(n);
    std::iota(order.begin(), order.end(), 0);
    if (recurrent && !pools)
        std::stable_sort(order.begin(), order.end(),
                         [rows](int32_t a, int32_t b) { return rows[a].seq < rows[b].seq; });
    for (int32_t i = 0; i < n; i++) place[order[i]] = i;
}

// decode computes all rows in one graph, except for recurrent models (see arrange). llama.cpp stores each row in any
// free cell; graph::begin gets the positions, so that attention can take cells in their order wherever they lie.
//
// In layers with a sliding window, llama.cpp also takes cells that the window of their sequence has left behind, if one
// sequence holds them alone. A sequence that goes back, or another that shares its beginning, would then miss them. So
// each sequence of such a model has a twin, which holds the same cells.
int parley_context::decode(const parley_row * rows, int32_t n, const int32_t * also, const parley_sample * samples,
                           int32_t n_samples) {
    token.resize(n), pos.resize(n), seqs.resize(n), n_seq.resize(n), wanted.assign(n, pools);
    seq.clear();
    arrange(rows, n);
    for (int32_t i = 0; i < n; i++) {
        const parley_row & r = rows[order[i]];
        token[i] = r.token, pos[i] = r.pos, n_seq[i] = (1 + r.n_also) * (twins > 0 ? 2 : 1);
        seq.push_back(r.seq);
        seq.insert(seq.end(), also + r.also, also + r.also + r.n_also);
        if (twins == 0) continue;
        for (size_t first = seq.size() - 1 - r.n_also, k = 0; k <= size_t(r.n_also); k++)
            seq.push_back(seq[first + k] + twins);
    }
    llama_seq_id * ids = seq.data();
    for (int32_t i = 0; i < n; i++) seqs[i] = ids, ids += n_seq[i];
    for (int32_t i = 0; i < n_samples; i++) wanted[place[samples[i].row]] = 1;
    kernels.begin(pos.data(), n, governor.threads());
    llama_batch batch{n, token.data(), nullptr, pos.data(), n_seq.data(), seqs.data(), wanted.data()};
    governor.begin();
    llama_set_n_threads(context, governor.threads(), governor.threads());
    const int code =
        pools && llama_model_has_encoder(model->model) ? llama_encode(context, batch) : llama_decode(context, batch);
    governor.end();
    if (kernels.misplaced)
        throw std::runtime_error("llama.cpp cut a batch into parts, or stored rows outside of the cache, in a way that "
                                 "the attention kernel does not know");
    if (kernels.crowded)
        throw std::runtime_error("more threads than heads, which this llama.cpp may leave out: lower --threads");
    return code;
}

// sample draws all tokens of a step. A draw uses its row of logits, its stream and its worker's scratch memory, and
// nothing that another draw writes: two samples of one step never share a sequence. So it does not matter which worker
// draws which token.
void parley_context::sample(const parley_sample * samples, int32_t n, parley_sampled * out) {
    const int32_t vocab = llama_vocab_n_tokens(model->vocab);
    logits.resize(n);
    int32_t n_alternatives = 0; // each sample gets its part of the array before any is drawn
    for (int32_t i = 0; i < n; i++) {
        logits[i] = llama_get_logits_ith(context, place[samples[i].row]); // not in parallel: the first call may reorder
        if (!logits[i]) throw std::runtime_error("llama.cpp gave no logits for a row");
        out[i].alternatives = n_alternatives;
        n_alternatives += stream_of(samples, i).alternatives(vocab);
    }
    alternatives.resize(n_alternatives);
    std::atomic<bool> broken{false};
    samplers->each(n, [&](int worker, int i) {
        if (abort) return; // what is drawn is not looked at
        if (!stream_of(samples, i)
                 .draw(logits[i], vocab, scratches[worker], out[i], alternatives.data() + out[i].alternatives))
            broken = true;
        out[i].end = !broken && (out[i].stuck || llama_vocab_is_eog(model->vocab, out[i].token));
    });
    if (broken) throw std::runtime_error("the model computed a logit that is not a number: its weights are damaged");
}

// account records what is allocated after a step, for parley_context_memory.
void parley_context::account() {
    const int64_t outputs = std::count(wanted.begin(), wanted.end(), 1);
    // llama.cpp reserves one for each sequence
    const int64_t reserved = std::max<int64_t>(outputs, int64_t(streams.size()) + twins);
    const int64_t logits_now = reserved * llama_vocab_n_tokens(model->vocab) * int64_t(sizeof(float));
    int64_t sampling = int64_t(alternatives.capacity() * sizeof(parley_alternative));
    for (const sampling_scratch & s : scratches) sampling += s.bytes();
    logit_bytes = std::max<int64_t>(logit_bytes, logits_now); // its buffer only grows
    compute_bytes = kernels.compute_bytes();
    kernel_bytes = kernels.kernel_bytes();
    sampling_bytes = sampling;
}

// status_of is the parley_status of a code of llama_decode.
static int status_of(int code) {
    switch (code) {
    case 0: return PARLEY_OK;
    case 1: return PARLEY_NO_SLOT;
    case 2: return PARLEY_ABORTED;
    default: throw std::runtime_error(logged_reason("llama_decode failed") + " (code " + std::to_string(code) + ")");
    }
}

extern "C" int parley_step(parley_context * c, const parley_op * ops, int32_t n_ops, const parley_row * rows,
                           int32_t n_rows, const int32_t * also, const parley_sample * samples, int32_t n_samples,
                           const parley_sampler * samplers, const int32_t * history, const parley_bias * biases,
                           const int32_t * grammars, parley_sampled * out, char * error) {
    fallible f;
    try {
        c->change_memory(ops, n_ops);
        if (n_rows == 0) return PARLEY_OK;
        c->single.resize(std::max(c->single.size(), size_t(n_samples)));
        for (int32_t i = 0; i < n_samples; i++) {
            const parley_sample & s = samples[i];
            if (s.start < 0) continue;
            const parley_sampler & o = samplers[s.start];
            const auto rules = o.grammar < 0 ? nullptr : c->grammar_of(grammars + o.grammar);
            c->stream_of(samples, i).start(o, history + s.history, s.n_history, biases + o.bias, rules);
        }
        const int status = status_of(c->decode(rows, n_rows, also, samples, n_samples));
        if (status == PARLEY_OK) c->sample(samples, n_samples, out);
        c->account();
        if (status == PARLEY_OK && c->abort) return PARLEY_ABORTED;
        return status;
    } catch (const std::exception & e) {
        write_error(error, e.what());
    } catch (...) {
        write_error(error, "unknown exception in llama.cpp");
    }
    return PARLEY_FAILED;
}

extern "C" int parley_embed(parley_context * c, const parley_row * rows, int32_t n_rows, int32_t n_texts, float * out,
                            char * error) {
    guard g; // only embedding models use this code of llama.cpp
    try {
        if (llama_memory_t memory = llama_get_memory(c->context)) llama_memory_clear(memory, false);
        const int status = status_of(c->decode(rows, n_rows, nullptr, nullptr, 0));
        const int32_t width = llama_model_n_embd_out(c->model->model);
        for (int32_t i = 0; status == PARLEY_OK && i < n_texts; i++) {
            const float * state = llama_get_embeddings_seq(c->context, i);
            if (!state) throw std::runtime_error("llama.cpp pooled no states for a text");
            std::copy_n(state, width, out + size_t(i) * width);
        }
        return status;
    } catch (const std::exception & e) {
        write_error(error, e.what());
    } catch (...) {
        write_error(error, "unknown exception in llama.cpp");
    }
    return PARLEY_FAILED;
}
