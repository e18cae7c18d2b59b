package inference_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestPlanWithoutAttention: a model without attention has no keys and values, so memory does not bound its cells.
func TestPlanWithoutAttention(t *testing.T) {
	file := modeltest.Small("mamba", "llama").Set("tokenizer.chat_template", "{% for m in messages %}{{ m.content "+
		"}}{% endfor %}").
		Set("mamba.attention.head_count", uint32(0)).Set("mamba.attention.head_count_kv", uint32(0))
	path := datatest.File(t, "mamba.gguf", file.Bytes())
	l, err := inference.Open(path)
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if plan := l.Plan(); strings.Contains(plan, "memory is short") || l.Cells() != 32768 {
		t.Errorf("a model without attention has %d cells and the plan %s, want 32768 and no short memory", l.Cells(),
			plan)
	}
}
