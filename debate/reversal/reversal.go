// Package reversal is MADC's experiment on the threshold of reversal: how many agents have to give another answer,
// and in which order, before one agent changes its own. In files and records the form is called centre.
package reversal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
)

// Reversal is MADC's experiment on the threshold of reversal. One agent, whose initial answer is given, hears the
// solutions of others in one message and answers again. Whether it reverses its answer may depend on how many of them
// are right, and on where in the list these are. All solutions come from a pool of independent answers to the question:
// the first right ones, and the first ones with the most frequent wrong answer.
//
// An experiment is a sweep over Hears, the number of solutions heard. Every step of a sweep needs as large a pool as
// its last step, so that all steps have the same questions.
type Reversal struct {
	debate.Asking
	Hears         int    // the number of solutions heard; 0 means MostSolutions
	Order         string // in which they are listed: OrderCorrectFirst, the default, or another of orders
	Reading       string // debate.ReadingCode, the default, or debate.ReadingPaper: see skipped and message
	Initial       string // the agent's initial answer: InitialRight, InitialWrong, the default, or InitialOther
	MostSolutions int    // the number heard at the last step of the sweep, half of them right; 0 means 80
	Samples       int    // the size of the pool, if no earlier debate on the question is one; 0 means 400
	Holder        int    // in an order placed:P, which of the agents heard has the right solution
	Opening       string // of the pool, as in a society
	Wording       string // of the message, as in a society
	Prompts       prompts.Set
}

// orders in which the agent hears right and wrong solutions.
const (
	OrderCorrectFirst   = "correct-first"   // right ones up to half of MostSolutions, then wrong ones
	OrderIncorrectFirst = "incorrect-first" // the other way round
	orderAlternating    = "alternating"     // in turn, beginning with a right one
	orderPlaced         = "placed"          // placed:P has one right solution, at place P, counted from 0
)

// orders returns the orders, with "placed:0" for every place.
func orders() []string {
	return []string{OrderCorrectFirst, OrderIncorrectFirst, orderAlternating, orderPlaced + ":0"}
}

// What the agent's initial answer is. MADC calls the wrong answer "other" and the initial one "zero".
const (
	InitialRight = "right"
	InitialWrong = "wrong" // the wrong answer that the agent hears
	InitialOther = "other" // the most frequent answer that is neither
)

// complete sets the defaults, which the source has.
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

// Run has the agent answer once. Round 0 of the transcript is its initial answer, round 1 its reply, whose Heard are
// places in the pool. The seed is that of agent 0 in round 1, whatever the agent hears.
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
	one, heard, err := d.choose(pool.Last(), c)
	if err != nil {
		return t, fmt.Errorf("case %q: %w: %w", c.ID, debate.ErrPrior, err)
	}
	own.Messages, own.Reply, own.Answer = one.Messages, one.Reply, one.Answer
	turns := []debate.Turn{{Round: 1, Heard: heard, Messages: d.message(own, pool.Last(), heard, c)}}
	d.Report([]debate.Turn{own})
	t.Rounds = [][]debate.Turn{{own}}
	if err := d.For(speaker, c).Ask(ctx, turns); err != nil {
		return t.BrokenOff(turns), err
	}
	d.Report(turns)
	t.Rounds = append(t.Rounds, turns)
	t.Decision = vote.Majority(turns)
	return t, nil
}

// pool returns the society whose first round is the pool.
func (d Reversal) pool() society.Society {
	asking := d.Asking
	asking.Observe = nil
	return society.Society{Asking: asking, Agents: d.Samples, Rounds: 1, Opening: d.Opening, Prompts: d.Prompts}
}

// choose returns the agent's initial answer and the places of the solutions that it hears, both from the pool. In
// MADC the agent may hear its own solution, too. In an order placed:P it does not, so that holders do not differ in
// that.
func (d Reversal) choose(pool []debate.Turn, c debate.Case) (own debate.Turn, heard []int, err error) {
	right, wrong, other := sortPool(pool, c)
	from := map[string][]int{InitialRight: right, InitialWrong: wrong, InitialOther: other}[d.Initial]
	if len(from) == 0 {
		return own, nil, fmt.Errorf("the pool of %d has no solution that could be the centre's initial answer (own "+
			"%s): sample more, or choose another own", len(pool), d.Initial)
	}
	first := from[0] // read now: from shares its array with one of the lists that DeleteFunc changes
	if own = pool[first]; own.Messages == nil {
		return own, nil, errors.New("the pool lacks the messages that it was asked with: records of runs leave " +
			"them out")
	}
	if _, placed := d.fixedPlace(); placed {
		itself := func(i int) bool { return i == first }
		right, wrong = slices.DeleteFunc(right, itself), slices.DeleteFunc(wrong, itself)
	}
	if needed := d.half(); len(right) < needed {
		return own, nil, d.lacks(pool, "right", len(right), needed)
	}
	if needed := d.half() + d.wrongSkipped(); len(wrong) < needed {
		return own, nil, d.lacks(pool, "equal wrong", len(wrong), needed)
	}
	return own, d.list(right, wrong), nil
}

// sortPool returns the places of the right solutions, of those with the most frequent wrong answer, and of those with
// the next most frequent one. Answers with equal counts are in the order of the pool.
func sortPool(pool []debate.Turn, c debate.Case) (right, wrong, other []int) {
	of := make(map[string][]int)
	for i, t := range pool {
		if t.Answer.Parsed && t.Tells() {
			of[t.Answer.Text] = append(of[t.Answer.Text], i)
		}
	}
	var wrongs [][]int
	for _, v := range vote.Majority(pool).Votes {
		if c.IsRight(answer.Of(v.Answer)) {
			right = append(right, of[v.Answer]...)
		} else {
			wrongs = append(wrongs, of[v.Answer])
		}
	}
	slices.Sort(right)
	wrongs = append(wrongs, nil, nil)
	return right, wrongs[0], wrongs[1]
}

// lacks returns the error of a pool that has too few solutions of a kind.
func (d Reversal) lacks(pool []debate.Turn, kind string, has, needed int) error {
	lower := "most"
	if _, placed := d.fixedPlace(); placed {
		lower = "agents"
	}
	return fmt.Errorf("the pool of %d has %d %s solutions, but %d are needed: sample more or lower %s", len(pool), has,
		kind, needed, lower)
}

// half returns how many solutions of each kind there must be. It is the same at every step of a sweep.
func (d Reversal) half() int {
	if _, placed := d.fixedPlace(); placed {
		return d.Hears
	}
	return d.MostSolutions / 2
}

// wrongSkipped returns how many wrong solutions are passed over: in MADC's code the alternating order never shows
// the first one.
func (d Reversal) wrongSkipped() int {
	if d.Order == orderAlternating && d.Reading == debate.ReadingCode {
		return 1
	}
	return 0
}

// list returns the solutions heard, in order. In an order placed:P each of the agents heard has a right and a wrong
// solution. The holder gives its right one, all others give their wrong ones. They form a circle, which is turned until
// the holder is at place P, so that every holder can be at every place.
func (d Reversal) list(right, wrong []int) []int {
	half := d.half()
	switch d.Order {
	case OrderCorrectFirst:
		return slices.Concat(right[:half], wrong[:half])[:d.Hears]
	case OrderIncorrectFirst:
		return slices.Concat(wrong[:half], right[:half])[:d.Hears]
	}
	place, placed := d.fixedPlace()
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
			heard[i] = wrong[i/2+d.wrongSkipped()]
		}
	}
	return heard
}

// fixedPlace returns where the one right solution is, if the order is placed:P.
func (d Reversal) fixedPlace() (place int, placed bool) { return PlaceOf(d.Order) }

// PlaceOf returns P for an order placed:P.
func PlaceOf(order string) (place int, placed bool) {
	text, placed := strings.CutPrefix(order, orderPlaced+":")
	if place, err := strconv.Atoi(text); placed && err == nil {
		return place, true
	}
	return 0, false
}

// message returns the question, the agent's initial answer, and what it hears. In the orders of MADC, its code asks
// another question here than the one that the initial answer replies to: one with worked examples.
func (d Reversal) message(own debate.Turn, pool []debate.Turn, heard []int, c debate.Case) []inference.Message {
	solutions := make([]string, len(heard))
	for k, i := range heard {
		solutions[k] = pool[i].Told()
	}
	asked := own.Messages
	recalled := d.Prompts.Recall(c.Question)
	if _, placed := d.fixedPlace(); recalled != "" && d.Reading == debate.ReadingCode && !placed {
		asked = debate.Conversation(d.Prompts.System, recalled)
	}
	said := prompts.Heard{Wording: d.Wording, Solutions: solutions, Question: c.Question, Round: 1, Last: true}
	return debate.WithMessage(debate.WithReply(asked, own), d.Prompts.Hear(said))
}
