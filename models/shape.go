package models

import (
	"fmt"
	"strings"

	"github.com/parley-debate/parley/internal/unknown"
)

// Shape is the architecture of a model without its weights.
type Shape struct {
	Name        string
	Family      string // the architecture that the file names, a key of families
	Layers      int
	Width       int // embedding
	Heads       int
	KVHeads     int
	HeadDim     int
	FeedForward int
	Vocab       int
	Context     int
	Tied        bool    // the output layer uses the embedding's weights
	RotaryBase  float32 // of the rotary position embedding
	Experts     Experts
	Window      Window
	Linear      Linear
}

// Experts of a layer; Count is 0 where there are none.
type Experts struct {
	Count, Used int
	FeedForward int // of one expert
	Shared      int // of the expert that every token uses; 0 if there is none
}

// Window is how far most layers see. Every n-th layer sees all tokens, and may have heads of its own.
type Window struct {
	Tokens, Every            int
	FullHeadDim, FullKVHeads int // 0: those of the other layers
}

// Linear is the recurrence of a model: a gated delta net, Mamba, a short convolution, or RWKV. Every n-th layer has
// attention instead; none has if Every is 0, or each has both, as the family says. Mamba2 calls its key heads groups,
// and Mamba calls the number of its value heads a rank. State is the size of a head in RWKV.
type Linear struct {
	Every, Kernel, State, KeyHeads, ValueHeads int
}

// Recurrent reports whether some layer has a state for each sequence.
func (s Shape) Recurrent() bool { return s.Linear != Linear{} }

// WithLayers returns the shape with fewer layers, of which each costs what it does in all of them. It fails unless each
// kind of layer has its share.
func (s Shape) WithLayers(n int) (Shape, error) {
	period := max(1, s.Window.Every, s.Linear.Every)
	if n < 1 || n > s.Layers || n%period != 0 {
		return Shape{}, fmt.Errorf("%s can have from %d to %d layers, in steps of %d, not %d", s.Name, period, s.Layers,
			period, n)
	}
	s.Name, s.Layers = fmt.Sprintf("%s-%d-layers", s.Name, n), n
	return s, nil
}

// miniature begins the names of shapes for tests: all that a family has, in a file of a few megabytes at most.
const miniature = "mini-"

// Shapes are those of published models (config.json and model cards; TestShapes compares the numbers of parameters),
// two of half a billion parameters to measure by on small machines, where no such model is published, and a miniature
// of each family.
var Shapes = []Shape{
	dense("qwen2.5-0.5b", "qwen2", 24, 896, 14, 2, 64, 4864, 151_936, 32_768).tied(),
	dense("qwen2.5-1.5b", "qwen2", 28, 1536, 12, 2, 128, 8960, 151_936, 32_768).tied(),
	dense("qwen2.5-3b", "qwen2", 36, 2048, 16, 2, 128, 11_008, 151_936, 32_768).tied(),
	dense("qwen2.5-7b", "qwen2", 28, 3584, 28, 4, 128, 18_944, 152_064, 32_768),
	dense("qwen2.5-14b", "qwen2", 48, 5120, 40, 8, 128, 13_824, 152_064, 32_768),
	dense("qwen3-8b", "qwen3", 36, 4096, 32, 8, 128, 12_288, 151_936, 40_960),
	dense("qwen3-30b-a3b", "qwen3moe", 48, 2048, 32, 4, 128, 6144, 151_936, 40_960).experts(128, 8, 768, 0),
	dense("qwen3-next-80b-a3b", "qwen3next", 48, 2048, 16, 2, 256, 5120, 151_936, 262_144).experts(512, 10, 512, 512).
		linear(4, 4, 128, 16, 32).rotary(1e7),
	dense("qwen3.5-35b-a3b", "qwen35moe", 40, 2048, 16, 2, 256, 512, 248_320, 262_144).experts(256, 8, 512, 512).
		linear(4, 4, 128, 16, 32).rotary(1e7),
	dense("llama-3.1-8b", "llama", 32, 4096, 32, 8, 128, 14_336, 128_256, 131_072).rotary(5e5),
	dense("llama-3.2-1b", "llama", 16, 2048, 32, 8, 64, 8192, 128_256, 131_072).rotary(5e5).tied(),
	dense("mistral-7b", "llama", 32, 4096, 32, 8, 128, 14_336, 32_768, 32_768),
	dense("mistral-small-24b", "llama", 40, 5120, 32, 8, 128, 32_768, 131_072, 32_768).rotary(1e8),
	dense("phi-4", "phi3", 40, 5120, 40, 10, 128, 17_920, 100_352, 16_384).rotary(2.5e5),
	dense("gemma-2-2b", "gemma2", 26, 2304, 8, 4, 256, 9216, 256_000, 8192).window(4096, 2).rotary(1e4).tied(),
	dense("gemma-3-1b", "gemma3", 26, 1152, 4, 1, 256, 6912, 262_144, 32_768).window(512, 6).tied(),
	dense("gemma-3-4b", "gemma3", 34, 2560, 8, 4, 256, 10_240, 262_208, 131_072).window(1024, 6).tied(),
	dense("gemma-4-31b", "gemma4", 60, 5376, 32, 16, 256, 21_504, 262_144, 262_144).window(1024, 6).full(512, 4).tied(),
	dense("mamba2-2.7b", "mamba2", 64, 2560, 1, 1, 2560, 1, 50_288, 1<<20).linear(0, 4, 128, 1, 80).tied(),
	dense("gpt-oss-20b", "gpt-oss", 24, 2880, 64, 8, 64, 2880, 201_088, 131_072).experts(32, 4, 2880, 0).window(128, 2).
		rotary(1.5e5),
	dense("gpt-oss-120b", "gpt-oss", 36, 2880, 64, 8, 64, 2880, 201_088, 131_072).experts(128, 4, 2880, 0).
		window(128, 2).rotary(1.5e5),
	dense("half-experts", "qwen3moe", 24, 896, 14, 2, 64, 4864, 151_936, 32_768).experts(16, 4, 288, 0).tied(),
	dense("half-hybrid", "falcon-h1", 28, 1024, 8, 2, 64, 2048, 32_784, 32_768).linear(0, 4, 128, 1, 32),

	dense("test", "qwen2", 2, 256, 4, 2, 64, 512, 2048, 1024).tied(),
	dense("mini-qwen2", "qwen2", 2, 128, 4, 2, 32, 256, 512, 4096).tied(),
	dense("mini-qwen3", "qwen3", 2, 128, 4, 2, 64, 256, 512, 4096),
	dense("mini-qwen3-moe", "qwen3moe", 2, 128, 4, 2, 64, 256, 512, 4096).experts(16, 4, 64, 0),
	dense("mini-qwen3-next", "qwen3next", 4, 128, 4, 2, 32, 256, 512, 4096).experts(16, 4, 64, 64).
		linear(4, 4, 32, 2, 4),
	dense("mini-qwen3.5", "qwen35", 4, 128, 4, 2, 32, 256, 512, 4096).linear(4, 4, 32, 2, 4),
	dense("mini-qwen3.5-moe", "qwen35moe", 4, 128, 4, 2, 32, 256, 512, 4096).experts(16, 4, 64, 64).
		linear(4, 4, 32, 2, 4),
	dense("mini-mamba2", "mamba2", 2, 128, 1, 1, 128, 1, 512, 4096).linear(0, 4, 32, 2, 8).tied(),
	dense("mini-jamba", "jamba", 4, 128, 4, 2, 32, 256, 512, 4096).experts(4, 2, 256, 0).linear(4, 4, 16, 0, 32),
	dense("mini-granite4", "granitehybrid", 4, 128, 4, 2, 32, 64, 512, 4096).experts(16, 4, 64, 64).
		linear(4, 4, 32, 1, 8).tied(),
	dense("mini-falcon-h1", "falcon-h1", 2, 128, 4, 2, 32, 256, 512, 4096).linear(0, 4, 32, 1, 8),
	dense("mini-lfm2", "lfm2", 4, 128, 4, 2, 32, 256, 512, 4096).linear(4, 3, 0, 0, 0).tied(),
	dense("mini-rwkv7", "rwkv7", 2, 128, 2, 2, 64, 512, 512, 4096).linear(0, 0, 64, 0, 0),
	dense("mini-llama3", "llama", 2, 128, 4, 2, 32, 256, 512, 4096).rotary(5e5),
	dense("mini-mistral", "llama", 2, 128, 4, 2, 64, 256, 512, 4096),
	dense("mini-phi", "phi3", 2, 128, 4, 2, 32, 256, 512, 4096),
	dense("mini-gemma2", "gemma2", 2, 128, 4, 2, 64, 256, 512, 4096).window(64, 2).rotary(1e4).tied(),
	dense("mini-gemma3", "gemma3", 6, 128, 4, 2, 64, 256, 512, 4096).window(64, 6).tied(),
	dense("mini-gemma4", "gemma4", 6, 128, 4, 2, 32, 256, 512, 4096).window(64, 6).full(64, 1).tied(),
	dense("mini-gpt-oss", "gpt-oss", 2, 128, 4, 2, 64, 64, 512, 4096).experts(16, 4, 64, 0).window(64, 2),
}

// dense returns the shape of a transformer in which every token uses all weights. Sizes are numbers of weights or
// tokens; RoPE's base is that of most families.
func dense(name, family string, layers, width, heads, kvHeads, headDim, feedForward, vocab, context int) Shape {
	return Shape{Name: name, Family: family, Layers: layers, Width: width, Heads: heads, KVHeads: kvHeads,
		HeadDim: headDim, FeedForward: feedForward, Vocab: vocab, Context: context, RotaryBase: 1e6}
}

func (s Shape) tied() Shape { s.Tied = true; return s }

func (s Shape) rotary(base float32) Shape { s.RotaryBase = base; return s }

// experts makes the feed-forward layers mixtures: a token uses some of the experts and, where shared is not 0, one of
// that size always.
func (s Shape) experts(count, used, feedForward, shared int) Shape {
	s.Experts = Experts{count, used, feedForward, shared}
	return s
}

// window lets layers attend only to the last tokens, except for every so manieth, which attends to all.
func (s Shape) window(tokens, every int) Shape {
	s.Window = Window{Tokens: tokens, Every: every}
	return s
}

// full gives layers that attend to all tokens other heads than those with a window.
func (s Shape) full(headDim, kvHeads int) Shape {
	s.Window.FullHeadDim, s.Window.FullKVHeads = headDim, kvHeads
	return s
}

// linear gives layers a state of fixed size instead of keys and values, except for every so manieth. What the sizes
// are depends on the family: see Linear.
func (s Shape) linear(every, kernel, state, keyHeads, valueHeads int) Shape {
	s.Linear = Linear{every, kernel, state, keyHeads, valueHeads}
	return s
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

// Miniatures returns the shapes for tests, one or more of each family.
func Miniatures() (list []Shape) {
	for _, s := range Shapes {
		if strings.HasPrefix(s.Name, miniature) {
			list = append(list, s)
		}
	}
	return list
}

// validate refuses shapes that no file can have. llama.cpp derives the head size of some families from the width and
// rotates pairs of its elements, and the vocabulary needs all bytes and three control tokens.
func (s Shape) validate() error {
	switch {
	case min(s.Layers, s.Width, s.Heads, s.KVHeads, s.HeadDim, s.FeedForward, s.Context) < 1:
		return fmt.Errorf("shape %+v: all sizes must be 1 or more", s)
	case families[s.Family].layer == "":
		return fmt.Errorf("shape %q: nothing is known about the architecture %q", s.Name, s.Family)
	case s.HeadDim%2 != 0 || families[s.Family].square && s.Width != s.Heads*s.HeadDim:
		return fmt.Errorf("shape %q: width %d is not %d heads of %d, which must be even", s.Name, s.Width, s.Heads,
			s.HeadDim)
	case s.Heads%s.KVHeads != 0:
		return fmt.Errorf("shape %q: %d attention heads cannot share %d heads of keys and values", s.Name, s.Heads,
			s.KVHeads)
	case s.Experts.Used > s.Experts.Count:
		return fmt.Errorf("shape %q: %d of %d experts are used", s.Name, s.Experts.Used, s.Experts.Count)
	case s.Vocab < 256+3:
		return fmt.Errorf("shape %q: a vocabulary of %d tokens: at least 256 bytes and 3 control tokens are needed",
			s.Name, s.Vocab)
	}
	return nil
}

// Parameters returns the number of weights.
func (s Shape) Parameters() (n int64) {
	for _, t := range s.tensors() {
		n += t.elements()
	}
	return n
}
