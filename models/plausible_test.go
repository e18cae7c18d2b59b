package models

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// inspect writes a file and reads it.
func inspect(t *testing.T, f *modeltest.File) error {
	t.Helper()
	path := datatest.File(t, "model.gguf", f.Bytes())
	_, err := Inspect(path)
	return err
}

// TestSmallModels are all accepted.
func TestSmallModels(t *testing.T) {
	for _, architecture := range modeltest.Architectures {
		for _, tokenizer := range modeltest.Tokenizers {
			if err := inspect(t, modeltest.Small(architecture, tokenizer)); err != nil {
				t.Errorf("a small %s with the tokenizer %s is accepted: got %v, want no error",
					architecture, tokenizer, err)
			}
		}
	}
}

// TestNumbersAreFinite for every key of an architecture, whether llama.cpp reads it today or not, alone and in lists.
func TestNumbersAreFinite(t *testing.T) {
	small := modeltest.Small("llama", "llama")
	for _, name := range []string{
		"attention.layer_norm_epsilon", "attention.layer_norm_rms_epsilon", "attention.group_norm_epsilon",
		"rope.freq_base", "rope.freq_base_swa",
		"rope.scale_linear", "rope.scaling.factor", "rope.scaling.attn_factor", "rope.scaling.yarn_log_multiplier",
		"rope.scaling.yarn_ext_factor",
		"rope.scaling.yarn_attn_factor", "rope.scaling.yarn_beta_fast", "rope.scaling.yarn_beta_slow", "logit_scale",
		"residual_scale",
		"embedding_scale", "attention.scale", "attention.output_scale", "attention.temperature_scale",
		"attention.clamp_kqv",
		"attention.max_alibi_bias", "attn_logit_softcapping", "router_logit_softcapping", "final_logit_softcapping",
		"expert_weights_scale",
		"expert_group_scale", "xielu.eps", "of.the.future",
	} {
		t.Run(name, func(t *testing.T) {
			for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e38, -1e38} {
				for _, value := range []any{float32(x), x, []float32{1, float32(x)}} {
					if err := inspect(t, small.Clone().Set("llama."+name, value)); err == nil ||
						!strings.Contains(err.Error(), name) {
						t.Errorf("%s of %v is refused with its name: got %v", name, value, err)
					}
				}
			}
		})
	}
}

func TestImplausible(t *testing.T) {
	const tokens, scores, types, merges = "tokenizer.ggml.tokens", "tokenizer.ggml.scores", "tokenizer.ggml.token_type",
		"tokenizer.ggml.merges"
	for i, c := range []struct {
		key   string
		value any
		want  string
	}{
		{"llama.attention.layer_norm_rms_epsilon", float32(-1), "between 0 and 1"},
		{"llama.attention.layer_norm_rms_epsilon", float32(0), ""},
		{"llama.rope.freq_base", float32(0), "between 0.001"},
		{"llama.rope.scaling.factor", float32(-2), "between 0"},
		{"llama.attn_logit_softcapping", float32(-30), "between 0"},
		{"llama.block_count", uint32(0), "between 1 and 512"},
		{"llama.block_count", uint32(513), "between 1 and 512"},
		{"llama.leading_dense_block_count", uint32(0), ""},
		{"llama.rope.scaling.original_context_length", uint32(0), ""},
		{"llama.attention.head_count", uint32(0), "head_count is 0"},
		{"llama.attention.head_count_kv", uint32(0), "head_count is 0"},
		{"llama.attention.head_count", []uint32{2, 2}, ""},
		{"llama.attention.head_count", []uint32{2}, "1 entries for 2 blocks"},
		{"llama.attention.head_count", []int32{2, -2}, "between 0 and 4096"},
		{"llama.attention.head_count_kv", []string{"1", "1"}, "entries for 2 blocks"},
		{"llama.attention.head_count", uint32(3), ""},
		{"llama.attention.head_count_kv", uint32(3), "cannot share"},
		{"llama.attention.key_length", uint32(15), "rotated in pairs"},
		{"llama.rope.dimension_count", uint32(7), "rotated in pairs"},
		{"llama.rope.dimension_count", uint32(0), "tells positions by rotation"},
		{"llama.rope.dimension_count", uint32(18), "rotated in pairs"},
		{"llama.rope.dimension_count_swa", uint32(3), "rotated in pairs"},
		{"llama.rope.dimension_count_swa", uint32(4096), "rotated in pairs"},
		{"llama.rope.dimension_count_swa", uint32(0), "tells positions by rotation"},
		{"llama.rope.dimension_count_swa", uint32(9000), "was expected"},
		{"llama.attention.key_length_swa", uint32(7), "rotated in pairs"},
		{"llama.attention.key_length_swa", uint32(0), "was expected"},
		{"llama.attention.head_count_swa", uint32(5000), "was expected"},
		{"llama.rope.dimension_sections", []int32{0, 0, 0, 0}, "dimension_sections"},
		{"llama.rope.dimension_sections", []int32{0, 0, 0, 8}, "dimension_sections"},
		{"llama.rope.dimension_sections", []int32{}, "dimension_sections"},
		{"llama.rope.dimension_sections", int32(0), "dimension_sections"},
		{"llama.rope.dimension_sections", []int32{1, 1, 1, 1, 1}, "dimension_sections"},
		{"tokenizer.ggml.model", "none", "has no vocabulary"},
		{tokens, []string{}, "a list of texts of at most"},
		{tokens, []int32{1}, "a list of texts of at most"},
		{tokens, "a", "a list of texts of at most"},
		{tokens, []string{strings.Repeat("a", maxTokenBytes+1)}, "a list of texts of at most"},
		{tokens, nil, "a list of texts of at most"},
		{tokens, append(make([]string, 319), "<0x-1>"), "a list of texts of at most"},
		{scores, []float32{1, 2}, "for 320 tokens"},
		{scores, make([]int32, 320), "for 320 tokens"},
		{scores, append(make([]float32, 319), float32(math.NaN())), "for 320 tokens"},
		{scores, nil, ""},
		{types, []int32{1}, "for 320 tokens"},
		{types, make([]float32, 320), "for 320 tokens"},
		{types, float32(1), "for 320 tokens"},
		{"tokenizer.ggml.model", "gpt2", "merges is missing"},
		{"tokenizer.ggml.bos_token_id", uint32(500), ""}, // llama.cpp takes its default
		{"tokenizer.ggml.precompiled_charsmap", []uint8{1, 2, 3}, "bytes that end with a zero"},
		{"tokenizer.ggml.precompiled_charsmap", []uint8{1, 2, 3, 4, 5}, "bytes that end with a zero"},
	} {
		t.Run(fmt.Sprint(i, " ", c.key), func(t *testing.T) {
			err := inspect(t, modeltest.Small("llama", "llama").Set(c.key, c.value))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("an implausible file is refused with %q (none if empty): got %v", c.want, err)
			}
		})
	}
	for kind, want := range map[uint32]string{1: "is of type F16", 26: "not a type of weights",
		8: "is of type Q8_0", 9: "not a type of weights"} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			f := modeltest.Small("qwen2", "llama")
			i := slices.IndexFunc(f.Tensors, func(t modeltest.Tensor) bool { return t.Name == "blk.0.attn_q.bias" })
			f.Tensors[i].Kind = kind
			if err := inspect(t, f); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("a bias of type %d: %v, want %q", kind, err, want)
			}
		})
	}
	few := modeltest.Small("llama", "llama").Set("tokenizer.ggml.model", "bert")
	few.Set(tokens, []string{"a"}).Set(scores, nil).Set(types, nil)
	if err := inspect(t, few); err == nil || !strings.Contains(err.Error(), "and there are 1 tokens") {
		t.Errorf("a vocabulary without the special tokens that llama.cpp assumes is refused, as \"and there are "+
			"1 tokens\": got %v", err)
	}
}

// TestTensorsOfFamilies refuses a tensor that is missing, or has another type or shape than its family's, by its name.
func TestTensorsOfFamilies(t *testing.T) {
	for _, c := range []struct{ shape, what, want string }{
		{"mini-granite4", "blk.0.ssm_conv1d.bias,left-out", `"blk.0.ssm_conv1d.bias" is missing, which granitehybrid`},
		{"mini-falcon-h1", "blk.1.ssm_conv1d.bias,left-out", `"blk.1.ssm_conv1d.bias" is missing, which falcon-h1`},
		{"mini-phi", "blk.0.attn_qkv.weight,left-out", `"blk.0.attn_qkv.weight" is missing, which phi3`},
		{"mini-mamba2", "blk.0.ssm_a,as-it-is,type-30", `"blk.0.ssm_a" is of type BF16: F32 was expected`},
		{"mini-rwkv7", "blk.0.time_mix_lerp_fused.weight,as-it-is,type-1", "lerp_fused.weight\" is of type F16"},
		{"mini-qwen3", "blk.0.attn_q.weight,of-[256 128],type-1", "width is 128 by \"qwen3.embedding_length\""},
		{"mini-qwen3-moe", "blk.0.ffn_up_exps.weight,of-[1 128 64 16],type-1", "width is 128"},
		{"mini-gemma3", "token_embd.weight,of-[128 513],type-1", "vocab is 512 by \"tokenizer.ggml.tokens\""},
		{"mini-gemma3", "blk.0.attn_output.weight,as-it-is,type-30", ""},
	} {
		t.Run(c.shape+" "+c.what, func(t *testing.T) {
			f := parsed(t, c.shape)
			all := f.Alter()
			i := slices.IndexFunc(all, func(a modeltest.Altered) bool { return a.What == c.what })
			if i < 0 {
				t.Fatal("there is no such change")
			}
			f = modeltest.Parse(all[i].Bytes())
			if err := inspect(t, f); c.want == "" && err != nil ||
				c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("a file with changed tensors is refused with %q (none if empty): got %v", c.want, err)
			}
		})
	}
}

// parsed is the file of a miniature.
func parsed(t *testing.T, name string) *modeltest.File {
	t.Helper()
	shape, err := ShapeNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "miniature.gguf")
	if err := WriteSynthetic(path, Synthetic{Shape: shape, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	return modeltest.Parse(datatest.Read(t, path))
}

// TestNeeded finds each tensor of needed among those of its family, where the family is known, and one shape for each
// tensor of a family.
func TestNeeded(t *testing.T) {
	for _, n := range needed {
		for _, arch := range strings.Fields(n.architectures) {
			if !slices.Contains(Architectures(), arch) {
				t.Errorf("tensors are needed of architectures that there are: got %q", arch)
			}
			sizes := families[arch].tensorSizes()
			for _, name := range append(strings.Fields(n.names), n.beside) {
				name = strings.TrimPrefix(name, ".")
				if len(sizes) > 0 && sizes[name] == nil && len(strings.Fields(n.names)) == 1 {
					t.Errorf("%s has the tensor %q, which is needed: it has none", arch, name)
				}
			}
		}
	}
	for arch, f := range families {
		for name, sizes := range tensorsIn(f.layer) {
			for other, others := range tensorsIn(f.between) {
				if name == other && !slices.Equal(sizes, others) {
					t.Errorf("%s: %s has one shape: got the sizes %v and %v", arch, name, sizes, others)
				}
			}
		}
	}
}
