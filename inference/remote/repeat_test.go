package remote

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestRepeats: what is measured is what the server does: it repeats itself alone, and not under load or after a
// restart.
func TestRepeats(t *testing.T) {
	t.Parallel()
	f := start(t, vLLM)
	e, kept := open(t, fast(), f)
	for range 24 {
		f.faults = append(f.faults, nil)
	}
	for range 32 {
		n := f.asked.Load()
		f.faults = append(f.faults, func(w http.ResponseWriter, through func(http.ResponseWriter)) {
			changed(`"content":"..`, fmt.Sprint(`"content":"é`, n))(w, through)
		})
	}
	r, err := e.Repeats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Alone != (Share{Equal: 16, Of: 16}) || r.Loaded.Equal != 0 || r.Loaded.Of != 16 || r.Loaded.Same != 0 {
		t.Errorf("alone all 16 replies come again, under load none: got %+v", r)
	}
	if e.Stats().Generations > 0 || len(kept.all) > 0 || f.asked.Load() != 56 {
		t.Errorf("of a check of repeats %d requests were sent and %d recorded, want 56 and none, and no generations",
			f.asked.Load(), len(kept.all))
	}
	saved, err := e.Save(r)
	if err != nil {
		t.Fatal(err)
	}
	again := r
	again.First = append([]string{r.First[0][:5] + "x"}, r.First[1:]...)
	share, err := e.Against(saved, again)
	if err != nil || share != (Share{Equal: 7, Of: 8, Same: 5}) || !strings.Contains(share.String(), "after 5") {
		t.Errorf("7 of 8 replies come again, the other one for 5 tokens: got %+v, %v", share, err)
	}
	other, _ := open(t, fast(), start(t, llamaServer))
	for _, wrong := range []string{"{", `{"model":"` + e.Model().Hash + `","replies":["a"]}`, string(saved)} {
		t.Run(fmt.Sprintf("%.60s", wrong), func(t *testing.T) {
			engine := e
			if wrong == string(saved) {
				engine = other
			}
			if _, err := engine.Against([]byte(wrong), r); err == nil {
				t.Errorf("what is no answer of this server, of 8 replies, is accepted: %.30s", wrong)
			}
		})
	}
}
