package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"parley/bench/record"
	"parley/debate"
	"parley/inference"
)

// Directory holds what a run leaves behind: generations.jsonl.zst with every generation as it finishes,
// debates.jsonl.zst with every debate and its outcome, and result.json at the end. docs/format.md describes them.
type Directory struct {
	Path                 string
	generations, debates *record.Journal
}

// version is that of the record formats.
const version = 1

// generation and outcome are the other records.
type generation struct {
	Version       int                 `json:"v"`
	Kind          string              `json:"kind"` // "generation"
	Name          string              `json:"name"`
	Participant   int                 `json:"participant"`
	Agent         int                 `json:"agent"`
	Sample        int                 `json:"sample"`
	Sampling      inference.Sampling  `json:"sampling"`
	Grammar       string              `json:"grammar,omitempty"`
	Messages      []inference.Message `json:"messages"`
	Continuations []string            `json:"continuations,omitempty"`
	Reply         inference.Reply     `json:"reply"`
	Milliseconds  float64             `json:"ms"` // from submission to completion
}

type outcome struct {
	Version int    `json:"v"`
	Kind    string `json:"kind"` // "debate"
	Outcome
}

// CreateDirectory makes the directory of a run, which must not be there yet.
func CreateDirectory(path string) (*Directory, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	if err := os.Mkdir(path, 0o755); errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("run directory %q: is already there; name another one with --out", path)
	} else if err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	d := &Directory{Path: path}
	var err error
	if d.generations, err = record.Create(filepath.Join(path, "generations.jsonl.zst")); err != nil {
		return nil, err
	}
	if d.debates, err = record.Create(filepath.Join(path, "debates.jsonl.zst")); err != nil {
		d.generations.Close()
		return nil, err
	}
	return d, nil
}

// Begin writes the header.
func (d *Directory) Begin(h Header) error {
	h.Version, h.Kind = version, "header"
	return errors.Join(d.generations.Append(h), d.debates.Append(h))
}

// Generation journals one generation; it is an observer for inference.OnGeneration.
func (d *Directory) Generation(g inference.Generation) error {
	return d.generations.Append(generation{
		Version: version, Kind: "generation", Name: g.Name, Participant: g.Participant, Agent: g.Agent, Sample: g.Sample,
		Sampling: g.Sampling, Grammar: g.Grammar, Messages: g.Messages, Continuations: g.Continuations, Reply: g.Reply, Milliseconds: milliseconds(g.Reply.Duration),
	})
}

// Outcome journals one debate. Its messages are in the generations, under the keys of its replies.
func (d *Directory) Outcome(o Outcome) error {
	rounds := make([][]debate.Turn, len(o.Transcript.Rounds))
	for r, round := range o.Transcript.Rounds {
		for _, turn := range round {
			turn.Messages = nil
			rounds[r] = append(rounds[r], turn)
		}
	}
	o.Transcript.Rounds = rounds
	return d.debates.Append(outcome{version, "debate", o})
}

// Finish writes the result.
func (d *Directory) Finish(c Comparison) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(d.Path, "result.json"), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return nil
}

// Close makes the journals durable.
func (d *Directory) Close() error { return errors.Join(d.generations.Close(), d.debates.Close()) }

// Empty reports whether the journals hold nothing.
func (d *Directory) Empty() bool {
	for _, name := range []string{"generations.jsonl.zst", "debates.jsonl.zst"} {
		if info, err := os.Stat(filepath.Join(d.Path, name)); err != nil || info.Size() > 0 {
			return false
		}
	}
	return true
}
