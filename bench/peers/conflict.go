package peers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
)

// Conflict is how far answers differ round by round: Liang et al.'s measure of the degeneration of thought (Liang et
// al., Figure 1). A debate has disagreement between its agents, self-reflection only with itself.
type Conflict struct {
	// Against is the condition with single answers whose wrong ones choose the debates of Wrong, or "" if the run has
	// none: then the first answer of each debate's own first agent does.
	Against string  `json:"against,omitempty"`
	All     []Clash `json:"all"`             // by round
	Wrong   []Clash `json:"wrong,omitempty"` // it counts debates whose first answer was wrong
}

// Clash is one round. Answers that cannot be read are left out.
type Clash struct {
	Debates int `json:"debates"` // in which somebody answers in this round
	// Between is the share of pairs of agents whose answers differ, mean over debates; nil without pairs.
	Between *float64 `json:"between,omitempty"`
	// Within is the share of agents whose answer differs from their own last one before, mean over debates; nil in the
	// first round.
	Within *float64 `json:"within,omitempty"`
}

// clashes collects one round.
type clashes struct {
	debates         int
	between, within []float64 // by debate
}

// ConflictOf goes through the debates of a condition; the result is nil if nobody answers in two rounds. Debates are
// those of the run that could be held, under all conditions.
func ConflictOf(d Held, all []Held) *Conflict {
	c := &Conflict{}
	var rounds, wrong []clashes
	firstWrong := ownFirstWrong
	if single, found := singleIn(all); found && single.Condition != d.Condition {
		c.Against, firstWrong = single.Condition, wrongUnder(single)
	}
	again := false
	for _, o := range d.Debates {
		again = again || len(o.Again()) > 0
		enter(&rounds, o.Rounds())
		if firstWrong(o) {
			enter(&wrong, o.Rounds())
		}
	}
	if !again {
		return nil
	}
	c.All, c.Wrong = sumRounds(rounds), sumRounds(wrong)
	return c
}

// singleIn is the first condition in which one agent answers once.
func singleIn(all []Held) (h Held, found bool) {
	i := slices.IndexFunc(all, func(h Held) bool {
		return len(h.Debates) > 0 && !slices.ContainsFunc(h.Debates, func(o relation.Debate) bool {
			return len(o.Rounds()) != 1 || len(o.Rounds()[0].Turns) != 1
		})
	})
	if i < 0 {
		return h, false
	}
	return all[i], true
}

func wrongUnder(h Held) func(relation.Debate) bool {
	wrong := make(map[string]bool)
	for _, o := range h.Debates {
		wrong[o.Case()] = o.Score != task.Right
	}
	return func(o relation.Debate) bool { return wrong[o.Case()] }
}

// ownFirstWrong reports whether the first agent of a debate answers wrong at first.
func ownFirstWrong(o relation.Debate) bool {
	for _, round := range o.Rounds() {
		for _, turn := range round.Turns {
			if turn.Answers {
				return o.Marked() && !turn.IsRight()
			}
		}
	}
	return false
}

// enter adds a debate to the rounds.
func enter(rounds *[]clashes, debate []outcome.Round) {
	before := make(map[int]int) // the last answer of each agent
	for r, now := range debate {
		if r == len(*rounds) {
			*rounds = append(*rounds, clashes{})
		}
		if len(now.Answers) == 0 {
			continue
		}
		round := &(*rounds)[r]
		round.debates++
		if same, known := agreement.PairAgreement(outcome.IDsOf(now.Answers)); known {
			round.between = append(round.between, 1-same)
		}
		var changed []float64
		for _, turn := range now.Answers {
			last, answered := before[turn.Agent]
			if answered && last != agreement.Unparsed && turn.ID != agreement.Unparsed {
				changed = append(changed, stat.One[float64](turn.ID != last))
			}
			before[turn.Agent] = turn.ID
		}
		if len(changed) > 0 {
			round.within = append(round.within, stat.Mean(changed))
		}
	}
}

func sumRounds(rounds []clashes) (list []Clash) {
	for _, r := range rounds {
		list = append(list, Clash{Debates: r.debates, Between: meanOf(r.between), Within: meanOf(r.within)})
	}
	return list
}

// meanOf is nil of nothing.
func meanOf(x []float64) *float64 {
	if len(x) == 0 {
		return nil
	}
	m := stat.Mean(x)
	return &m
}

// clash is a round of a condition.
type clash struct {
	condition  string
	round      int
	all, wrong Clash
}

// ConflictTable says how far answers differ in each round.
func ConflictTable(conditions []Measures) table.Table {
	var rows []clash
	against := make(map[string]bool)
	for _, c := range conditions {
		if c.Conflict == nil {
			continue
		}
		against[c.Conflict.Against] = true
		for r, all := range c.Conflict.All {
			line := clash{condition: c.Condition, round: r, all: all}
			if r < len(c.Conflict.Wrong) {
				line.wrong = c.Conflict.Wrong[r]
			}
			if all.Debates > 0 {
				rows = append(rows, line)
			}
		}
	}
	columns := []table.Column[clash]{
		table.Words("condition", func(c clash) string { return c.condition }),
		table.Counts("round", func(c clash) int { return c.round }),
		table.Counts("debates", func(c clash) int { return c.all.Debates }),
		table.Decimals("between agents", func(c clash) *float64 { return c.all.Between }),
		table.Decimals("with itself", func(c clash) *float64 { return c.all.Within }),
		table.Counts("first wrong", func(c clash) int { return c.wrong.Debates }),
		table.Decimals("between, first wrong", func(c clash) *float64 { return c.wrong.Between }),
		table.Decimals("itself, first wrong", func(c clash) *float64 { return c.wrong.Within }),
	}
	for i, field := range []string{"condition", "round", "debates", "between", "within", "wrong_debates",
		"wrong_between", "wrong_within"} {
		columns[i].Fields = []string{field}
	}
	t := table.New(columns, rows)
	t.Title, t.Lead = "Disagreement by round", []string{"between agents"}
	t.Caption = "Between agents: share of pairs of agents whose answers in the round differ. With itself: share of " +
		"agents whose answer differs from their own last one before. Both are means over the debates that hold the " +
		"round. First wrong: the same of debates on questions whose first answer was wrong"
	for _, name := range slices.Sorted(maps.Keys(against)) {
		if name == "" {
			t.Caption += ", that of the debate's own first agent"
		} else {
			t.Caption += fmt.Sprintf(", that of %s", name)
		}
	}
	t.Caption += " (Liang et al., Figure 1)."
	return t
}
