// Package reversal is source 0's experiment on the threshold of reversal: how many agents have to say otherwise, and in
// which order, before one changes its answer.
package reversal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/debate/society"
	"parley/debate/vote"
	"parley/inference"
)

// Centre is source 0's experiment on the threshold of reversal: one agent, whose own first answer is given, hears the
// solutions of others in one message and answers again. How many of them are right, and where these stand, is what may
// turn it. All solutions are taken from a pool of independent answers to the question, from the first on: the right
// ones, and those that give the most frequent wrong answer.
type Reversal struct {
	debate.Asking
	Hears int    // how many solutions
	Order string // in which they are listed: CentreOrders
	// ReadingCode, the default, or ReadingPaper: where wrong solutions begin in OrderAlternating, and what stands
	// before its own answer.
	Reading       string
	Initial       string // what its own first answer is: OwnRight, OwnWrong, the default, or OwnOther
	MostSolutions int    // solutions at the end of the sweep that this is a step of: half of them are right
	Samples       int    // size of the pool, where the case has no debate before that is one
	Holder        int    // in an order placed:P, which of those heard has the right solution
	Opening       string // of the pool, as a society's
	Wording       string // of the message, as a society's
	Prompts       prompts.Set
}

// Orders in which the centre hears right and wrong solutions.
const (
	OrderCorrectFirst   = "correct-first"   // right ones, and wrong ones when half of the sweep is right
	OrderIncorrectFirst = "incorrect-first" // the other way round
	OrderAlternating    = "alternating"     // by turns, a right one first
	OrderPlaced         = "placed"          // placed:P: one right solution, at place P from 0
)

// CentreOrders lists them, "placed:0" for all that place one.
func Orders() []string {
	return []string{OrderCorrectFirst, OrderIncorrectFirst, OrderAlternating, OrderPlaced + ":0"}
}

// What the centre's own first answer is. In source 0's words the wrong answer is `other`, and which one the centre
// gives is `zero`.
const (
	InitialRight = "right"
	InitialWrong = "wrong" // the wrong answer that it hears
	InitialOther = "other" // the most frequent answer that is neither
)

// complete fills in what is not given, as the source has it.
func (d Reversal) complete() Reversal {
	for _, number := range []struct {
		value *int
		usual int
	}{{&d.MostSolutions, 80}, {&d.Samples, 400}} {
		if *number.value == 0 {
			*number.value = number.usual
		}
	}
	if d.Hears == 0 {
		d.Hears = d.MostSolutions
	}
	for _, name := range []struct {
		value *string
		usual string
	}{{&d.Order, OrderCorrectFirst}, {&d.Reading, debate.ReadingCode}, {&d.Initial, InitialWrong}} {
		if *name.value == "" {
			*name.value = name.usual
		}
	}
	return d
}

// Run has the centre answer once. Round 0 of the transcript is its given answer, round 1 its reply, which heard members
// of the pool. The seed is that of agent 0 in round 1, whatever it hears.
func (d Reversal) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	d = d.complete()
	t := debate.Transcript{Protocol: "centre", Case: c.ID, Order: d.Order, Reading: d.Reading}
	if err := d.check(c); err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	own := debate.Turn{Kind: debate.KindGiven}
	pool := c.Prior
	if pool == nil {
		sampled, err := d.pool().Run(ctx, speaker, c)
		if t.Rounds = sampled.Rounds; err != nil {
			return t, err
		}
		pool, own.Before = &sampled, sampled.Last()
	}
	one, heard, err := d.choose(pool.Last(), c.Truth)
	if err != nil {
		return t, fmt.Errorf("case %q: %w: %w", c.ID, debate.ErrPrior, err)
	}
	own.Messages, own.Reply, own.Answer = one.Messages, one.Reply, one.Answer
	turns := []debate.Turn{{Round: 1, Heard: heard, Messages: d.message(own, pool.Last(), heard, c)}}
	d.Report([]debate.Turn{own})
	t.Rounds = [][]debate.Turn{{own}}
	if err := d.For(speaker, c.ID, c.Extract).Ask(ctx, turns); err != nil {
		return t.BrokenOff(turns), err
	}
	d.Report(turns)
	t.Rounds = append(t.Rounds, turns)
	t.Decision = vote.Majority(turns)
	return t, nil
}

// pool is a society that never speaks.
func (d Reversal) pool() society.Society {
	asking := d.Asking
	asking.Observe = nil
	return society.Society{Asking: asking, Agents: d.Samples, Rounds: 1, Opening: d.Opening, Prompts: d.Prompts}
}

// choose takes the centre's own first answer from a pool, and the indices of what it hears. In source 0 that may be its
// own solution too; where one is placed it is not, so that no holder differs from the others in that.
func (d Reversal) choose(pool []debate.Turn, truth answer.Answer) (own debate.Turn, heard []int, err error) {
	right, wrong, other := sorted(pool, truth)
	from := map[string][]int{InitialRight: right, InitialWrong: wrong, InitialOther: other}[d.Initial]
	if len(from) == 0 {
		return own, nil, fmt.Errorf("the pool of %d has no solution of the kind that the centre's own is to be (own "+
			"%s): sample more or let it be another", len(pool), d.Initial)
	}
	if own = pool[from[0]]; own.Messages == nil {
		return own, nil, errors.New("the pool does not say what it was asked: records of runs leave that out")
	}
	if _, placed := d.place(); placed {
		itself := func(i int) bool { return i == from[0] }
		right, wrong = slices.DeleteFunc(right, itself), slices.DeleteFunc(wrong, itself)
	}
	if needed := d.half(); len(right) < needed {
		return own, nil, d.lacks(pool, "right", len(right), needed)
	}
	if needed := d.half() + d.skipped(); len(wrong) < needed {
		return own, nil, d.lacks(pool, "equal wrong", len(wrong), needed)
	}
	return own, d.list(right, wrong), nil
}

// sorted are the indices of right solutions, of those with the most frequent wrong answer, and of those with the next.
// Equal counts are in the order of the pool.
func sorted(pool []debate.Turn, truth answer.Answer) (right, wrong, other []int) {
	of := make(map[string][]int)
	for i, t := range pool {
		if t.Answer.Parsed {
			of[t.Answer.Text] = append(of[t.Answer.Text], i)
		}
	}
	var wrongs [][]int
	for _, v := range vote.Majority(pool).Votes {
		if v.Answer == truth.Text {
			right = of[v.Answer]
		} else {
			wrongs = append(wrongs, of[v.Answer])
		}
	}
	wrongs = append(wrongs, nil, nil)
	return right, wrongs[0], wrongs[1]
}

func (d Reversal) lacks(pool []debate.Turn, kind string, has, needed int) error {
	lower := "most"
	if _, placed := d.place(); placed {
		lower = "agents"
	}
	return fmt.Errorf("the pool of %d has %d %s solutions and %d are needed: sample more or lower %s", len(pool), has,
		kind, needed, lower)
}

// half is how many solutions of each kind there must be. It is the same at every step of a sweep, so that all have the
// same questions.
func (d Reversal) half() int {
	if _, placed := d.place(); placed {
		return d.Hears
	}
	return d.MostSolutions / 2
}

// skipped is how many wrong solutions are passed over: in source 0's code, the alternating order never shows the first.
func (d Reversal) skipped() int {
	if d.Order == OrderAlternating && d.Reading == debate.ReadingCode {
		return 1
	}
	return 0
}

// list puts solutions into the order. Where one is placed, each of those heard has a right and a wrong solution; the
// holder tells its right one, all others their wrong ones, and they stand in a circle that is turned until the holder
// is at its place. So every holder can be at every place.
func (d Reversal) list(right, wrong []int) []int {
	half := d.half()
	switch d.Order {
	case OrderCorrectFirst:
		return slices.Concat(right[:half], wrong[:half])[:d.Hears]
	case OrderIncorrectFirst:
		return slices.Concat(wrong[:half], right[:half])[:d.Hears]
	}
	place, placed := d.place()
	heard := make([]int, d.Hears)
	for i := range heard {
		member := (i - place + d.Holder + d.Hears) % d.Hears
		switch {
		case placed && member == d.Holder:
			heard[i] = right[member]
		case placed:
			heard[i] = wrong[member]
		case i%2 == 0:
			heard[i] = right[i/2]
		default:
			heard[i] = wrong[i/2+d.skipped()]
		}
	}
	return heard
}

// place is where the one right solution stands, if the order places one.
func (d Reversal) place() (place int, placed bool) { return PlaceOf(d.Order) }

// PlaceOf is where an order of a centre places the one right solution, if it does.
func PlaceOf(order string) (place int, placed bool) {
	text, placed := strings.CutPrefix(order, OrderPlaced+":")
	if place, err := strconv.Atoi(text); placed && err == nil {
		return place, true
	}
	return 0, false
}

// message is the question, the centre's own answer, and what it hears. In the orders of source 0's code the question is
// another than the one that the answer was sampled by: with worked examples.
func (d Reversal) message(own debate.Turn, pool []debate.Turn, heard []int, c debate.Case) []inference.Message {
	solutions := make([]string, len(heard))
	for k, i := range heard {
		solutions[k] = pool[i].Reply.Text
	}
	asked := own.Messages
	recalled := d.Prompts.Recall(c.Question)
	if _, placed := d.place(); recalled != "" && d.Reading == debate.ReadingCode && !placed {
		asked = debate.Conversation(d.Prompts.System, recalled)
	}
	said := prompts.Heard{Wording: d.Wording, Solutions: solutions, Question: c.Question, Round: 1, Last: true}
	return debate.WithMessage(debate.WithReply(asked, own), d.Prompts.Hear(said))
}

func (d Reversal) check(c debate.Case) error {
	place, placed := d.place()
	sweep := slices.Contains([]string{OrderCorrectFirst, OrderIncorrectFirst, OrderAlternating}, d.Order)
	switch {
	case !placed && !sweep:
		return fmt.Errorf("no order %q; there are %s", d.Order, strings.Join(Orders(), ", "))
	case d.Reading != debate.ReadingCode && d.Reading != debate.ReadingPaper:
		return fmt.Errorf("no reading %q; there are %s and %s", d.Reading, debate.ReadingCode, debate.ReadingPaper)
	case !slices.Contains([]string{InitialRight, InitialWrong, InitialOther}, d.Initial):
		return fmt.Errorf("own %q; there are %s, %s and %s", d.Initial, InitialRight, InitialWrong, InitialOther)
	case d.Samples < 1 || d.Samples > debate.MaxSize:
		return fmt.Errorf("samples %d: from 1 to %d", d.Samples, debate.MaxSize)
	case d.Hears < 1 || d.Hears > debate.MaxSize:
		return fmt.Errorf("agents %d: from 1 to %d are heard", d.Hears, debate.MaxSize)
	case sweep && (d.MostSolutions < d.Hears || d.MostSolutions > debate.MaxSize || d.MostSolutions%2 != 0):
		return fmt.Errorf("most %d: half of a sweep is right, so that it is even, from the %d agents heard here to %d",
			d.MostSolutions, d.Hears, debate.MaxSize)
	case placed && (place < 0 || place >= d.Hears):
		return fmt.Errorf("order %s: there are places 0 to %d", d.Order, d.Hears-1)
	case d.Holder < 0 || d.Holder >= d.Hears || d.Holder > 0 && !placed:
		return fmt.Errorf("holder %d: from 0 to %d, in an order %s:P", d.Holder, d.Hears-1, OrderPlaced)
	case !c.Truth.Parsed:
		return errors.New("form centre needs the right answer: set Case.Truth")
	case d.Prompts.Wording(d.Wording).Solution == "":
		return fmt.Errorf("wording %q of prompts %q has no place for solutions; there are %s", d.Wording,
			d.Prompts.Name, strings.Join(d.Prompts.Wordings(), ", "))
	}
	return d.pool().Check(c)
}
