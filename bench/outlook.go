package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/grammar"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/chat"
)

// Outlook is what a debate can come to need, before it is held.
type Outlook struct {
	Most inference.Need // its longest request if replies are as long as they can be
	// if replies are short, which may end it early, the first request for which there is no room; none if there is room
	// for all
	Least inference.Need
	Few   inference.Need // the same if replies have fewWords, as far as their requests allow
	Cut   bool           // replies are bounded more closely than their grammar allows

	transcript debate.Transcript // with the longest replies
	whole      inference.Need    // the longest request if no reply breaks off
	refused    error             // a chat.ErrTemplate of the longest replies
}

// Forecaster foresees debates on an engine. It holds them without a model, with replies that say nothing.
type Forecaster struct {
	survey *inference.Survey

	question [3]string // the one that says is about: its ID, text and right answer
	says     answers
}

// NewForecaster makes one, on the survey of an engine. It is nil without a survey: nothing can be foreseen.
func NewForecaster(survey *inference.Survey) *Forecaster {
	if survey == nil {
		return nil
	}
	return &Forecaster{survey: survey}
}

// fewWords is how many words a reply has at least that gives a reason.
const fewWords = 40

// Foresee holds a debate with replies that are as long as they can be and, if there is no room for that, with short
// ones and with some of fewWords too. Outlook.Least is certain: no replies need less. Outlook.Most is a good guess. The
// zero Outlook says that nothing can be foreseen.
func (f *Forecaster) Foresee(ctx context.Context, d debate.Debate, c debate.Case) (o Outlook, err error) {
	if err = f.most(ctx, d, c, &o); errors.Is(err, chat.ErrTemplate) {
		o.refused = err
	} else if err != nil || f.Fits(o) {
		return o, err
	}
	// Some debates end soonest if nobody can be read, some if all agree, and some if each says something else.
	given := f.givenAnswers(c)
	c.Prior = briefly(c.Prior, given)
	o.Least, err = f.fewest(ctx, d, c, func(int) string { return "" },
		func(int) string { return "[AGREE] " + given.of(0) }, given.of)
	if err != nil || o.Least.Tokens() > 0 {
		return o, err
	}
	few := strings.Join(strings.Fields(strings.Repeat(filler, fewWords))[:fewWords], " ") + " "
	differ, replied := func(agent int) string { return few + given.of(agent) }, make(map[int]bool)
	o.Few, err = f.fewest(ctx, d, c, func(int) string { return few }, differ, func(agent int) string {
		if replied[agent] { // they agree as soon as they have heard each other
			return "[AGREE] " + few + given.of(0)
		}
		replied[agent] = true
		return differ(agent)
	})
	if errors.Is(err, chat.ErrTemplate) { // shorter replies are not refused
		o.Few, err = inference.Need{}, nil
	}
	return o, err
}

// fewest holds a debate in several ways, and returns the first request of the last one for which there is no room; none
// if there is room in some way, or if nobody knows.
func (f *Forecaster) fewest(ctx context.Context, d debate.Debate, c debate.Case, ways ...func(agent int) string) (
	need inference.Need, refused error) {
	for _, says := range ways {
		reply := shortReplies(d, says)
		_, err := f.run(ctx, d, c, inference.Survey{Exact: true, Full: true,
			Write: func(r inference.Request, _ func(string) bool) string { return reply(r) }})
		switch {
		case errors.Is(err, inference.ErrTooLong):
			need = f.survey.Longest()
		case errors.Is(err, chat.ErrTemplate):
			refused = err
		case err != nil && !unforeseen(err):
			return need, err
		default:
			return inference.Need{}, nil
		}
	}
	return need, refused
}

// most holds a debate with the longest replies: once with texts as long as any protocol shows to others, which leaves
// most room for the rest, and once with longer ones. Of both, and of a third, in which replies break off, it keeps the
// longest request; a transcript has whole replies.
func (f *Forecaster) most(ctx context.Context, d debate.Debate, c debate.Case, o *Outlook) (err error) {
	follows := false // some reply follows a grammar
	whole := func(letters int) lengths { return lengths{letters: letters, cut: &o.Cut, follows: &follows} }
	for i, l := range []lengths{whole(shownLetters), whole(math.MaxInt), {letters: math.MaxInt, broken: true}} {
		if l.broken && !follows {
			continue
		}
		f.survey.Working = i == 0
		t, err := f.run(ctx, d, c, inference.Survey{Write: writer(f.givenAnswers(c), l)})
		if err != nil && !unforeseen(err) {
			return err
		}
		if need := f.survey.Longest(); o.Most.Tokens() == 0 || need.Over() > o.Most.Over() {
			o.Most = need
		}
		if !l.broken {
			o.transcript, o.whole = t, o.Most
		}
	}
	return nil
}

// Spare reports whether there is room for the longest replies and an eighth more: a model's reply may have more tokens
// when it is read back. cut is as in an Outlook.
func (f *Forecaster) Spare(ctx context.Context, d debate.Debate, c debate.Case) (room, cut bool) {
	var o Outlook
	err := f.most(ctx, d, c, &o)
	return err == nil && o.Most.Tokens() > 0 && f.Fits(o) && o.whole.Tokens() <= o.whole.Room*8/9, o.Cut
}

// run holds a debate with the replies of a survey.
func (f *Forecaster) run(ctx context.Context, d debate.Debate, c debate.Case, how inference.Survey) (debate.Transcript,
	error) {
	f.survey.Exact, f.survey.Full, f.survey.Write = how.Exact, how.Full, how.Write
	f.survey.Begin()
	return debate.Hold(ctx, d, f.survey, c)
}

// unforeseen reports whether an error comes from replies that say nothing, or from a debate that is too long to be
// surveyed, and not from the debate itself.
func unforeseen(err error) bool {
	return errors.Is(err, debate.ErrPrior) || errors.Is(err, debate.ErrSilence) || errors.Is(err, inference.ErrSurvey)
}

// terse says that a debate would fit if agents were shown answers alone; "" if it would not.
func (f *Forecaster) terse(ctx context.Context, d debate.Debate, c debate.Case) string {
	if d = debate.ShowingAnswers(d); d == nil {
		return ""
	}
	seen, err := f.Foresee(ctx, d, c)
	if _, sure := f.Says(seen); sure || err != nil {
		return ""
	}
	return "; it fits where agents are shown answers alone (show=answers)"
}

// Fits reports whether there is room for the longest request.
func (f *Forecaster) Fits(o Outlook) bool { return o.Most.Over() <= 0 }

// Says describes what does not fit, "" if everything does. sure reports that shorter replies cannot help.
func (f *Forecaster) Says(o Outlook) (what string, sure bool) {
	switch {
	case o.Least.Tokens() > 0:
		return fmt.Sprintf("even short replies lead to %s: %d tokens, and %s %d", o.Least, o.Least.Tokens(), o.Least.By,
			o.Least.Room), true
	case o.Few.Tokens() > 0:
		return fmt.Sprintf("even replies of %d words lead to %s: %d tokens, and %s %d", fewWords, o.Few, o.Few.Tokens(),
			o.Few.By, o.Few.Room), true
	case o.refused != nil:
		return fmt.Sprintf("long replies can lead to what its template refuses: %v", o.refused), false
	case !f.Fits(o):
		return fmt.Sprintf("long replies can lead to %s: %d tokens, and %s %d", o.Most, o.Most.Tokens(), o.Most.By,
			o.Most.Room), false
	}
	return "", false
}

// shownLetters is the length in characters up to which every protocol shows a text of a reply to others.
const shownLetters = 190

// briefly is an earlier debate as it would have been with the shortest replies that say the same.
func briefly(t *debate.Transcript, says answers) *debate.Transcript {
	if t == nil {
		return nil
	}
	brief := trial.WithTurns(*t, func(turn debate.Turn) debate.Turn {
		turn.Reply.Text = says.of(turn.Agent)
		return turn
	})
	return &brief
}

// lengths say how long replies are.
type lengths struct {
	letters int // of a text in a reply that follows a grammar, at most
	// replies break off within the first text in them, which may show more of it than whole ones do, whose other texts
	// take their part of the bound
	broken bool

	// set if the bound on a reply does not even have room for what its grammar requires, but for a closing turn,
	// which has a bound of its own and may be cut
	cut     *bool
	follows *bool // set if a reply follows a grammar
}

// writer writes replies that are as long as they can be.
func writer(says answers, l lengths) func(r inference.Request, fits func(string) bool) string {
	type kind struct {
		grammar, answer string
		bound           int
	}
	written := make(map[kind]string)
	return func(r inference.Request, fits func(string) bool) string {
		k := kind{r.Grammar, says.of(r.Agent), r.MaxTokens}
		if _, ok := written[k]; !ok && l.broken {
			written[k] = long(r, k.answer, l.letters, func(string) bool { return true })
		} else if !ok {
			written[k] = long(r, k.answer, l.letters, fits)
			*l.cut = *l.cut || !fits(written[k]) && !inference.GoesOn(r.Messages)
			*l.follows = *l.follows || r.Grammar != ""
		}
		return written[k]
	}
}

// shortReplies writes replies to the requests of a debate that are as short as they can be; says has the answer of an
// agent. A moderator between two sides ends the debate with it.
func shortReplies(d debate.Debate, says func(agent int) string) func(inference.Request) string {
	var named debate.Transcript
	if n, ok := d.(debate.Named); ok {
		named.Roles = n.RoleNames()
	}
	return func(r inference.Request) string {
		if sentence, err := grammar.Sentence(r.Grammar, "", false); r.Grammar != "" && err == nil {
			return sentence
		}
		text := says(r.Agent)
		if named.HasSides() && named.Role(r.Agent) == debate.RoleModerator {
			return verdict(strings.TrimSpace(text))
		}
		return text
	}
}

// verdict is a moderator's reply that ends a debate between two sides, in whatever reading: it has a preference and an
// answer, as titfortat.ReadVerdict finds them.
func verdict(text string) string {
	quoted, _ := json.Marshal(text + ".") // a text is always JSON
	return fmt.Sprintf(`{"Whether there is a preference": "Yes", "Supported Side": "Affirmative", "Reason": "", `+
		`"debate_answer": %s}`, quoted)
}

// long is a reply with as much text as fits, and no more than its bound has words.
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

// filler is text without meaning, from which no answer is read.
const filler = "so it may be that the first of them is the one that was asked for, and yet "

// answers are what agents say, one after the other and again from the first.
type answers []string

func (a answers) of(agent int) string { return a[agent%len(a)] }

// givenAnswers are the agents' answers to a question: the right one for every third agent, else one of two wrong ones,
// so that protocols which need right and wrong answers have both. They are found once for a question, since reading a
// long right answer takes a while, and a debate has many replies.
func (f *Forecaster) givenAnswers(c debate.Case) answers {
	if question := [3]string{c.ID, c.Question, c.Truth.Text}; f.says == nil || f.question != question {
		f.question, f.says = question, answersTo(c)
	}
	return f.says
}

func answersTo(c debate.Case) answers {
	texts := []string{c.Truth.Text}
	for _, wrong := range []string{"(A)", "(B)", "(C)", "0", "1", "2", `\boxed{0}`, `\boxed{1}`, "yes", "no"} {
		if a := c.Extract(wrong); a.Parsed && !c.IsRight(a) && len(texts) < 3 {
			texts = append(texts, wrong)
		}
	}
	if !c.Truth.Parsed || !c.Extract(texts[0]).Same(c.Truth) {
		texts[0] = answer.Of("(A)").Text
	}
	return texts
}

// Foreseen is what is known of a run before anything is computed.
type Foreseen struct {
	Warning string // what may not fit, "" if everything does
	Replies int    // at most; 0 if unknown
	Calls   int    // at most, those with equal replies too
	// if each reply is as long as it may be, and each question as long as the longest: tokens of prompts without what
	// they share, and of replies
	Prompt, Tokens int
	Most           time.Duration // how long the engine takes for these; 0 if unknown
}

// Without returns what is left where so many replies are recorded.
func (f Foreseen) Without(recorded int) Foreseen {
	left := max(0, f.Replies-recorded)
	share := stat.Share(left, f.Replies)
	f.Prompt, f.Tokens = int(share*float64(f.Prompt)), int(share*float64(f.Tokens))
	f.Most = time.Duration(float64(f.Most) * share)
	f.Replies = left
	return f
}

// String says how much there is to compute, at most; "" if that is unknown.
func (f Foreseen) String() string {
	switch {
	case f.Replies == 0:
		return ""
	case f.Most == 0:
		return "at most " + wording.Count(f.Replies, "generation")
	}
	return fmt.Sprintf("at most %s, in at most about %s", wording.Count(f.Replies, "generation"),
		duration(wording.Milliseconds(f.Most)))
}

// ForeseeRun checks the longest question of a run under every condition before anything is computed. What cannot fit is
// an error, what may not fit a warning. Without a survey of the engine it says nothing. Long replies in sweeps over
// many agents take minutes: at is told how many conditions are checked so far. When ctx ends, so does the check, with
// its cause.
func ForeseeRun(ctx context.Context, o Options, survey *inference.Survey, at func(checked int)) (known Foreseen,
	err error) {
	if len(o.Task.Questions) == 0 || survey == nil {
		return known, nil
	}
	f, q, checked := NewForecaster(survey), longest(o.Task.Questions), 0
	transcripts := make(map[string]*debate.Transcript)
	var cannot []string
	which := make(map[string][]string) // conditions, by what does not fit
	unknown := false                   // a debate was not foreseen to its end
	for _, dependent := range []bool{false, true} {
		for _, c := range o.Conditions {
			if (c.DependsOn != "") != dependent {
				continue
			}
			at(checked)
			if checked++; ctx.Err() != nil {
				return Foreseen{}, context.Cause(ctx)
			}
			before := survey.Work
			about := caseOf(o.Task, q)
			about.Prior, about.Donor = transcripts[c.DependsOn], donorOf(o, q)
			if c.Again { // which shares no reply with the first draw
				about.ID = trial.CaseID(q.ID, 1)
			}
			seen, err := f.Foresee(ctx, c.Debate, about)
			if ctx.Err() != nil {
				return Foreseen{}, context.Cause(ctx)
			}
			if errors.Is(err, chat.ErrTemplate) { // the texts of this question: Unable has tried another
				seen.refused = err
			} else if err != nil {
				return Foreseen{}, fmt.Errorf("condition %s: %w", c.Name, err)
			}
			unknown = unknown || seen.refused != nil
			work, times := survey.Work.Minus(before), c.Times(o.Run.Repeats)*len(o.Task.Questions)
			known.Replies, known.Calls = known.Replies+times*work.Requests, known.Calls+times*work.Asked
			known.Prompt, known.Tokens = known.Prompt+times*work.Prompt, known.Tokens+times*work.Reply
			transcripts[c.Name] = &seen.transcript
			what, sure := f.Says(seen)
			switch {
			case sure:
				if what += f.terse(ctx, c.Debate, about); ctx.Err() != nil {
					return Foreseen{}, context.Cause(ctx)
				}
				if which[what] == nil {
					cannot = append(cannot, what)
				}
				which[what] = append(which[what], c.Name)
			case what != "" && known.Warning == "":
				known.Warning = fmt.Sprintf("condition %s: %s; a debate in which this happens fails; lower "+
					"max-tokens, agents or rounds", c.Name, what)
			}
		}
	}
	if cannot == nil && unknown {
		return Foreseen{Warning: known.Warning}, nil
	}
	if cannot == nil {
		known.Most = survey.Takes(known.Prompt + known.Tokens)
		return known, nil
	}
	for i, what := range cannot {
		cannot[i] = fmt.Sprintf("\n  %s: %s", strings.Join(which[what], ", "), what)
	}
	return Foreseen{}, fmt.Errorf("debates on question %s, the longest, cannot fit; take another model, a lower "+
		"max-tokens, shorter prompts or fewer agents%s",
		q.ID, strings.Join(cannot, ""))
}

// echoes warns of conditions in which several agents are bound to reply the same, one warning for each kind.
func echoes(o Options) (warnings []string) {
	which := make(map[string][]string) // conditions, by what there is to say
	var said []string
	for _, c := range o.Conditions {
		echo := debate.EchoOf(c.Debate)
		if echo != "" && which[echo] == nil {
			said = append(said, echo)
		}
		which[echo] = append(which[echo], c.Name)
	}
	for _, echo := range said {
		warnings = append(warnings, strings.Join(which[echo], ", ")+": "+echo)
	}
	return warnings
}

// longest is the longest question, the first one if several are equally long.
func longest(questions []task.Question) task.Question {
	return slices.MaxFunc(questions, func(a, b task.Question) int { return cmp.Compare(len(a.Text), len(b.Text)) })
}

// donorOf is the question whose reasoning is heard if arguments are shuffled, nil if there is none.
func donorOf(o Options, q task.Question) *debate.Case {
	next, ok := o.donorsOf()[q.ID]
	if !ok {
		return nil
	}
	return &debate.Case{ID: next.ID, Question: next.Text, Extract: o.Task.Reader(next), Truth: next.Truth}
}
