package modeltest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
)

// Mutate returns a file with one to three faults: values of the metadata that are extreme, of another type, missing or
// new; lists that are too short or too long; tensors of other sizes or at other offsets; bytes of the header that are
// replaced. Some files are cut off.
func Mutate(f *File, random *rand.Rand) []byte {
	c := f.Clone()
	flips := 0
	for range 1 + random.IntN(3) {
		switch random.IntN(12) {
		case 0:
			flips += 1 + random.IntN(8)
		case 1, 2, 3:
			c.mutateTensor(random)
		default:
			c.mutatePair(random)
		}
	}
	out := c.Bytes()
	head := max(1, len(out)-len(c.Data))
	for range flips {
		out[random.IntN(head)] = byte(random.IntN(256))
	}
	if random.IntN(40) == 0 {
		out = out[:random.IntN(len(out))]
	}
	return out
}

// newKeys are optional keys that llama.cpp reads, without the name of the architecture.
var newKeys = strings.Fields(`
	vocab_size leading_dense_block_count expert_feed_forward_length expert_count expert_used_count
	expert_shared_count expert_group_count expert_group_used_count expert_weights_scale expert_gating_func
	pooling_type logit_scale attn_logit_softcapping router_logit_softcapping final_logit_softcapping residual_scale
	embedding_scale attention.head_count attention.head_count_kv attention.max_alibi_bias attention.clamp_kqv
	attention.key_length attention.value_length attention.layer_norm_epsilon attention.layer_norm_rms_epsilon
	attention.group_norm_epsilon attention.group_norm_groups attention.causal attention.sliding_window
	attention.scale attention.temperature_length attention.temperature_scale rope.dimension_count
	rope.dimension_sections rope.freq_base rope.freq_base_swa rope.scale_linear rope.scaling.factor
	rope.scaling.attn_factor rope.scaling.original_context_length rope.scaling.yarn_log_multiplier
	rope.scaling.yarn_ext_factor rope.scaling.yarn_attn_factor rope.scaling.yarn_beta_fast
	rope.scaling.yarn_beta_slow use_parallel_residual nextn_predict_layers`)

var newTokenizerKeys = strings.Fields(`
	scores token_type token_type_count merges pre add_bos_token add_eos_token add_sep_token add_space_prefix
	remove_extra_whitespaces precompiled_charsmap bos_token_id eos_token_id eot_token_id eom_token_id
	unknown_token_id seperator_token_id padding_token_id mask_token_id cls_token_id fim_pre_token_id`)

func (f *File) mutatePair(random *rand.Rand) {
	if len(f.Pairs) == 0 {
		return
	}
	p := &f.Pairs[random.IntN(len(f.Pairs))]
	switch random.IntN(10) {
	case 0:
		f.Set(p.Key, nil)
	case 1:
		p.Value = anything(random)
	case 2, 3:
		arch, _ := f.Get("general.architecture").(string)
		key := arch + "." + newKeys[random.IntN(len(newKeys))]
		if random.IntN(3) == 0 {
			key = "tokenizer.ggml." + newTokenizerKeys[random.IntN(len(newTokenizerKeys))]
		}
		f.Set(key, anything(random))
	case 4:
		p.Key = strings.Replace(p.Key, "e", "E", 1)
	default:
		p.Value = extreme(p.Value, random)
	}
}

// anything returns a random value of any type.
func anything(random *rand.Rand) any {
	value := kinds[random.IntN(len(kinds))]
	if value == nil {
		lists := []any{
			[]int32{0, 1, 2, 3}, []uint32{1, 2}, []float32{1, 2, 3, 4}, []string{"a", "b"}, []bool{true},
			[]uint8{4, 0, 0, 0, 9, 9, 9, 9, 1, 0},
		}
		value = lists[random.IntN(len(lists))]
	}
	return extreme(value, random)
}

// names are strings with a meaning for llama.cpp.
var names = strings.Fields(`
	llama qwen2 qwen2moe gemma gemma2 gemma3 phi2 phi3 bert nomic-bert t5 mamba rwkv6 gptneox falcon starcoder2
	deepseek2 olmo2 mpt bloom gpt2 llama4 granite cohere2 command-r jamba plamo2 rwkv none no_vocab default llama-
	bpe deepseek-llm tekken gpt-4o superbpe chameleon viking yarn linear longrope`)

// extreme returns a value of the same type at or near the end of its range, or a list that is too short, too long, or
// has such values.
func extreme(value any, random *rand.Rand) any {
	v := reflect.New(reflect.TypeOf(value)).Elem()
	v.Set(reflect.ValueOf(value))
	pick := func(n int) int { return random.IntN(n) }
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, math.Copysign(0, -1), 1e38, -1e38, 1e-38, 1,
			v.Float() * -1, v.Float() * 1000}[pick(12)])
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := v.Uint()
		v.SetUint([]uint64{0, 1, 2, 3, n + 1, n - 1, n * 2, n / 2, 1 << 31, 1<<31 - 1, math.MaxUint64,
			random.Uint64() >> pick(64)}[pick(12)])
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := v.Int()
		v.SetInt([]int64{0, 1, 2, -1, n + 1, n - 1, n * 2, -n, math.MaxInt64, math.MinInt64, 1 << 31,
			int64(random.Uint64()) >> pick(64)}[pick(12)])
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.String:
		v.SetString([]string{"", "\x00", "\xff\xfe", strings.Repeat("a", 1<<pick(17)), v.String() + "x",
			names[pick(len(names))], names[pick(len(names))]}[pick(7)])
	case reflect.Slice:
		return extremeList(v, random)
	}
	return v.Interface()
}

func extremeList(v reflect.Value, random *rand.Rand) any {
	list := reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v)
	switch random.IntN(6) {
	case 0:
		return list.Slice(0, 0).Interface()
	case 1:
		return list.Slice(0, random.IntN(list.Len()+1)).Interface()
	case 2:
		return reflect.AppendSlice(list, v).Interface()
	case 3:
		other := kinds[random.IntN(9)]
		return reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(other)), list.Len(), list.Len()).Interface()
	}
	for range 1 + random.IntN(3) {
		if n := list.Len(); n > 0 {
			i := random.IntN(n)
			list.Index(i).Set(reflect.ValueOf(extreme(list.Index(i).Interface(), random)))
		}
	}
	return list.Interface()
}

func (f *File) mutateTensor(random *rand.Rand) {
	if len(f.Tensors) == 0 {
		return
	}
	t := &f.Tensors[random.IntN(len(f.Tensors))]
	switch random.IntN(8) {
	case 0:
		t.Kind = uint32(random.IntN(45))
	case 1:
		t.Offset = extreme(t.Offset, random).(uint64)
	case 2:
		t.Name = f.Tensors[random.IntN(len(f.Tensors))].Name
	case 3:
		t.Name = extreme(t.Name, random).(string)
	case 4:
		t.Dims = append(t.Dims, []uint64{0, 1, 2, 1 << 40}[random.IntN(4)])
	case 5:
		slices.Reverse(t.Dims)
	case 6:
		f.Tensors = slices.Delete(f.Tensors, len(f.Tensors)-1, len(f.Tensors))
	default:
		i := random.IntN(len(t.Dims))
		t.Dims[i] = extreme(t.Dims[i], random).(uint64)
	}
}
