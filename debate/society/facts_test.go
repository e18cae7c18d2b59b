package society

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/inference"
)

// biographers write what says has of them, by agent; the judge, agent 3, says verdicts in turn.
type biographers struct {
	says     []string
	verdicts []string
	asked    []inference.Request
}

func (b *biographers) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		if r.Agent < len(b.says) {
			replies[i].Text = b.says[r.Agent]
			continue
		}
		replies[i].Text = b.verdicts[len(b.asked)%len(b.verdicts)]
		b.asked = append(b.asked, r)
	}
	return replies, nil
}

// TestJudgeFacts: the judge is asked about every fact and each agent's last reply, in its bullets; a single short
// bullet says nothing about the person. What it says is read as Du et al.'s program reads it, and changes no decision.
func TestJudgeFacts(t *testing.T) {
	c := debate.Case{ID: "q", Question: "Ann", Extract: answer.Raw, Facts: "- Ann wrote.\n2. She sang.\n--"}
	b := &biographers{says: []string{"- Ann wrote.\n\n* She ran.", "I do not know Ann.",
		strings.Repeat("Ann wrote. ", 50)},
		verdicts: []string{"Yes.", "I am uncertain, yes or no", "It does not say so", "?"}}
	s := Society{Agents: 3, Rounds: 2, Judge: JudgeFacts, Prompts: debatetest.Load(t, "du-biography")}
	got, err := s.Run(t.Context(), b, c)
	if err != nil {
		t.Fatal(err)
	}
	plain := s
	plain.Judge = judgeNone
	without, err := plain.Run(t.Context(), &biographers{says: b.says}, c)
	if err != nil || without.Judged != nil || !cmp.Equal(without.Decision, got.Decision) ||
		!cmp.Equal(without.Rounds, got.Rounds) {
		t.Errorf("the judge of facts changed the debate (%v), want the same rounds and decision without it", err)
	}
	var read []string
	for i, turn := range got.Judged {
		read = append(read, turn.Answer.Text)
		if turn.Agent != 3 || turn.Sample != i || turn.Kind != debate.KindFact || turn.Round != 1 ||
			len(turn.Heard) != 1 || turn.Heard[0] != []int{0, 0, 2, 2}[i] {
			t.Errorf("judged turn %d is %+v, want a fact of agent 3 in round 1 that heard agent %d", i, turn, []int{0,
				0, 2, 2}[i])
		}
	}
	if diff := cmp.Diff([]string{"yes", "uncertain", "no", ""}, read); diff != "" {
		t.Errorf("the judge's replies are read as these (-want +got):\n%s", diff)
	}
	asked := b.asked[1].Messages[0].Content
	for _, want := range []string{"biography of Ann:", "Ann wrote. She ran.", "\n She sang. \n"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(asked, want) || strings.Contains(asked, "*") {
				t.Errorf("the judge is asked %q, want %q in it and no asterisks", asked, want)
			}
		})
	}
	facts, judged := got.Facts()
	if share, known := facts.Share(); !judged || facts != (debate.Facts{Yes: 1, No: 1, Uncertain: 1, Unread: 1}) ||
		!known || share != 0.5 {
		t.Errorf("of four facts one each is yes, no, uncertain, unread, and half of those decided hold: got %+v, "+
			"judged %v, %v of them (known: %v)", facts, judged, share, known)
	}
	calls := 0
	for range got.Calls() {
		calls++
	}
	if err := got.Validate(); err != nil || calls != 6+4 {
		t.Errorf("a debate and the judge of its facts took %d calls (%v), want %d and a valid transcript", calls, err,
			6+4)
	}
	c.Facts = ""
	if _, err := s.Run(t.Context(), b, c); err == nil || !strings.Contains(err.Error(), "no facts to judge by") {
		t.Errorf(`%v, want an error with "no facts to judge by"`, err)
	}
	s.Prompts = debatetest.Load(t, "tiny")
	if _, err := s.Run(t.Context(), b, c); err == nil || !strings.Contains(err.Error(), "lack fact") {
		t.Errorf(`%v, want an error with "lack fact"`, err)
	}
}

// TestNothingToJudge: where no reply says anything, nothing is right or wrong.
func TestNothingToJudge(t *testing.T) {
	s := Society{Agents: 1, Rounds: 1, Judge: JudgeFacts, Prompts: debatetest.Load(t, "du-biography")}
	got, err := s.Run(t.Context(), &biographers{says: []string{"Nobody."}}, debate.Case{ID: "q", Question: "Ann",
		Extract: answer.Raw, Facts: "- Ann wrote."})
	facts, judged := got.Facts()
	if _, known := facts.Share(); err != nil || !judged || known || len(got.Judged) != 0 {
		t.Errorf("without facts nothing is judged and no share is known: judged %v, known %v, turns %d, %v", judged,
			known, len(got.Judged), err)
	}
}
