package models

import (
	"regexp"
	"strings"
)

// Advice is how the makers of a model say that its replies should be drawn. What they do not say is 0.
type Advice struct {
	Temperature   float64
	TopK          int
	TopP          float64
	MinP          float64
	RepeatPenalty float64
	RepeatLastN   int    // tokens that the penalty looks back on
	From          string // who says so: the file's own keys, or a model card
}

// advice returns what a file says with the keys that llama.cpp's converter writes, or else the model's card; nil if
// neither is known. Values are as they stand in the file: whoever uses them checks their range.
func (h *header) advice(file string) *Advice {
	own := Advice{From: "the file's general.sampling"}
	said := false
	for key, set := range map[string]func(x float64){
		"temp":           func(x float64) { own.Temperature = x },
		"top_k":          func(x float64) { own.TopK = int(x) },
		"top_p":          func(x float64) { own.TopP = x },
		"min_p":          func(x float64) { own.MinP = x },
		"penalty_repeat": func(x float64) { own.RepeatPenalty = x },
		"penalty_last_n": func(x float64) { own.RepeatLastN = int(x) },
	} {
		if x, ok := h.number("general.sampling." + key); ok {
			set(x)
			said = true
		}
	}
	if said {
		if _, ok := h.number("general.sampling.temp"); !ok {
			own.Temperature = 1 // the keys that there are narrow what is drawn at it
		}
		return &own
	}
	return CardOf(file, h.text("general.name"), h.text("general.basename"), h.text("general.finetune"))
}

// number returns a number of any type; integers are kept within what an int32 holds.
func (h *header) number(key string) (float64, bool) {
	switch v := h.values[key].(type) {
	case float64:
		return v, true
	case uint64:
		return float64(min(v, 1<<31-1)), true
	case int64:
		return float64(max(-1<<31, min(v, 1<<31-1))), true
	}
	return 0, false
}

// card is what the makers of a family of models advise.
type card struct {
	name   *regexp.Regexp // matches a name in lower case, with - between words
	advice Advice
}

// cards are known cards, the special before the general. Each names its source on huggingface.co.
var cards = []card{
	{regexp.MustCompile(`deepseek-r1`), Advice{Temperature: 0.6, TopP: 0.95,
		From: "the card of DeepSeek-R1 (deepseek-ai/DeepSeek-R1, README.md)"}},
	{regexp.MustCompile(`qwen-?3.*(?:instruct-2507|coder)`), Advice{Temperature: 0.7, TopP: 0.8, TopK: 20,
		From: "the card of Qwen3-Instruct (Qwen/Qwen3-4B-Instruct-2507, README.md)"}},
	{regexp.MustCompile(`qwen-?3(?:-|$)`), Advice{Temperature: 0.6, TopP: 0.95, TopK: 20,
		From: "the card of Qwen3, for thinking (Qwen/Qwen3-8B, README.md)"}},
	{regexp.MustCompile(`qwen-?2(?:-|$)`), Advice{Temperature: 0.7, TopP: 0.8, TopK: 20, RepeatPenalty: 1.05,
		From: "the card of Qwen2 and 2.5 (Qwen/Qwen2.5-7B-Instruct, generation_config.json)"}},
	{regexp.MustCompile(`smollm-?2`), Advice{Temperature: 0.2, TopP: 0.9,
		From: "the card of SmolLM2 (HuggingFaceTB/SmolLM2-135M-Instruct, README.md)"}},
	{regexp.MustCompile(`smollm-?3`), Advice{Temperature: 0.6, TopP: 0.95,
		From: "the card of SmolLM3 (HuggingFaceTB/SmolLM3-3B, README.md)"}},
	{regexp.MustCompile(`llama-?3`), Advice{Temperature: 0.6, TopP: 0.9,
		From: "the card of Llama 3 (meta-llama/Llama-3.1-8B-Instruct, generation_config.json)"}},
	{regexp.MustCompile(`gemma-?3`), Advice{Temperature: 1, TopP: 0.95, TopK: 64,
		From: "the card of Gemma 3 (google/gemma-3-4b-it, generation_config.json)"}},
	{regexp.MustCompile(`phi-?4.*reasoning`), Advice{Temperature: 0.8, TopP: 0.95, TopK: 50,
		From: "the card of Phi-4-reasoning (microsoft/Phi-4-reasoning, README.md)"}},
	{regexp.MustCompile(`mistral-?small-?(?:3|24b)`), Advice{Temperature: 0.15,
		From: "the card of Mistral Small 3 (mistralai/Mistral-Small-24B-Instruct-2501, README.md)"}},
	{regexp.MustCompile(`mistral-?nemo`), Advice{Temperature: 0.3,
		From: "the card of Mistral Nemo (mistralai/Mistral-Nemo-Instruct-2407, README.md)"}},
}

var separators = regexp.MustCompile(`[^a-z0-9]+`)

// CardOf returns what the card of a model advises that one of these names belongs to, or nil.
func CardOf(names ...string) *Advice {
	for _, c := range cards {
		for _, name := range names {
			if c.name.MatchString(separators.ReplaceAllString(strings.ToLower(name), "-")) {
				return &c.advice
			}
		}
	}
	return nil
}
