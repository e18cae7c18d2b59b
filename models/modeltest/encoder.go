// Package modeltest makes GGUF files for tests: small models that run, and files that are damaged on purpose.
package modeltest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Positions is how many tokens Encoder was made for.
const Positions = 64

// Encoder returns the GGUF file of a very small BERT with random weights that pools the first token. Its words are "wa"
// to "wf", tokens 4 to 9; a text begins with token 1 and ends with token 2.
func Encoder() []byte {
	e := &encoder{random: rand.New(rand.NewPCG(1, 1))}
	e.weights()
	pairs := e.metadata()
	var head bytes.Buffer
	head.WriteString("GGUF")
	put(&head, uint32(3), uint64(e.tensors), uint64(len(pairs)))
	for _, p := range pairs {
		put(&head, p...)
	}
	head.Write(e.info.Bytes())
	head.Write(make([]byte, (32-head.Len()%32)%32))
	return append(head.Bytes(), e.data.Bytes()...)
}

type encoder struct {
	random     *rand.Rand
	info, data bytes.Buffer // the table of tensors, and their weights
	tensors    int
}

const width, forward, layers = 64, 128, 2

var words = []any{"[PAD]", "[CLS]", "[SEP]", "[UNK]", "▁wa", "▁wb", "▁wc", "▁wd", "▁we", "▁wf"}

// metadata returns the pairs of the file: key, type and value.
func (e *encoder) metadata() [][]any {
	const u32, i32, f32, truth, text, list = uint32(4), uint32(5), uint32(6), uint32(7), uint32(8), uint32(9)
	const normal, control = int32(1), int32(3)
	pairs := [][]any{
		{"general.architecture", text, "bert"}, {"general.file_type", u32, uint32(0)},
		{"bert.block_count", u32, uint32(layers)}, {"bert.context_length", u32, uint32(Positions)},
		{"bert.embedding_length", u32, uint32(width)},
		{"bert.feed_forward_length", u32, uint32(forward)}, {"bert.attention.head_count", u32, uint32(2)},
		{"bert.attention.causal", truth, false},
		{"bert.attention.layer_norm_epsilon", f32, float32(1e-12)}, {"bert.pooling_type", u32, uint32(2)},
		{"tokenizer.ggml.token_type_count", u32, uint32(2)}, {"tokenizer.ggml.model", text, "bert"},
		{"tokenizer.ggml.padding_token_id", u32, uint32(0)}, {"tokenizer.ggml.bos_token_id", u32, uint32(1)},
		// GGUF spells it like this:
		{"tokenizer.ggml.seperator_token_id", u32, uint32(2)}, {"tokenizer.ggml.unknown_token_id", u32, uint32(3)},
		{"tokenizer.ggml.mask_token_id", u32, uint32(3)},
	}
	tokens, kinds := []any{"tokenizer.ggml.tokens", list, text, uint64(len(words))},
		[]any{"tokenizer.ggml.token_type", list, i32, uint64(len(words))}
	for i, word := range words {
		kind := control
		if i > 3 {
			kind = normal
		}
		tokens, kinds = append(tokens, word), append(kinds, kind)
	}
	return append(pairs, tokens, kinds)
}

func (e *encoder) weights() {
	e.tensor("token_embd.weight", width, uint64(len(words)))
	e.tensor("position_embd.weight", width, Positions)
	e.norm("token_embd_norm")
	for i := range layers {
		block := fmt.Sprintf("blk.%d.", i)
		for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
			e.linear(block+name, width, width)
		}
		e.norm(block + "attn_output_norm")
		e.linear(block+"ffn_up", width, forward)
		e.linear(block+"ffn_down", forward, width)
		e.norm(block + "layer_output_norm")
	}
}

func (e *encoder) linear(name string, from, to uint64) {
	e.tensor(name+".weight", from, to)
	e.tensor(name+".bias", to)
}

func (e *encoder) norm(name string) {
	e.tensor(name+".weight", width)
	e.tensor(name+".bias", width)
}

func (e *encoder) tensor(name string, dims ...uint64) {
	const f32 = uint32(0)
	e.tensors++
	put(&e.info, name, uint32(len(dims)), dims, f32, uint64(e.data.Len()))
	n := uint64(1)
	for _, d := range dims {
		n *= d
	}
	for range n {
		put(&e.data, float32(e.random.NormFloat64()/4))
	}
}

// put writes values in little-endian order, strings with their length before them.
func put(to *bytes.Buffer, values ...any) {
	for _, v := range values {
		if s, ok := v.(string); ok {
			put(to, uint64(len(s)))
			to.WriteString(s)
		} else if err := binary.Write(to, binary.LittleEndian, v); err != nil {
			panic(err) // a type without a fixed size
		}
	}
}
