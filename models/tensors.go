package models

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// tensorType is one of ggml's element types: the elements of a block and the bytes that they are stored in.
type tensorType struct {
	name         string
	block, bytes int64
}

// tensorTypes by ggml's number (enum ggml_type; sizes from ggml-common.h).
var tensorTypes = map[uint32]tensorType{
	0: {"F32", 1, 4}, 1: {"F16", 1, 2}, 2: {"Q4_0", 32, 18}, 3: {"Q4_1", 32, 20}, 6: {"Q5_0", 32, 22},
	7: {"Q5_1", 32, 24},
	8: {"Q8_0", 32, 34}, 9: {"Q8_1", 32, 36}, 10: {"Q2_K", 256, 84}, 11: {"Q3_K", 256, 110}, 12: {"Q4_K", 256, 144},
	13: {"Q5_K", 256, 176}, 14: {"Q6_K", 256, 210}, 15: {"Q8_K", 256, 292}, 16: {"IQ2_XXS", 256, 66},
	17: {"IQ2_XS", 256, 74},
	18: {"IQ3_XXS", 256, 98}, 19: {"IQ1_S", 256, 50}, 20: {"IQ4_NL", 32, 18}, 21: {"IQ3_S", 256, 110},
	22: {"IQ2_S", 256, 82},
	23: {"IQ4_XS", 256, 136}, 24: {"I8", 1, 1}, 25: {"I16", 1, 2}, 26: {"I32", 1, 4}, 27: {"I64", 1, 8},
	28: {"F64", 1, 8},
	29: {"IQ1_M", 256, 56}, 30: {"BF16", 1, 2}, 34: {"TQ1_0", 256, 54}, 35: {"TQ2_0", 256, 66}, 39: {"MXFP4", 32, 17},
}

// fileType is what llama.cpp calls a file by its tensors (general.file_type, enum llama_ftype). made is how its
// quantiser is asked for such a file, "" where it needs an importance matrix.
type fileType struct {
	number     int64
	name, made string
}

var fileTypes = []fileType{
	{0, "F32", "f32"}, {1, "F16", "f16"}, {2, "Q4_0", "q4_0"}, {3, "Q4_1", "q4_1"}, {7, "Q8_0", "q8_0"},
	{8, "Q5_0", "q5_0"}, {9, "Q5_1", "q5_1"}, {10, "Q2_K", "q2_k"}, {11, "Q3_K_S", "q3_k_s"},
	{12, "Q3_K_M", "q3_k_m"}, {13, "Q3_K_L", "q3_k_l"}, {14, "Q4_K_S", "q4_k_s"}, {15, "Q4_K_M", "q4_k_m"},
	{16, "Q5_K_S", "q5_k_s"}, {17, "Q5_K_M", "q5_k_m"}, {18, "Q6_K", "q6_k"}, {19, "IQ2_XXS", ""},
	{20, "IQ2_XS", ""}, {21, "Q2_K_S", ""}, {22, "IQ3_XS", ""}, {23, "IQ3_XXS", ""}, {24, "IQ1_S", ""},
	{25, "IQ4_NL", "iq4_nl"}, {26, "IQ3_S", ""}, {27, "IQ3_M", ""}, {28, "IQ2_S", ""}, {29, "IQ2_M", ""},
	{30, "IQ4_XS", "iq4_xs"}, {31, "IQ1_M", ""}, {32, "BF16", "bf16"}, {36, "TQ1_0", ""}, {37, "TQ2_0", ""},
	{38, "MXFP4", "mxfp4_moe"}, // experts in MXFP4, as in gpt-oss, all else in Q8_0
}

// Quantizations returns llama.cpp's number of each type, by name, that files can be quantised to without an
// importance matrix.
func Quantizations() map[string]int {
	numbers := make(map[string]int)
	for _, t := range fileTypes {
		if t.made != "" {
			numbers[t.made] = int(t.number)
		}
	}
	return numbers
}

// elements returns the number of weights, -1 if it overflows.
func (t tensor) elements() int64 {
	n := int64(1)
	for _, d := range t.dims {
		if d > 0 && n > math.MaxInt64/d {
			return -1
		}
		n *= d
	}
	return n
}

// bytes returns the size of the tensor, -1 if it overflows or does not fill whole blocks. For a type that is unknown
// here, it is a lower bound: one bit for each element.
func (t tensor) bytes() int64 {
	kind, known := tensorTypes[t.kind]
	if !known {
		kind = tensorType{block: 1, bytes: 1}
	}
	n := t.elements()
	if n < 0 || len(t.dims) == 0 || t.dims[0]%kind.block != 0 || n/kind.block > math.MaxInt64/kind.bytes {
		return -1
	}
	if !known {
		return n / 8
	}
	return n / kind.block * kind.bytes
}

// quantization returns the name of the file's type, or else of the tensor type that most weights have.
func (h *header) quantization() string {
	if n, ok := h.integer("general.file_type"); ok {
		if i := slices.IndexFunc(fileTypes, func(t fileType) bool { return t.number == n }); i >= 0 {
			return fileTypes[i].name
		}
	}
	weights, best := map[uint32]int64{}, uint32(0)
	for _, t := range h.tensors {
		weights[t.kind] += max(0, t.elements())
	}
	for kind, n := range weights {
		if n > weights[best] || (n == weights[best] && kind < best) {
			best = kind
		}
	}
	if len(h.tensors) == 0 {
		return "none"
	}
	if kind, ok := tensorTypes[best]; ok {
		return kind.name
	}
	return "unknown"
}

// checkTypes refuses element types that llama.cpp cannot compute with: it would abort, or call a null function.
func (h *header) checkTypes() error {
	notWeights := []uint32{9, 15, 24, 25, 26, 27, 28} // Q8_1, Q8_K, whole numbers, F64
	for _, t := range h.tensors {
		kind, known := tensorTypes[t.kind]
		if slices.Contains(notWeights, t.kind) {
			return fmt.Errorf("damaged: tensor %.60q is of type %s, which is not a type of weights", t.name, kind.name)
		}
		if known && t.kind != 0 && (len(t.dims) == 1 || notOfProducts.MatchString(t.name)) {
			return fmt.Errorf("damaged: tensor %.60q is of type %s: F32 was expected", t.name, kind.name)
		}
	}
	return nil
}

// notOfProducts are the names of tensors that are no matrices of a product, whatever their shapes: they are added to
// activations, multiplied with them number by number, or used by a convolution or a recurrence. llama.cpp has this for
// F32 alone, and aborts while it computes.
var notOfProducts = regexp.MustCompile(`norm|\brope_f(req|actor)s|\.bias$|\battn_sinks|\bssm_[ad]$|\bssm_conv1d|\bshortconv\.conv\.|_lerp_` +
	`|\btime_mix_(first|decay|ln|w0|a0|v0|k_k|k_a|r_k)\.weight$`)

// needed are tensors that must stand beside others, and that llama.cpp takes for optional but uses without a look: the
// process would end. Whatever else is missing it refuses by name. Names that begin with a dot are of each block; of
// several names, one is enough.
var needed = []struct {
	architectures, beside, names string
}{
	{"mamba mamba2 jamba granitehybrid falcon-h1 nemotron_h nemotron_h_moe", ".ssm_conv1d.weight", ".ssm_conv1d.bias"},
	{"phi3 phimoe", ".attn_output.weight", ".attn_qkv.weight"},
	{"phi2", ".attn_qkv.weight", ".attn_qkv.bias"},
	{"qwen2vl dream", ".attn_q.weight", ".attn_q.bias"},
	{"qwen2vl dream", ".attn_k.weight", ".attn_k.bias"},
	{"qwen2vl dream", ".attn_v.weight", ".attn_v.bias"},
	{"qwen35 qwen35moe", ".ssm_conv1d.weight", ".attn_qkv.weight"},
	{"qwen35 qwen35moe", ".ssm_conv1d.weight", ".attn_gate.weight"},
	{"qwen3next", ".ssm_conv1d.weight", ".attn_gate.weight .ssm_in.weight"},
	{"rwkv6", ".time_mix_first.weight", ".time_mix_lerp_fused.weight .time_mix_lerp_w.weight"},
	{"rwkv6", ".time_mix_first.weight", ".time_mix_lerp_fused.weight .time_mix_lerp_k.weight"},
	{"rwkv6", ".time_mix_first.weight", ".time_mix_lerp_fused.weight .time_mix_lerp_v.weight"},
	{"rwkv6", ".time_mix_first.weight", ".time_mix_lerp_fused.weight .time_mix_lerp_r.weight"},
	{"rwkv6", ".time_mix_first.weight", ".time_mix_lerp_fused.weight .time_mix_lerp_g.weight"},
	{"t5 t5encoder", "enc.blk.0.attn_q.weight", "enc.blk.0.attn_rel_b.weight"},
	{"t5", "dec.blk.0.attn_q.weight", "dec.blk.0.attn_rel_b.weight"},
}

// checkNeeded refuses a file without a tensor that is needed.
func (h *header) checkNeeded(arch string) error {
	there := make(map[string]bool, len(h.tensors))
	for _, t := range h.tensors {
		there[t.name] = true
	}
	for _, n := range needed {
		if !slices.Contains(strings.Fields(n.architectures), arch) {
			continue
		}
		names := strings.Fields(n.names)
		for _, t := range h.tensors {
			block, of := strings.CutSuffix(t.name, n.beside)
			if of && !slices.ContainsFunc(names, func(name string) bool { return there[block+name] }) {
				return fmt.Errorf("damaged: tensor %.60q is missing, which %s needs beside %.60q",
					block+strings.Join(names, " or "+block), arch, t.name)
			}
		}
	}
	return nil
}

// checkShapes refuses a tensor that has other sizes than those of its family: those that the metadata says, and equal
// ones within a block where they have one name. llama.cpp would refuse it too, but some without a name: it tries the
// operations of a tensor before it looks at the sizes. Of other architectures, mostSizes is known.
func (h *header) checkShapes(arch string) error {
	family, known := families[arch].tensorSizes(), map[string]map[string]size{}
	for _, t := range h.tensors {
		block, name := "", t.name
		if part := strings.SplitN(t.name, ".", 3); len(part) == 3 && part[0] == "blk" {
			block, name = part[1], part[2]
		}
		sizes := family[name]
		if sizes == nil {
			if most := mostSizes(name); len(t.dims) > most && slices.Max(t.dims[most:]) > 1 {
				return fmt.Errorf("damaged: tensor %.60q has sizes %v: at most %d were expected", t.name, t.dims, most)
			}
			continue
		}
		if known[block] == nil {
			known[block] = h.knownSizes(arch)
		}
		if name := t.otherSize(sizes, known[block]); name != "" {
			return fmt.Errorf("damaged: tensor %.60q has sizes %v: %s was expected, where %s is %d by %.60q", t.name,
				t.dims, strings.Join(sizes, " x "), name, known[block][name].n, known[block][name].by)
		}
	}
	return nil
}

// expertsSuffix ends the names of tensors that have a matrix for each expert.
const expertsSuffix = "_exps.weight"

// mostSizes returns how many sizes a tensor may have in all architectures.
func mostSizes(name string) int {
	switch {
	case slices.Contains([]string{"token_embd.weight", "output.weight", "ssm_a", "ssm_d", "ssm_conv1d.weight"}, name):
		return 2
	case strings.HasSuffix(name, expertsSuffix):
		return 3
	}
	return 4
}

// size is how large something is, and what says so: a key or a tensor.
type size struct {
	n  int64
	by string
}

// knownSizes returns the sizes that are the same in all blocks.
func (h *header) knownSizes(arch string) map[string]size {
	known := map[string]size{"one": {1, arch}, "six": {6, arch}}
	for name, key := range map[string]string{"width": arch + ".embedding_length", "experts": arch + ".expert_count"} {
		if n, there := h.integer(key); there {
			known[name] = size{n, key}
		}
	}
	if tokens, there := h.values["tokenizer.ggml.tokens"].(array); there {
		known["vocab"] = size{int64(tokens.count), "tokenizer.ggml.tokens"}
	}
	return known
}

// otherSize returns the name of the first size that is not as known, "" if all are. It adds those that are not known
// yet.
func (t tensor) otherSize(sizes []string, known map[string]size) string {
	for i := range max(len(sizes), len(t.dims)) {
		name, n := "one", int64(1)
		if i < len(sizes) {
			name = sizes[i]
		}
		if i < len(t.dims) {
			n = t.dims[i]
		}
		want, there := known[name]
		switch {
		case name == "rank": // real models have several in a block
		case !there:
			known[name] = size{n, t.name}
		case n != want.n:
			return name
		}
	}
	return ""
}

// tensorSizes returns the names of the sizes of each tensor that files of a family may have.
func (f family) tensorSizes() map[string][]string {
	all := map[string][]string{}
	if f.layer == "" { // nothing is known
		return all
	}
	for _, lines := range []string{f.layer, f.between, f.once, cmp.Or(f.norm, "output_norm") + ".weight width",
		"token_embd.weight width vocab", "output.weight width vocab"} {
		for name, sizes := range tensorsIn(lines) {
			all[name] = sizes
		}
	}
	return all
}
