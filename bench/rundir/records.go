package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// Kinds of records. Header, Generation, debateRecord and Repair are their types.
const (
	kindHeader     = "header"
	kindGeneration = "generation"
	kindDebate     = "debate"
	kindRepair     = "repair"
)

var kinds = []string{kindHeader, kindGeneration, kindDebate, kindRepair}

// kind has the fields that all records have. They come first in each record: upgrade looks for the version at its
// start.
type kind struct {
	Version int    `json:"v"`
	Kind    string `json:"kind"`
}

// Generation is the record of one generation: what was asked for and what came back.
type Generation struct {
	Version int    `json:"v"`
	Kind    string `json:"kind"` // "generation"
	Name    string `json:"name"`
	// Joined says that nothing was computed for it: at temperature 0 it equals a record that differs in its seed alone.
	Joined        bool                `json:"joined,omitempty"`
	Participant   int                 `json:"participant"`
	Agent         int                 `json:"agent"`
	Sample        int                 `json:"sample"`
	Sampling      inference.Sampling  `json:"sampling"`
	Grammar       string              `json:"grammar,omitempty"`
	StopTexts     []string            `json:"stop_texts,omitempty"`
	EndLoops      bool                `json:"end_loops,omitempty"`
	Tool          string              `json:"tool,omitempty"`
	Messages      []inference.Message `json:"messages"`
	Continuations []string            `json:"continuations,omitempty"`
	// MaxTokens is recorded for a text that goes on with a reply; all others have the limit of the run.
	MaxTokens    int             `json:"max_tokens,omitempty"`
	Reply        inference.Reply `json:"reply"`
	Milliseconds float64         `json:"ms"` // from submission to completion
}

// debateRecord is the record of one debate.
type debateRecord struct {
	Version int    `json:"v"`
	Kind    string `json:"kind"` // "debate"
	trial.Outcome
}

// recordOfGeneration makes the record of a generation. Its limit stands in the header unless it is one of its own.
func recordOfGeneration(g inference.Generation) Generation {
	most := 0 // it has the limit of the run, which is in the header
	if inference.GoesOn(g.Messages) {
		most = g.MaxTokens
	}
	return Generation{
		MaxTokens: most,
		Version:   record.Version, Kind: kindGeneration, Name: g.Name, Joined: g.Joined, Participant: g.Participant,
		Agent: g.Agent, Sample: g.Sample, Sampling: g.Sampling, Grammar: g.Grammar, StopTexts: g.Stop,
		EndLoops: g.EndLoops, Tool: g.Tool, Messages: g.Messages,
		Continuations: g.Continuations, Reply: g.Reply, Milliseconds: wording.Milliseconds(g.Reply.Duration),
	}
}

// recordOfDebate returns the record of an outcome without its messages, which are in the generations.
func recordOfDebate(o trial.Outcome) debateRecord {
	o.Transcript = trial.WithoutMessages(o.Transcript)
	return debateRecord{record.Version, kindDebate, o}
}

// keysOf lists the keys of a debate's replies, in the order of its turns. A key stands for the whole request, so equal
// lists mean that the same was asked.
func keysOf(t debate.Transcript) (keys []string) {
	trial.EachTurn(t, func(turn debate.Turn, _ string) { keys = append(keys, turn.Reply.Key) })
	return keys
}

// kindOf returns the kind of a record, with an error if its journal has no such records.
func kindOf(line []byte, known ...string) (string, error) {
	var is kind
	if err := json.Unmarshal(line, &is); err != nil {
		return "", err
	}
	return is.Kind, record.Check(is.Version, is.Kind, known...)
}

// invalid makes an error one of a record whose hash is right but whose content cannot be that of a run. Such a record
// is damage too; a record of another version is not, since repair must not remove what a newer program wrote.
func invalid(journal string, err error) error {
	if err == nil || errors.Is(err, record.ErrVersion) {
		return err
	}
	return fmt.Errorf("%w: %s: %w; parley repair leaves such a record out", record.ErrDamaged, journal, err)
}

// visitor has a function for each kind of record in the journal of generations, nil for those of no interest. Only
// generation can fail, and its error is passed on as it is.
type visitor struct {
	header     func(Header)
	generation func(Generation) error
	repair     func(Repair)
}

// visit validates one record and passes it to its function.
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

// Bounds of what a header can say. They are far above any real run and low enough that a forged header cannot exhaust
// the memory.
const (
	mostQuestions  = 10_000_000
	mostConditions = 10_000
)

// readHeader reads a header and refuses numbers that no run can have: what reads it later makes slices of these
// lengths.
func readHeader(line []byte) (*Header, error) {
	h := new(Header)
	if err := json.Unmarshal(line, h); err != nil {
		return nil, err
	}
	if h.Imported == nil { // the logs do not say what was sent
		h.Mend()
	}
	return h, h.validate()
}

// validate refuses numbers that no run has, and names that stand twice.
func (h Header) validate() error {
	for _, n := range []struct {
		name     string
		is, most int
	}{
		{"questions", h.Questions, mostQuestions}, {"agents", h.Agents, trial.MostTimes},
		{"rounds", h.Rounds, trial.MostTimes},
		{"repeats", h.Repeats, trial.MostTimes},
		{"debates", h.Debates, mostQuestions * trial.MostTimes}, {"conditions", len(h.Conditions), mostConditions},
		{"protocols", len(h.Protocols), mostConditions}, {"models in teams", len(h.Model.Team), mostConditions},
	} {
		if n.is < 0 || n.is > n.most {
			return fmt.Errorf("the header has %d %s, at most %d can be", n.is, n.name, n.most)
		}
	}
	if err := h.Shard.Validate(); err != nil {
		return fmt.Errorf("the header: %w", err)
	}
	for i, name := range h.Conditions {
		if slices.Contains(h.Conditions[:i], name) {
			return fmt.Errorf("the header has condition %q twice", name)
		}
	}
	return nil
}

// validate refuses a generation without a key, by which debates find their replies, and replies that no engine makes.
func (g Generation) validate() error {
	if g.Reply.Key == "" {
		return fmt.Errorf("%s: a reply has no key", g.Name)
	}
	if err := debate.ValidateReply(g.Reply); err != nil {
		return fmt.Errorf("%s: %w", g.Name, err)
	}
	return nil
}
