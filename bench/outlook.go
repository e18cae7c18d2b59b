package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"parley/bench/task"
	"parley/debate"
	"parley/debate/answer"
	"parley/debate/grammar"
	"parley/inference"
)

// Outlook is what a debate can come to need, before it is held.
type Outlook struct {
	Most inference.Need // its longest request with replies as long as they can be
	// with short replies, which may end it early, the first request for which there is no room; none if there is room
	// for all
	Least inference.Need
	Cut   bool // replies are bounded more closely than their grammar allows

	transcript debate.Transcript // with the longest replies
}

// Forecaster foresees debates on an engine.
type Forecaster struct {
	engine *inference.Local
	survey *inference.Survey
}

// NewForecaster makes one.
func NewForecaster(engine *inference.Local) *Forecaster { return &Forecaster{engine, engine.Survey()} }

// Foresee holds a debate with replies that say nothing, as long as they can be; if there is no room for that, with
// short ones too. What is needed at least is sure; what is needed at most is a good guess. The zero value says that
// nothing can be foreseen.
func (f *Forecaster) Foresee(ctx context.Context, d debate.Debate, c debate.Case) (o Outlook, err error) {
	if err := f.most(ctx, d, c, &o); err != nil || f.Fits(o) {
		return o, err
	}
	for _, says := range []func(agent int) string{
		func(int) string { return "" }, func(int) string { return "[AGREE] " + given(0, c) },
		func(agent int) string { return given(agent, c) },
	} {
		_, err := f.run(ctx, d, c, inference.Survey{Exact: true, Full: true,
			Write: func(r inference.Request, _ func(string) bool) string { return short(r, says(r.Agent)) }})
		switch {
		case errors.Is(err, inference.ErrTooLong):
			o.Least = f.survey.Longest()
			continue
		case err != nil && !unforeseen(err):
			return o, err
		}
		o.Least = inference.Need{} // there is a way that fits, or nobody knows
		return o, nil
	}
	return o, nil
}

// most holds a debate with the longest replies.
func (f *Forecaster) most(ctx context.Context, d debate.Debate, c debate.Case, o *Outlook) (err error) {
	// longer explanations are not shown to others by some protocols
	for _, letters := range []int{shownLetters, math.MaxInt} {
		if o.transcript, err = f.run(ctx, d, c, inference.Survey{Write: writer(c, letters, &o.Cut)}); err != nil &&
			!unforeseen(err) {
			return err
		}
		if need := f.survey.Longest(); need.Tokens() > o.Most.Tokens() {
			o.Most = need
		}
	}
	return nil
}

// Spare reports whether there is room for the longest replies, and something to spare: what a model writes may have
// more tokens when it is read. cut is as in an Outlook.
func (f *Forecaster) Spare(ctx context.Context, d debate.Debate, c debate.Case) (room, cut bool) {
	var o Outlook
	err := f.most(ctx, d, c, &o)
	tokens, _ := f.engine.Room()
	return err == nil && o.Most.Tokens() > 0 && o.Most.Tokens() <= tokens*8/9, o.Cut
}

// run holds a debate with the replies of a survey.
func (f *Forecaster) run(ctx context.Context, d debate.Debate, c debate.Case, how inference.Survey) (debate.Transcript,
	error) {
	f.survey.Exact, f.survey.Full, f.survey.Write = how.Exact, how.Full, how.Write
	f.survey.Begin()
	return d.Run(ctx, f.survey, c)
}

// unforeseen are errors of replies that say nothing, and of debates that are too long to be foreseen.
func unforeseen(err error) bool {
	return errors.Is(err, debate.ErrPrior) || errors.Is(err, debate.ErrSilence) || errors.Is(err, inference.ErrSurvey)
}

// Fits reports whether there is room for all that may come.
func (f *Forecaster) Fits(o Outlook) bool { room, _ := f.engine.Room(); return o.Most.Tokens() <= room }

// Says is what does not fit, "" if everything does. sure is whether shorter replies cannot help.
func (f *Forecaster) Says(o Outlook) (what string, sure bool) {
	room, by := f.engine.Room()
	switch {
	case o.Least.Tokens() > 0:
		return fmt.Sprintf("even short replies lead to %s: %d tokens, and %s %d", o.Least, o.Least.Tokens(), by, room),
			true
	case !f.Fits(o):
		return fmt.Sprintf("long replies can lead to %s: %d tokens, and %s %d", o.Most, o.Most.Tokens(), by, room),
			false
	}
	return "", false
}

// shownLetters of a text in a reply are shown to others, whatever the protocol.
const shownLetters = 190

// writer writes replies as long as they can be, with texts in them of so many letters at most where they follow a
// grammar. cut says whether one has no room even for what its grammar asks for.
func writer(c debate.Case, letters int, cut *bool) func(r inference.Request, fits func(string) bool) string {
	type kind struct {
		grammar, answer string
		bound           int
	}
	written := make(map[kind]string)
	return func(r inference.Request, fits func(string) bool) string {
		k := kind{r.Grammar, given(r.Agent, c), r.MaxTokens}
		if _, ok := written[k]; !ok {
			written[k] = long(r, k.answer, letters, fits)
			*cut = *cut || !fits(written[k])
		}
		return written[k]
	}
}

// short is as little as a reply can be; a moderator ends the debate.
func short(r inference.Request, text string) string {
	if sentence, err := grammar.Sentence(r.Grammar, "", false); r.Grammar != "" && err == nil {
		return sentence
	}
	if asks(r, "debate_answer") {
		return `{"Whether there is a preference": "Yes", "Supported Side": "Affirmative", "Reason": "", "debate_answer": "` + strings.TrimSpace(text) + `."}`
	}
	return text
}

// long is a reply of as much text as fits.
func long(r inference.Request, says string, letters int, fits func(string) bool) string {
	most := cmp.Or(r.MaxTokens, inference.DefaultMaxTokens) // a word has a token or more
	words := strings.Fields(strings.Repeat(filler, most/len(strings.Fields(filler))+1))
	write := func(n int) string {
		fill := strings.Join(words[:n], " ")
		if sentence, err := grammar.Sentence(r.Grammar, fill[:min(len(fill), letters)], n > 0); r.Grammar != "" &&
			err == nil {
			return sentence
		}
		return fill + " " + says
	}
	return write(max(0, sort.Search(most, func(n int) bool { return !fits(write(n)) })-1))
}

// filler is text of no meaning.
const filler = "so it may be that the first of them is the one that was asked for, and yet "

func asks(r inference.Request, word string) bool {
	return len(r.Messages) > 0 && strings.Contains(r.Messages[len(r.Messages)-1].Content, word)
}

// given is an answer to the question: the right one for every third agent, else one of two wrong ones, so that whatever
// needs some of each has them.
func given(agent int, c debate.Case) string {
	texts := []string{c.Truth.Text}
	for _, wrong := range []string{"(A)", "(B)", "(C)", "0", "1", "2", `\boxed{0}`, `\boxed{1}`, "yes", "no"} {
		if a := c.Extract(wrong); a.Parsed && !a.Equal(c.Truth) && len(texts) < 3 {
			texts = append(texts, wrong)
		}
	}
	if !c.Truth.Parsed || c.Extract(texts[0]) != c.Truth {
		texts[0] = answer.Of("(A)").Text
	}
	return texts[agent%len(texts)]
}

// ForeseeRun looks at the longest question of a run under every condition before anything is computed. The error says
// what cannot fit, of which there is no use to begin; what may not is a warning.
func ForeseeRun(ctx context.Context, o Options, engine *inference.Local) (warning string, err error) {
	if len(o.Task.Questions) == 0 {
		return "", nil
	}
	f, q := NewForecaster(engine), longest(o.Task.Questions)
	transcripts := make(map[string]*debate.Transcript)
	var cannot []string
	which := make(map[string][]string)          // conditions, by what is said of them
	for _, after := range []bool{false, true} { // of those that build on others
		for _, c := range o.Conditions {
			if (c.DependsOn != "") != after {
				continue
			}
			seen, err := f.Foresee(ctx, c.Debate, debate.Case{
				ID: q.ID, Question: q.Text, Extract: o.Task.Reader(q), Truth: q.Truth, Prior: transcripts[c.DependsOn],
				Donor: donorOf(o, q),
			})
			if err != nil {
				return "", fmt.Errorf("condition %s: %w", c.Name, err)
			}
			transcripts[c.Name] = &seen.transcript
			what, sure := f.Says(seen)
			switch {
			case sure:
				if which[what] == nil {
					cannot = append(cannot, what)
				}
				which[what] = append(which[what], c.Name)
			case what != "" && warning == "":
				warning = fmt.Sprintf("condition %s: %s; a debate that comes to it fails; lower max-tokens, agents "+
					"or rounds", c.Name, what)
			}
		}
	}
	if cannot == nil {
		return warning, nil
	}
	for i, what := range cannot {
		cannot[i] = fmt.Sprintf("\n  %s: %s", strings.Join(which[what], ", "), what)
	}
	return "", fmt.Errorf("debates on question %s, the longest, cannot fit; take another model, a lower max-tokens, "+
		"shorter prompts or fewer agents%s",
		q.ID, strings.Join(cannot, ""))
}

// longest is the longest question, the first one of equals.
func longest(questions []task.Question) task.Question {
	return slices.MaxFunc(questions, func(a, b task.Question) int { return cmp.Compare(len(a.Text), len(b.Text)) })
}

// donorOf is the question whose reasoning is heard where arguments are shuffled.
func donorOf(o Options, q task.Question) *debate.Case {
	next, ok := donorsOf(o.Task.Questions)[q.ID]
	if !ok {
		return nil
	}
	return &debate.Case{ID: next.ID, Question: next.Text, Extract: o.Task.Reader(next), Truth: next.Truth}
}
