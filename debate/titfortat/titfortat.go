// Package titfortat is source 3's debate: sides argue in turns, a moderator may end it after a round, and else a judge
// decides.
package titfortat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/grammar"
	"parley/debate/prompts"
	"parley/debate/society"
	"parley/inference"
)

// TitForTat is source 3's debate (Liang et al., Encouraging Divergent Thinking, section 2): an affirmative and a
// negative side argue in turns, or several debaters, of whom the first is affirmative (its algorithm 1). After each
// round a moderator says whether the answer is found; if it is not after the last one, a judge extracts it in two
// calls. Each debater keeps its own history, in which what the others said since its last turn is what it is told; none
// sees the moderator.
type TitForTat struct {
	debate.Asking
	Debaters  int    // 0 means 2
	Rounds    int    // most rounds; 0 means 3
	Until     string // UntilAnswer, UntilPreference, or UntilRounds: the moderator is heard, and ends nothing
	JudgeSees string // JudgeSeesFirst or JudgeSeesAll
	Level     int    // how far the sides may agree: 0 is full consensus, 2 what the source ships, 3 none
	Reading   string // what Until and JudgeSees are where they are not given: one of sideReadings
	Swapped   bool   // moderator and judge see each side under the other's name: a control of what names and places do
	Replies   string // of moderator and judge: RepliesFree, the default, or RepliesJSON
	Prompts   prompts.Sides
}

// What of a moderator's verdict ends a debate.
const (
	UntilModerator  = "moderator"  // what the reading says: the default
	UntilAnswer     = "answer"     // an answer, whatever it says of a preference
	UntilPreference = "preference" // a preference
)

// What the judge sees of the debate.
const (
	JudgeSeesFirst = "first" // the arguments of the first round
	JudgeSeesAll   = "all"   // those of all rounds
)

// ReadingRecorded is neither the paper nor the released code, but the program by which source 3's published debates
// were recorded: all of them end on a preference, and their judges saw the first round.
const ReadingRecorded = "recorded"

// sideReadings are the break rule and the judge's view of each reading.
var sideReadings = map[string]struct{ until, judgeSees string }{
	debate.ReadingCode:  {UntilAnswer, JudgeSeesFirst},
	debate.ReadingPaper: {UntilPreference, JudgeSeesAll},
	ReadingRecorded:     {UntilPreference, JudgeSeesFirst},
}

// complete fills in what is not given.
func (d TitForTat) complete() TitForTat {
	d.Rounds, d.Debaters = cmp.Or(d.Rounds, 3), cmp.Or(d.Debaters, 2)
	if d.Until == UntilModerator {
		d.Until = ""
	}
	reading := sideReadings[d.Reading]
	d.Until, d.JudgeSees = cmp.Or(d.Until, reading.until), cmp.Or(d.JudgeSees, reading.judgeSees)
	return d
}

// The debaters are the first agents, in the order in which they speak; moderator and judge come after them.
const affirmative = 0

// SideNames are the roles by agent, of a debate with so many debaters.
func SideNames(debaters int) []string {
	names := []string{"affirmative", "negative"}
	for i := 2; i < debaters; i++ {
		names = append(names, fmt.Sprintf("negative %d", i))
	}
	return append(names, "moderator", "judge")
}

func (d TitForTat) RoleNames() []string { return SideNames(d.Debaters) }

// Run holds one debate. In the transcript a round has the turns of the debaters and of the moderator; before them
// stands the turn in which the answer to defend was asked for, if the prompts ask for one, and after them each turn of
// the judge. The first agent that fails ends the debate with its error.
//
// Where paper and code differ: the code ends the debate when the moderator fills in an answer, whatever it says of a
// preference, and its judge sees the arguments of the first round; in the paper a preference ends it, and the judge
// sees the whole debate. The published debates were recorded by a program that broke as the paper has it and judged as
// the code does.
func (d TitForTat) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	d = d.complete()
	t := debate.Transcript{Protocol: "tit-for-tat", Case: c.ID, Reading: d.Reading, Roles: SideNames(d.Debaters)}
	if err := d.check(c); err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	stage := &debate.Stage{Asker: d.Asking.For(speaker, c.ID, c.Extract), Transcript: &t}
	moderator, judge := d.Debaters, d.Debaters+1
	p := d.Prompts

	base := ""
	if p.Base != "" {
		turn, err := stage.Say(ctx, affirmative, debate.Conversation("", p.BaseFor(c.Question)), "")
		if err != nil {
			return t, err
		}
		base = turn.Reply.Text
		stage.End()
	}
	debater, chair := p.DebaterFor(c.Question, d.Level), p.ModeratorFor(c.Question)
	histories := make([][]inference.Message, d.Debaters)
	arguments := make([][]string, d.Debaters) // of each, round by round
	moderation := debate.Conversation(chair, "")
	for round := range d.Rounds {
		for i := range histories {
			switch {
			case round > 0:
				histories[i] = debate.WithMessage(histories[i], p.AgainAfter(sinceLast(arguments, i)))
			case i == affirmative:
				histories[i] = debate.Conversation(debater, p.AffirmWith(c.Question, base))
			default:
				histories[i] = debate.Conversation(debater, p.DenyAfter(sinceLast(arguments, i)))
			}
			turn, err := stage.Say(ctx, i, histories[i], "")
			if err != nil {
				return t, err
			}
			histories[i] = debate.WithReply(histories[i], turn)
			arguments[i] = append(arguments[i], turn.Reply.Text)
		}
		yes, no := d.sides(arguments, func(texts []string) string { return last(texts) })
		moderation = debate.WithMessage(moderation, p.VerdictAfter(round+1, yes, no))
		turn, err := stage.Say(ctx, moderator, moderation, d.grammar(verdictGrammar))
		if err != nil {
			return t, err
		}
		moderation = debate.WithReply(moderation, turn)
		stage.End()
		if v, ok := ReadVerdict(turn.Reply.Text); ok && v.ends(d.Until) {
			if v.Answer == "" {
				break // a preference, and no answer: the judge is asked for it
			}
			t.Decision = d.named(v).decide("the moderator", c.Extract)
			return t, nil
		}
	}

	yes, no := d.sides(arguments, func(texts []string) string {
		if d.JudgeSees == JudgeSeesAll {
			return strings.Join(texts, "\n\n")
		}
		return texts[0]
	})
	hearing := debate.Conversation(chair, p.CandidatesIn(yes, no))
	turn, err := stage.Say(ctx, judge, hearing, "")
	if err != nil {
		return t, err
	}
	stage.End()
	if turn, err = stage.Say(ctx, judge, debate.WithMessage(debate.WithReply(hearing, turn), p.Final),
		d.grammar(judgementGrammar)); err != nil {
		return t, err
	}
	stage.End()
	v, ok := ReadVerdict(turn.Reply.Text)
	if !ok {
		v.Answer = turn.Reply.Text // what the rule can find in it
	}
	t.Decision = d.named(v).decide("the judge", c.Extract)
	return t, nil
}

func (d TitForTat) check(c debate.Case) error {
	switch {
	case d.Rounds < 1 || d.Debaters < 2:
		return fmt.Errorf("a debate of %d debaters and %d rounds: at least two and one are needed", d.Debaters,
			d.Rounds)
	case sideReadings[d.Reading].until == "":
		return fmt.Errorf("no reading %q; there are %s, %s and %s", d.Reading, debate.ReadingCode, debate.ReadingPaper,
			ReadingRecorded)
	case d.Level < 0 || d.Level >= len(d.Prompts.Levels):
		return fmt.Errorf("level %d: there are 0 to 3", d.Level)
	case !slices.Contains([]string{UntilAnswer, UntilPreference, society.UntilRounds}, d.Until):
		return fmt.Errorf("until %q; there are %s, %s, %s and %s", d.Until, UntilModerator, UntilAnswer,
			UntilPreference, society.UntilRounds)
	case d.JudgeSees != JudgeSeesFirst && d.JudgeSees != JudgeSeesAll:
		return fmt.Errorf("judge-sees %q; there are %s and %s", d.JudgeSees, JudgeSeesFirst, JudgeSeesAll)
	case d.Replies != "" && d.Replies != debate.RepliesFree && d.Replies != debate.RepliesJSON:
		return fmt.Errorf("replies %q; there are %s and %s", d.Replies, debate.RepliesFree, debate.RepliesJSON)
	case c.Extract == nil:
		return errors.New("no answer rule: set Case.Extract")
	}
	return nil
}

// sinceLast is what the others said since a debater's last turn, in the order in which they spoke.
func sinceLast(arguments [][]string, debater int) string {
	var said []string
	for k := 1; k < len(arguments); k++ {
		if texts := arguments[(debater+k)%len(arguments)]; len(texts) > 0 {
			said = append(said, last(texts))
		}
	}
	return strings.Join(said, "\n\n")
}

// sides is what moderator and judge see of both sides: of each debater's arguments what shown takes.
func (d TitForTat) sides(arguments [][]string, shown func([]string) string) (yes, no string) {
	var against []string
	for _, texts := range arguments[1:] {
		against = append(against, shown(texts))
	}
	yes, no = shown(arguments[affirmative]), strings.Join(against, "\n\n")
	if d.Swapped {
		return no, yes
	}
	return yes, no
}

// named is a verdict under the true names of the sides.
func (d TitForTat) named(v Verdict) Verdict {
	other := map[string]string{"affirmative": "Negative",
		"negative": "Affirmative"}[strings.ToLower(strings.TrimSpace(v.Side))]
	if d.Swapped && other != "" {
		v.Side = other
	}
	return v
}

// grammar is that of a reply, where replies are to follow one.
func (d TitForTat) grammar(of func() string) string {
	if d.Replies != debate.RepliesJSON {
		return ""
	}
	return of()
}

// Verdict is what a moderator or judge replies.
type Verdict struct {
	Preference bool   // "Yes" to whether there is one
	Side       string // the supported one
	Reason     string
	Answer     string // under whatever other name: debate_answer, debate_translation, Correct Translation
}

// ReadVerdict reads a verdict from a reply, as JSON or as the dictionary of a Python program.
func ReadVerdict(reply string) (v Verdict, ok bool) {
	pairs, ok := answer.Dictionary(reply)
	for name, text := range pairs {
		switch name = strings.ToLower(name); {
		case strings.Contains(name, "preference"):
			v.Preference = strings.EqualFold(strings.TrimSpace(text), "yes")
		case strings.Contains(name, "side"):
			v.Side = text
		case strings.Contains(name, "reason"):
			v.Reason = text
		default:
			v.Answer = text
		}
	}
	return v, ok
}

// ends reports whether a moderator's verdict ends a debate that goes on until then.
func (v Verdict) ends(until string) bool {
	switch until {
	case UntilPreference:
		return v.Preference
	case UntilAnswer:
		return v.Answer != ""
	}
	return false
}

func (v Verdict) decide(by string, extract answer.Extractor) debate.Decision {
	return debate.Decision{Answer: extract(v.Answer), Votes: []debate.Count{}, Rule: "the answer of " + by,
		Side:   v.Side,
		Reason: v.Reason}
}

// reasonLength bounds the reasons in verdicts that follow a grammar, in characters.
const reasonLength = 600

// verdictGrammar is that of a moderator's reply, in the names that the prompts ask for.
func verdictGrammar() string {
	return grammar.Object(
		grammar.Field{Name: "Whether there is a preference", Value: grammar.Choice("Yes", "No")},
		grammar.Field{Name: "Supported Side", Value: grammar.Choice("Affirmative", "Negative")},
		grammar.Field{Name: "Reason", Value: grammar.Text(reasonLength)},
		grammar.Field{Name: "debate_answer", Value: grammar.Text(reasonLength)},
	).String()
}

// judgementGrammar is that of the judge's last reply.
func judgementGrammar() string {
	return grammar.Object(grammar.Field{Name: "Reason", Value: grammar.Text(reasonLength)},
		grammar.Field{Name: "debate_answer", Value: grammar.Text(reasonLength)}).String()
}

func last(texts []string) string { return texts[len(texts)-1] }

// Chosen is whose last answer a tit for tat decided for: "affirmative", "negative", "tie" where both gave it, or
// "neither".
func Chosen(t debate.Transcript) string {
	gave := make(map[bool]bool) // of the affirmative side, of the other
	for _, round := range t.Rounds {
		for _, turn := range round {
			if t.Argues(turn) {
				affirms := turn.Agent == affirmative
				gave[affirms] = turn.Answer.Equal(t.Decision.Answer) || !affirms && turn.Agent > 1 && gave[affirms]
			}
		}
	}
	switch {
	case gave[true] && gave[false]:
		return "tie"
	case gave[true]:
		return "affirmative"
	case gave[false]:
		return "negative"
	}
	return "neither"
}
