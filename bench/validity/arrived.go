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
	"github.com/parley-debate/parley/debate/knights"
	"github.com/parley-debate/parley/debate/society"
)

// What agents are asked for beside their answers.
const (
	confidences = "confidences"
	verdicts    = "verdicts to keep or revise"
	ballots     = "ballots"
	agreements  = "replies to a challenge"
	facts       = "judgements of facts"
	ratings     = "ratings of arguments"
	summaries   = "summaries"
	closings    = "closing turns"
)

// decisive are those on which the decisions of debates rest that ask for them.
var decisive = []string{confidences, verdicts, ballots}

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
	s := d.Transcript.Settings
	if turn.Answers && s != nil {
		switch debate.Value[string](*s, "confidence") {
		case society.ConfidenceAsked, knights.ConfidenceShown:
			count(confidences, turn.Confidence != nil)
		}
		if round > 0 && debate.Value[string](*s, "verdict") == society.VerdictStated {
			count(verdicts, turn.Verdict != "")
		}
	}
	switch turn.Kind {
	case debate.KindConfidence:
		n, err := strconv.Atoi(strings.TrimSpace(turn.Reply.Text))
		count(confidences, err == nil && n >= 0 && n <= 100)
	case debate.KindSoundness:
		_, read := knights.ReadRating(turn.Reply.Text)
		count(ratings, read)
	case debate.KindSummary:
		count(summaries, !turn.Silent() && turn.Reply.Text != "")
	}
	for _, before := range turn.Before {
		if before.Kind == debate.KindSummary {
			count(summaries, !before.Silent() && before.Reply.Text != "")
		}
	}
	for _, after := range turn.After {
		count(closings, after.Answer.Parsed)
	}
}

// InVain lists what agents were asked for, although decisions rest on it, and never gave.
func InVain(list []Arrival) []Arrival {
	return slices.DeleteFunc(slices.Clone(list), func(a Arrival) bool {
		return a.Arrived > 0 || !slices.Contains(decisive, a.What)
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
		"came of what decisions rest on (confidences, verdicts, ballots), the condition is not compared with one " +
		"that does without it."
	return t
}
