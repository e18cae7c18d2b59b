//go:build cgo && !llama_none

// Models, vocabulary, devices: a thin layer over llama.h that turns failures into error strings. See step.cpp for
// decoding.

#include "shim.hpp"

#include <pthread.h>

#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

extern "C" void parleyLog(int level, char * text);
extern "C" bool parleyProgress(float fraction, uintptr_t handle);

namespace {

std::mutex log_mutex;
std::string log_errors; // warnings of llama.cpp since the last guard began; from the first error on, errors
bool log_failed = false; // there was an error

thread_local bool quiet = false; // this thread expects complaints: Go does not get them

// on_log keeps complaints for error messages and hands everything to Go. Nothing goes to stderr.
void on_log(enum ggml_log_level level, const char * text, void *) {
    if (level == GGML_LOG_LEVEL_WARN || level == GGML_LOG_LEVEL_ERROR) {
        std::lock_guard<std::mutex> lock(log_mutex);
        if (level == GGML_LOG_LEVEL_ERROR && !log_failed)
            log_errors.clear(), log_failed = true; // an error says more than the warnings before it
        if (log_errors.size() < 4096) log_errors += text;
    }
    if (!quiet) parleyLog(int(level), const_cast<char *>(text));
}

thread_local int guards = 0; // 1 while a fallible exists on this thread and its assertions may throw

// on_abort is called when ggml is about to end the process (GGML_ASSERT). Inside a fallible it throws instead: all
// frames of this thread from there to here are llama.cpp's, and unwind.
void on_abort(const char * message) {
    if (guards > 0) throw std::runtime_error(message);
    fprintf(stderr, "llama.cpp failed: %s\n", message);
}

bool on_progress(float fraction, void * handle) {
    return parleyProgress(fraction, reinterpret_cast<uintptr_t>(handle));
}

// reason picks the line of llama.cpp's complaints that is most specific.
std::string reason() {
    std::lock_guard<std::mutex> lock(log_mutex);
    const std::string key = "error loading model: ";
    auto at = log_errors.find(key);
    std::string text = at == std::string::npos ? log_errors : log_errors.substr(at + key.size());
    return text.substr(0, text.find('\n'));
}

} // namespace

void guard::begin() {
    std::lock_guard<std::mutex> lock(log_mutex);
    log_errors.clear();
    log_failed = false;
}
guard::guard() { begin(); }
guard::~guard() { begin(); }

fallible::fallible() : before(guards) { guards = 1; }
fallible::~fallible() { guards = before; }
void fallible::computing() { guards = 0; }

void write_error(char * error, const std::string & text) { snprintf(error, PARLEY_ERROR_SIZE, "%s", text.c_str()); }

std::string logged_reason(const char * otherwise) {
    std::string text = reason();
    return text.empty() ? otherwise : text;
}

extern "C" void parley_init(void) {
#ifdef __GLIBC__
    // Go calls from many threads. Each would get a heap of its own, which keeps the memory that models and contexts
    // free.
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
    llama_log_set(on_log, nullptr);
    ggml_set_abort_callback(on_abort);
    llama_backend_init();
}

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)
extern "C" const char * parley_sources(void) { return TEXT(PARLEY_LLAMA); }
extern "C" const char * parley_ggml(void) { return ggml_version(); }

// Models.

static ggml_backend_dev_t find_device(const char * name) {
    for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
        ggml_backend_dev_t device = ggml_backend_dev_get(i);
        if (strcmp(ggml_backend_dev_name(device), name) == 0) return device;
    }
    throw std::runtime_error(std::string("no device \"") + name + "\"");
}

static void describe(const parley_model * m, parley_model_info * info) {
    *info = parley_model_info{};
    info->train_context = llama_model_n_ctx_train(m->model);
    info->embedding = llama_model_n_embd(m->model);
    info->pooled = llama_model_n_embd_out(m->model);
    info->layers = llama_model_n_layer(m->model);
    if (info->layers > 0) { // a vocabulary alone has none
        info->heads = llama_model_n_head(m->model);
        info->kv_heads = llama_model_n_head_kv(m->model);
    }
    info->recurrent = keeps_states(m->model);
    info->window = llama_model_n_swa(m->model);
    info->vocab = llama_vocab_n_tokens(m->vocab);
    info->bos = llama_vocab_bos(m->vocab);
    info->eos = llama_vocab_eos(m->vocab);
    info->byte_pairs = llama_vocab_type(m->vocab) == LLAMA_VOCAB_TYPE_BPE;
    info->add_bos = llama_vocab_get_add_bos(m->vocab);
    info->parameters = llama_model_n_params(m->model);
    info->bytes = llama_model_size(m->model);
}

extern "C" parley_model * parley_model_load(const char * path, parley_model_options options, parley_model_info * info,
                                            char * error) {
    guard g;
    try {
        llama_model_params params = llama_model_default_params();
        params.n_gpu_layers = options.gpu_layers < 0 ? 999 : options.gpu_layers;
        params.use_extra_bufts = !options.own_products;
        params.load_mode = options.use_mmap ? LLAMA_LOAD_MODE_MMAP : LLAMA_LOAD_MODE_NONE;
        params.lazy_mode = LLAMA_LAZY_MODE_OFF; // our kernels read whole tensors
        params.vocab_only = options.vocab_only;
        if (options.progress) {
            params.progress_callback = on_progress;
            params.progress_callback_user_data = reinterpret_cast<void *>(options.progress);
        }
        // Without layers on a device there must be none at all: llama.cpp would send it the products of large batches,
        // and our kernels would not reach the result.
        ggml_backend_dev_t devices[2] = {*options.device ? find_device(options.device) : nullptr, nullptr};
        if (options.gpu_layers == 0) devices[0] = nullptr;
        if (*options.device || options.gpu_layers == 0) params.devices = devices;
        llama_model * model = llama_model_load_from_file(path, params);
        if (!model) throw std::runtime_error(logged_reason("llama.cpp could not load it and gave no reason"));
        auto m = new parley_model{model, llama_model_get_vocab(model), kernels::compiled()[options.target],
                                  options.own_products};
        describe(m, info);
        return m;
    } catch (const std::exception & e) {
        write_error(error, e.what());
    } catch (...) {
        write_error(error, "unknown exception in llama.cpp");
    }
    return nullptr;
}

extern "C" bool parley_model_known(const char * path, char * error) {
    quiet = true;
    parley_model_info info;
    parley_model_options options{};
    options.device = "";
    options.vocab_only = true;
    parley_model * m = parley_model_load(path, options, &info, error);
    if (m) parley_model_free(m);
    quiet = false;
    return m || !strstr(error, "unknown model architecture");
}

extern "C" void parley_model_free(parley_model * m) {
    llama_model_free(m->model);
    delete m;
#ifdef __GLIBC__
    malloc_trim(0); // free memory between small remaining blocks goes back to the system
#endif
}

extern "C" int32_t parley_model_text(const parley_model * m, char * b, size_t n) {
    return llama_model_desc(m->model, b, n);
}
extern "C" const char * parley_model_template(const parley_model * m) {
    return llama_model_chat_template(m->model, nullptr);
}
extern "C" int32_t parley_model_meta_count(const parley_model * m) { return llama_model_meta_count(m->model); }
extern "C" int32_t parley_model_meta_key(const parley_model * m, int32_t i, char * b, size_t n) {
    return llama_model_meta_key_by_index(m->model, i, b, n);
}
extern "C" int32_t parley_model_meta_value(const parley_model * m, int32_t i, char * b, size_t n) {
    return llama_model_meta_val_str_by_index(m->model, i, b, n);
}

// Vocabulary.

namespace {

struct tokenization {
    const llama_vocab * vocab;
    const char * text;
    int32_t length;
    llama_token * tokens;
    int32_t size;
    bool special, parse;
    int32_t result;
};

void * run_tokenization(void * argument) {
    auto t = static_cast<tokenization *>(argument);
    fallible f;
    try {
        t->result = llama_tokenize(t->vocab, t->text, t->length, t->tokens, t->size, t->special, t->parse);
    } catch (...) {
        t->result = INT32_MIN;
    }
    return nullptr;
}

// on_stack runs a function on a thread with so many bytes of stack, and reports whether it could. The system gives
// memory only to the pages of a stack that are touched.
bool on_stack(size_t bytes, void * (*run)(void *), void * argument) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_t thread;
    bool ok =
        pthread_attr_setstacksize(&attributes, bytes) == 0 && pthread_create(&thread, &attributes, run, argument) == 0;
    pthread_attr_destroy(&attributes);
    if (ok) pthread_join(thread, nullptr);
    return ok;
}

} // namespace

extern "C" int32_t parley_tokenize(const parley_model * m, const char * text, int32_t length, int32_t * tokens,
                                   int32_t size, bool special, bool parse, size_t stack) {
    tokenization t{m->vocab, text, length, tokens, size, special, parse, INT32_MIN};
    if (stack == 0) {
        run_tokenization(&t);
    } else {
        on_stack(stack, run_tokenization, &t);
    }
    return t.result;
}
extern "C" int32_t parley_piece(const parley_model * m, int32_t token, char * buffer, int32_t size, bool special) {
    fallible f;
    try {
        return llama_token_to_piece(m->vocab, token, buffer, size, 0, special);
    } catch (...) {
        return 0;
    }
}
extern "C" bool parley_is_end(const parley_model * m, int32_t token) { return llama_vocab_is_eog(m->vocab, token); }
extern "C" bool parley_is_control(const parley_model * m, int32_t token) {
    return llama_vocab_is_control(m->vocab, token);
}
extern "C" bool parley_is_whole(const parley_model * m, int32_t token) {
    return llama_vocab_get_attr(m->vocab, token) &
           (LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_USER_DEFINED | LLAMA_TOKEN_ATTR_UNKNOWN);
}
extern "C" bool parley_strips(const parley_model * m, int32_t token) {
    return llama_vocab_get_attr(m->vocab, token) & (LLAMA_TOKEN_ATTR_LSTRIP | LLAMA_TOKEN_ATTR_RSTRIP);
}
extern "C" const char * parley_token_text(const parley_model * m, int32_t token) {
    return llama_vocab_get_text(m->vocab, token);
}

// The rest.

extern "C" int parley_quantize(const char * from, const char * to, int32_t type, int32_t threads, char * error) {
    guard g;
    try {
        llama_model_quantize_params params = llama_model_quantize_default_params();
        params.ftype = static_cast<llama_ftype>(type);
        params.nthread = threads;
        if (llama_model_quantize(from, to, &params) == 0) return PARLEY_OK;
        write_error(error, logged_reason("llama.cpp could not quantise it and gave no reason"));
    } catch (const std::exception & e) {
        write_error(error, e.what());
    } catch (...) {
        write_error(error, "unknown exception in llama.cpp");
    }
    return PARLEY_FAILED;
}

extern "C" const char * parley_system_info(void) { return llama_print_system_info(); }

extern "C" const char * parley_compiler(void) {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

extern "C" int32_t parley_features(char * buffer, int32_t size) {
    ggml_backend_dev_t cpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    if (!cpu) return 0;
    auto get = reinterpret_cast<ggml_backend_get_features_t>(
        ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(cpu), "ggml_backend_get_features"));
    std::string text;
    for (auto * f = get ? get(ggml_backend_dev_backend_reg(cpu)) : nullptr; f && f->name; f++) {
        text += std::string(text.empty() ? "" : " ") + f->name + "=" + f->value;
    }
    snprintf(buffer, size, "%s", text.c_str());
    return int32_t(text.size());
}

extern "C" int32_t parley_backend_count(void) { return int32_t(ggml_backend_reg_count()); }

extern "C" const char * parley_backend_get(int32_t i, int32_t * devices) {
    ggml_backend_reg_t backend = ggml_backend_reg_get(i);
    *devices = int32_t(ggml_backend_reg_dev_count(backend));
    return ggml_backend_reg_name(backend);
}

extern "C" int32_t parley_device_count(void) { return int32_t(ggml_backend_dev_count()); }

extern "C" void parley_device_get(int32_t i, parley_device * out) {
    ggml_backend_dev_props props{};
    ggml_backend_dev_get_props(ggml_backend_dev_get(i), &props);
    *out = parley_device{props.name, props.description, int32_t(props.type), props.memory_free, props.memory_total};
}
