package modeltest

import (
	"fmt"
	"strings"
)

// Tokenizers are the kinds of vocabulary that llama.cpp knows besides byte-level BPE, by their names in GGUF.
var Tokenizers = []string{"llama", "bert", "t5", "rwkv", "plamo2"}

// Token types of GGUF.
const (
	normal  = 1
	unknown = 2
	control = 3
	unused  = 5
	single  = 6 // a byte
)

// tokenizerPairs returns the metadata of a vocabulary of one of the kinds in Tokenizers with `size` tokens: all bytes,
// some letters and syllables, the rest unused.
func tokenizerPairs(kind string, size int) []Pair {
	v := &lexicon{}
	for _, name := range []string{"<unk>", "<s>", "</s>", "<pad>", "<|im_start|>", "<|im_end|>"} {
		v.add(name, control)
	}
	v.types[0] = unknown
	for b := range 256 {
		switch kind {
		case "rwkv":
			v.add(fmt.Sprintf(`\x%02x`, b), normal)
		case "bert": // knows no bytes
			v.add(fmt.Sprintf("[unused%d]", len(v.tokens)), unused)
		default:
			v.add(fmt.Sprintf("<0x%02X>", b), single)
		}
	}
	const texts = "▁ ▁a ▁b a b c d e f ab cd ef aa aaaa aaaaaaaa ▁▁ ▁▁▁▁ 字 。 é ! !! 7 77 ▁the ▁cat"
	for _, text := range strings.Fields(texts) {
		v.add(text, normal)
	}
	for len(v.tokens) < size {
		v.add(fmt.Sprintf("[unused%d]", len(v.tokens)), unused)
	}
	pairs := []Pair{
		{"tokenizer.ggml.model", kind}, {"tokenizer.ggml.tokens", v.tokens}, {"tokenizer.ggml.scores", v.scores},
		{"tokenizer.ggml.token_type", v.types},
		{"tokenizer.ggml.unknown_token_id", uint32(0)}, {"tokenizer.ggml.bos_token_id", uint32(1)},
		{"tokenizer.ggml.eos_token_id", uint32(2)},
		{"tokenizer.ggml.padding_token_id", uint32(3)}, {"tokenizer.ggml.seperator_token_id", uint32(2)},
		{"tokenizer.ggml.mask_token_id", uint32(3)},
	}
	return pairs
}

type lexicon struct {
	tokens []string
	scores []float32
	types  []int32
}

func (v *lexicon) add(text string, kind int32) {
	v.scores = append(v.scores, -float32(len(v.tokens))/8)
	v.tokens, v.types = append(v.tokens, text), append(v.types, kind)
}

// WithTokenizer returns a copy of a file with another vocabulary of the same size.
func (f *File) WithTokenizer(kind string) *File {
	c := f.Clone()
	size := len(f.Get("tokenizer.ggml.tokens").([]string))
	for _, key := range []string{"tokenizer.ggml.merges", "tokenizer.ggml.pre"} {
		c.Set(key, nil)
	}
	for _, p := range tokenizerPairs(kind, size) {
		c.Set(p.Key, p.Value)
	}
	return c
}
