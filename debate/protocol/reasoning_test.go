package protocol

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// reasonings are how models of several families put reasoning before what they say.
var reasonings = []string{"<think>\n%s\n</think>\n\n", "[THINK]%s[/THINK]", "<|channel>thought\n%s\n<channel|>",
	"<|channel|>analysis<|message|>%s<|end|><|start|>assistant<|channel|>final<|message|>"}

const secret = "SECRET, the answer is (Z), I agree."

// overheard holds a protocol with agents that reason, or with the same agents that do not, and returns all messages
// that somebody was sent, with the transcript.
func overheard(t *testing.T, p Protocol, reason bool, mode string) (sent []string, transcript debate.Transcript) {
	t.Helper()
	company := company{form: p.Form, script: 1, asked: make(map[int]uint64)}
	script := inference.NewScript(func(r inference.Request) string {
		for _, m := range r.Messages {
			sent = append(sent, m.Content)
		}
		said, err := company.Generate(context.Background(), []inference.Request{r})
		if err != nil {
			t.Error(err)
			return ""
		}
		if !reason || r.Grammar != "" || r.Continuations != nil {
			return said[0].Text
		}
		return fmt.Sprintf(reasonings[len(sent)%len(reasonings)], secret) + said[0].Text
	})
	d, err := p.Compose(debate.Asking{MaxTokens: 50, Reasoning: mode})
	if err != nil {
		t.Fatal(err)
	}
	transcript, _ = d.Run(t.Context(), script.Join(0), aCase(p.Form)) // some end without a decision
	return sent, transcript
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestNobodyHearsReasoning: with reasoning hidden, or shown to the reader, agents that reason are sent what the same
// agents without reasoning are sent, and decide the same. With reasoning shared, others hear it.
func TestNobodyHearsReasoning(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	shared := make(map[string]bool)
	for _, p := range Protocols() {
		plain, decided := overheard(t, p, false, debate.HideReasoning)
		for _, mode := range []string{"", debate.HideReasoning, debate.ShowReasoning} {
			sent, transcript := overheard(t, p, true, mode)
			if diff := cmp.Diff(plain, sent); diff != "" {
				t.Errorf("%s, reasoning %q: agents are sent what they are without reasoning (-without +with):\n%s",
					p.Name, mode, diff)
			}
			if want, got := asJSON(t, decided.Decision), asJSON(t, transcript.Decision); got != want {
				t.Errorf("%s, reasoning %q: %s, want %s", p.Name, mode, got, want)
			}
			for turn := range transcript.Calls() {
				if free := turn.Grammar == "" && turn.Reply.LogProbs == nil && turn.Error == ""; free &&
					(turn.Reply.Reasoning != secret || !strings.Contains(turn.Reply.Raw, secret) ||
						turn.Reply.ReasoningTokens == 0 || turn.Told() != turn.Reply.Text) {
					t.Fatalf("%s: reasoning is kept apart, counted and told to nobody: want %q aside of what is "+
						"told, got %+v", p.Name, secret, turn.Reply)
				}
			}
		}
		sent, _ := overheard(t, p, true, debate.ShareReasoning)
		hears := slices.ContainsFunc(sent, func(text string) bool { return strings.Contains(text, secret) })
		shared[p.Form] = shared[p.Form] || hears
	}
	for _, form := range []string{"society", "lesson", "tit-for-tat", "discussion"} {
		t.Run(form, func(t *testing.T) {
			if !shared[form] {
				t.Errorf("form %s: reasoning is to be shared, and nobody hears it", form)
			}
		})
	}
	if _, err := Protocols()[0].Compose(debate.Asking{Reasoning: "loud"}); err == nil ||
		!strings.Contains(err.Error(), "hide, show") {
		t.Errorf(`%v, want an error with "hide, show"`, err)
	}
}
