package models

import (
	"fmt"
	"strings"

	"github.com/parley-debate/parley/unknown"
)

// Shape is the architecture of a model without its weights.
type Shape struct {
	Name        string
	Layers      int
	Width       int // embedding
	Heads       int
	KVHeads     int
	HeadDim     int
	FeedForward int
	Vocab       int
	Context     int
	Tied        bool // the output layer uses the embedding's weights
}

// Shapes are those of Qwen2.5 (config.json of Qwen/Qwen2.5-*-Instruct) and a very small one for tests.
var Shapes = []Shape{
	{"qwen2.5-0.5b", 24, 896, 14, 2, 64, 4864, 151_936, 32_768, true},
	{"qwen2.5-1.5b", 28, 1536, 12, 2, 128, 8960, 151_936, 32_768, true},
	{"qwen2.5-3b", 36, 2048, 16, 2, 128, 11_008, 151_936, 32_768, true},
	{"qwen2.5-7b", 28, 3584, 28, 4, 128, 18_944, 152_064, 32_768, false},
	{"qwen2.5-14b", 48, 5120, 40, 8, 128, 13_824, 152_064, 32_768, false},
	{"test", 2, 256, 4, 2, 64, 512, 2048, 1024, true},
}

// ShapeNamed finds a shape.
func ShapeNamed(name string) (Shape, error) {
	var names []string
	for _, s := range Shapes {
		if strings.EqualFold(s.Name, name) {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Shape{}, unknown.Name("shape", name, names)
}

// validate refuses shapes that no qwen2 file can have: llama.cpp derives the head size from the width and rotates pairs
// of its elements, and the vocabulary needs all bytes and three control tokens.
func (s Shape) validate() error {
	switch {
	case min(s.Layers, s.Width, s.Heads, s.KVHeads, s.HeadDim, s.FeedForward, s.Context) < 1:
		return fmt.Errorf("shape %+v: all sizes must be 1 or more", s)
	case s.Width != s.Heads*s.HeadDim || s.HeadDim%2 != 0:
		return fmt.Errorf("shape %q: width %d is not %d heads of %d, which must be even", s.Name, s.Width, s.Heads,
			s.HeadDim)
	case s.Heads%s.KVHeads != 0:
		return fmt.Errorf("shape %q: %d attention heads cannot share %d heads of keys and values", s.Name, s.Heads,
			s.KVHeads)
	case s.Vocab < 256+3:
		return fmt.Errorf("shape %q: a vocabulary of %d tokens: at least 256 bytes and 3 control tokens are needed",
			s.Name, s.Vocab)
	}
	return nil
}

// Parameters is the number of weights.
func (s Shape) Parameters() (n int64) {
	for _, t := range s.tensors() {
		n += t.elements()
	}
	return n
}

// tensors are those of a qwen2 file as llama.cpp requires them, in file order: matrices F16, norms and biases F32.
// Their offsets are not set.
func (s Shape) tensors() (list []tensor) {
	add := func(kind uint32, name string, dims ...int) {
		t := tensor{name: name, kind: kind}
		for _, d := range dims {
			t.dims = append(t.dims, int64(d))
		}
		list = append(list, t)
	}
	const f32, f16 = 0, 1
	query, value := s.Heads*s.HeadDim, s.KVHeads*s.HeadDim
	add(f16, "token_embd.weight", s.Width, s.Vocab)
	for i := range s.Layers {
		block := fmt.Sprintf("blk.%d.", i)
		add(f32, block+"attn_norm.weight", s.Width)
		add(f16, block+"attn_q.weight", s.Width, query)
		add(f32, block+"attn_q.bias", query)
		add(f16, block+"attn_k.weight", s.Width, value)
		add(f32, block+"attn_k.bias", value)
		add(f16, block+"attn_v.weight", s.Width, value)
		add(f32, block+"attn_v.bias", value)
		add(f16, block+"attn_output.weight", query, s.Width)
		add(f32, block+"ffn_norm.weight", s.Width)
		add(f16, block+"ffn_gate.weight", s.Width, s.FeedForward)
		add(f16, block+"ffn_up.weight", s.Width, s.FeedForward)
		add(f16, block+"ffn_down.weight", s.FeedForward, s.Width)
	}
	add(f32, "output_norm.weight", s.Width)
	if !s.Tied {
		add(f16, "output.weight", s.Width, s.Vocab)
	}
	return list
}
