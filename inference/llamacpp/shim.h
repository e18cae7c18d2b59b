// The C interface through which Go calls llama.cpp. All functions catch C++ exceptions; those with an `error` buffer
// write the reason into it and return NULL or a code other than 0.
#pragma once

#ifndef PARLEY_LLAMA
#error "llama.cpp needs flags of the Makefile: run `make build`, or once per shell eval \"$(make -s env)\""
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct parley_model parley_model;
typedef struct parley_context parley_context;

enum { PARLEY_ERROR_SIZE = 1024 };

enum parley_status {
    PARLEY_OK = 0,
    PARLEY_NO_SLOT = 1,
    PARLEY_ABORTED = 2,
    PARLEY_FAILED = 3,
};

void parley_init(void);

const char * parley_sources(void); // version and tree of llama.cpp's sources, as tools/llama says them
const char * parley_ggml(void); // its version

// Models.

typedef struct {
    int32_t gpu_layers;
    const char * device; // "" for llama.cpp's choice
    bool use_mmap;
    bool vocab_only;
    int32_t target; // of our kernels (kernels::compiled)
    bool own_products; // leave weights as they are in the file; otherwise llama.cpp may repack them
    uintptr_t progress; // a cgo handle, 0 for none
} parley_model_options;

typedef struct {
    int32_t train_context, embedding, layers, kv_heads, heads, vocab, bos, eos;
    int32_t window; // tokens that some layers see; 0 if all layers see all
    int32_t pooled; // width of a pooled state
    uint64_t parameters, bytes;
    bool add_bos, byte_pairs; // byte_pairs: the vocabulary is one of byte-pair merges
    bool recurrent; // some layers keep a state for each sequence instead of cells: sequences cannot be cut
} parley_model_info;

parley_model * parley_model_load(const char * path, parley_model_options options, parley_model_info * info,
                                 char * error);
bool parley_model_known(const char * path, char * error); // whether the library knows the architecture of a file
void parley_model_free(parley_model * model);
int32_t parley_model_text(const parley_model * model, char * buffer, size_t size); // one-line description
const char * parley_model_template(const parley_model * model); // NULL if there is none
int32_t parley_model_meta_count(const parley_model * model);
int32_t parley_model_meta_key(const parley_model * model, int32_t i, char * buffer, size_t size);
int32_t parley_model_meta_value(const parley_model * model, int32_t i, char * buffer, size_t size);

// Vocabulary. Both write at most `size` items and return the number there are, negative if that is more.

// parley_tokenize runs on a thread of its own if `stack` is not 0, with as many bytes of stack.
int32_t parley_tokenize(const parley_model * model, const char * text, int32_t length, int32_t * tokens, int32_t size,
                        bool special, bool parse, size_t stack);
int32_t parley_piece(const parley_model * model, int32_t token, char * buffer, int32_t size, bool special);
bool parley_is_end(const parley_model * model, int32_t token);
bool parley_is_control(const parley_model * model, int32_t token);
bool parley_is_whole(const parley_model * model, int32_t token); // found in a text before the text is split into words
bool parley_strips(const parley_model * model, int32_t token); // takes the white space beside it
const char * parley_token_text(const parley_model * model, int32_t token);

// Contexts.

typedef struct {
    uint32_t cells, sequences, batch;
    int32_t threads, poll, key_type, value_type;
    int32_t pooling; // of states, llama.cpp's number; 0 for a context that generates
    bool unified, flash_attention;
    bool own_kernels;
    bool watch; // look at every operation: replace those that our kernels compute, count the others; not on a GPU
} parley_context_options;

parley_context * parley_context_new(parley_model * model, parley_context_options options, char * error);
void parley_context_free(parley_context * context);

typedef struct {
    int64_t attention, products, left, unordered;
} parley_work;
parley_work parley_context_work(const parley_context * context);

// The operations of the last step: lines of who computes it (parley, batch or row), its name, and how many there are.
// The text is valid until the next call.
const char * parley_context_operations(parley_context * context);

// What a context has allocated besides the cells, in bytes, as of its last step; any thread may call at any time.
// compute is 0 if operations are not watched; logits is what llama.cpp reserves for the rows that were ever sampled
// from.
typedef struct {
    int64_t compute, logits, kernels, sampling;
} parley_memory;
parley_memory parley_context_memory(const parley_context * context);

int32_t parley_context_threads(const parley_context * context); // in use at present
uint32_t parley_context_cells(const parley_context * context);
void parley_context_abort(parley_context * context, int32_t flag);

// One step. The structs mirror those of Go, field by field.

typedef struct {
    int32_t kind, src, dst, from, to;
} parley_op;
typedef struct {
    int32_t token, pos, seq;
    int32_t also, n_also; // further sequences that the row is stored for, in the batch's array
} parley_row;
typedef struct {
    int32_t row, seq; // seq -1: a token that no sequence continues from
    int32_t start; // index into samplers, -1 to continue
    int32_t history, n_history; // tokens of the history, in the batch's array
} parley_sample;
typedef struct {
    float temperature, top_p, min_p, repeat_penalty;
    int32_t top_k, repeat_last_n, alternatives, drawn;
    int32_t forced; // a token to take, -1 to draw

    // Offset of the reply's grammar in the batch's numbers, -1 for none: how many they are, then its program. The reply
    // so far is the last `drawn` tokens of the history.
    int32_t grammar;
    float frequency_penalty, presence_penalty;
    int32_t bias, n_bias; // in the batch's array
    uint64_t seed;
} parley_sampler;
typedef struct {
    int32_t token;
    float bias;
} parley_bias; // in ascending order of tokens
typedef struct {
    int32_t token;
    float log_prob;
} parley_alternative;
typedef struct {
    int32_t token;
    float log_prob;
    int32_t end;
    int32_t stuck; // what is here was not drawn: 1 if the grammar allows no token, 2 if that would take too much
    int32_t alternatives, n_alternatives; // in the context's array, see parley_context_alternatives
} parley_sampled;

int parley_step(parley_context * context, const parley_op * ops, int32_t n_ops, const parley_row * rows, int32_t n_rows,
                const int32_t * also, const parley_sample * samples, int32_t n_samples, const parley_sampler * samplers,
                const int32_t * history, const parley_bias * biases, const int32_t * grammars,
                parley_sampled * out, char * error);
const parley_alternative * parley_context_alternatives(const parley_context * context);
const float * parley_context_logits(parley_context * context, int32_t row); // NULL if the row was not sampled from

// Embeddings, from contexts with a pooling. The rows are whole texts, text i as sequence i. `out` has room for a pooled
// state of each.

int parley_embed(parley_context * context, const parley_row * rows, int32_t n_rows, int32_t n_texts, float * out,
                 char * error);

// The rest.

int parley_quantize(const char * from, const char * to, int32_t type, int32_t threads, char * error);
const char * parley_system_info(void);
const char * parley_compiler(void);
int32_t parley_features(char * buffer, int32_t size); // NAME=value, separated by blanks

// A backend of llama.cpp by its number, and how many devices it has.
int32_t parley_backend_count(void);
const char * parley_backend_get(int32_t i, int32_t * devices);

typedef struct {
    const char * name;
    const char * description;
    int32_t type;
    size_t free, total;
} parley_device;

int32_t parley_device_count(void);
void parley_device_get(int32_t i, parley_device * device);

#ifdef __cplusplus
}
#endif
