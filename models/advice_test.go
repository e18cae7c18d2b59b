package models

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestCards: a model's card is found by the name of its file.
func TestCards(t *testing.T) {
	for name, want := range map[string]float64{
		"Qwen2.5-7B-Instruct-Q4_K_M": 0.7, "qwen3-8b": 0.6, "Qwen3-4B-Instruct-2507": 0.7,
		"smollm2-135m-instruct.q4_1": 0.2,
		"Meta-Llama-3.1-8B-Instruct": 0.6, "gemma-3-4b-it": 1, "DeepSeek-R1-Distill-Qwen-7B": 0.6, "Llama 3.2 1B": 0.6,
		"Phi-4-mini-reasoning": 0.8, "phi-4": -1, "tiny": -1, "gemma-2-9b-it": -1, "qwen35": -1, "": -1,
		"Mistral-Small-24B-Instruct-2501": 0.15,
	} {
		t.Run(name, func(t *testing.T) {
			switch a := CardOf("x", name); {
			case a == nil && want >= 0:
				t.Errorf("%s has a card, with a temperature of %v: got none", name, want)
			case a != nil && (a.Temperature != want || a.From == ""):
				t.Errorf("%s: %+v, want temperature %g", name, a, want)
			}
		})
	}
}

// TestFileAdvises: the keys of a file come before its card, and a file without either advises nothing.
func TestFileAdvises(t *testing.T) {
	path, err := Embedded(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	content := datatest.Read(t, path)
	advised := func(set map[string]any) *Advice {
		file := modeltest.Parse(content).Clone()
		for key, value := range set {
			file.Set(key, value)
		}
		own := datatest.File(t, "own.gguf", file.Bytes())
		info, err := Inspect(own)
		if err != nil {
			t.Fatal(err)
		}
		return info.Advice
	}
	if a := advised(nil); a != nil {
		t.Errorf("a file without advice advises nothing: got %+v", a)
	}
	if a := advised(map[string]any{"general.name": "SmolLM2 135M"}); a == nil || a.Temperature != 0.2 {
		t.Errorf("a file called SmolLM2 advises temperature 0.2: got %+v", a)
	}
	got := advised(map[string]any{"general.name": "SmolLM2 135M", "general.sampling.temp": float32(0.5),
		"general.sampling.top_k": int32(40), "general.sampling.top_p": float32(0.75),
		"general.sampling.min_p": float32(0.125), "general.sampling.penalty_repeat": float32(1.5),
		"general.sampling.penalty_last_n": int32(32)})
	want := &Advice{0.5, 40, 0.75, 0.125, 1.5, 32, "the file's general.sampling"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the file advises these settings (-want +got):\n%s", diff)
	}
	if a := advised(map[string]any{"general.sampling.top_k": uint32(5)}); a == nil || a.Temperature != 1 ||
		a.TopK != 5 {
		t.Errorf("a file that gives top-k 5 alone is drawn at temperature 1: got %+v", a)
	}
}
