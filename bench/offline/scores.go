package offline

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/escape"
	"github.com/parley-debate/parley/internal/plaintext"
)

// Scores are what another program, such as COMET, thinks of a run's decisions: numbers that Parley does not compute,
// in the unit of that program. Higher need not be better.
type Scores struct {
	Version  int             `json:"v"`
	File     rundir.LogFile  `json:"file"` // from which they were read
	Measures []MeasureScores `json:"measures"`
}

// ScoresVersion is the version of scores.json.
const ScoresVersion = 1

// MeasureScores are the scores of one column.
type MeasureScores struct {
	Name       string            `json:"name"`
	Conditions []ConditionScores `json:"conditions"` // in the order of the run
}

// ConditionScores are the scores of the debates that did not fail under one condition.
type ConditionScores struct {
	Condition string  `json:"condition"`
	Debates   int     `json:"debates"`
	Questions int     `json:"questions"`
	Mean      float64 `json:"mean"` // over questions, each the mean of its repeats
	// 95 %, t over questions; nil for fewer than two, or if all are equal
	Interval *stat.Interval `json:"interval,omitempty"`
}

// Bounds on a file of scores.
const (
	mostScoresBytes = 1 << 28
	mostScores      = 20 // columns of them
	longestMeasure  = 40 // characters of a name
	mostScore       = 1e9
)

// ReadScores reads the scores of a run's decisions from a CSV file: the table of decisions that Export writes, with a
// column more for each score. Of its columns it needs question and condition, and repeat in runs with repeats. Every
// debate that did not fail needs all scores, so that means are over the same questions.
func ReadScores(r rundir.Run, path string) (Scores, error) {
	text, file, err := readScoreFile(path)
	if err != nil {
		return Scores{}, err
	}
	s, err := scoresIn(r.Outcomes, text)
	if err != nil {
		return s, fmt.Errorf("scores %q: %w", path, err)
	}
	s.File = file
	return s, nil
}

// readScoreFile returns what is in a file of scores or labels, and what a result says of it.
func readScoreFile(path string) ([]byte, rundir.LogFile, error) {
	text, err := plaintext.ReadFile(path, mostScoresBytes)
	sum := sha256.Sum256(text)
	return text, rundir.LogFile{Path: path, Hash: hex.EncodeToString(sum[:])}, err
}

// scored names a debate in a file of scores.
type scored struct {
	condition, question string
	repeat              int
}

// scoreFile is a file of scores while it is read.
type scoreFile struct {
	question, condition, repeat, decision int // columns, -1 for those that there are not
	names                                 []string
	columns                               []int // of names
	rows                                  map[scored][]string
}

func scoresIn(outcomes []trial.Outcome, text []byte) (s Scores, err error) {
	f, reader, err := scoreColumnsOf(text)
	if err != nil {
		return s, err
	}
	if err := f.read(reader); err != nil {
		return s, err
	}
	return f.of(outcomes)
}

// scoreColumnsOf reads the first line; the reader has the others.
func scoreColumnsOf(text []byte) (*scoreFile, *csv.Reader, error) {
	reader := csv.NewReader(bytes.NewReader(text))
	head, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil, errors.New("the file is empty")
	} else if err != nil {
		return nil, nil, err
	}
	f, err := scoreColumns(head)
	return f, reader, err
}

// scoreColumns finds the columns: those that Export does not write are scores.
func scoreColumns(head []string) (*scoreFile, error) {
	at := func(name string) int { return slices.Index(head, name) }
	f := &scoreFile{question: at("question"), condition: at("condition"), repeat: at("repeat"),
		decision: at("decision"), rows: make(map[scored][]string)}
	if f.question < 0 || f.condition < 0 {
		return f, fmt.Errorf("the first line names %d columns, without question and condition: take the decisions "+
			"that parley export writes, and add a column of scores", len(head))
	}
	for i, name := range head {
		switch {
		case slices.Contains(columnsOf[DecisionRow](), name):
			continue
		case name == "" || len([]rune(name)) > longestMeasure || slices.Contains(f.names, name):
			return f, fmt.Errorf("column %d is called %.60q: a score needs a name of its own, of at most %d characters",
				i+1, name, longestMeasure)
		}
		f.names, f.columns = append(f.names, name), append(f.columns, i)
	}
	if len(f.names) == 0 || len(f.names) > mostScores {
		return f, fmt.Errorf("%d columns are no columns of parley export: scores are in 1 to %d", len(f.names),
			mostScores)
	}
	return f, nil
}

func (f *scoreFile) read(reader *csv.Reader) error {
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		line, _ := reader.FieldPos(0)
		of := scored{condition: row[f.condition], question: row[f.question]}
		if f.repeat >= 0 && row[f.repeat] != "" {
			if of.repeat, err = strconv.Atoi(row[f.repeat]); err != nil {
				return fmt.Errorf("line %d: repeat %.40q is no number", line, row[f.repeat])
			}
		}
		if f.rows[of] != nil {
			return fmt.Errorf("line %d is a second one for question %.60s, condition %.60s: runs with repeats need "+
				"the column repeat", line, trial.CaseID(of.question, of.repeat), of.condition)
		}
		f.rows[of] = row
	}
}

// of returns the scores of all debates that did not fail.
func (f *scoreFile) of(outcomes []trial.Outcome) (Scores, error) {
	s := Scores{Version: ScoresVersion}
	var conditions []string
	sums := make(map[string][]byQuestion) // by condition, for each measure
	used := 0
	for _, o := range outcomes {
		row := f.rows[scored{o.Condition, o.Question, o.Repeat}]
		if row != nil {
			used++
		}
		if o.Failed() {
			continue
		}
		values, err := f.values(row, o)
		if err != nil {
			return s, fmt.Errorf("question %s, condition %s: %w", o.Case(), o.Condition, err)
		}
		if sums[o.Condition] == nil {
			conditions, sums[o.Condition] = append(conditions, o.Condition), make([]byQuestion, len(values))
		}
		for k, v := range values {
			sums[o.Condition][k].add(o, v)
		}
	}
	if used < len(f.rows) {
		return s, f.unused(used)
	}
	for k, name := range f.names {
		m := MeasureScores{Name: name, Conditions: []ConditionScores{}}
		for _, condition := range conditions {
			m.Conditions = append(m.Conditions, sums[condition][k].scores(condition))
		}
		s.Measures = append(s.Measures, m)
	}
	return s, nil
}

// unused is the error of a file of which only so many rows are of the run.
func (f *scoreFile) unused(used int) error {
	return fmt.Errorf("%s of %s are not of debates of this run", wording.Comma(len(f.rows)-used),
		wording.Count(len(f.rows), "row"))
}

// checkDecision refuses a row that is about another decision than that of the debate.
func (f *scoreFile) checkDecision(row []string, o trial.Outcome) error {
	if f.decision < 0 {
		return nil
	}
	ours, theirs := escape.Cells([]string{o.Transcript.Decision.Answer.Text})[0], row[f.decision]
	if !slices.Equal(strings.Fields(ours), strings.Fields(theirs)) {
		return fmt.Errorf("the file is about the decision %.60q, and this run decided %.60q", theirs, ours)
	}
	return nil
}

// values are the scores of a debate, in the order of their names.
func (f *scoreFile) values(row []string, o trial.Outcome) (values []float64, err error) {
	if row == nil {
		return nil, errors.New("no row has its scores")
	}
	if err := f.checkDecision(row, o); err != nil {
		return nil, err
	}
	for k, column := range f.columns {
		v, err := strconv.ParseFloat(strings.TrimSpace(row[column]), 64)
		if err != nil || math.IsNaN(v) || math.Abs(v) > mostScore {
			return nil, fmt.Errorf("%s is %.40q, which is no number from %g to %g", f.names[k], row[column], -mostScore,
				mostScore)
		}
		values = append(values, v)
	}
	return values, nil
}

func (b byQuestion) scores(condition string) ConditionScores {
	means := b.means()
	c := ConditionScores{Condition: condition, Questions: len(means), Mean: stat.Mean(means)}
	for _, repeats := range b.values {
		c.Debates += len(repeats)
	}
	if spread := stat.Seeds(means, analysis.Level); spread.Varies() {
		if c.Interval = &spread.Interval; b.clusters[0] != "" {
			*c.Interval = stat.ByCluster(means, b.clusters, math.Inf(-1), math.Inf(1), analysis.Level).Interval
		}
	}
	return c
}

// Save writes scores.json into a run directory.
func (s Scores) Save(directory string) error { return rundir.WriteJSON(directory, "scores.json", s) }

// Table shows the scores of one measure.
func (s Scores) Table(m MeasureScores) table.Table {
	t := table.New([]table.Column[ConditionScores]{
		table.Words("condition", func(c ConditionScores) string { return c.Condition }),
		table.Counts("debates", func(c ConditionScores) int { return c.Debates }),
		table.Counts("questions", func(c ConditionScores) int { return c.Questions }),
		table.Decimals(m.Name, func(c ConditionScores) *float64 { return &c.Mean }),
		table.Right("95 % interval", func(c ConditionScores) string {
			if c.Interval == nil {
				return ""
			}
			return table.Between("%.3f", c.Interval.Low, c.Interval.High)
		}),
	}, m.Conditions)
	t.Title = "Scores by another program: " + m.Name
	t.Caption = fmt.Sprintf("Mean over questions, each the mean of its repeats, with t interval over questions, of "+
		"the numbers that %s gives the decisions. Parley computes no such number.", filepath.Base(s.File.Path))
	return t
}

// Document is the tables.
func (s Scores) Document() (d table.Document) {
	for _, m := range s.Measures {
		t := s.Table(m)
		d = append(d, table.Text(t.Title+"\n\n"), t, table.Text(t.Caption+"\n\n"))
	}
	return d
}
