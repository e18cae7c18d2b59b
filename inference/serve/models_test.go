package serve

import (
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

// TestSeveralModels: each of several models answers requests that name it, with the bytes that it has alone; a request
// for one that there is not is told those that there are.
func TestSeveralModels(t *testing.T) {
	dir := t.TempDir()
	half, err := models.Embedded(dir)
	if err != nil {
		t.Fatal(err)
	}
	small := filepath.Join(dir, "small.gguf")
	if err := llamacpp.Quantize(t.Context(), half, small, "q8_0", 1); errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	body := asking(puzzle, `,"max_tokens":12,"seed":3,"logprobs":true`)
	named := func(name string) string { return strings.Replace(body, `"gpt-4o"`, `"`+name+`"`, 1) }
	var alone []string
	for name, path := range map[string]string{"tiny": half, "small": small} {
		_, text := startOn(t, path, []string{name}).post(t, "/v1/chat/completions", named(name))
		alone = append(alone, text)
	}
	both := startOn(t, half, []string{"tiny", "small"}, inference.Also("small", small))
	var together []string
	for _, name := range []string{"tiny", "small"} {
		status, text := both.post(t, "/v1/chat/completions", named(name))
		if together = append(together, text); status != http.StatusOK || !strings.Contains(text, `"model":"`+name+`"`) {
			t.Errorf("%s: the model that is named answers: got %d %s", name, status, text)
		}
	}
	slices.Sort(alone)
	slices.Sort(together)
	if diff := cmp.Diff(alone, together); diff != "" {
		t.Errorf("each of several models answers as it does alone (-want +got):\n%s", diff)
	}
	if status, text := both.post(t, "/v1/chat/completions", named("gpt-4o")); status != http.StatusNotFound ||
		!strings.Contains(text, "there are tiny, small") || !strings.Contains(text, "model_not_found") {
		t.Errorf("an unknown model is refused with those that there are: got %d %s", status, text)
	}
	for name, want := range map[string]int{"tiny": 200, "small": 200, "large": 404} {
		t.Run(name, func(t *testing.T) {
			if status, text := both.get(t, "/v1/models/"+name); status != want {
				t.Errorf("%s: %d %s, want %v", name, status, text, want)
			}
		})
	}
}
