package modeltest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Architectures are the shapes of Small.
var Architectures = []string{"qwen2", "llama", "llama-experts", "qwen3", "gemma2", "gemma3", "qwen2vl", "mamba",
	"jamba"}

// The sizes of Small.
const (
	smallWidth, smallHeads, smallKV, smallHead = 32, 2, 1, 16
	smallForward, smallExperts                 = 64, 4
	smallTokens                                = 320
	smallRank                                  = 2
)

// Small returns a GGUF file of about 150 KB: a model with random weights that generates. It has one of Architectures
// and one of the kinds of vocabulary in Tokenizers.
func Small(architecture, tokenizer string) *File {
	arch := architecture
	if arch == "llama-experts" {
		arch = "llama"
	}
	s := &small{file: &File{}, random: rand.New(rand.NewPCG(1, 2))}
	s.file.Pairs = append(smallMetadata(architecture, arch), tokenizerPairs(tokenizer, smallTokens)...)
	s.tensor("token_embd.weight", smallWidth, smallTokens)
	for i := range layersOf(architecture) {
		s.block(architecture, fmt.Sprintf("blk.%d.", i))
	}
	s.tensor("output_norm.weight", smallWidth)
	if arch != "gemma2" && arch != "gemma3" { // their output layer uses the embedding's weights
		s.tensor("output.weight", smallWidth, smallTokens)
	}
	return s.file
}

// layersOf returns the number of layers: 6 for Gemma 3, whose every sixth layer sees all cells, otherwise 2.
func layersOf(architecture string) int {
	if architecture == "gemma3" {
		return 6
	}
	return 2
}

func smallMetadata(architecture, arch string) []Pair {
	pairs := []Pair{
		{"general.architecture", arch}, {"general.name", "small"}, {"general.file_type", uint32(0)},
		{arch + ".block_count", uint32(layersOf(architecture))}, {arch + ".context_length", uint32(256)},
		{arch + ".embedding_length", uint32(smallWidth)},
		{arch + ".feed_forward_length", uint32(smallForward)}, {arch + ".attention.head_count", uint32(smallHeads)},
		{arch + ".attention.head_count_kv", uint32(smallKV)}, {arch + ".attention.key_length", uint32(smallHead)},
		{arch + ".attention.value_length", uint32(smallHead)}, {arch + ".rope.dimension_count", uint32(smallHead)},
		{arch + ".rope.freq_base", float32(1e4)}, {arch + ".attention.layer_norm_rms_epsilon", float32(1e-6)},
		{arch + ".rope.scaling.type", "yarn"}, {arch + ".rope.scaling.factor", float32(4)},
		{arch + ".rope.scaling.original_context_length", uint32(64)},
	}
	switch architecture {
	case "qwen2vl":
		pairs = append(pairs, Pair{"qwen2vl.rope.dimension_sections", []int32{2, 3, 3, 0}})
	case "mamba", "jamba":
		pairs = append(pairs,
			Pair{arch + ".ssm.conv_kernel", uint32(4)}, Pair{arch + ".ssm.inner_size", uint32(2 * smallWidth)},
			Pair{arch + ".ssm.state_size", uint32(smallHead)}, Pair{arch + ".ssm.time_step_rank", uint32(2)})
		if arch == "jamba" { // a layer of each kind
			at := slices.IndexFunc(pairs, func(p Pair) bool { return p.Key == "jamba.attention.head_count_kv" })
			pairs[at].Value = []int32{0, smallKV}
		}
	case "llama-experts":
		pairs = append(pairs,
			Pair{"llama.expert_count", uint32(smallExperts)}, Pair{"llama.expert_used_count", uint32(2)})
	case "gemma2":
		pairs = append(pairs, Pair{"gemma2.attn_logit_softcapping", float32(50)},
			Pair{"gemma2.final_logit_softcapping", float32(30)},
			Pair{"gemma2.attention.sliding_window", uint32(32)})
	case "gemma3":
		pairs = append(pairs, Pair{"gemma3.attention.sliding_window", uint32(32)})
	}
	return pairs
}

type small struct {
	file   *File
	random *rand.Rand
}

func (s *small) block(architecture, name string) {
	const query, keys = smallHeads * smallHead, smallKV * smallHead
	s.tensor(name+"attn_norm.weight", smallWidth)
	switch {
	case architecture == "mamba":
		s.recurrent(name)
		return
	case architecture == "jamba" && name == "blk.0.":
		s.recurrent(name)
		s.tensor(name+"ssm_dt_norm.weight", smallRank)
		s.tensor(name+"ssm_b_norm.weight", smallHead)
		s.tensor(name+"ssm_c_norm.weight", smallHead)
		s.feedForward(name)
		return
	}
	s.tensor(name+"attn_q.weight", smallWidth, query)
	s.tensor(name+"attn_k.weight", smallWidth, keys)
	s.tensor(name+"attn_v.weight", smallWidth, keys)
	s.tensor(name+"attn_output.weight", query, smallWidth)
	switch architecture {
	case "qwen2", "qwen2vl":
		s.tensor(name+"attn_q.bias", query)
		s.tensor(name+"attn_k.bias", keys)
		s.tensor(name+"attn_v.bias", keys)
	case "qwen3", "gemma3":
		s.tensor(name+"attn_q_norm.weight", smallHead)
		s.tensor(name+"attn_k_norm.weight", smallHead)
	}
	if architecture == "gemma2" || architecture == "gemma3" {
		s.tensor(name+"post_attention_norm.weight", smallWidth)
		s.tensor(name+"post_ffw_norm.weight", smallWidth)
	}
	if architecture == "llama-experts" {
		s.tensor(name+"ffn_norm.weight", smallWidth)
		s.tensor(name+"ffn_gate_inp.weight", smallWidth, smallExperts)
		s.tensor(name+"ffn_gate_exps.weight", smallWidth, smallForward, smallExperts)
		s.tensor(name+"ffn_down_exps.weight", smallForward, smallWidth, smallExperts)
		s.tensor(name+"ffn_up_exps.weight", smallWidth, smallForward, smallExperts)
		return
	}
	s.feedForward(name)
}

func (s *small) feedForward(name string) {
	s.tensor(name+"ffn_norm.weight", smallWidth)
	s.tensor(name+"ffn_gate.weight", smallWidth, smallForward)
	s.tensor(name+"ffn_down.weight", smallForward, smallWidth)
	s.tensor(name+"ffn_up.weight", smallWidth, smallForward)
}

// recurrent adds a block of Mamba.
func (s *small) recurrent(name string) {
	const inner, state, rank = 2 * smallWidth, smallHead, smallRank
	s.tensor(name+"ssm_in.weight", smallWidth, 2*inner)
	s.tensor(name+"ssm_conv1d.weight", 4, inner)
	s.tensor(name+"ssm_conv1d.bias", inner)
	s.tensor(name+"ssm_x.weight", inner, rank+2*state)
	s.tensor(name+"ssm_dt.weight", rank, inner)
	s.tensor(name+"ssm_dt.bias", inner)
	s.tensor(name+"ssm_a", state, inner)
	s.tensor(name+"ssm_d", inner)
	s.tensor(name+"ssm_out.weight", inner, smallWidth)
}

// tensor adds a tensor of small numbers; those by which the states of a recurrence decay are below 0.
func (s *small) tensor(name string, dims ...uint64) {
	const f32 = 0
	s.file.Tensors = append(s.file.Tensors, Tensor{Name: name, Dims: dims, Kind: f32, Offset: uint64(len(s.file.Data))})
	n := uint64(1)
	for _, d := range dims {
		n *= d
	}
	for range n {
		x := s.random.NormFloat64() / 8
		if strings.HasSuffix(name, "ssm_a") {
			x = -math.Abs(x)
		}
		s.file.Data = binary.LittleEndian.AppendUint32(s.file.Data, math.Float32bits(float32(x)))
	}
	s.file.Data = append(s.file.Data, make([]byte, (32-len(s.file.Data)%32)%32)...)
}
