//go:build cgo && (llama_carrier || llama_system) && !llama_none

#include "backend.hpp"

#include "ggml.h"

#if __has_include("ggml-backend-impl.h")

#include "ggml-backend-impl.h"

#include "ggml-cpu.h"
#include "simd.hpp"

namespace {

// current is whom graphs on this thread are built for.
thread_local takeover::target * current = nullptr;

using to_float = void (*)(const void *, float *, int64_t);

to_float reader(ggml_type type) { return type == GGML_TYPE_F16 ? simd::from_half : ggml_get_type_traits(type)->to_float; }
ggml_from_float_t writer(ggml_type type) { return type == GGML_TYPE_F16 ? simd::to_half : ggml_get_type_traits(type)->from_float_ref; }

bool stored(ggml_type type) { return type == GGML_TYPE_F16 || type == GGML_TYPE_Q8_0; }
float parameter(const ggml_tensor * op, int i) {
    float f;
    memcpy(&f, op->op_params + i, sizeof f);
    return f;
}

// set_rows is the write into the cache of a batch's keys or values, as llama.cpp builds it for attention without transposed
// values.
bool is_write(const ggml_tensor * op) {
    return op->op == GGML_OP_SET_ROWS && stored(op->type) && op->src[0]->type == GGML_TYPE_F32 && op->src[1]->type == GGML_TYPE_I64 &&
           ggml_n_dims(op) <= 2 && ggml_n_dims(op->src[0]) <= 2 && op->ne[0] % 32 == 0 && op->src[0]->nb[0] == sizeof(float);
}

bool is_attention(const ggml_tensor * op) {
    if (op->op != GGML_OP_FLASH_ATTN_EXT) return false;
    const ggml_tensor *q = op->src[0], *k = op->src[1], *v = op->src[2], *mask = op->src[3];
    const bool plain = parameter(op, 1) == 0 && parameter(op, 2) == 0 && !op->src[4]; // no ALiBi, no soft cap, no sinks
    auto fits = [](const ggml_tensor * t) { return stored(t->type) && t->ne[0] % 32 == 0 && t->ne[0] <= attention::widest && t->nb[0] == ggml_type_size(t->type); };
    return plain && mask && mask->type == GGML_TYPE_F16 && mask->ne[2] == 1 && q->type == GGML_TYPE_F32 && q->nb[0] == sizeof(float) &&
           q->ne[3] == 1 && k->ne[3] == 1 && fits(k) && fits(v) && q->ne[2] % k->ne[2] == 0 && k->ne[2] == v->ne[2];
}

void write_rows(const takeover::target & t, const ggml_tensor * op) {
    const ggml_tensor * from = op->src[0];
    const auto * cells = static_cast<const int64_t *>(op->src[1]->data);
    const int rows = int(from->ne[1]);
    t.kernel->wrote(cells, rows);
    const auto write = writer(op->type);
    constexpr int share = 16; // rows that are worth another thread
    t.crew->each((rows + share - 1) / share, [&](int, int i) {
        for (int r = i * share; r < std::min(rows, (i + 1) * share); r++) {
            write(reinterpret_cast<const float *>(static_cast<const char *>(from->data) + r * from->nb[1]),
                  static_cast<char *>(op->data) + cells[r] * op->nb[1], op->ne[0]);
        }
    });
}

attention::cells cells_of(const ggml_tensor * t) {
    return {static_cast<const char *>(t->data), t->nb[1], t->nb[2], int(t->ne[0]), reader(t->type)};
}

void attend(const takeover::target & t, const ggml_tensor * op) {
    const ggml_tensor *q = op->src[0], *k = op->src[1], *v = op->src[2], *mask = op->src[3];
    t.kernel->see(static_cast<const uint16_t *>(mask->data), mask->nb[1] / sizeof(uint16_t), int(q->ne[1]), int(k->ne[1]), *t.crew);
    t.kernel->compute({static_cast<const char *>(q->data), q->nb[1], q->nb[2], int(q->ne[2]), int(k->ne[2]), parameter(op, 0), cells_of(k), cells_of(v),
                       static_cast<float *>(op->data)}, *t.crew);
}

ggml_status compute(ggml_backend_t backend, ggml_cgraph * graph, int) {
    const auto & t = *static_cast<takeover::target *>(backend->context);
    for (int i = 0; i < ggml_graph_n_nodes(graph); i++) {
        const ggml_tensor * op = ggml_graph_node(graph, i);
        if (op->op == GGML_OP_SET_ROWS) write_rows(t, op);
        if (op->op == GGML_OP_FLASH_ATTN_EXT) attend(t, op);
    }
    return GGML_STATUS_SUCCESS;
}

ggml_guid_t guid() {
    static ggml_guid id = {0x70, 0x61, 0x72, 0x6c, 0x65, 0x79, 0x20, 0x61, 0x74, 0x74, 0x65, 0x6e, 0x74, 0x69, 0x6f, 0x6e};
    return &id;
}

ggml_backend_t make_backend(ggml_backend_dev_t device, const char *) {
    auto * b = new ggml_backend{};
    b->guid = guid();
    b->iface.get_name = [](ggml_backend_t) { return takeover::name; };
    b->iface.free = [](ggml_backend_t b) { delete b; };
    b->iface.graph_compute = compute;
    b->device = device;
    b->context = current;
    return b;
}

ggml_backend_reg_t registration();

ggml_backend_device & device() {
    static ggml_backend_device d = [] {
        ggml_backend_device d{};
        d.iface.get_name = [](ggml_backend_dev_t) { return takeover::name; };
        d.iface.get_description = [](ggml_backend_dev_t) { return "attention over shared prefixes"; };
        d.iface.get_memory = [](ggml_backend_dev_t, size_t * free, size_t * total) { *free = *total = 0; };
        d.iface.get_type = [](ggml_backend_dev_t) { return GGML_BACKEND_DEVICE_TYPE_ACCEL; };
        d.iface.get_props = [](ggml_backend_dev_t, ggml_backend_dev_props * p) {
            *p = {};
            p->name = takeover::name;
            p->description = "attention over shared prefixes";
            p->type = GGML_BACKEND_DEVICE_TYPE_ACCEL;
        };
        d.iface.init_backend = make_backend;
        d.iface.get_buffer_type = [](ggml_backend_dev_t) { return ggml_backend_cpu_buffer_type(); };
        d.iface.supports_op = [](ggml_backend_dev_t, const ggml_tensor * op) { return current && (is_write(op) || is_attention(op)); };
        d.iface.supports_buft = [](ggml_backend_dev_t, ggml_backend_buffer_type_t type) { return ggml_backend_buft_is_host(type); };
        d.reg = registration();
        return d;
    }();
    return d;
}

ggml_backend_reg_t registration() {
    static ggml_backend_reg r = [] {
        ggml_backend_reg r{};
        r.api_version = GGML_BACKEND_API_VERSION;
        r.iface.get_name = [](ggml_backend_reg_t) { return takeover::name; };
        r.iface.get_device_count = [](ggml_backend_reg_t) { return size_t(1); };
        r.iface.get_device = [](ggml_backend_reg_t, size_t) { return &device(); };
        r.iface.get_proc_address = [](ggml_backend_reg_t, const char *) -> void * { return nullptr; };
        return r;
    }();
    return &r;
}

} // namespace

takeover::takeover(target * t) { current = t; }
takeover::~takeover() { current = nullptr; }
bool takeover::possible() { return true; }
void takeover::enlist() { ggml_backend_register(registration()); }

#else

takeover::takeover(target *) {}
takeover::~takeover() {}
bool takeover::possible() { return false; }
void takeover::enlist() {}

#endif
