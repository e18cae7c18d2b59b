package offline

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/parquetfile"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/internal/escape"
	"github.com/parley-debate/parley/internal/outfile"
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
	Model        string   `parquet:"model"` // SHA-256 of the file of the model that replied

	// Of puzzles of knights, see roles.Reply; claims are empty elsewhere.
	Phase       string   `parquet:"phase"`
	Stood       string   `parquet:"stood"`
	Change      string   `parquet:"change"`
	Claims      *float64 `parquet:"claims,optional"`
	ClaimsHold  *float64 `parquet:"claims_follow,optional"`
	ClaimsFail  *float64 `parquet:"claims_fail,optional"`
	ClaimsEmpty *float64 `parquet:"claims_vacuous,optional"`

	Reasoning       string `parquet:"reasoning"`
	ReasoningTokens int64  `parquet:"reasoning_tokens"` // of the tokens
	ReasoningCut    bool   `parquet:"reasoning_cut"`    // the reply ends within its reasoning

	Target string `parquet:"target"` // of the debate, as it stands in the data
	How    string `parquet:"how"`    // how the answer was read, or why there is none; empty if the rule does not tell
	Stop   string `parquet:"stop"`   // why the reply ended

	Answers bool   `parquet:"answers"` // it is an agent's answer to the whole question
	Held    string `parquet:"held"`    // JSON, as in the record: the agent's beliefs; empty if they were not measured
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
	Group     string   `parquet:"group"`            // of the question, in tasks that have groups

	// Of puzzles of knights, see puzzle.Difficulty.
	Depth   *float64 `parquet:"puzzle_depth,optional"`
	Refuted *float64 `parquet:"puzzle_refuted,optional"`

	How     string `parquet:"how"`     // how the answer of the decision was read
	Elected string `parquet:"elected"` // the text that was decided for, see debate.Transcript.Elected
	Cluster string `parquet:"cluster"` // of the question, in runs with clusters

	Withheld string `parquet:"withheld"` // an answer with too few votes to be the decision
	Until    string `parquet:"until"`    // the setting of this name: when rounds end, or voting does
	Beliefs  string `parquet:"beliefs"`  // JSON, as in the record: of which answers beliefs were held; likewise
}

// MeasureRow is one measure of one debate that did not fail: a part of something. Over the debates of a condition, the
// sum of the parts by the sum of what they are parts of is the number of the report, but for degrees and passes, which
// are means over questions.
type MeasureRow struct {
	Question  string   `parquet:"question"`
	Repeat    int64    `parquet:"repeat"`
	Condition string   `parquet:"condition"`
	Measure   string   `parquet:"measure"`
	Value     *float64 `parquet:"value,optional"` // the part by the whole; nil if the whole is 0, or nothing is known
	Part      *float64 `parquet:"part,optional"`  // nil if the record does not tell
	Of        *float64 `parquet:"of,optional"`    // likewise
}

// Measures are the rows of the measures of all debates. As those of the other tables, they are made one debate after
// the other as they are taken, so that no table of a long run is in memory.
func Measures(r rundir.Run) iter.Seq[MeasureRow] {
	return rowsOf(r, func(o *outcome.Debate) (rows []MeasureRow) {
		if o.Failed() {
			return nil
		}
		d := relation.Of(o)
		for _, m := range relation.MeasuresOf(r.Comparison.Measure) {
			row := MeasureRow{Question: o.Question, Repeat: int64(o.Repeat), Condition: o.Condition, Measure: m.Name}
			t := m.In(d)
			if !t.Unknown {
				row.Part, row.Of = &t.Part, &t.Of
			}
			if value, known := t.Number(); known {
				row.Value = &value
			}
			rows = append(rows, row)
		}
		return rows
	})
}

// Replies are the rows of all turns. Which answers are right follows from the truths of the run's table, as in its
// report.
func Replies(r rundir.Run) iter.Seq[ReplyRow] {
	return rowsOf(r, func(o *outcome.Debate) (rows []ReplyRow) {
		puzzled := roles.Replies(o)
		trial.EachTurn(o.Transcript, func(t debate.Turn, kind string) {
			row := replyRow(o, t, kind)
			if r, ok := puzzled[[2]int{t.Round, t.Agent}]; ok {
				row.addPuzzled(r)
			}
			if t.Reply.Key != "" { // else there is no reply
				row.Model = cmp.Or(t.Reply.Model, r.Header.Model.Hash)
			}
			rows = append(rows, row)
		})
		return rows
	})
}

// Decisions are the rows of all debates.
func Decisions(r rundir.Run) iter.Seq[DecisionRow] {
	return rowsOf(r, func(o *outcome.Debate) []DecisionRow {
		row := decisionRow(o)
		if d := roles.DifficultyOf(o); d != nil {
			row.Depth, row.Refuted = count(d.Depth), count(d.Refuted)
		}
		return []DecisionRow{row}
	})
}

// rowsOf are the rows that the debates of a run have.
func rowsOf[T any](r rundir.Run, of func(*outcome.Debate) []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, o := range r.Table().Debates() {
			for _, row := range of(o) {
				if !yield(row) {
					return
				}
			}
		}
	}
}

func replyRow(o *outcome.Debate, t debate.Turn, kind string) ReplyRow {
	row := ReplyRow{
		Question: o.Question, Repeat: int64(o.Repeat), Condition: o.Condition, Round: int64(t.Round),
		Agent: int64(t.Agent), Name: o.Transcript.Role(t.Agent), Kind: kind,
		Answer: t.Answer.Text, Parsed: t.Answer.Parsed, Right: o.IsRight(t.Answer) &&
			kind != string(debate.KindDonor),
		Text: t.Reply.Text, PromptTokens: int64(t.Reply.PromptTokens),
		CachedTokens: int64(t.Reply.CachedTokens), Tokens: int64(t.Reply.Tokens), LogProb: t.Reply.LogProb,
		Confidence: t.Confidence,
		Key:        t.Reply.Key, Error: t.Error,
		Reasoning: t.Reply.Reasoning, ReasoningTokens: int64(t.Reply.ReasoningTokens),
		ReasoningCut: t.Reply.ReasoningCut,
		Target:       o.Target, How: string(t.Answer.How), Stop: string(t.Reply.Stop),
		// Turns that stand beside the rounds, such as probes, have another kind here than in the record.
		Answers: kind == string(t.Kind) && o.Transcript.AnswersQuestion(t.Round, t),
	}
	if t.Reply.Unscored {
		row.LogProb = math.NaN()
	}
	for _, agent := range t.Heard {
		row.Heard = append(row.Heard, int64(agent))
	}
	row.Held = recorded(t.Held)
	return row
}

// recorded is what a record has of something, as JSON; empty if it has nothing.
func recorded[T any](part *T) string {
	if part == nil {
		return ""
	}
	text, _ := json.Marshal(part) // which was read from JSON
	return string(text)
}

// addPuzzled adds what is known of a reply about a puzzle.
func (row *ReplyRow) addPuzzled(r roles.Reply) {
	row.Phase, row.Stood, row.Change = r.Phase, r.Stood, r.Change
	row.Claims, row.ClaimsHold = count(r.Claims.N), count(r.Claims.Follow)
	row.ClaimsFail, row.ClaimsEmpty = count(r.Claims.Fail), count(r.Claims.Vacuous)
}

// count is a number of a column that only puzzles have.
func count(n int) *float64 { f := float64(n); return &f }

func decisionRow(o *outcome.Debate) DecisionRow {
	d := o.Transcript.Decision
	if d.Votes == nil {
		d.Votes = []debate.Count{}
	}
	elected, _, _ := o.Transcript.Elected()
	until := ""
	if s := o.Transcript.Settings; s != nil {
		until = debate.Value[string](*s, "until")
	}
	return DecisionRow{
		Question: o.Question, Repeat: int64(o.Repeat), Condition: o.Condition, Target: o.Target,
		Decision: d.Answer.Text, Parsed: d.Answer.Parsed, Score: string(o.Score),
		Votes: recorded(&d.Votes), Tie: d.Tie, Rule: d.Rule.String(), Rounds: int64(o.Transcript.RoundsHeld()),
		Error: o.Error, Partial: o.Partial, Group: o.Group, How: string(d.Answer.How), Elected: elected,
		Cluster: o.Cluster, Withheld: d.Withheld, Until: until, Beliefs: recorded(o.Transcript.Beliefs),
	}
}

// Formats of exported runs: tables, logs of other programs, and directories that describe themselves.
const (
	FormatCSV           = "csv"
	FormatParquet       = "parquet"
	FormatEveryEvalEver = "every-eval-ever"
	FormatHub           = "hub"
	FormatInspect       = "inspect"
	FormatROCrate       = "ro-crate"
)

// exporting is a run on its way out. directory is that of the run.
type exporting struct {
	run               rundir.Run
	directory, prefix string
}

// piece is a file of an export.
type piece struct {
	file  outfile.File
	what  string // that it holds, such as "replies"
	write func(out io.Writer) (n int, err error)
}

// exporters say for each format which files it has.
var exporters = []struct {
	format string
	below  bool // the prefix names a directory
	pieces func(x exporting) ([]piece, error)
}{
	{FormatCSV, false, func(x exporting) ([]piece, error) { return tables(x, x.prefix+".", FormatCSV), nil }},
	{FormatParquet, false, func(x exporting) ([]piece, error) { return tables(x, x.prefix+".", FormatParquet), nil }},
	{FormatEveryEvalEver, true, everyEvalEver},
	{FormatHub, true, hub},
	{FormatInspect, false, inspectLogs},
	{FormatROCrate, true, roCrate},
}

// ExportFormats lists the formats.
func ExportFormats() (names []string) {
	for _, e := range exporters {
		names = append(names, e.format)
	}
	return names
}

// Exported says what Export wrote.
type Exported struct {
	Replies   int      `json:"replies"`
	Decisions int      `json:"decisions"`
	Measures  int      `json:"measures"`
	Files     []string `json:"files"`

	lines string // of String
}

// add enters a file with so many of what it holds.
func (e *Exported) add(p piece, n int) {
	e.Files = append(e.Files, p.file.Path)
	e.lines += fmt.Sprintf("%s: %d %s\n", p.file.Path, n, p.what)
	switch p.what {
	case "replies":
		e.Replies = n
	case "measures":
		e.Measures = n
	}
}

// String says what each file holds, a line each.
func (e Exported) String() string { return e.lines }

// Export writes a run, which is in a directory: the tables as PREFIX.replies.FORMAT and so on, a log for each
// condition, or a directory PREFIX; each file whole or not at all. Files of an earlier export are replaced; anything
// else under these names is refused.
func Export(r rundir.Run, directory, prefix, format string) (Exported, error) {
	e := Exported{Decisions: len(r.Outcomes)}
	at := slices.Index(ExportFormats(), format)
	if at < 0 {
		return e, fmt.Errorf("no format %q; there are %s", format, strings.Join(ExportFormats(), ", "))
	}
	pieces, err := exporters[at].pieces(exporting{r, directory, prefix})
	if err != nil {
		return e, err
	}
	for _, p := range pieces {
		if err := outfile.Check(p.file); err != nil {
			return e, fmt.Errorf("export: %w", err)
		}
	}
	for _, p := range pieces {
		if exporters[at].below {
			if err := os.MkdirAll(filepath.Dir(p.file.Path), 0o777); err != nil {
				return e, fmt.Errorf("export: %w", err)
			}
		}
		n := 0
		if err := p.file.Fill(func(out io.Writer) (err error) { n, err = p.write(out); return err }); err != nil {
			return e, fmt.Errorf("export %q: %w", p.file.Path, err)
		}
		e.add(p, n)
	}
	return e, nil
}

// written is what is known of a file once it is written.
type written struct {
	hash.Hash // SHA-256
	size      int64
}

// Write implements io.Writer.
func (w *written) Write(b []byte) (int, error) {
	w.size += int64(len(b))
	return w.Hash.Write(b)
}

func (w *written) sum() string { return hex.EncodeToString(w.Sum(nil)) }

// watched has what is written looked at.
func (p *piece) watched() *written {
	w, write := &written{Hash: sha256.New()}, p.write
	p.write = func(out io.Writer) (int, error) { return write(io.MultiWriter(out, w)) }
	return w
}

// watchedAll is watched of each piece.
func watchedAll(pieces []piece) (seen []*written) {
	for i := range pieces {
		seen = append(seen, pieces[i].watched())
	}
	return seen
}

// tables are those of the run, with what stands before their names.
func tables(x exporting, before, format string) []piece {
	return []piece{tableOf(before+"replies."+format, "replies", format, Replies(x.run)),
		tableOf(before+"decisions."+format, "decisions", format, Decisions(x.run)),
		tableOf(before+"measures."+format, "measures", format, Measures(x.run))}
}

// columnsOf are the columns of a table of T.
func columnsOf[T any]() (names []string) {
	for _, column := range parquet.SchemaOf(new(T)).Fields() {
		names = append(names, column.Name())
	}
	return names
}

// columnsCompared is how many of the columns an earlier version of the table has too.
const columnsCompared = 4

// outputOf is a file of rows. An earlier one has the same first columns.
func outputOf[T any](path, format string) outfile.File {
	names := columnsOf[T]()[:columnsCompared]
	ours := outfile.Opening(strings.Join(names, ","))
	if format == FormatParquet {
		ours = func(file *os.File) bool {
			info, err := file.Stat()
			if err != nil {
				return false
			}
			there, err := parquetfile.Columns(file, info.Size())
			return err == nil && len(there) >= len(names) && slices.Equal(there[:len(names)], names)
		}
	}
	return outfile.File{Kind: outfile.Kind{Name: "table of an earlier export", Ours: ours}, Path: path}
}

// tableOf is a file of rows.
func tableOf[T any](path, what, format string, rows iter.Seq[T]) piece {
	return piece{outputOf[T](path, format), what, func(out io.Writer) (int, error) {
		if format == FormatCSV {
			return writeCSV(out, rows)
		}
		return writeParquet(out, rows)
	}}
}

// parquetRows is how many rows are in memory at once; compressed, all of a file are.
const parquetRows = 1000

// writeParquet writes rows as they come, and returns how many.
func writeParquet[T any](out io.Writer, rows iter.Seq[T]) (n int, err error) {
	w := parquet.NewGenericWriter[T](out, parquet.Compression(&parquet.Zstd))
	some := make([]T, 0, parquetRows)
	for row := range rows {
		if some, n = append(some, row), n+1; len(some) == parquetRows {
			if _, err := w.Write(some); err != nil {
				return n, err
			}
			some = some[:0]
		}
	}
	if _, err := w.Write(some); err != nil {
		return n, err
	}
	return n, w.Close()
}

// writeCSV writes rows as they come, and returns how many; this is why it is not written by bench/table, whose tables
// are read by people and short. The columns are the fields of T, as in Parquet.
func writeCSV[T any](out io.Writer, rows iter.Seq[T]) (n int, err error) {
	w := csv.NewWriter(out)
	if err := w.Write(columnsOf[T]()); err != nil {
		return 0, err
	}
	for row := range rows {
		if err := w.Write(escape.Cells(cells(row))); err != nil {
			return n, err
		}
		n++
	}
	w.Flush()
	return n, w.Error()
}

// cells are the fields of a row as CSV has them: a list is JSON, and a number that is not there is empty.
func cells(row any) (texts []string) {
	fields := reflect.ValueOf(row)
	for i := range fields.NumField() {
		texts = append(texts, cell(fields.Field(i).Interface()))
	}
	return texts
}

func cell(field any) string {
	switch field := field.(type) {
	case float64:
		return decimal(field)
	case *float64:
		if field == nil {
			return ""
		}
		return decimal(*field)
	case []int64:
		if len(field) == 0 {
			return "[]"
		}
		text, _ := json.Marshal(field) // integers are always JSON
		return string(text)
	}
	return fmt.Sprint(field) // texts, integers and booleans
}

// decimal is the shortest number that is read as the same.
func decimal(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
