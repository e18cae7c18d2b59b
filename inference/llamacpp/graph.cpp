//go:build cgo && !llama_none

#include "graph.hpp"
#include "shim.hpp"

#include <algorithm>
#include <cstring>

#include "ggml-backend.h"

static_assert(GGML_TYPE_F32 == 0 && GGML_TYPE_F16 == 1 && GGML_TYPE_Q8_0 == 8,
              "kvTypes in types.go, enum ggml_type in ggml.h");

namespace {

// Words of op_params that a custom operation does not use: scale and soft cap of attention, and which cache it reads.
constexpr size_t first_word = 12;

// What llama.cpp computes row by row, or in recurrent layers token by token, by ggml's names: read in ggml-cpu's
// sources of the pinned version. Whatever is not listed, also what a newer version adds, may depend on the batch.
const char row_by_row[] =
    " ACC ADD ADD_ID ARANGE ARGMAX ARGSORT CLAMP CONCAT CONT COS CPY DIAG DIV DUP FILL GET_ROWS GLU L2_NORM "
    "LEAKY_RELU LOG MEAN MUL NORM PAD REPEAT RMS_NORM ROLL ROPE SCALE SET SET_ROWS SIN SOFT_MAX SQR SQRT "
    "SSM_CONV SSM_SCAN SUB SUM_ROWS TOP_K TRI UNARY RWKV_WKV6 RWKV_WKV7 GATED_LINEAR_ATTN GATED_DELTA_NET ";

// is_row_by_row looks an operation up in that list, once.
bool is_row_by_row(ggml_op op) {
    static const std::vector<bool> known = [] {
        std::vector<bool> is(GGML_OP_COUNT);
        for (int i = 0; i < GGML_OP_COUNT; i++)
            is[i] = strstr(row_by_row, (" " + std::string(ggml_op_name(ggml_op(i))) + " ").c_str());
        return is;
    }();
    return known[op];
}

// only reports whether a node has no sources and no parameters beyond those that our kernels know: with further ones it
// is something else, which is llama.cpp's to compute.
bool only(const ggml_tensor * op, int sources, size_t words) {
    for (int i = sources; i < GGML_MAX_SRC; i++)
        if (op->src[i]) return false;
    for (size_t i = words; i < sizeof op->op_params / sizeof *op->op_params; i++)
        if (op->op_params[i]) return false;
    return true;
}

// Who computes an operation.
enum { ours, by_batch, by_row };
const char * const computed[] = {"parley", "batch", "row"};

float parameter(const ggml_tensor * op, size_t i) {
    float f;
    memcpy(&f, op->op_params + i, sizeof f);
    return f;
}

bool on_host(const ggml_tensor * t) {
    const ggml_tensor * owner = t->view_src ? t->view_src : t;
    return owner->buffer && ggml_backend_buffer_is_host(owner->buffer);
}

// converter is the function that reads elements of a cache of a type; null for types that attention does not know.
void (*converter(const kernels::target & by, ggml_type type))(const void *, float *, int64_t) {
    if (type == GGML_TYPE_F16) return by.from_half;
    return type == GGML_TYPE_Q8_0 ? ggml_get_type_traits(type)->to_float : nullptr;
}

// is_weight tells weights from what a graph computes or keeps.
bool is_weight(const ggml_tensor * t) {
    return !t->view_src && t->buffer && ggml_backend_buffer_get_usage(t->buffer) == GGML_BACKEND_BUFFER_USAGE_WEIGHTS;
}

// heads_of is the number of heads that the threads of an operation share out; 0 for those that share otherwise.
int64_t heads_of(const ggml_tensor * op) {
    const bool by_heads =
        op->op == GGML_OP_RWKV_WKV6 || op->op == GGML_OP_RWKV_WKV7 || op->op == GGML_OP_GATED_LINEAR_ATTN;
    return by_heads ? op->src[1]->ne[1] : 0;
}

// owner is the tensor whose memory a view shows.
const ggml_tensor * owner(const ggml_tensor * t) { return t->view_src ? t->view_src : t; }

// fills_cells reports whether an operation stores rows in a cache, at indices that are known before it is computed.
// Caches outlive a graph: what it stores in a buffer of its own, at indices that nobody has set, is something else.
bool fills_cells(const ggml_tensor * op) {
    if (op->op != GGML_OP_SET_ROWS || op->src[1]->type != GGML_TYPE_I64 || !on_host(op->src[1])) return false;
    const ggml_backend_buffer_t buffer = owner(op)->buffer;
    return buffer && ggml_backend_buffer_get_usage(buffer) != GGML_BACKEND_BUFFER_USAGE_COMPUTE;
}

} // namespace

// Parameters of attention: scale, ALiBi, soft cap, precision, and how many cells a row sees at most, as the mask does.
bool graph::is_attention(const ggml_tensor * op) const {
    if (op->op != GGML_OP_FLASH_ATTN_EXT || !only(op, 5, 5)) return false;
    const ggml_tensor *q = op->src[0], *k = op->src[1], *v = op->src[2], *mask = op->src[3];
    const ggml_tensor * sinks = op->src[4];
    const bool alibi = parameter(op, 1) != 0;
    const bool plain = !alibi && (!sinks || (sinks->type == GGML_TYPE_F32 && on_host(sinks)));
    auto fits = [this](const ggml_tensor * t) {
        return converter(by, t->type) && t->ne[0] % 32 == 0 && t->nb[0] == ggml_type_size(t->type) && t->ne[3] == 1 &&
               on_host(t);
    };
    return plain && mask && mask->type == GGML_TYPE_F16 && mask->ne[2] == 1 && q->type == GGML_TYPE_F32 &&
           q->nb[0] == sizeof(float) && q->ne[3] == 1 && fits(k) && fits(v) && q->ne[2] % k->ne[2] == 0 &&
           k->ne[2] == v->ne[2] && on_host(op);
}

// format_of is the row of our table for a tensor's type; -1 where there is none, or where this library calls the type
// otherwise or gives its blocks another size.
int graph::format_of(const ggml_tensor * weights) const {
    const ggml_type type = weights->type;
    const int i = by.format_of(int32_t(type));
    if (i < 0) return -1;
    const kernels::format & f = by.formats[i];
    const bool same = size_t(f.bytes) == ggml_type_size(type) && f.weights == ggml_blck_size(type) &&
                      strcmp(f.name, ggml_type_name(type)) == 0;
    return same ? i : -1;
}

// is_product reports whether our kernels can compute a product. Where recurrent layers compute several sequences, their
// rows stand in a third dimension; they follow each other as if it were not there.
bool graph::is_product(const ggml_tensor * op) const {
    if (op->op != GGML_OP_MUL_MAT || !only(op, 2, 1)) return false; // one parameter: the precision
    const ggml_tensor *w = op->src[0], *x = op->src[1];
    const bool rows = x->ne[2] == 1 || (is_weight(w) && x->nb[2] == size_t(x->ne[1]) * x->nb[1]);
    const bool flat = w->ne[2] == 1 && w->ne[3] == 1 && rows && x->ne[3] == 1;
    // on_host is false for weights that llama.cpp has repacked.
    return flat && products_kernel.possible(format_of(w), w->ne[0], w->ne[1]) && ggml_is_contiguous(w) &&
           x->type == GGML_TYPE_F32 && x->nb[0] == sizeof(float) && op->type == GGML_TYPE_F32 &&
           ggml_is_contiguous(op) && on_host(w) && on_host(x) && on_host(op);
}

// is_of_experts: the same for a mixture of experts.
bool graph::is_of_experts(const ggml_tensor * op) const {
    if (op->op != GGML_OP_MUL_MAT_ID || !only(op, 3, 1)) return false;
    const ggml_tensor *w = op->src[0], *x = op->src[1], *chosen = op->src[2];
    const bool flat = w->ne[3] == 1 && x->ne[3] == 1 && (x->ne[1] == 1 || x->ne[1] == chosen->ne[0]) &&
                      x->ne[2] == chosen->ne[1] && chosen->ne[2] == 1;
    return flat && products_kernel.possible(format_of(w), w->ne[0], w->ne[1]) && ggml_is_contiguous(w) &&
           x->type == GGML_TYPE_F32 && ggml_is_contiguous(x) && chosen->type == GGML_TYPE_I32 &&
           chosen->nb[0] == sizeof(int32_t) && op->type == GGML_TYPE_F32 && ggml_is_contiguous(op) && on_host(w) &&
           on_host(x) && on_host(chosen) && on_host(op);
}

// graph has ggml make a custom operation, as the sample for replace. Where its parameters are not as replace takes them
// to be, the function in one place and our words free, nothing is replaced.
graph::graph(const kernels::target & chosen) : by(chosen), products_kernel(chosen) {
    ggml_context * c = ggml_init({ggml_tensor_overhead() * 2, nullptr, true});
    const ggml_custom_op_t sample = multiply;
    const ggml_tensor * t = ggml_custom_4d(c, GGML_TYPE_F32, 1, 1, 1, 1, nullptr, 0, sample, GGML_N_TASKS_MAX, this);
    custom = t->op;
    memcpy(parameters, t->op_params, sizeof parameters);
    int places = 0;
    for (size_t i = 0; i + sizeof sample <= sizeof parameters; i += sizeof sample)
        places += memcmp(reinterpret_cast<const char *>(parameters) + i, &sample, sizeof sample) == 0;
    replaceable = places == 1 && only(t, 0, first_word);
    ggml_free(c);
}

void graph::begin(const int32_t * positions_of_rows, int n, int computing) {
    misplaced = crowded = false;
    threads = computing;
    buffers.clear();
    operations_of.clear();
    positions = in_parts ? nullptr : positions_of_rows, rows = n;
    stored = 0;
    for (cache & c : caches) c.kernel.begin(positions, rows);
    products_kernel.begin();
    computed_one = false;
}

// begin_part says that the next graph is for other rows of the same batch.
void graph::begin_part() {
    products_kernel.begin();
    computed_one = false;
    if (!in_parts) return;
    stored = 0;
    for (cache & c : caches) c.kernel.begin(nullptr, 0);
}

parley_work graph::work() const {
    parley_work w = done;
    for (const cache & c : caches) w.unordered += c.kernel.unordered;
    return w;
}

int64_t graph::kernel_bytes() const {
    int64_t sum = products_kernel.bytes();
    for (const cache & c : caches) sum += c.kernel.bytes();
    return sum;
}

bool graph::on_node(ggml_tensor * node, bool ask, void * self) {
    if (ask) static_cast<graph *>(self)->look(node);
    fallible::computing(); // from here on other threads wait for this one
    return !ask; // to the question: no, this node need not be shown when it is computed
}

int64_t graph::compute_bytes() const {
    int64_t sum = 0;
    for (ggml_backend_buffer_t b : buffers) sum += int64_t(ggml_backend_buffer_get_size(b));
    return sum;
}

void graph::look(ggml_tensor * node) {
    if (computed_one) begin_part();
    if (node->buffer && (buffers.empty() || buffers.back() != node->buffer) &&
        ggml_backend_buffer_get_usage(node->buffer) == GGML_BACKEND_BUFFER_USAGE_COMPUTE &&
        std::find(buffers.begin(), buffers.end(), node->buffer) == buffers.end()) {
        buffers.push_back(node->buffer);
    }
    if (own_attention && fills_cells(node)) store(node);
    if (const int64_t heads = heads_of(node)) crowded |= heads < threads;
    const bool taken = node->op == custom || take(node);
    count(node, taken);
}

// take replaces a node that our kernels compute.
bool graph::take(ggml_tensor * node) {
    if (!replaceable) return false;
    if (own_attention && is_attention(node)) {
        const auto found = cache_of.find(owner(node->src[1]));
        if (found == cache_of.end()) return false;
        const float cap = parameter(node, 2), scale = cap == 0 ? parameter(node, 0) : parameter(node, 0) / cap;
        replace(node, attend);
        memcpy(node->op_params + first_word, &scale, sizeof scale);
        memcpy(node->op_params + first_word + 1, &cap, sizeof cap);
        node->op_params[first_word + 2] = found->second;
    } else if (own_products && is_product(node)) {
        replace(node, multiply);
    } else if (own_products && is_of_experts(node)) {
        replace(node, multiply_experts);
    } else {
        return false;
    }
    return true;
}

// store notes where the rows of this batch go. Keys and values have indices of their own, so each is a cache here; no
// attention asks for that of the values.
void graph::store(const ggml_tensor * node) {
    const ggml_tensor * indices = node->src[1];
    size_t i = 0;
    while (i < stored && caches[i].indices != indices) i++;
    cache_of[owner(node)] = int(i);
    if (i < stored) return;
    if (i == caches.size()) {
        caches.emplace_back(by);
        caches[i].kernel.begin(positions, rows);
    }
    stored++;
    caches[i].indices = indices;
    misplaced |= !caches[i].kernel.wrote(static_cast<const int64_t *>(indices->data), int(indices->ne[0]), node->ne[1]);
}

// original is what a node was before it was replaced.
static ggml_op original(const ggml_tensor * node, ggml_op custom) {
    if (node->op != custom) return node->op;
    if (node->src[3]) return GGML_OP_FLASH_ATTN_EXT;
    return node->src[2] ? GGML_OP_MUL_MAT_ID : GGML_OP_MUL_MAT;
}

void graph::count(const ggml_tensor * node, bool taken) {
    const ggml_op op = original(node, custom);
    const bool product = op == GGML_OP_MUL_MAT || op == GGML_OP_MUL_MAT_ID;
    const bool moves_nothing = op == GGML_OP_NONE || op == GGML_OP_RESHAPE || op == GGML_OP_VIEW ||
                               op == GGML_OP_PERMUTE || op == GGML_OP_TRANSPOSE;
    if (moves_nothing) return;
    const bool batch = !is_row_by_row(op);
    if (batch && !taken) done.left++;
    operations_of[{taken ? ours : batch ? by_batch : by_row, op, product ? node->src[0]->type : -1}]++;
}

const char * graph::operations() {
    listed.clear();
    for (const auto & [key, n] : operations_of) {
        listed += std::string(computed[key[0]]) + " " + ggml_op_name(ggml_op(key[1]));
        if (key[2] >= 0) listed += std::string(" ") + ggml_type_name(ggml_type(key[2]));
        listed += " " + std::to_string(n) + "\n";
    }
    return listed.c_str();
}

// replace turns node into a custom operation that calls the given function. ggml keeps the function, a number of tasks
// and a pointer; only the function differs from the sample's.
void graph::replace(ggml_tensor * node, ggml_custom_op_t by) {
    const ggml_custom_op_t sample = multiply;
    node->op = custom;
    memcpy(node->op_params, parameters, sizeof parameters);
    for (size_t i = 0; i + sizeof sample <= sizeof parameters; i += sizeof sample) {
        char * at = reinterpret_cast<char *>(node->op_params) + i;
        if (memcmp(at, &sample, sizeof sample) == 0) memcpy(at, &by, sizeof by);
    }
}

// attend and multiply run on every compute thread of ggml at the same time. What they share belongs to the graph; only
// thread 0 counts.
void graph::attend(ggml_tensor * node, int thread, int threads, void * self) {
    graph & g = *static_cast<graph *>(self);
    const ggml_tensor *q = node->src[0], *k = node->src[1], *v = node->src[2], *mask = node->src[3];
    auto cells = [&g](const ggml_tensor * t) {
        return kernels::attention::cells{static_cast<const char *>(t->data), t->nb[1], t->nb[2], int(t->ne[0]),
                                         converter(g.by, t->type)};
    };
    if (thread == 0) g.done.attention++, g.computed_one = true;
    kernels::attention & kernel = g.caches[node->op_params[first_word + 2]].kernel;
    const float * sinks = node->src[4] ? static_cast<const float *>(node->src[4]->data) : nullptr;
    kernel.see(static_cast<const uint16_t *>(mask->data), mask->nb[1] / sizeof(uint16_t), int(q->ne[1]), int(k->ne[1]),
               threads, g.pool);
    kernel.compute({static_cast<const char *>(q->data), q->nb[1], q->nb[2], int(q->ne[2]), int(k->ne[2]),
                    parameter(node, first_word), parameter(node, first_word + 1), sinks, cells(k), cells(v),
                    static_cast<float *>(node->data)},
                   thread, threads, g.pool);
}

kernels::weights graph::weights_of(const ggml_tensor * w) const {
    return {format_of(w), static_cast<const char *>(w->data), w->nb[1], int(w->ne[0]), int(w->ne[1])};
}

void graph::multiply(ggml_tensor * node, int thread, int threads, void * self) {
    graph & g = *static_cast<graph *>(self);
    const ggml_tensor *w = node->src[0], *x = node->src[1];
    if (thread == 0) g.done.products++, g.computed_one = true;
    g.products_kernel.compute(g.weights_of(w),
                              {static_cast<const float *>(x->data), x->nb[1], int(x->ne[1] * x->ne[2]), x},
                              static_cast<float *>(node->data), threads, g.pool);
}

void graph::multiply_experts(ggml_tensor * node, int thread, int threads, void * self) {
    graph & g = *static_cast<graph *>(self);
    const ggml_tensor *w = node->src[0], *x = node->src[1], *chosen = node->src[2];
    if (thread == 0) g.done.products++, g.computed_one = true;
    g.products_kernel.compute_experts(g.weights_of(w),
                                      {static_cast<const float *>(x->data), x->nb[1], int(x->ne[1] * x->ne[2]), x},
                                      {static_cast<const char *>(chosen->data), chosen->nb[1], int(chosen->ne[0]),
                                       int(chosen->ne[1]), int(w->ne[2]), w->nb[2], x->ne[1] == 1, chosen},
                                      static_cast<float *>(node->data), threads, g.pool);
}
