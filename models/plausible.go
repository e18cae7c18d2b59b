package models

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// bound is the range of a number. A key that begins with an asterisk stands for all keys that end like it.
type bound struct {
	key         string
	least, most float64
}

// swa ends the keys of layers with a sliding window where these differ from the others.
const swa = "_swa"

// covers reports whether the bound is for a key, which is given without the architecture's name.
func (b bound) covers(name string) bool {
	end, any := strings.CutPrefix(b.key, "*")
	return any && strings.HasSuffix(name, end) || strings.TrimSuffix(name, swa) == b.key
}

// bounds are for the numbers under an architecture's name; the first that covers a key applies. llama.cpp trusts these
// numbers: it divides by them, allocates as much as they say, or aborts.
var bounds = []bound{
	{"context_length", 1, 1 << 31},
	{"embedding_length", 1, 1 << 17},
	{"block_count", 1, maxBlocks},
	{"feed_forward_length", 0, 1 << 20},
	{"attention.head_count", 0, 1 << 12},
	{"attention.head_count_kv", 0, 1 << 12},
	{"attention.key_length", 1, 1 << 13},
	{"attention.value_length", 1, 1 << 13},
	{"rope.dimension_count", 0, 1 << 13},
	{"rope.dimension_sections", 0, 1 << 13},
	{"vocab_size", 1, maxTokens},
	{"rope.freq_base", 1e-3, 1e15},
	{"rope.scaling.factor", 0, 1e9},
	{"rope.scale_linear", 0, 1e9},
	{"attention.clamp_kqv", 0, 1e30},
	{"*epsilon", 0, 1},
	{"*_eps", 0, 1},
	{"*softcapping", 0, 1e9},
	{"*", -1e12, 1e12},
}

// Bounds on lists. Real models have at most some 130 blocks, 300,000 tokens and tokens of a few hundred bytes.
const (
	maxBlocks     = 512
	maxTokens     = 1 << 22
	maxTokenBytes = 1 << 12
)

// plausible refuses files without weights and values that no model has.
func (h *header) plausible(arch string) error {
	if len(h.tensors) == 0 {
		return errors.New("has no weights, perhaps only a vocabulary")
	}
	if arch == "" || len(arch) > 64 {
		return errors.New("damaged: it names no architecture (general.architecture)")
	}
	if err := cmp.Or(h.checkTypes(), h.checkNeeded(arch)); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(h.values)) {
		if name, ok := strings.CutPrefix(key, arch+"."); ok {
			if err := checkBounds(key, name, h.values[key]); err != nil {
				return err
			}
		}
	}
	return cmp.Or(h.checkHeads(arch), h.checkVocabulary(), h.checkShapes(arch))
}

// checkBounds checks a number, or every number of a list.
func checkBounds(key, name string, value any) error {
	var least, most float64
	odd := false
	switch v := value.(type) {
	case uint64:
		least, most = float64(v), float64(v)
	case int64:
		least, most = float64(v), float64(v)
	case float64:
		least, most, odd = v, v, math.IsNaN(v) || math.IsInf(v, 0)
	case array:
		if v.kind == kindString || v.count == 0 {
			return nil
		}
		least, most, odd = v.least, v.most, v.odd
	default:
		return nil
	}
	i := slices.IndexFunc(bounds, func(b bound) bool { return b.covers(name) })
	if b := bounds[i]; odd || least < b.least || most > b.most {
		return fmt.Errorf("damaged: %.60s is %v: between %v and %v was expected",
			key, describeValue(value), b.least, b.most)
	}
	return nil
}

// describeValue shortens an array for an error message: a hostile file may have millions of elements.
func describeValue(value any) any {
	if a, ok := value.(array); ok {
		return fmt.Sprintf("a list of %d numbers from %v to %v", a.count, a.least, a.most)
	}
	return value
}

// checkHeads makes sure that lists have an entry for each block, and that the number of heads is a multiple of that of
// KV heads.
func (h *header) checkHeads(arch string) error {
	blocks, _ := h.integer(arch + ".block_count")
	for _, name := range []string{"attention.head_count", "attention.head_count_kv", "feed_forward_length"} {
		value := h.values[arch+"."+name]
		if list, ok := value.(array); ok && (list.count != uint64(blocks) || list.kind == kindString) {
			return fmt.Errorf("damaged: %s.%s has %d entries for %d blocks", arch, name, list.count, blocks)
		}
	}
	heads, there := h.integer(arch + ".attention.head_count")
	kv, shared := h.integer(arch + ".attention.head_count_kv")
	if there && heads == 0 && !recurrent(arch) || shared && kv == 0 && heads > 0 {
		return fmt.Errorf("damaged: %s.attention.head_count is 0", arch)
	}
	if there && shared && kv > 0 && heads%kv != 0 {
		return fmt.Errorf("damaged: %d attention heads cannot share %d heads of keys and values", heads, kv)
	}
	return h.checkRotation(arch, heads)
}

// checkRotation makes sure that a head consists of pairs of numbers, which positions rotate.
func (h *header) checkRotation(arch string, heads int64) error {
	width, _ := h.integer(arch + ".embedding_length")
	size, there := h.integer(arch + ".attention.key_length")
	if !there && heads > 0 {
		size = width / heads
	}
	for _, layers := range []string{"", swa} { // all, and those with a sliding window
		if own, there := h.integer(arch + ".attention.key_length" + layers); there {
			size = own
		}
		rotated, there := h.integer(arch + ".rope.dimension_count" + layers)
		if there && rotated == 0 && heads > 0 && !withoutRotation(arch) {
			return fmt.Errorf("damaged: %s.rope.dimension_count%s is 0, but its attention tells positions by rotation",
				arch, layers)
		}
		if size%2 != 0 || rotated%2 != 0 || rotated > size && heads > 0 {
			return fmt.Errorf("damaged: heads of %d numbers, of which %d are rotated in pairs", size, rotated)
		}
	}
	value, there := h.values[arch+".rope.dimension_sections"]
	sections, ok := value.(array)
	if there && (!ok || sections.count > 4 || len(sections.first) == 0 || slices.Max(sections.first) < 1) {
		return fmt.Errorf("damaged: %s.rope.dimension_sections has %d sections that begin with %v numbers",
			arch, sections.count, sections.first)
	}
	return nil
}

// recurrent reports whether models of an architecture have blocks without attention, which they mark by zero heads.
func recurrent(arch string) bool {
	return strings.Contains(arch, "mamba") || strings.Contains(arch, "rwkv")
}

// withoutRotation reports whether the attention of an architecture can do without telling positions by rotation,
// because its recurrent blocks tell them.
func withoutRotation(arch string) bool {
	return recurrent(arch) || strings.Contains(arch, "jamba") || strings.Contains(arch, "hybrid") ||
		strings.Contains(arch, "nemotron_h")
}

// defaultTokens are the special tokens that llama.cpp assumes for each kind of vocabulary if a file does not name them,
// even if the vocabulary is too small to have them.
var defaultTokens = map[string]map[string]uint64{
	"llama":  {"unknown": 0, "bos": 1, "eos": 2},
	"bert":   {"padding": 0, "unknown": 100, "bos": 101, "seperator": 102, "mask": 103}, // as GGUF spells it
	"gpt2":   {"bos": 11, "eos": 11},
	"t5":     {"padding": 0, "eos": 1, "unknown": 2},
	"plamo2": {"unknown": 0, "bos": 1, "eos": 2, "padding": 3},
}

// checkVocabulary makes sure that all lists about tokens exist, have the right type and the same length.
func (h *header) checkVocabulary() error {
	model := h.text("tokenizer.ggml.model")
	if model == "none" || model == "no_vocab" {
		return fmt.Errorf("has no vocabulary (tokenizer.ggml.model is %q); use a model with one", model)
	}
	tokens, there := h.values["tokenizer.ggml.tokens"].(array)
	if !there && model == "" {
		return nil // llama.cpp says what is missing
	}
	if !there || tokens.kind != kindString || tokens.count == 0 || tokens.count > maxTokens ||
		tokens.most > maxTokenBytes || tokens.odd {
		return fmt.Errorf("damaged: tokenizer.ggml.tokens is %v: a list of texts of at most %d bytes was expected",
			h.kindOf("tokenizer.ggml.tokens"), maxTokenBytes)
	}
	if err := h.checkTokenLists(model, tokens); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(defaultTokens[model])) {
		id := defaultTokens[model][name]
		key := "tokenizer.ggml." + name + "_token_id"
		if named, ok := h.integer(key); id >= tokens.count && (!ok || uint64(named) >= tokens.count) {
			return fmt.Errorf("damaged: %s is %s, and there are %d tokens", key, h.tokenID(key, id), tokens.count)
		}
	}
	return h.checkCharacters()
}

// tokenID describes the id of a special token for a message: what the file says, or the id that llama.cpp assumes.
func (h *header) tokenID(key string, assumed uint64) string {
	if value, ok := h.values[key]; ok {
		return fmt.Sprint(value)
	}
	return fmt.Sprintf("missing, which means %d", assumed)
}

// checkTokenLists checks the lists that go with the tokens: one entry for each token, and merges that are texts.
func (h *header) checkTokenLists(model string, tokens array) error {
	for _, list := range []struct {
		key  string
		kind uint32
	}{{"tokenizer.ggml.scores", kindFloat}, {"tokenizer.ggml.token_type", kindInt}} {
		value, there := h.values[list.key]
		if a, ok := value.(array); there && (!ok || a.kind != list.kind || a.count != tokens.count || a.odd) {
			return fmt.Errorf("damaged: %s is %v for %d tokens", list.key, h.kindOf(list.key), tokens.count)
		}
	}
	merges, ok := h.values["tokenizer.ggml.merges"].(array)
	if model == "gpt2" && (!ok || merges.kind != kindString || merges.most > 2*maxTokenBytes) {
		return fmt.Errorf("damaged: tokenizer.ggml.merges is %v: a list of texts was expected",
			h.kindOf("tokenizer.ggml.merges"))
	}
	return nil
}

// checkCharacters checks the map of characters in vocabularies of T5. Its texts end with zeros, the last one too.
func (h *header) checkCharacters() error {
	const key = "tokenizer.ggml.precompiled_charsmap"
	value, there := h.values[key]
	if a, ok := value.(array); there && (!ok || a.kind > 1 || a.count < 4 || a.last != 0) {
		return fmt.Errorf("damaged: %s is %v: bytes that end with a zero were expected", key, h.kindOf(key))
	}
	return nil
}

// kindOf describes a value for a message.
func (h *header) kindOf(key string) string {
	switch v := h.values[key].(type) {
	case nil:
		return "missing"
	case array:
		if v.odd {
			return "a list in which a value is not valid"
		}
		return fmt.Sprintf("a list of %d values of type %d, of up to %v", v.count, v.kind, v.most)
	default:
		return fmt.Sprintf("a %T", v)
	}
}
