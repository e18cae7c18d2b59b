package offline

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/google/renameio/v2"
	"github.com/parquet-go/parquet-go"

	"parley/bench/rundir"
	"parley/bench/trial"
	"parley/debate"
	"parley/debate/answer"
	"parley/escape"
)

// ReplyRow is one turn in a table: what an agent was asked for and said. docs/format.md describes the columns.
type ReplyRow struct {
	Question     string   `parquet:"question"`
	Repeat       int64    `parquet:"repeat"`
	Condition    string   `parquet:"condition"`
	Round        int64    `parquet:"round"`
	Agent        int64    `parquet:"agent"`
	Name         string   `parquet:"name"` // the agent's role
	Kind         string   `parquet:"kind"`
	Answer       string   `parquet:"answer"`
	Parsed       bool     `parquet:"parsed"`
	Right        bool     `parquet:"right"`
	Heard        []int64  `parquet:"heard,list"`
	Text         string   `parquet:"text"`
	PromptTokens int64    `parquet:"prompt_tokens"`
	CachedTokens int64    `parquet:"cached_tokens"`
	Tokens       int64    `parquet:"tokens"`
	LogProb      float64  `parquet:"logprob"`
	Confidence   *float64 `parquet:"confidence,optional"`
	Key          string   `parquet:"key"`
	Error        string   `parquet:"error"`
}

// DecisionRow is one debate in a table.
type DecisionRow struct {
	Question  string   `parquet:"question"`
	Repeat    int64    `parquet:"repeat"`
	Condition string   `parquet:"condition"`
	Target    string   `parquet:"target"`
	Decision  string   `parquet:"decision"`
	Parsed    bool     `parquet:"parsed"`
	Score     string   `parquet:"score"`
	Votes     string   `parquet:"votes"` // JSON, as in the record
	Tie       bool     `parquet:"tie"`
	Rule      string   `parquet:"rule"`
	Rounds    int64    `parquet:"rounds"`
	Error     string   `parquet:"error"`            // why it could not be held
	Partial   *float64 `parquet:"partial,optional"` // how right, where the task's measure has degrees
}

// Tables makes two tables of a run: one row a turn, and one row a debate.
func Tables(r rundir.Run) (replies []ReplyRow, decisions []DecisionRow, err error) {
	for _, o := range r.Outcomes {
		truth, err := truthBy(r.Header.AnswerRule, o.Target)
		if err != nil {
			truth = answer.Of(o.Target)
		}
		trial.EachTurn(o.Transcript, func(t debate.Turn, kind string) {
			replies = append(replies,
				replyRow(o, t, kind, truth))
		})
		row, err := decisionRow(o)
		if err != nil {
			return nil, nil, err
		}
		decisions = append(decisions, row)
	}
	return replies, decisions, nil
}

func replyRow(o trial.Outcome, t debate.Turn, kind string, truth answer.Answer) ReplyRow {
	row := ReplyRow{
		Question: o.Question, Repeat: int64(o.Repeat), Condition: o.Condition, Round: int64(t.Round),
		Agent: int64(t.Agent), Name: o.Transcript.Role(t.Agent), Kind: kind,
		Answer: t.Answer.Text, Parsed: t.Answer.Parsed, Right: t.Answer.Equal(truth) &&
			kind != string(debate.KindDonor),
		Text: t.Reply.Text, PromptTokens: int64(t.Reply.PromptTokens),
		CachedTokens: int64(t.Reply.CachedTokens), Tokens: int64(t.Reply.Tokens), LogProb: t.Reply.LogProb,
		Confidence: t.Confidence,
		Key:        t.Reply.Key, Error: t.Error,
	}
	for _, agent := range t.Heard {
		row.Heard = append(row.Heard, int64(agent))
	}
	return row
}

func decisionRow(o trial.Outcome) (DecisionRow, error) {
	d := o.Transcript.Decision
	if d.Votes == nil {
		d.Votes = []debate.Count{}
	}
	votes, err := json.Marshal(d.Votes)
	return DecisionRow{
		Question: o.Question, Repeat: int64(o.Repeat), Condition: o.Condition, Target: o.Target,
		Decision: d.Answer.Text, Parsed: d.Answer.Parsed, Score: string(o.Score),
		Votes: string(votes), Tie: d.Tie, Rule: d.Rule, Rounds: int64(len(o.Transcript.Rounds)), Error: o.Error,
		Partial: o.Partial,
	}, err
}

// Formats of exported tables.
const (
	FormatCSV     = "csv"
	FormatParquet = "parquet"
)

// Exported says what Export wrote.
type Exported struct {
	Replies   int      `json:"replies"`
	Decisions int      `json:"decisions"`
	Files     []string `json:"files"`
}

// Export writes the tables of a run as PREFIX.replies.FORMAT and PREFIX.decisions.FORMAT, each whole or not at all.
// What is there under these names is replaced.
func Export(r rundir.Run, prefix, format string) (Exported, error) {
	if !slices.Contains([]string{FormatCSV, FormatParquet}, format) {
		return Exported{}, fmt.Errorf("no format %q; there are %s and %s", format, FormatCSV, FormatParquet)
	}
	replies, decisions, err := Tables(r)
	if err != nil {
		return Exported{}, err
	}
	e := Exported{len(replies), len(decisions), []string{prefix + ".replies." + format,
		prefix + ".decisions." + format}}
	if err := writeTable(e.Files[0], format, replies, ReplyRow.cells); err != nil {
		return Exported{}, err
	}
	return e, writeTable(e.Files[1], format, decisions, DecisionRow.cells)
}

// writeTable writes a file of rows; cells are those of a row in CSV.
func writeTable[T any](path, format string, rows []T, cells func(T) []string) error {
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer file.Cleanup()
	if format == FormatCSV {
		err = writeCSV(file, rows, cells)
	} else {
		err = parquet.Write(file, rows, parquet.Compression(&parquet.Zstd))
	}
	if err == nil {
		err = file.CloseAtomicallyReplace()
	}
	if err != nil {
		return fmt.Errorf("export %q: %w", path, err)
	}
	return nil
}

func writeCSV[T any](out io.Writer, rows []T, cells func(T) []string) error {
	w := csv.NewWriter(out)
	var header []string
	for _, column := range parquet.SchemaOf(new(T)).Fields() {
		header = append(header, column.Name())
	}
	if err := w.Write(header); err != nil {
		return err
	}
	for _, row := range rows {
		if err := w.Write(escape.Cells(cells(row))); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func (r ReplyRow) cells() []string {
	heard := "[]"
	if len(r.Heard) > 0 {
		text, _ := json.Marshal(r.Heard) // integers are always JSON
		heard = string(text)
	}
	return []string{
		r.Question, integer(r.Repeat), r.Condition, integer(r.Round), integer(r.Agent), r.Name, r.Kind, r.Answer,
		strconv.FormatBool(r.Parsed), strconv.FormatBool(r.Right),
		heard, r.Text, integer(r.PromptTokens), integer(r.CachedTokens), integer(r.Tokens), decimal(r.LogProb),
		optional(r.Confidence), r.Key, r.Error,
	}
}

func (r DecisionRow) cells() []string {
	return []string{
		r.Question, integer(r.Repeat), r.Condition, r.Target, r.Decision, strconv.FormatBool(r.Parsed), r.Score,
		r.Votes, strconv.FormatBool(r.Tie), r.Rule,
		integer(r.Rounds), r.Error, optional(r.Partial),
	}
}

// optional is empty where there is no number.
func optional(x *float64) string {
	if x == nil {
		return ""
	}
	return decimal(*x)
}

func integer(n int64) string { return strconv.FormatInt(n, 10) }

// decimal is the shortest number that is read as the same.
func decimal(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
