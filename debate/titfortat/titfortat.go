// Package titfortat is Liang et al.'s debate: two or more sides argue in turn, a moderator may end the debate after a
// round, and otherwise a judge decides. titForTat.Run is the loop; verdict.go reads what the moderator and the judge
// reply.
package titfortat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/inference"
)

// titForTat is Liang et al.'s debate (Liang et al., Encouraging Divergent Thinking, section 2). An affirmative and a
// negative side argue in turn, or several debaters, the first of whom is affirmative (its algorithm 1). After each
// round a moderator says whether the answer has been found; if it has not been found after the last round, a judge
// extracts it in two calls. Each debater keeps its own history, in which it is told what the others said since its last
// turn; no debater sees the moderator.
type titForTat struct {
	debate.Asking
	Debaters  int    // 0 means 2
	Rounds    int    // at most; 0 means 3
	Until     string // untilModerator, the default, untilAnswer, untilPreference, or debate.UntilRounds for all rounds
	JudgeSees string // judgeSeesFirst or judgeSeesAll; the default depends on Reading
	Level     int    // how far the sides may agree: 0 is full consensus, 2 what the source ships, 3 none
	Reading   string // a key of readings; it gives the defaults of Until and JudgeSees
	// Order is that in which a debater is told what several others have said, one of listing.Counted; fixed is that in
	// which they spoke.
	Order   listing.Order
	Swapped bool   // moderator and judge see each side under the other's name: a control for names and places
	Replies string // of moderator and judge: debate.RepliesFree, the default, or debate.RepliesJSON
	Prompts prompts.Sides
}

// What in a moderator's verdict ends a debate.
const (
	untilModerator  = "moderator"  // whatever does in the reading
	untilAnswer     = "answer"     // an answer, with or without a preference
	untilPreference = "preference" // a preference, with or without an answer
)

// What the judge sees of the debate.
const (
	judgeSeesFirst = "first" // the arguments of the first round
	judgeSeesAll   = "all"   // the judge sees those of all rounds
)

// ReadingRecorded is neither the paper nor the released code, but the program that recorded Liang et al.'s published
// debates: all of them end on a preference, and their judges saw the first round.
const ReadingRecorded = "recorded"

// readings has the defaults of Until and JudgeSees for each reading.
var readings = map[string]struct{ until, judgeSees string }{
	debate.ReadingCode:  {untilAnswer, judgeSeesFirst},
	debate.ReadingPaper: {untilPreference, judgeSeesAll},
	ReadingRecorded:     {untilPreference, judgeSeesFirst},
}

// complete sets the defaults.
func (d titForTat) complete() titForTat {
	d.Rounds, d.Debaters = cmp.Or(d.Rounds, 3), cmp.Or(d.Debaters, 2)
	if d.Until == untilModerator {
		d.Until = ""
	}
	reading := readings[d.Reading]
	d.Until, d.JudgeSees = cmp.Or(d.Until, reading.until), cmp.Or(d.JudgeSees, reading.judgeSees)
	return d
}

// affirmative is the agent that speaks first. The other debaters follow in the order in which they speak, then come the
// moderator and the judge.
const affirmative = 0

// SideNames returns the roles of all agents of a debate with so many debaters.
func SideNames(debaters int) []string {
	names := []string{debate.RoleAffirmative, debate.RoleNegative}
	for i := 2; i < debaters; i++ {
		names = append(names, fmt.Sprintf("%s %d", debate.RoleNegative, i))
	}
	return append(names, debate.RoleModerator, debate.RoleJudge)
}

// RoleNames implements debate.Named.
func (d titForTat) RoleNames() []string { return SideNames(d.Debaters) }

// Run holds one debate. In the transcript each round has the turns of the debaters and of the moderator. A round before
// them has the answer that the affirmative side will defend, if the prompts ask for one; each turn of the judge is a
// round after them. The first agent that fails ends the debate with its error.
//
// Where paper and code differ: in the code the debate ends when the moderator fills in an answer, with or without a
// preference, and the judge sees the arguments of the first round; in the paper a preference ends it, and the judge
// sees the whole debate. The program that recorded the published debates ended them as the paper does and judged them
// as the code does.
func (d titForTat) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	d = d.complete()
	t := debate.Transcript{Protocol: "tit-for-tat", Case: c.ID, Order: d.Order.Unusual(), Reading: d.Reading,
		Roles: SideNames(d.Debaters)}
	if err := d.check(c); err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	stage := &debate.Stage{Asker: d.Asking.For(speaker, c), Transcript: &t}
	moderator, judge := d.Debaters, d.Debaters+1
	p := d.Prompts

	base := ""
	if p.Base != "" {
		turn, err := stage.Say(ctx, affirmative, debate.Conversation("", p.BaseFor(c.Question)), "")
		if err != nil {
			return t, err
		}
		base = debate.OrUnsaid(turn.Reply.Text)
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
				histories[i] = debate.WithMessage(histories[i], p.AgainAfter(d.sinceLast(arguments, i, round, c)))
			case i == affirmative:
				histories[i] = debate.Conversation(debater, p.AffirmWith(c.Question, base))
			default:
				histories[i] = debate.Conversation(debater, p.DenyAfter(d.sinceLast(arguments, i, round, c)))
			}
			turn, err := stage.Say(ctx, i, histories[i], "")
			if err != nil {
				return t, err
			}
			histories[i] = debate.WithReply(histories[i], turn)
			arguments[i] = append(arguments[i], debate.OrUnsaid(turn.Told()))
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
				break // a preference without an answer: the judge is asked for one
			}
			t.Decision = d.withTrueNames(v).decide("the moderator", c.Extract)
			return t, nil
		}
	}

	yes, no := d.sides(arguments, func(texts []string) string {
		if d.JudgeSees == judgeSeesAll {
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
	stage.Concludes = true
	if turn, err = stage.Say(ctx, judge, debate.WithMessage(debate.WithReply(hearing, turn), p.Final),
		d.grammar(judgementGrammar)); err != nil {
		return t, err
	}
	stage.End()
	v, ok := ReadVerdict(turn.Reply.Text)
	if !ok {
		v.Answer = turn.Reply.Text // the answer rule is applied to all of it
	}
	t.Decision = d.withTrueNames(v).decide("the judge", c.Extract)
	if turn.Answer.How == answer.ByClosing && t.Decision.Answer.How != answer.Explicit {
		t.Decision.Answer = turn.Answer
	}
	return t, nil
}

func (d titForTat) check(c debate.Case) error {
	switch {
	case d.Rounds < 1 || d.Debaters < 2:
		return debate.About(fmt.Errorf("a debate of %d debaters and %d rounds: at least two debaters and one round "+
			"are needed", d.Debaters, d.Rounds), "agents", "rounds")
	case readings[d.Reading].until == "":
		return debate.About(fmt.Errorf("no reading %q; there are %s, %s and %s", d.Reading, debate.ReadingCode,
			debate.ReadingPaper, ReadingRecorded), "reading")
	case d.Level < 0 || d.Level >= len(d.Prompts.Levels):
		return debate.About(fmt.Errorf("level %d: there are 0 to 3", d.Level), "level")
	case !slices.Contains([]string{untilAnswer, untilPreference, debate.UntilRounds}, d.Until):
		return debate.About(fmt.Errorf("until %q; there are %s, %s, %s and %s", d.Until, untilModerator, untilAnswer,
			untilPreference, debate.UntilRounds), "until")
	case d.JudgeSees != judgeSeesFirst && d.JudgeSees != judgeSeesAll:
		return debate.About(fmt.Errorf("judge-sees %q; there are %s and %s", d.JudgeSees, judgeSeesFirst, judgeSeesAll),
			"judge-sees")
	case d.Replies != "" && d.Replies != debate.RepliesFree && d.Replies != debate.RepliesJSON:
		return debate.About(fmt.Errorf("replies %q; there are %s and %s", d.Replies, debate.RepliesFree,
			debate.RepliesJSON), "replies")
	case c.Extract == nil:
		return errors.New("no answer rule: set Case.Extract")
	}
	return nil
}

// sinceLast returns what the others said since a debater's last turn, in the order in which they spoke, or by Order.
func (d titForTat) sinceLast(arguments [][]string, debater, round int, c debate.Case) string {
	n := len(arguments)
	before := listing.Standing{Round: round} // by place: the debater's own is 0, and who speaks next has 1
	for k := range n {
		texts := arguments[(debater+k)%n]
		before.Silent = append(before.Silent, len(texts) == 0)
		said := answer.Unparsed
		if len(texts) > 0 && last(texts) != debate.Unsaid {
			said = c.Extract(last(texts))
		}
		before.Answers = append(before.Answers, said)
	}
	draw := func(int) *rand.Rand { return d.Seeds.Orders(c.ID, round)(debater) }
	var said []string
	for _, k := range d.Order.Others(0, before, slices.Repeat([]bool{true}, n), draw) {
		said = append(said, last(arguments[(debater+k)%n]))
	}
	return strings.Join(said, "\n\n")
}

// sides returns what the moderator and the judge see of both sides: what shown takes of each debater's arguments. The
// side that they see as affirmative comes first.
func (d titForTat) sides(arguments [][]string, shown func([]string) string) (yes, no string) {
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

// withTrueNames returns a verdict with the true names of the sides.
func (d titForTat) withTrueNames(v Verdict) Verdict {
	other := map[string]string{debate.RoleAffirmative: "Negative",
		debate.RoleNegative: "Affirmative"}[strings.ToLower(strings.TrimSpace(v.Side))]
	if d.Swapped && other != "" {
		v.Side = other
	}
	return v
}

// grammar returns the grammar that of makes, or "" if replies are free.
func (d titForTat) grammar(of func() string) string {
	if d.Replies != debate.RepliesJSON {
		return ""
	}
	return of()
}

func last(texts []string) string { return texts[len(texts)-1] }

// Held reports whether a transcript records a tit for tat, by its settings.
func Held(t debate.Transcript) bool { return t.Settings != nil && t.Settings.Form == FormName }

// Winner returns the side that won a debate between sides by the word of its judge, in lower case, or "neither".
func Winner(t debate.Transcript) string {
	return cmp.Or(strings.ToLower(strings.TrimSpace(t.Decision.Side)), "neither")
}

// Chosen returns whose last answer a tit for tat decided for: "affirmative", "negative", "tie" if both sides gave it,
// or "neither". The negative side gave it if one of its debaters did.
func Chosen(t debate.Transcript) string {
	gave := make(map[bool]bool) // by whether the side is affirmative: does its last answer equal the decision?
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
		return debate.RoleAffirmative
	case gave[false]:
		return debate.RoleNegative
	}
	return "neither"
}
