package debate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/sampling"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// stated is a rule that tells how it reads: an answer is what follows "The answer is", and otherwise a letter in
// parentheses, as a fallback.
func stated(reply string) answer.Answer {
	if _, said, ok := strings.Cut(reply, "The answer is "); ok {
		a := answer.Of(strings.TrimRight(said, "."))
		a.How = answer.Explicit
		return a
	}
	if a := answer.Choice(reply); a.Parsed {
		a.How = answer.Fallback
		return a
	}
	return answer.Answer{How: answer.Nothing}
}

// talker is a speaker with a script, which keeps what each call asked.
type talker struct {
	*inference.Script
	calls [][]inference.Request
	fails func(inference.Request) error
}

func (s *talker) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	s.calls = append(s.calls, requests)
	p := s.Join(0)
	defer p.Leave()
	replies, err := p.Generate(ctx, requests)
	for i, r := range requests {
		if s.fails != nil {
			replies[i].Err = s.fails(r)
		}
	}
	return replies, err
}

// says has agent 0 state its answer, agent 1 mention a letter, and agent 2 say nothing of use. Whoever is asked for an
// answer alone says (B), or 7.
func says(r inference.Request) string {
	switch last := r.Messages[len(r.Messages)-1]; {
	case strings.Contains(last.Content, " blue\n"):
		return r.Continuations[slices.Index([]string{"A", "B", "C"},
			last.Content[strings.Index(last.Content, ") blue")-1:][:1])]
	case len(r.Continuations) > 0:
		wanted := func(c string) bool { return c == " no" || c == " Bo" }
		return r.Continuations[slices.IndexFunc(r.Continuations, wanted)]
	case last.Role == inference.RoleText:
		return " 7\n"
	case strings.Contains(last.Content, "Complete this sentence"):
		return "The answer is (C)."
	}
	return []string{"I think so. The answer is (A).", "Perhaps (A).", "Who knows?"}[r.Agent%3]
}

var options = debate.Case{ID: "q", Question: "Which?", Extract: stated, Truth: answer.Of("(B)"),
	Ending: debate.EndingOf(answer.KindChoice, []string{"red", "blue", "green"})}

func threeAgents(t *testing.T, closing bool) society.Society {
	return society.Society{Asking: debate.Asking{Closing: closing, MaxTokens: 50}, Agents: 3, Rounds: 2,
		Prompts: debatetest.Load(t, "du-mmlu")}
}

// TestClosingTurns: who gives no answer that can be read is asked once more, in that round, for the answer alone.
func TestClosingTurns(t *testing.T) {
	s := &talker{Script: inference.NewScript(says)}
	got, err := threeAgents(t, true).Run(t.Context(), s, options)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.calls) != 4 {
		t.Fatalf("%d calls of Generate for two rounds, want 4: the closing turns of a round go out together",
			len(s.calls))
	}
	for round, turns := range got.Rounds {
		for i, want := range []answer.Answer{{Text: "(A)", Parsed: true, How: answer.Explicit},
			{Text: "(A)", Parsed: true, How: answer.Fallback}, {Text: "(B)", Parsed: true, How: answer.ByClosing}} {
			if turns[i].Answer != want || len(turns[i].After) != i/2*3 {
				t.Errorf("round %d, agent %d: %+v and %d closing turns, want %+v", round, i, turns[i].Answer,
					len(turns[i].After), want)
			}
		}
		asked := s.calls[2*round+1]
		if len(asked) != 3 {
			t.Fatalf("round %d: %d closing turns, want one for each order of the options", round, len(asked))
		}
		for k, list := range []string{"(A) red\n(B) blue\n(C) green\n", "(A) blue\n(B) green\n(C) red\n",
			"(A) green\n(B) red\n(C) blue\n"} {
			r := asked[k]
			want := append(slices.Clone(turns[2].Messages), inference.Message{Role: "assistant", Content: "Who knows?"},
				inference.Message{Role: inference.RoleText, Content: "\n\n" + list + "The answer is"})
			if diff := cmp.Diff(want, r.Messages); diff != "" || r.Sampling.Temperature != 0 ||
				!slices.Equal(r.Continuations, []string{" (A)", " (B)", " (C)"}) {
				t.Errorf("round %d: the closing turn goes on with %q at %v, want (A), (B) and (C) at temperature 0 "+
					"(-want +got):\n%s", round, r.Continuations, r.Sampling, diff)
			}
		}
		if turns[2].Reply.Text != "Who knows?" {
			t.Errorf("the reply became %q, want \"Who knows?\"", turns[2].Reply.Text)
		}
	}
	heard := debatetest.Say(got.Rounds[1][0].Messages)
	if !strings.Contains(heard, "Who knows?") || strings.Contains(heard, "Who knows?\n\nThe answer is") {
		t.Errorf("others are to hear what was said and no more:\n%s", heard)
	}
	if got.Decision.Answer.Text != "(A)" {
		t.Errorf("decided %v, want Text \"(A)\"", got.Decision.Answer)
	}
	calls, closings := 0, 0
	for call := range got.Calls() {
		if calls++; call.Kind == debate.KindClosing {
			closings++
		}
	}
	if calls != 12 || closings != 6 {
		t.Errorf("%d calls, %d of them closing turns, want 12 and 6", calls, closings)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
}

// TestWithoutClosingTurns compares records: the setting off leaves no trace, and neither does the setting on for a rule
// that does not tell how it reads.
func TestWithoutClosingTurns(t *testing.T) {
	run := func(closing bool, rule answer.Extractor) string {
		c := options
		c.Extract = rule
		if !closing {
			c.Ending = debate.Ending{}
		}
		s := &talker{Script: inference.NewScript(says)}
		got, err := threeAgents(t, closing).Run(t.Context(), s, c)
		if err != nil || len(s.calls) != 2 {
			t.Fatalf("%d calls, %v; want 2 and no error", len(s.calls), err)
		}
		text, _ := json.Marshal(got)
		return string(text)
	}
	if off := run(false, stated); strings.Contains(off, "after") || strings.Contains(off, "closing") {
		t.Errorf("without closing turns a transcript has some, want none: %s", off)
	}
	if off, on := run(false, answer.Choice), run(true, answer.Choice); off != on {
		t.Errorf("a rule that does not tell how it read has no closing turns (-off +on):\n%s", cmp.Diff(off, on))
	}
}

// TestClosingTurnsByKind: a closing turn asks in the form of the kind of answer, and is read by its rule.
func TestClosingTurnsByKind(t *testing.T) {
	for _, c := range []struct {
		kind    answer.Kind
		options []string
		want    debate.Ending
		read    string
	}{
		{answer.KindChoice, []string{"red", "blue"}, debate.Ending{Options: []string{"(A)", "(B)"},
			Texts: []string{"red", "blue"}}, "(B)"},
		{answer.KindName, []string{"Ana", "Bo"}, debate.Ending{Options: []string{"Ana", "Bo"}}, "Bo"},
		{answer.KindYesNo, nil, debate.Ending{Options: []string{"yes", "no"}}, "no"},
		{answer.KindChoice, nil, debate.Ending{Grammar: "root ::= \" (\" r1 \")\"\nr1 ::= [A-J]\n"}, "(G)"},
		{answer.KindNumber, nil, debate.Ending{Grammar: "root ::= \" \" r1\nr1 ::= \"-\"? ([0-9]{1,15} | [0-9]{1,3} " +
			"(\",\" [0-9]{3}){1,4}) (\".\" [0-9]{1,6})?\n"}, "7"},
		{answer.KindMath, nil, debate.Ending{Grammar: "root ::= \" \" r1\nr1 ::= [ -~\\u00a0-\\ud7ff\\ue000-" +
			"\\U0010ffff]{1,100} \"\\x0a\"{0,2}\n"}, "7"},
	} {
		end := debate.EndingOf(c.kind, c.options)
		if diff := cmp.Diff(c.want, end); diff != "" {
			t.Errorf("the end of a reply of kind %s (-want +got):\n%s", c.kind, diff)
		}
		q := options
		var err error
		if q.Extract, err = reader.Rule(c.kind.Reader(), c.options...); err != nil {
			t.Fatal(err)
		}
		q.Ending = end
		s := threeAgents(t, true)
		s.Agents, s.Rounds, s.Team = 1, 1, nil
		got, err := s.Run(t.Context(), &talker{Script: inference.NewScript(func(r inference.Request) string {
			switch {
			case strings.Contains(r.Grammar, "(\" r1"):
				return " (G)"
			case inference.GoesOn(r.Messages):
				return says(r)
			}
			return "Who knows, or\nMaybe not"
		})}, q)
		if turn := got.Rounds[0][0]; err != nil || turn.Answer.Text != c.read || turn.Answer.How != answer.ByClosing {
			t.Errorf("%s: read %+v, want %s; %v", c.kind, got.Rounds[0][0].Answer, c.read, err)
		}
	}
}

// TestClosingTurnsThatFail keeps what is known of the reply: a closing turn may not fit into the context, or the engine
// may have no way to go on with a reply, and is then sent one more message.
func TestClosingTurnsThatFail(t *testing.T) {
	run := func(failure error) debate.Turn {
		s := &talker{Script: inference.NewScript(says), fails: func(r inference.Request) error {
			if inference.GoesOn(r.Messages) {
				return failure
			}
			return nil
		}}
		got, err := threeAgents(t, true).Run(t.Context(), s, options)
		if err != nil {
			t.Fatal(err)
		}
		return got.Rounds[0][2]
	}
	if turn := run(inference.ErrTooLong); turn.Answer != (answer.Answer{How: answer.Nothing}) ||
		turn.After[0].Error != inference.ErrTooLong.Error() {
		t.Errorf("a closing turn that is too long gives %+v, want no answer and the error %q", turn,
			inference.ErrTooLong)
	}
	turn := run(fmt.Errorf("a server: %w", inference.ErrCannot))
	if turn.Answer.Text != "(C)" || turn.Answer.How != answer.ByClosing || len(turn.After) != 1 {
		t.Fatalf("where scores cannot be had, a message closes with %+v after %d turns, want (C) by closing after 1",
			turn.Answer, len(turn.After))
	}
	if m := turn.After[0].Messages; m[len(m)-1].Role != "user" || m[len(m)-2].Content != "Who knows?" {
		t.Errorf("the message is %+v, want Role \"user\" and Content \"Who knows?\"", m)
	}
}

// TestClosingTurnsOfThinkers: where an engine cannot go on with a reply, a model that reasons is asked for its answer
// without reasoning, and not sent what it thought; where it cannot be told so, it is not asked.
func TestClosingTurnsOfThinkers(t *testing.T) {
	for name, told := range map[string]bool{"can be told": true, "cannot be told": false} {
		t.Run(name, func(t *testing.T) {
			s := &talker{Script: inference.NewScript(func(r inference.Request) string {
				return strings.Replace(says(r), "Who", "<think>SECRET</think>Who", 1)
			}), fails: func(r inference.Request) error {
				if inference.GoesOn(r.Messages) || !told && r.Sampling.ReasoningTokens != 0 {
					return inference.ErrCannot
				}
				return nil
			}}
			got, err := threeAgents(t, true).Run(t.Context(), s, options)
			if err != nil {
				t.Fatal(err)
			}
			turn := got.Rounds[0][2]
			closed := turn.Answer.How == answer.ByClosing
			if turn.Reply.Reasoning != "SECRET" || closed != told || (len(turn.After) == 1) != told {
				t.Errorf("a thinker keeps its reasoning to itself, and has a closing turn where no answer is told "+
					"(%v): got %+v", told, turn)
			}
			asked := 0
			for _, r := range slices.Concat(s.calls...) {
				last := r.Messages[len(r.Messages)-1]
				closing := !inference.GoesOn(r.Messages) && strings.Contains(last.Content, "Complete this sentence")
				if n, set := r.Sampling.ReasoningTokens.Tokens(); set != closing || n != 0 {
					t.Errorf("%s: reasoning bounded %t to %d, want %v and 0", r.Name, set, n, closing)
				}
				if closing && strings.Contains(fmt.Sprint(r.Messages), "SECRET") {
					t.Errorf("%s: the closing turn is sent what the agent thought, want that left out", r.Name)
				}
				if closing {
					asked++
				}
			}
			if asked == 0 {
				t.Error("nobody was asked, want at least one request")
			}
		})
	}
}

// TestClosingTurnsCost counts them in a budget of tokens, on both sides, and as no calls of their own.
func TestClosingTurnsCost(t *testing.T) {
	s := &talker{Script: inference.NewScript(says)}
	held, err := threeAgents(t, true).Run(t.Context(), s, options)
	if err != nil {
		t.Fatal(err)
	}
	tokens := 0
	for call := range held.Calls() {
		tokens += call.Reply.Tokens
	}
	c := options
	c.Prior = &held
	for _, budget := range []string{sampling.BudgetCalls, sampling.BudgetTokens} {
		t.Run(budget, func(t *testing.T) {
			got, err := sampling.Sampling{Asking: threeAgents(t, true).Asking, Budget: budget,
				Prompts: debatetest.Load(t, "du-mmlu")}.Run(t.Context(), s, c)
			if err != nil {
				t.Fatal(err)
			}
			used := 0
			for _, turn := range got.Rounds[0] {
				used += turn.Reply.Tokens
				for _, after := range turn.After {
					used += after.Reply.Tokens
				}
			}
			b := *got.Budget
			if b.Calls != 6 || b.Tokens != tokens || b.Used != used {
				t.Errorf("%s: %+v, want 6 calls and %d tokens, of which %d are used", budget, b, tokens, used)
			}
			if budget == sampling.BudgetCalls && b.Asked != 6 || budget == sampling.BudgetTokens && b.Used > b.Tokens {
				t.Errorf("closing turns count against a budget of %s: 6 calls at most %d tokens are allowed, %d and "+
					"%d were used", budget, b.Tokens, b.Asked, b.Used)
			}
		})
	}
}

// biased is a speaker whose scores are what it likes at each place, whatever stands there, and what it knows of the
// option.
type biased struct {
	places []float64
	knows  map[string]float64
}

func (b biased) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		if replies[i].Text = "Who knows?"; r.Continuations == nil {
			continue
		}
		list := strings.Split(r.Messages[len(r.Messages)-1].Content, "\n")
		for place, label := range r.Continuations {
			score := b.places[place] + b.knows[strings.TrimSpace(label)] // of a word
			for _, line := range list {
				if text, ok := strings.CutPrefix(line, strings.TrimSpace(label)+" "); ok {
					score = b.places[place] + b.knows[text]
				}
			}
			replies[i].LogProbs = append(replies[i].LogProbs, score)
		}
		best := slices.Index(replies[i].LogProbs, slices.Max(replies[i].LogProbs))
		replies[i].Text, replies[i].Stop = r.Continuations[best], inference.StopScored
	}
	return replies, nil
}

// TestClosingTurnsKnowNoPlace: whatever places and letters a model likes, and in whatever order the agent saw the
// options, a closing turn takes what the model knows; each order alone says what is best there.
func TestClosingTurnsKnowNoPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]answer.Kind{answer.KindChoice, answer.KindName, answer.KindYesNo}).Draw(t, "kind")
		names := []string{"éva", "Bo", "Cy", "Di", "Ed", "Flo", "Gus"}[:rapid.IntRange(2, 7).Draw(t, "options")]
		end := debate.EndingOf(kind, names)
		listed := names
		if kind == answer.KindYesNo {
			names, listed = end.Options, nil
		}
		known := rapid.IntRange(0, len(names)-1).Draw(t, "known")
		b := biased{rapid.SliceOfN(rapid.Float64Range(-30, 30), len(names), len(names)).Draw(t, "places"),
			map[string]float64{names[known]: 0.001}}
		extract, err := reader.Rule(kind.Reader(), listed...)
		if err != nil {
			t.Fatal(err)
		}
		ask := debate.Asking{Closing: true}.For(b, debate.Case{ID: "q", Extract: extract, Ending: end})
		turns := []debate.Turn{{Messages: []inference.Message{{Role: "user", Content: "Who?"}}}}
		if kind == answer.KindChoice && rapid.Bool().Draw(t, "shuffled") {
			turns[0].Options = rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6}[:len(names)]).Draw(t, "order")
		}
		if err := ask.Ask(context.Background(), turns); err != nil {
			t.Fatal(err)
		}
		turn := turns[0]
		if want := end.Options[known]; turn.Answer.Text != want || turn.Answer.How != answer.ByClosing ||
			len(turn.After) != len(names) {
			t.Fatalf("%+v after %d orders, want %s after %d", turn.Answer, len(turn.After), want, len(names))
		}
		alone := make(map[string]bool)
		for _, order := range turn.After {
			alone[order.Answer.Text] = true
			if list := order.Messages[len(order.Messages)-1].Content; !utf8.ValidString(list) {
				t.Fatalf("the options are listed as %q, want valid UTF-8", list)
			}
		}
		favoured := slices.Sorted(slices.Values(b.places))
		if favoured[len(names)-1]-favoured[len(names)-2] > 0.01 && len(alone) != len(names) {
			t.Fatalf("orders alone say %v, where the place decides", alone)
		}
		by := extract
		if turn.Options != nil {
			by = answer.Reordered(extract, turn.Options)
		}
		if again := turn.Reread(by); !cmp.Equal(again, turn, cmpopts.EquateErrors()) {
			t.Fatalf("read again: %+v, want %+v", again.Answer, turn.Answer)
		}
	})
}

// TestClosingTurnsOfBefore: records of older versions have one closing turn, which scored the letters as they stand.
func TestClosingTurnsOfBefore(t *testing.T) {
	old := debate.Turn{Reply: inference.Reply{Text: "Who knows?"}, Answer: answer.Answer{Text: "(C)", Parsed: true,
		How: answer.ByClosing}, After: []debate.Turn{{Kind: debate.KindClosing, Reply: inference.Reply{Text: " (C)",
		Stop: inference.StopScored, LogProbs: []float64{-3, -2, -1}}}}}
	if again := old.Reread(stated); again.Answer != old.Answer {
		t.Errorf("read again: %+v, want %+v", again.Answer, old.Answer)
	}
	if err := (debate.Transcript{Rounds: [][]debate.Turn{{old}}}).Validate(); err != nil {
		t.Error(err)
	}
}

// TestEndingTo: options are those that the question lists, and letters without options are not asked for.
func TestEndingTo(t *testing.T) {
	for _, c := range []struct{ rule, question, options string }{
		{"reader-choice", "Which? (A) oil (B) water", "[(A) (B)][oil water]"},
		{"choice", "Which?\nA. oil\nB. water\nC. tar", "[(A) (B) (C)][oil water tar]"},
		{"reader-choice", "Which is it?", "[][]"}, {"choice", "Which is it? 1) oil 2) water", "[][]"},
		{"reader-yes-no", "Is it oil or not? (A) yes (B) no", "[yes no][]"},
	} {
		end := debate.EndingTo(c.rule, answer.Question{Text: c.question})
		got := fmt.Sprint(end.Options, end.Texts)
		if strings.ReplaceAll(got, " [", "[") != c.options || end.Grammar != "" {
			t.Errorf("%s on %q: %s and %q, want %s", c.rule, c.question, got, end.Grammar, c.options)
		}
	}
}
