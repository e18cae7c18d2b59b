package reversal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/internal/unknown"
)

// check refuses settings that contradict each other, after complete has set the defaults.
func (d Reversal) check(c debate.Case) error {
	if err := debate.Require(d, c, checks); err != nil {
		return err
	}
	return d.pool().Check(c)
}

// sweeps reports whether half of the solutions in the order are right.
func (d Reversal) sweeps() bool {
	return slices.Contains([]string{OrderCorrectFirst, OrderIncorrectFirst, orderAlternating}, d.Order)
}

// checks are made in this order; the first broken one gives the message.
var checks = []debate.Check[Reversal]{
	{
		Settings: []string{"order"},
		Broken: func(d Reversal, _ debate.Case) bool {
			_, placed := d.fixedPlace()
			return !placed && !d.sweeps()
		},
		Says: func(d Reversal, _ debate.Case) error {
			return unknown.Name("order", d.Order, orders())
		},
	},
	debate.OneOf("reading", "no reading", func(d Reversal) string { return d.Reading }, debate.ReadingCode,
		debate.ReadingPaper),
	debate.OneOf("own", "own", func(d Reversal) string { return d.Initial }, InitialRight, InitialWrong, InitialOther),
	{
		Settings: []string{"samples"},
		Broken:   func(d Reversal, _ debate.Case) bool { return d.Samples < 1 || d.Samples > debate.MaxSize },
		Says: func(d Reversal, _ debate.Case) error {
			return fmt.Errorf("samples %d: from 1 to %d", d.Samples, debate.MaxSize)
		},
	},
	{
		Settings: []string{"agents"},
		Broken:   func(d Reversal, _ debate.Case) bool { return d.Hears < 1 || d.Hears > debate.MaxSize },
		Says: func(d Reversal, _ debate.Case) error {
			return fmt.Errorf("agents %d: from 1 to %d are heard", d.Hears, debate.MaxSize)
		},
	},
	{
		Settings: []string{"most", "agents"},
		Broken: func(d Reversal, _ debate.Case) bool {
			return d.sweeps() && (d.MostSolutions < d.Hears || d.MostSolutions > debate.MaxSize ||
				d.MostSolutions%2 != 0)
		},
		Says: func(d Reversal, _ debate.Case) error {
			return fmt.Errorf("most %d: half of a sweep is right, so it must be even, from the %d agents heard here "+
				"to %d", d.MostSolutions, d.Hears, debate.MaxSize)
		},
	},
	{
		Settings: []string{"order"},
		Broken: func(d Reversal, _ debate.Case) bool {
			place, placed := d.fixedPlace()
			return placed && (place < 0 || place >= d.Hears)
		},
		Says: func(d Reversal, _ debate.Case) error {
			return fmt.Errorf("order %s: there are places 0 to %d", d.Order, d.Hears-1)
		},
	},
	{
		Settings: []string{"holder", "order"},
		Broken: func(d Reversal, _ debate.Case) bool {
			_, placed := d.fixedPlace()
			return d.Holder < 0 || d.Holder >= d.Hears || d.Holder > 0 && !placed
		},
		Says: func(d Reversal, _ debate.Case) error {
			return fmt.Errorf("holder %d: from 0 to %d, in an order %s:P", d.Holder, d.Hears-1, orderPlaced)
		},
	},
	{
		Broken: func(_ Reversal, c debate.Case) bool { return !c.Truth.Parsed },
		Says: func(Reversal, debate.Case) error {
			return errors.New("form centre needs the right answer: give it with --truth (Case.Truth)")
		},
	},
	{
		Settings: []string{"wording", "prompts"},
		Broken: func(d Reversal, _ debate.Case) bool {
			return d.Prompts.Wording(d.Wording).Solution == ""
		},
		Says: func(d Reversal, _ debate.Case) error {
			return fmt.Errorf("wording %q of prompts %q has no place for solutions; there are %s", d.Wording,
				d.Prompts.Name, strings.Join(d.Prompts.Wordings(), ", "))
		},
	},
}
