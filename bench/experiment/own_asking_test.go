package experiment

import (
	"cmp"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/models"
)

// TestAsksOwn: an experiment without a source asks questions of one's own as a comparison does: with prompts that fit
// them, at the model's own temperature, and with closing turns. What reproduces a source, and what the file says,
// stays.
func TestAsksOwn(t *testing.T) {
	card := &models.Advice{Temperature: 0.2, TopP: 0.9, From: "the card of X"}
	for name, c := range map[string]struct {
		more          string
		model         inference.ModelInfo
		prompts, from string
		temperature   float32
		topP          float32
		closing       bool
		reasoning     string // the bound on it, "" for none
	}{
		"own":           {"", inference.ModelInfo{Advice: card}, "plain:words", "the card of X", 0.2, 0.9, true, ""},
		"own, no card":  {"", inference.ModelInfo{}, "plain:words", "the default", 0.7, 0.9, true, ""},
		"own, embedded": {"", inference.ModelInfo{Embedded: true}, "tiny", "the experiment", 1, 0, false, ""},
		"with temperature": {"sampling: {temperature: 0.5}", inference.ModelInfo{Advice: card}, "plain:words",
			"the experiment", 0.5, 0, true, ""},
		"with closing": {"closing: false", inference.ModelInfo{Advice: card}, "plain:words", "the card of X", 0.2, 0.9,
			false, ""},
		"of a source, with closing": {"source: a paper\nclosing: true", inference.ModelInfo{Advice: card}, "madc",
			"the experiment", 1, 0, true, ""},
		"with top-p": {"sampling: {top-p: 0.5}", inference.ModelInfo{Advice: card}, "plain:words",
			"the experiment, and the card of X", 0.2, 0.5, true, ""},
		"of a source": {"source: a paper", inference.ModelInfo{Advice: card}, "madc", "the experiment", 1, 0,
			false, ""},
		"that reasons": {"", inference.ModelInfo{Reasons: 4096}, "plain:words",
			"the default, reasoning tokens as such models usually take", 0.7, 0.9, true, "4096"},
		"of a source, that reasons": {"source: a paper", inference.ModelInfo{Reasons: 4096, Context: 4096}, "madc",
			"the experiment, reasoning tokens half of what replies leave of the context", 1, 0, false, "1536"},
		"that reasons, within a bound": {"sampling: {reasoning-tokens: 9}", inference.ModelInfo{Reasons: 4096},
			"plain:words", "the experiment, and the default", 0.7, 0.9, true, "9"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Parse([]byte("name: mine\ncontrols: false\nconditions: [{name: a, protocol: madc}]\n" + c.more +
				"\ntasks: [{name: q, family: own, rows: " +
				"[{question: What is the capital of France?, answer: Paris}]}]\n"))
			if err != nil {
				t.Fatal(err)
			}
			tasks, err := e.Questions(Data{})
			if err != nil {
				t.Fatal(err)
			}
			run, err := e.Prepare(tasks[0], c.model)
			if err != nil {
				t.Fatal(err)
			}
			if run.Closing != c.closing {
				t.Errorf("closing turns: %t, want %t", run.Closing, c.closing)
			}
			if got := run.Sampling.ReasoningTokens.String(); got != cmp.Or(c.reasoning, "none") {
				t.Errorf("reasoning tokens %s, want %q", got, c.reasoning)
			}
			if s := run.Sampling; run.Prompts != c.prompts || s.Temperature != c.temperature || s.TopP != c.topP ||
				run.SamplingFrom != c.from {
				t.Errorf("the model is asked with prompts %s, temperature %g and top-p %g (%s): got %s, %+v (%s)",
					c.prompts, c.temperature, c.topP, c.from, run.Prompts, s, run.SamplingFrom)
			}
		})
	}
}
