package validity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/discussion"
	"github.com/parley-debate/parley/debate/knights"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/debate/titfortat"
	"github.com/parley-debate/parley/inference/calculator"
)

// What agents are asked for beside their answers.
const (
	confidences = "confidences"
	verdicts    = "verdicts to keep or revise"
	ballots     = "ballots"
	agreements  = "replies to a challenge"
	facts       = "judgements of facts"
	ratings     = "ratings of arguments"
	reasons     = "ratings of reasons"
	orders      = "orders of the players"
	ties        = "ties settled by the supervisor"
	summaries   = "summaries"
	closings    = "closing turns"
	selections  = "selections"
	personas    = "personas"
	beliefs     = "beliefs"
	judgements  = "judgements of moderator and judge"
	stances     = "statements of agreement"
	critiques   = "critiques"
	sides       = "sides argued for as assigned"
	uses        = "uses of the tool"
	computed    = "values of its calls"
	written     = "answers of the " // and who writes them instead of a vote
)

// decides reports whether what a condition tests rests on something that it asks for: all but closing turns, which are
// how a reply is read that states no answer, and the few ties of knights.
func (a Arrival) decides() bool { return a.What != closings && a.What != ties }

// written reports whether what was asked for are the answers of one who decides.
func (a Arrival) written() bool { return strings.HasPrefix(a.What, written) }

// Arrival counts how often agents were asked for something beside an answer, and how often it came and could be read.
type Arrival struct {
	What           string
	Asked, Arrived int
}

// String is a phrase such as "0 of 90 confidences".
func (a Arrival) String() string {
	return fmt.Sprintf("%s of %s %s", wording.Comma(a.Arrived), wording.Comma(a.Asked), a.What)
}

// Arrivals counts what came of everything that agents were asked for beside answers.
func Arrivals(debates []*outcome.Debate) (list []Arrival) {
	count := func(what string, arrived bool) {
		i := slices.IndexFunc(list, func(a Arrival) bool { return a.What == what })
		if i < 0 {
			i, list = len(list), append(list, Arrival{What: what})
		}
		if list[i].Asked++; arrived {
			list[i].Arrived++
		}
	}
	for _, d := range debates {
		for r, round := range d.Rounds() {
			for _, turn := range round.Turns {
				stated(d, r, turn, count)
			}
		}
		presided(d.Transcript, count)
		agreed(d.Transcript, count)
		supervised(d.Transcript, count)
		decidedByOne(d.Transcript, count)
		criticised(d.Transcript, count)
		for _, b := range d.Transcript.Decision.Ballots {
			count(ballots, b.Invalid == "")
		}
		for _, c := range d.Transcript.Challenges {
			count(agreements, c.Agrees != nil)
		}
		for _, judged := range d.Transcript.Judged {
			count(facts, judged.Answer.Parsed)
		}
	}
	return list
}

// stated counts what a turn was to have beside its answer, and what it is for if it answers nothing.
func stated(d *outcome.Debate, round int, turn outcome.Turn, count func(what string, arrived bool)) {
	if s := d.Transcript.Settings; turn.Answers && s != nil {
		beside(d, *s, round, turn, count)
	}
	switch turn.Kind {
	case debate.KindConfidence:
		n, err := strconv.Atoi(strings.TrimSpace(turn.Reply.Text))
		count(confidences, err == nil && n >= 0 && n <= 100)
	case debate.KindSoundness:
		_, read := knights.ReadRating(turn.Reply.Text)
		count(ratings, read)
	case debate.KindReasons:
		_, read := knights.ReadReasons(turn.Reply.Text)
		count(reasons, read)
	case debate.KindPersona:
		_, _, err := discussion.ReadPersona(turn.Reply.Text)
		count(personas, err == nil)
	case debate.KindSummary:
		count(summaries, !turn.Silent() && turn.Reply.Text != "")
	}
	for _, before := range turn.Before {
		switch before.Kind {
		case debate.KindSummary:
			count(summaries, !before.Silent() && before.Reply.Text != "")
		case debate.KindSelection:
			count(selections, society.ReadSelection(before.Reply.Text, before.Heard) != nil)
		}
	}
	if turn.After != nil { // in one order of the options or several
		count(closings, slices.ContainsFunc(turn.After, func(t debate.Turn) bool { return t.Answer.Parsed }))
	}
}

// beside counts what a turn was to have beside its answer, by the settings of the debate.
func beside(d *outcome.Debate, s debate.Settings, round int, turn outcome.Turn,
	count func(what string, arrived bool)) {
	switch debate.Value[string](s, "confidence") {
	case society.ConfidenceAsked, knights.ConfidenceShown:
		count(confidences, turn.Confidence != nil)
	}
	if round > 0 && debate.Value[string](s, "verdict") == society.VerdictStated {
		count(verdicts, turn.Verdict != "")
	}
	if debate.ToolOf(s, turn.Agent) != "" && turn.Grammar == "" && !turn.Silent() {
		calls, values := calculator.Calls(turn.Reply.Text)
		count(uses, calls > 0)
		for i := range calls {
			count(computed, i < values)
		}
	}
	if side, assigned := d.Transcript.SideOf(turn.Agent); assigned && !turn.Silent() {
		count(sides, turn.Answer.Equal(answer.Of(side)))
	}
	order := listing.Order{Name: debate.Value[string](s, "order")}
	if order.Probable() && round < len(d.Rounds())-1 && !turn.Silent() {
		count(beliefs, turn.Beliefs != nil)
	}
}

// presided counts what the moderator of a tit for tat says after each round, and its judge in the end.
func presided(t debate.Transcript, count func(what string, arrived bool)) {
	if !titfortat.Held(t) {
		return
	}
	for r, round := range t.Rounds {
		for _, turn := range round {
			role := t.Role(turn.Agent)
			if role == debate.RoleModerator || role == debate.RoleJudge && r == len(t.Rounds)-1 && r > 0 &&
				t.Role(t.Rounds[r-1][0].Agent) == debate.RoleJudge {
				_, read := titfortat.ReadVerdict(turn.Reply.Text)
				count(judgements, read)
			}
		}
	}
}

// supervised counts the orders in which players are debated, and the ties on players that somebody has to settle.
func supervised(t debate.Transcript, count func(what string, arrived bool)) {
	for r, phase := range t.Phases[:min(len(t.Phases), len(t.Rounds))] {
		for _, turn := range t.Rounds[r] {
			switch phase.Kind() {
			case debate.PhaseOrder:
				count(orders, turn.Answer.Parsed)
			case debate.PhaseSettling("").Kind():
				count(ties, turn.Answer.Parsed)
			}
		}
	}
}

// decidedByOne counts the answer that a judge, a chairman or an aggregator writes where there is no vote.
func decidedByOne(t debate.Transcript, count func(what string, arrived bool)) {
	who := debate.RoleJudge
	if t.Decision.Rule.Means == debate.MeansWritten {
		who = t.Decision.Rule.Name
	}
	for _, turns := range t.Voting {
		for _, turn := range turns {
			if turn.Kind == debate.KindJudgement {
				count(written+who, turn.Answer.Parsed)
			}
		}
	}
}

// criticised counts the critiques for a judge: what agents say who heard, in the first round, those that spoke before
// them in it. Who says the same in the same words has not criticised it.
func criticised(t debate.Transcript, count func(what string, arrived bool)) {
	if t.Decision.Rule.Name != debate.RoleArbiter || len(t.Rounds) == 0 {
		return
	}
	for i, turn := range t.Rounds[0] {
		words := strings.Fields(turn.Reply.Text)
		if len(turn.Heard) > 0 {
			count(critiques, turn.Tells() && !slices.ContainsFunc(t.Rounds[0][:i], func(said debate.Turn) bool {
				return slices.Equal(strings.Fields(said.Reply.Text), words)
			}))
		}
	}
}

// agreed counts how often the agents of a discussion say whether they agree with the solution before: in calls of their
// own or else in messages, of which drafts and the first one have nothing to agree with.
func agreed(t debate.Transcript, count func(what string, arrived bool)) {
	var asked, messages []debate.Turn
	for _, round := range t.Rounds {
		for _, turn := range round {
			switch turn.Kind {
			case debate.KindStance:
				asked = append(asked, turn)
			case debate.KindMessage:
				messages = append(messages, turn)
			}
		}
	}
	alone := asked == nil // nobody was asked in a call of its own
	for k := 1; alone && k < min(len(t.Records), len(messages)); k++ {
		if t.Records[k].Agreement != nil {
			asked = append(asked, messages[k])
		}
	}
	for _, turn := range asked {
		count(stances, discussion.SaysStance(turn.Reply.Text, t.Reading))
	}
}

// InVain lists what agents were asked for, although what is tested rests on it, and never gave.
func InVain(list []Arrival) []Arrival {
	return slices.DeleteFunc(slices.Clone(list), func(a Arrival) bool {
		return a.Arrived > 0 || !a.decides()
	})
}

// Requested is what the agents of a condition were asked for.
type Requested struct {
	Name string
	Arrival
}

// ArrivalsTable has a line for each thing that the agents of a condition were asked for beside answers.
func ArrivalsTable(rows []Requested) table.Table {
	if len(rows) == 0 {
		return table.Table{}
	}
	t := table.New([]table.Column[Requested]{
		table.Words("condition", func(a Requested) string { return a.Name }, "condition"),
		table.Words("asked for", func(a Requested) string { return a.What }, "what"),
		table.Counts("times", func(a Requested) int { return a.Asked }),
		table.Counts("arrived", func(a Requested) int { return a.Arrived }),
		table.Ratios("share", "", func(a Requested) (int, int) { return a.Arrived, a.Arrival.Asked }),
	}, rows)
	t.Title = "What arrived"
	t.Caption = "What agents were asked for beside answers, and how often it came and could be read. Where nothing " +
		"came, the condition is not compared with one that does without it (closing turns and ties aside)."
	return t
}
