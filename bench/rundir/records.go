package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"parley/bench/record"
	"parley/bench/trial"
	"parley/debate"
)

// Kinds of records.
const (
	kindHeader     = "header"
	kindGeneration = "generation"
	kindDebate     = "debate"
	kindRepair     = "repair"
)

var kinds = []string{kindHeader, kindGeneration, kindDebate, kindRepair}

// kind is what all records have.
type kind struct {
	Version int    `json:"v"`
	Kind    string `json:"kind"`
}

// kindOf is what a record is, if its journal has such records.
func kindOf(line []byte, known ...string) (string, error) {
	var is kind
	if err := json.Unmarshal(line, &is); err != nil {
		return "", err
	}
	return is.Kind, record.Check(is.Version, is.Kind, known...)
}

// invalid is the error of a record that follows from those before it and can still be none of a run.
func invalid(journal string, err error) error {
	if err == nil || errors.Is(err, record.ErrVersion) {
		return err
	}
	return fmt.Errorf("%w: %s: %w; parley repair leaves such a record out", record.ErrDamaged, journal, err)
}

// visitor is told of the records in a journal of generations. What is nil is passed over.
type visitor struct {
	header     func(Header)
	generation func(Generation) error
	repair     func(Repair)
}

// visit reads one record.
func (v visitor) visit(line []byte) error {
	is, err := kindOf(line, kindHeader, kindGeneration, kindRepair)
	switch {
	case err != nil:
	case is == kindHeader:
		var h *Header
		if h, err = readHeader(line); err == nil && v.header != nil {
			v.header(*h)
		}
	case is == kindGeneration:
		var g Generation
		if err = json.Unmarshal(line, &g); err == nil {
			err = g.validate()
		}
		if err == nil && v.generation != nil {
			return v.generation(g)
		}
	case is == kindRepair:
		var r Repair
		if err = json.Unmarshal(line, &r); err == nil && v.repair != nil {
			v.repair(r)
		}
	}
	return invalid("generations", err)
}

// Bounds of what a run can be. They are far above what anybody runs, and far below what takes the memory of a machine.
const (
	mostQuestions  = 10_000_000
	mostConditions = 10_000
)

func readHeader(line []byte) (*Header, error) {
	h := new(Header)
	if err := json.Unmarshal(line, h); err != nil {
		return nil, err
	}
	return h, h.validate()
}

func (h Header) validate() error {
	for _, n := range []struct {
		name     string
		is, most int
	}{
		{"questions", h.Questions, mostQuestions}, {"agents", h.Agents, trial.MostTimes},
		{"rounds", h.Rounds, trial.MostTimes},
		{"repeats", h.Repeats, trial.MostTimes},
		{"debates", h.Debates, mostQuestions * trial.MostTimes}, {"conditions", len(h.Conditions), mostConditions},
		{"protocols", len(h.Protocols), mostConditions},
	} {
		if n.is < 0 || n.is > n.most {
			return fmt.Errorf("the header has %d %s, at most %d can be", n.is, n.name, n.most)
		}
	}
	for i, name := range h.Conditions {
		if slices.Contains(h.Conditions[:i], name) {
			return fmt.Errorf("the header has condition %q twice", name)
		}
	}
	return nil
}

func (g Generation) validate() error {
	if g.Reply.Key == "" {
		return fmt.Errorf("%s: a reply has no key", g.Name)
	}
	if err := debate.ValidateReply(g.Reply); err != nil {
		return fmt.Errorf("%s: %w", g.Name, err)
	}
	return nil
}
