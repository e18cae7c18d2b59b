package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/rundir"
)

// Labels say of some decisions of a run whether they are right, as somebody has found who knows.
type Labels struct {
	File   rundir.LogFile
	labels map[scored]bool
}

// words that a label can be. Everything else is refused, except for an empty cell, which is no label.
var (
	rightWords = []string{"1", "right", "correct", "yes", "true"}
	wrongWords = []string{"0", "wrong", "incorrect", "no", "false"}
)

// ReadLabels reads labels from a CSV file: the table of decisions that Export writes, with one column more. Of its
// columns it needs question and condition, and repeat in runs with repeats. Rows and labels may be missing.
func ReadLabels(r rundir.Run, path string) (*Labels, error) {
	text, file, err := readScoreFile(path)
	if err != nil {
		return nil, err
	}
	l := &Labels{file, make(map[scored]bool)}
	if err := l.read(r, text); err != nil {
		return nil, fmt.Errorf("labels %q: %w", path, err)
	}
	return l, nil
}

func (l *Labels) read(r rundir.Run, text []byte) error {
	f, reader, err := scoreColumnsOf(text)
	if err != nil {
		return err
	}
	if len(f.names) != 1 {
		return fmt.Errorf("the columns %s are no columns of parley export, and labels are in one",
			strings.Join(f.names, ", "))
	}
	if err := f.read(reader); err != nil {
		return err
	}
	used := 0
	for _, o := range r.Outcomes {
		of := scored{o.Condition, o.Question, o.Repeat}
		row := f.rows[of]
		if row == nil {
			continue
		}
		used++
		label := strings.ToLower(strings.TrimSpace(row[f.columns[0]]))
		right := slices.Contains(rightWords, label)
		switch {
		case label == "":
			continue
		case !right && !slices.Contains(wrongWords, label):
			return fmt.Errorf("question %s, condition %s: the label %.40q is none of %s", o.Case(), o.Condition, label,
				strings.Join(slices.Concat(rightWords, wrongWords), ", "))
		}
		if err := f.checkDecision(row, o); err != nil {
			return fmt.Errorf("question %s, condition %s: %w", o.Case(), o.Condition, err)
		}
		l.labels[of] = right
	}
	if used < len(f.rows) {
		return f.unused(used)
	}
	return nil
}
