package inference_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/modeltest"
	"github.com/parley-debate/parley/models/stores"
)

// TestExamine holds vocabularies against their merges, against other merges, and finds characters without a token.
func TestExamine(t *testing.T) {
	path, err := stores.Resolve(models.EmbeddedName)
	if err != nil {
		t.Fatal(err)
	}
	data := datatest.Read(t, path)
	tiny := modeltest.Parse(data)
	write := func(name string, f *modeltest.File) string {
		return datatest.File(t, name, f.Bytes())
	}
	examine := func(file, merges string) inference.Examined {
		pairs, err := models.ReadBytePairs(merges)
		if err != nil {
			t.Fatal(err)
		}
		v, err := inference.OpenVocabulary(file, 0)
		if errors.Is(err, llamacpp.ErrNoCgo) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		found, err := v.Examine(pairs)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if e := examine(path, path); e.Back != "" || e.Words != 20 || e.Differ != nil || e.Lost != nil {
		t.Errorf("the embedded model is examined as %+v, want 20 words and nothing that differs or is lost", e)
	}
	merges := slices.Clone(tiny.Get("tokenizer.ggml.merges").([]string))
	slices.Reverse(merges)
	if e := examine(path, write("reversed.gguf", tiny.Clone().Set("tokenizer.ggml.merges",
		merges))); len(e.Differ) < 3 {
		t.Errorf("merges of another file: %+v, want Differ: at least 3 of them", e)
	}
	tokens := slices.Clone(tiny.Get("tokenizer.ggml.tokens").([]string))
	for _, lost := range []string{"ā", "q"} { // U+0001, as GPT-2 writes it
		tokens[slices.Index(tokens, lost)] = "[no " + lost + "]"
	}
	file := write("lost.gguf", tiny.Clone().Set("tokenizer.ggml.tokens", tokens))
	if e := examine(file, file); string(e.Lost) != "\x01q" {
		t.Errorf("lost %q, want \"\x01q\"", string(e.Lost))
	}
	llama := write("llama.gguf", modeltest.Small("llama", "llama"))
	if e := examine(llama, llama); e.Words != 0 {
		t.Errorf("a vocabulary without merges is examined as %+v, want no words", e)
	}
}
