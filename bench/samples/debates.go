package samples

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/importer"
)

func isMALLM(h head) bool { return h.has("personas", "globalMemory", "finalAnswer") }

// isVoted recognises the rounds of a debate by number.
func isVoted(h head) bool {
	var first map[string]json.RawMessage
	return json.Unmarshal(h.keys["0"], &first) == nil && head{keys: first}.has("responses", "debate_answer")
}

// readDebates reads a log of debates as parley import does, by the format of that name. A sample is a debate, whose
// score is that of its decision.
func readDebates(format string) func(content []byte, f *source) error {
	return func(content []byte, f *source) error {
		log := importer.Log{}
		if err := log.Add(format, f.path, content); err != nil {
			return err
		}
		if err := f.choose([]string{"decision"}); err != nil {
			return err
		}
		for _, p := range log.Problems {
			f.notes = append(f.notes, "left out: "+p.String())
		}
		decisions, err := log.Decisions()
		if err != nil {
			return err
		}
		system := strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
		for _, d := range decisions {
			s := Sample{Place: fmt.Sprint("debate ", d.Number), System: system, Question: strconv.Itoa(d.Number),
				Text: d.Question, Digest: d.Question, Repeat: -1, Tokens: -1, Target: d.Target, Answer: d.Answer,
				Reply: d.Text}
			if d.Target == "" {
				s.Why = "the log does not say what is right"
			}
			if err := f.add(s, d.Right); err != nil {
				return err
			}
		}
		return nil
	}
}
