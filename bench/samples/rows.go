package samples

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/task/rowfile"
)

func isRows(h head) bool {
	return !h.zip && (h.keys == nil || h.has("question", "score")) && len(bytes.TrimSpace(h.text)) > 0
}

// columns are those that rows can have.
var columns = []string{"question", "score", "system", "repeat", "tokens", "cluster", "answer", "target", "reply",
	"choices"}

// readRows reads a file of rows that anybody can write: question and score, and what else is known.
func readRows(content []byte, f *source) error {
	rows, _, err := rowfile.Read(content, true)
	if err != nil {
		return err
	}
	measure := f.options.Measure
	if measure == "" {
		measure = "score"
	}
	f.measures, f.measure = []string{measure}, measure
	name := strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
	for _, r := range rows {
		if r.Err != nil {
			return r.Err
		}
		if !r.Has("question", measure) {
			return fmt.Errorf("%s: needs the columns question and %s; it may have %s", r.Place, measure,
				strings.Join(columns[2:], ", "))
		}
		s := Sample{Place: r.Place, System: name, Question: r.Text("question"), Repeat: -1, Tokens: -1,
			Cluster: r.Text("cluster"), Answer: r.Text("answer"), Target: r.Text("target"), Reply: r.Text("reply"),
			Options: r.List("choices")}
		if f.options.Cluster != "" {
			s.Cluster = r.Text(f.options.Cluster)
		}
		if system := r.Text("system"); system != "" {
			s.System = system
		}
		for column, into := range map[string]*int{"repeat": &s.Repeat, "tokens": &s.Tokens} {
			text := r.Text(column)
			if text == "" {
				continue
			}
			if *into, err = strconv.Atoi(text); err != nil || *into < 0 {
				return fmt.Errorf("%s: %s is %.40q, and no whole number from 0", r.Place, column, text)
			}
		}
		if s.Question == "" {
			return fmt.Errorf("%s: the question is empty", r.Place)
		}
		if err := f.add(s, r.Value[measure]); err != nil {
			return err
		}
	}
	return nil
}
