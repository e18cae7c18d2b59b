package bench

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"parley/bench/record"
	"parley/debate"
	"parley/inference"
)

// ReadOutcomes reads the debates of a run directory, with the messages that their journal leaves to that of the generations.
func ReadOutcomes(directory string) (outcomes []Outcome, err error) {
	sent := make(map[string][]inference.Message) // by key
	_, err = record.Read(filepath.Join(directory, "generations.jsonl.zst"), func(line []byte) error {
		var g generation
		if err := json.Unmarshal(line, &g); err != nil {
			return fmt.Errorf("generations: %w", err)
		}
		if g.Kind == "generation" {
			sent[g.Reply.Key] = g.Messages
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	_, err = record.Read(filepath.Join(directory, "debates.jsonl.zst"), func(line []byte) error {
		var o outcome
		if err := json.Unmarshal(line, &o); err != nil {
			return fmt.Errorf("debates: %w", err)
		}
		if o.Kind == "debate" {
			for _, round := range o.Transcript.Rounds {
				restore(round, sent)
			}
			outcomes = append(outcomes, o.Outcome)
		}
		return nil
	})
	return outcomes, err
}

func restore(turns []debate.Turn, sent map[string][]inference.Message) {
	for i := range turns {
		if turns[i].Messages == nil {
			turns[i].Messages = sent[turns[i].Reply.Key]
		}
	}
}
