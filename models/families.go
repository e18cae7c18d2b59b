package models

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// family is what the files of an architecture hold, as llama.cpp reads them (src/llama-model.cpp, src/models). Tensors
// are written one a line: the name, then its sizes by their names in Shape.size, fastest first.
type family struct {
	layer   string               // tensors of a layer with attention to all tokens
	between string               // of the other layers, if they have other tensors
	once    string               // beside embedding, norm and output
	norm    string               // the last one, if it is not named output_norm
	square  bool                 // the heads are as wide as the embedding
	keys    func(s Shape) []pair // metadata beside Shape.metadata's; may be nil
}

// Parts of layers that several families share.
const (
	attention = `
		attn_norm.weight    width
		attn_q.weight       width query
		attn_k.weight       width key
		attn_v.weight       width value
		attn_output.weight  mixed width
	`
	headNorms = `
		attn_q_norm.weight  head
		attn_k_norm.weight  head
	`
	gated = `
		ffn_gate.weight     width forward
		ffn_up.weight       width forward
		ffn_down.weight     forward width
	`
	feedForward = "ffn_norm.weight width\n" + gated
	experts     = `
		ffn_gate_inp.weight   width experts
		ffn_gate_exps.weight  width expert experts
		ffn_down_exps.weight  expert width experts
		ffn_up_exps.weight    width expert experts
	`
	sharedExpert = `
		ffn_gate_inp_shexp.weight  width
		ffn_gate_shexp.weight      width shared
		ffn_up_shexp.weight        width shared
		ffn_down_shexp.weight      shared width
	`
	gatedAttention = `
		attn_norm.weight            width
		post_attention_norm.weight  width
		attn_q.weight               width twice-query
		attn_k.weight               width key
		attn_v.weight               width value
		attn_output.weight          mixed width
	` + headNorms
	recurrence = `
		attn_norm.weight            width
		post_attention_norm.weight  width
		ssm_conv1d.weight           kernel convolved
		ssm_dt.bias                 value-heads
		ssm_a                       value-heads
		ssm_norm.weight             state
		ssm_out.weight              values width
	`
	recurrence35 = recurrence + `
		attn_qkv.weight   width convolved
		attn_gate.weight  width values
		ssm_beta.weight   width value-heads
		ssm_alpha.weight  width value-heads
	`
	postNorms = `
		post_attention_norm.weight  width
		post_ffw_norm.weight        width
	`
	mamba = `
		attn_norm.weight    width
		ssm_in.weight       width twice-inner
		ssm_conv1d.weight   kernel inner
		ssm_conv1d.bias     inner
		ssm_x.weight        inner rank-and-twice-state
		ssm_dt.weight       value-heads inner
		ssm_dt.bias         inner
		ssm_dt_norm.weight  value-heads
		ssm_b_norm.weight   state
		ssm_c_norm.weight   state
		ssm_a               state inner
		ssm_d               inner
		ssm_out.weight      inner width
	`
	mamba2Alone = `
		ssm_in.weight      width inner-projected
		ssm_conv1d.weight  kernel inner-convolved
		ssm_conv1d.bias    inner-convolved
		ssm_dt.bias        value-heads
		ssm_a              one value-heads
		ssm_d              one value-heads
		ssm_norm.weight    inner-of-group key-heads
		ssm_out.weight     inner width
	`
	mamba2    = "attn_norm.weight width\n" + mamba2Alone
	shortConv = `
		attn_norm.weight           width
		shortconv.conv.weight      kernel width
		shortconv.in_proj.weight   width thrice-width
		shortconv.out_proj.weight  width width
	`
	wideExperts = `
		ffn_norm.weight       width
		ffn_gate_inp.weight   width experts
		ffn_gate_exps.weight  width forward experts
		ffn_down_exps.weight  forward width experts
		ffn_up_exps.weight    width forward experts
	`
	graniteExperts = wideExperts + `
		ffn_gate_shexp.weight  width shared
		ffn_up_shexp.weight    width shared
		ffn_down_shexp.weight  shared width
	`
	timeMix = `
		attn_norm.weight             width
		attn_norm.bias               width
		attn_norm_2.weight           width
		attn_norm_2.bias             width
		time_mix_w0.weight           width
		time_mix_w1.weight           width rank
		time_mix_w2.weight           rank width
		time_mix_a0.weight           width
		time_mix_a1.weight           width rank
		time_mix_a2.weight           rank width
		time_mix_v0.weight           width
		time_mix_v1.weight           width rank
		time_mix_v2.weight           rank width
		time_mix_g1.weight           width rank
		time_mix_g2.weight           rank width
		time_mix_k_k.weight          width
		time_mix_k_a.weight          width
		time_mix_r_k.weight          width
		time_mix_lerp_fused.weight   width one one six
		time_mix_key.weight          width width
		time_mix_value.weight        width width
		time_mix_receptance.weight   width width
		time_mix_ln.weight           width
		time_mix_ln.bias             width
		time_mix_output.weight       width width
		channel_mix_lerp_k.weight    width one one
		channel_mix_key.weight       width forward
		channel_mix_value.weight     forward width
	`
)

var families = map[string]family{
	"qwen2": {square: true, layer: `
		attn_norm.weight    width
		attn_q.weight       width query
		attn_q.bias         query
		attn_k.weight       width key
		attn_k.bias         key
		attn_v.weight       width value
		attn_v.bias         value
		attn_output.weight  mixed width
	` + feedForward},
	"qwen3":    {layer: attention + headNorms + feedForward},
	"qwen3moe": {layer: attention + headNorms + "ffn_norm.weight width\n" + experts},
	"qwen3next": {
		layer: gatedAttention + experts + sharedExpert,
		between: recurrence + `
			ssm_in.weight  width projected
			ssm_ba.weight  width twice-value-heads
		` + experts + sharedExpert,
		keys: recurrent35Keys,
	},
	"qwen35": {layer: gatedAttention + gated, between: recurrence35 + gated, keys: recurrent35Keys},
	"qwen35moe": {layer: gatedAttention + experts + sharedExpert, between: recurrence35 + experts + sharedExpert,
		keys: recurrent35Keys},
	"llama": {layer: attention + feedForward},
	"phi3": {square: true, layer: `
		attn_norm.weight    width
		attn_qkv.weight     width query-key-value
		attn_output.weight  mixed width
		ffn_norm.weight     width
		ffn_up.weight       width twice-forward
		ffn_down.weight     forward width
	`},
	"gemma2": {layer: attention + feedForward + postNorms, keys: func(Shape) []pair {
		return []pair{{"attn_logit_softcapping", float32(50)}, {"final_logit_softcapping", float32(30)}}
	}},
	"gemma3": {layer: attention + headNorms + feedForward + postNorms},
	"gemma4": {ofGemma4("attn_k.weight  width key"), ofGemma4(`
			attn_k.weight  width key
			attn_v.weight  width value
		`), "rope_freqs.weight half-head", "", false, gemma4Keys},
	"mamba2": {layer: mamba2, keys: mambaKeys},
	"jamba":  {square: true, layer: attention + wideExperts, between: mamba + feedForward, keys: hybridKeys},
	"granitehybrid": {layer: attention + graniteExperts, between: mamba2 + graniteExperts, keys: func(s Shape) []pair {
		return append(hybridKeys(s), pair{"logit_scale", float32(6)}, pair{"residual_scale", float32(0.22)},
			pair{"embedding_scale", float32(12)}, pair{"attention.scale", float32(1) / 64},
			pair{"rope.scaling.finetuned", false})
	}},
	"falcon-h1": {layer: attention + mamba2Alone + "ffn_norm width\n" + gated, keys: mambaKeys},
	"lfm2": {square: true, norm: "token_embd_norm", layer: attention + headNorms + feedForward,
		between: shortConv + feedForward, keys: func(s Shape) []pair {
			return []pair{{"attention.head_count_kv", s.kvHeadsOfLayers()},
				{"shortconv.l_cache", uint32(s.Linear.Kernel)}}
		}},
	"rwkv7": {layer: timeMix, once: "token_embd_norm.weight width\ntoken_embd_norm.bias width\noutput_norm.bias width",
		keys: func(s Shape) []pair {
			rank := uint32(s.size("rank", 0))
			return []pair{{"attention.head_count", uint32(0)}, {"attention.head_count_kv", uint32(0)},
				{"attention.layer_norm_epsilon", float32(1e-5)}, {"wkv.head_size", uint32(s.Linear.State)},
				{"attention.decay_lora_rank", rank}, {"attention.iclr_lora_rank", rank},
				{"attention.value_residual_mix_lora_rank", rank}, {"attention.gate_lora_rank", rank}}
		}},
	"gpt-oss": {layer: attention + `
		attn_q.bias                 query
		attn_k.bias                 key
		attn_v.bias                 value
		attn_output.bias            width
		attn_sinks.weight           heads
		post_attention_norm.weight  width
	` + experts + `
		ffn_gate_inp.bias   experts
		ffn_gate_exps.bias  expert experts
		ffn_down_exps.bias  width experts
		ffn_up_exps.bias    expert experts
	`, keys: func(s Shape) []pair {
		return []pair{{"rope.scaling.type", "yarn"}, {"rope.scaling.factor", float32(32)},
			{"rope.scaling.original_context_length", uint32(s.Context / 32)}}
	}},
}

// ofGemma4 returns a layer; those that see all tokens have no values of their own and use the keys.
func ofGemma4(keysAndValues string) string {
	return `
		attn_norm.weight    width
		attn_q.weight       width query
		attn_output.weight  mixed width
	` + keysAndValues + "\n" + headNorms + feedForward + postNorms
}

// kvHeadsOfLayers lists the heads of keys and values; recurrent layers have none.
func (s Shape) kvHeadsOfLayers() (heads []int32) {
	for i := range s.Layers {
		n := s.kvHeads(i)
		if s.Linear.Every > 0 && !s.isFull(i) {
			n = 0
		}
		heads = append(heads, int32(n))
	}
	return heads
}

// mambaKeys returns the keys of Mamba and Mamba2. A model that has nothing else has no heads.
func mambaKeys(s Shape) []pair {
	pairs := []pair{{"ssm.conv_kernel", uint32(s.Linear.Kernel)}, {"ssm.inner_size", uint32(s.size("inner", 0))},
		{"ssm.state_size", uint32(s.Linear.State)}, {"ssm.time_step_rank", uint32(s.Linear.ValueHeads)}}
	if s.Linear.KeyHeads > 0 {
		pairs = append(pairs, pair{"ssm.group_count", uint32(s.Linear.KeyHeads)})
	}
	if s.Family == "mamba2" {
		pairs = append(pairs, pair{"attention.head_count", uint32(0)}, pair{"attention.head_count_kv", uint32(0)},
			pair{"feed_forward_length", uint32(0)})
	}
	return pairs
}

// hybridKeys returns the keys of models of which some layers have a Mamba state and others attention: the number of KV
// heads is a list, 0 for layers without attention.
func hybridKeys(s Shape) []pair {
	return append(mambaKeys(s), pair{"attention.head_count_kv", s.kvHeadsOfLayers()})
}

// gemma4Keys returns the keys of Gemma 4: layers that attend to a window and those that attend to all tokens differ in
// the sizes of their heads, for which a key ending in _swa has those of the window.
func gemma4Keys(s Shape) []pair {
	var windowed []bool
	for i := range s.Layers {
		windowed = append(windowed, !s.isFull(i))
	}
	return []pair{{"attention.sliding_window_pattern", windowed}, {"attention.head_count_kv", s.kvHeadsOfLayers()},
		{"attention.key_length_swa", uint32(s.HeadDim)}, {"attention.value_length_swa", uint32(s.HeadDim)},
		{"attention.key_length", uint32(s.headDim(s.Window.Every - 1))},
		{"attention.value_length", uint32(s.headDim(s.Window.Every - 1))},
		{"rope.dimension_count", uint32(s.headDim(s.Window.Every - 1))},
		{"rope.dimension_count_swa", uint32(s.HeadDim)}, {"rope.freq_base_swa", float32(1e4)},
		{"embedding_length_per_layer_input", uint32(0)}, {"attention.shared_kv_layers", uint32(0)},
		{"final_logit_softcapping", float32(30)}}
}

// recurrent35Keys returns the keys of Qwen3-Next and Qwen3.5, which rotate a quarter of each head.
func recurrent35Keys(s Shape) []pair {
	quarter := s.HeadDim / 4
	sections := []int32{int32(quarter/2 - quarter/2*2/3), int32(quarter / 2 / 3), int32(quarter / 2 / 3), 0}
	return []pair{{"ssm.conv_kernel", uint32(s.Linear.Kernel)},
		{"ssm.inner_size", uint32(s.Linear.State * s.Linear.ValueHeads)}, {"ssm.state_size", uint32(s.Linear.State)},
		{"ssm.time_step_rank", uint32(s.Linear.ValueHeads)}, {"ssm.group_count", uint32(s.Linear.KeyHeads)},
		{"full_attention_interval", uint32(s.Linear.Every)}, {"rope.dimension_count", uint32(quarter)},
		{"rope.dimension_sections", sections}}
}

// isFull reports whether a layer has attention to all tokens.
func (s Shape) isFull(layer int) bool {
	every := max(1, s.Window.Every, s.Linear.Every)
	return (layer+1)%every == 0
}

// headDim returns the size of a head of a layer, in numbers. Layers that attend to all tokens may have another one.
func (s Shape) headDim(layer int) int {
	if s.isFull(layer) && s.Window.FullHeadDim > 0 {
		return s.Window.FullHeadDim
	}
	return s.HeadDim
}

// kvHeads returns the number of KV heads of a layer. Layers that attend to all tokens may have another one.
func (s Shape) kvHeads(layer int) int {
	if s.isFull(layer) && s.Window.FullKVHeads > 0 {
		return s.Window.FullKVHeads
	}
	return s.KVHeads
}

// size returns a size of a layer by its name. It panics on unknown names, which are mistakes in the table.
func (s Shape) size(name string, layer int) int {
	l := s.Linear
	query, key := s.Heads*s.headDim(layer), s.kvHeads(layer)*s.headDim(layer)
	values := l.State * l.ValueHeads
	convolved := 2*l.State*l.KeyHeads + values
	inner := 2 * s.Width
	n, ok := map[string]int{
		"width": s.Width, "head": s.headDim(layer), "half-head": s.headDim(s.Layers-1) / 2, "heads": s.Heads,
		"query": query, "twice-query": 2 * query, "mixed": query, "key": key, "value": key,
		"query-key-value": query + 2*key,
		"forward":         s.FeedForward, "twice-forward": 2 * s.FeedForward,
		"experts": s.Experts.Count, "expert": s.Experts.FeedForward, "shared": s.Experts.Shared,
		"kernel": l.Kernel, "state": l.State, "value-heads": l.ValueHeads, "twice-value-heads": 2 * l.ValueHeads,
		"values": values, "convolved": convolved, "projected": convolved + values,
		"one": 1, "six": 6, "thrice-width": 3 * s.Width, "rank": s.Width / 4, "key-heads": l.KeyHeads,
		"inner": inner, "twice-inner": 2 * inner, "rank-and-twice-state": l.ValueHeads + 2*l.State,
		"inner-convolved": inner + 2*l.State*l.KeyHeads,
		"inner-projected": 2*inner + 2*l.State*l.KeyHeads + l.ValueHeads,
		"inner-of-group":  inner / max(1, l.KeyHeads),
	}[name]
	if !ok {
		panic(fmt.Sprintf("no size %q", name))
	}
	return n
}

// Types of tensors: ggml's numbers.
const (
	typeF32 = 0
	typeF16 = 1
)

// inF32 are tensors that are written in F32, as real files have them, beside those that must be.
var inF32 = []string{"ffn_gate_inp.weight", "time_mix_w1.weight", "time_mix_w2.weight"}

// typeOf returns the type of a tensor in files that are not quantised.
func typeOf(name string, dims int) uint32 {
	if dims == 1 || notOfProducts.MatchString(name) || slices.Contains(inF32, name) {
		return typeF32
	}
	return typeF16
}

// tensorsIn reads lines of a family: names of tensors and of their sizes.
func tensorsIn(lines string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for line := range strings.Lines(lines) {
			if fields := strings.Fields(line); len(fields) > 0 && !yield(fields[0], fields[1:]) {
				return
			}
		}
	}
}

// tensors returns the tensors of a file as llama.cpp requires them, in file order. Their offsets are not set.
func (s Shape) tensors() (list []tensor) {
	f := families[s.Family]
	add := func(block, lines string, layer int) {
		for name, sizes := range tensorsIn(lines) {
			t := tensor{name: block + name, kind: typeOf(name, len(sizes))}
			for _, size := range sizes {
				t.dims = append(t.dims, int64(s.size(size, layer)))
			}
			list = append(list, t)
		}
	}
	embedding := []int64{int64(s.Width), int64(s.Vocab)}
	list = append(list, tensor{name: "token_embd.weight", kind: typeF16, dims: embedding})
	for i := range s.Layers {
		lines := f.layer
		if f.between != "" && !s.isFull(i) {
			lines = f.between
		}
		add(fmt.Sprintf("blk.%d.", i), lines, i)
	}
	add("", f.once+"\n"+cmp.Or(f.norm, "output_norm")+".weight width", s.Layers-1)
	if !s.Tied {
		list = append(list, tensor{name: "output.weight", kind: typeF16, dims: embedding})
	}
	return list
}

// metadata returns the keys and values of a file of this shape.
func (s Shape) metadata() []pair {
	pairs := []pair{
		{"general.architecture", s.Family}, {"general.name", s.Name + " with random weights"},
		{"general.file_type", uint32(1)},
	}
	for _, p := range s.sizes() {
		pairs = append(pairs, pair{s.Family + "." + p.key, p.value})
	}
	v := newVocabulary(s.Vocab)
	return append(pairs,
		pair{"tokenizer.ggml.model", "gpt2"}, pair{"tokenizer.ggml.pre", "qwen2"},
		pair{"tokenizer.ggml.tokens", v.tokens}, pair{"tokenizer.ggml.token_type", v.kinds},
		pair{"tokenizer.ggml.merges", v.merges}, pair{"tokenizer.ggml.eos_token_id", uint32(v.end)},
		pair{"tokenizer.ggml.padding_token_id", uint32(v.end - 2)}, pair{"tokenizer.ggml.add_bos_token", false},
		pair{"tokenizer.chat_template", syntheticTemplate})
}

// sizes returns the numbers of the metadata, by their keys without the architecture. A key of the family takes the
// place of a common one.
func (s Shape) sizes() []pair {
	f := families[s.Family]
	var list []pair
	if f.keys != nil {
		list = f.keys(s)
	}
	special := map[string]bool{}
	for _, p := range list {
		special[p.key] = true
	}
	add := func(key string, value any, there bool) {
		if there && !special[key] {
			list = append(list, pair{key, value})
		}
	}
	e := s.Experts
	add("block_count", uint32(s.Layers), true)
	add("context_length", uint32(s.Context), true)
	add("embedding_length", uint32(s.Width), true)
	add("feed_forward_length", uint32(s.FeedForward), true)
	add("attention.head_count", uint32(s.Heads), true)
	add("attention.head_count_kv", uint32(s.KVHeads), true)
	add("attention.key_length", uint32(s.HeadDim), true)
	add("attention.value_length", uint32(s.HeadDim), true)
	add("attention.layer_norm_rms_epsilon", float32(1e-6), true)
	add("attention.sliding_window", uint32(s.Window.Tokens), s.Window.Tokens > 0)
	add("rope.freq_base", s.RotaryBase, true)
	add("rope.dimension_count", uint32(s.HeadDim), true)
	add("expert_count", uint32(e.Count), e.Count > 0)
	add("expert_used_count", uint32(e.Used), e.Count > 0)
	add("expert_feed_forward_length", uint32(e.FeedForward), e.Count > 0)
	add("expert_shared_feed_forward_length", uint32(e.Shared), e.Shared > 0)
	return list
}
