package models

import (
	"slices"
	"strings"
)

// ListedLlama is the newest llama.cpp whose architectures are listed here: LLM_ARCH_NAMES in its src/llama-arch.cpp.
// Not listed is "clip", which both know and neither runs as a model.
const ListedLlama = "0.5"

// The architectures of GGUF files that llama.cpp knows: those that the carrier and ListedLlama have in common, and
// those that only one of them has.
var (
	commonArchitectures = strings.Fields(`
	afmoe apertus arcee arctic arwkv7 baichuan bailingmoe bailingmoe2 bert bitnet bloom chameleon chatglm codeshell
	cogvlm cohere2 command-r dbrx deci deepseek deepseek2 dots1 dream ernie4_5 ernie4_5-moe exaone exaone4 falcon
	falcon-h1 gemma gemma-embedding gemma2 gemma3 gemma3n glm4 glm4moe gpt-oss gpt2 gptj gptneox granite
	granitehybrid granitemoe grok grovemoe hunyuan-dense hunyuan-moe internlm2 jais jamba jina-bert-v2 jina-bert-v3
	llada llada-moe llama llama4 mamba mamba2 minicpm minicpm3 minimax-m2 mistral3 mpt nemotron
	nemotron_h nemotron_h_moe neo-bert nomic-bert nomic-bert-moe olmo olmo2 olmoe openelm orion pangu-embedded phi2
	phi3 phimoe plamo plamo2 plm qwen qwen2 qwen2moe qwen2vl qwen3 qwen3moe qwen3next qwen3vl qwen3vlmoe refact rnd1
	rwkv6 rwkv6qwen2 rwkv7 seed_oss smallthinker smollm3 stablelm starcoder starcoder2 t5 t5encoder wavtokenizer-dec
	xverse`)
	carrierArchitectures = []string{"solar"}
	// The carrier's llama.cpp names these, but asks for a tensor output_norm that their files call token_embd_norm.
	misreadArchitectures = []string{"lfm2", "lfm2moe"}
	newerArchitectures   = strings.Fields(`
	bailingmoe3 cohere2moe deepseek2-ocr deepseek32 deepseek4 dflash dots3note eagle3 eurobert exaone-moe gemma4
	gemma4-assistant glm-dsa glm5-next granite_swa graniteswitch hrm_text hunyuan_vl hy_v3 hy_v4 jais2 kimi-k3
	kimi-linear laguna llama-embed maincoder maple mellum mimo2 minimax-01 minimax-m3 mistral4 modern-bert
	muse-glimmer nanbeige paddleocr plamo3 pockettts qwen35 qwen35moe qwen3tts qwen4exp spark2_5 step35 talkie`)
)

// Architectures lists all that some llama.cpp is known to know, sorted. What a build knows is for llamacpp.Knows to
// say.
func Architectures() []string {
	return slices.Sorted(slices.Values(slices.Concat(commonArchitectures, carrierArchitectures, newerArchitectures,
		misreadArchitectures)))
}

// InCarrier reports whether the carrier, the llama.cpp of usual builds, knows an architecture.
func InCarrier(architecture string) bool {
	return slices.Contains(commonArchitectures, architecture) || slices.Contains(carrierArchitectures, architecture)
}

// InListedLlama reports whether ListedLlama knows an architecture.
func InListedLlama(architecture string) bool {
	return slices.Contains(commonArchitectures, architecture) || slices.Contains(newerArchitectures, architecture) ||
		MisreadByCarrier(architecture)
}

// MisreadByCarrier reports whether the carrier names an architecture, but cannot read its files.
func MisreadByCarrier(architecture string) bool {
	return slices.Contains(misreadArchitectures, architecture)
}
