package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// twin is a table of a report that a file of examples/sql computes from the export alone.
type twin struct {
	file, title string
	keys        []string // the columns that tell its rows apart
	once        []string // columns that are such where questions are asked once and are in no clusters
}

var twins = []twin{
	{"conditions", "Conditions", []string{"condition"}, []string{"95 % interval"}},
	{"paired", "Conditions", []string{"condition"}, []string{"its 95 % interval", "p"}},
	{"contrasts", "Contrasts", []string{"contrast"}, nil},
	{"readings", "How answers were read", []string{"condition"}, nil},
	{"debated", "How they debated", []string{"condition"}, nil},
	{"entropy", "How they debated", []string{"condition"}, nil},
	{"groups", "Groups of questions", []string{"condition", "group"}, []string{"95 % interval"}},
	{"repeats", "Likelihood and entropy over repeats", []string{"metric", "condition"}, nil},
	{"passes", "What several repeats give", []string{"condition"}, nil},
	{"first-passes", "What several first answers give", []string{"condition"}, nil},
	{"oracle", "If the method were chosen within each budget", []string{"answers"}, nil},
	{"chosen", "If the method were chosen by question", []string{"condition"}, nil},
	{"enough-votes", "Answering only with enough votes", []string{"condition", "votes from"}, nil},
	{"influence", "What agents made of each other", []string{"condition"}, nil},
	{"standing", "Majorities and minorities of agents", []string{"condition"}, nil},
	{"disagreement", "Disagreement by round", []string{"condition", "round"}, nil},
	{"flips", "What changed answers", []string{"condition"}, nil},
}

// leastCells is how many cells have to be compared: fewer mean that tables, or their columns, have got other names.
const leastCells = 800

// queried are the runs: an easy one; one in which answers are not read and debates fail; one with repeats and clusters;
// one at several budgets, of which the tables of budgets are compared, and that of votes, of which one condition spares
// some.
var queried = []struct {
	name      string
	once      bool
	arguments string
}{
	{"easy", true, "compare --generated 12 -r 3 --conditions single,vote,isolated,answers-only"},
	{"hard", true, "compare --task mine.jsonl -r 3 --conditions single,vote,isolated,answers-only,vacuous " +
		"--group subject --protocols ring.yaml --temperature 1.5 --max-tokens 98 --closing=false --context 1280"},
	{"repeated", false, "compare --task mine.jsonl --conditions single,vote --repeats 2 --cluster subject " +
		"--group subject --max-tokens 96"},
	{"budgets", false, "run worth.yaml"},
}

// worth is an experiment at several budgets.
const worth = `name: worth
tasks: [{name: run, generated: 8}]
reference: single
controls: false
max-tokens: 128
repeats: 2
sampling: {temperature: 1.4}
budgets: [1, 3, 6]
conditions:
  - {name: single, protocol: society, set: {agents: 1, rounds: 1}, budget: 1}
  - {name: vote, protocol: society, set: {rounds: 1}, fill: agents}
  - {name: reflect, protocol: self-reflect, fill: rounds}
  - {name: settled-6, protocol: self-consistency-settled, set: {agents: 6}, budget: 6}
`

// query prints the rows of each file of examples/sql that it is given, by their columns.
const query = `import duckdb, json, pathlib, sys
views, *files = map(pathlib.Path, sys.argv[1:])
duckdb.sql(views.read_text())
rows = {}
for file in files:
    found = duckdb.sql(file.read_text())
    rows[file.stem] = [dict(zip(found.columns, row)) for row in found.fetchall()]
json.dump(rows, sys.stdout, default=float)
`

// TestTablesInSQL: what a report prints is what SQL over the export gives, to the last digit.
func TestTablesInSQL(t *testing.T) {
	t.Parallel()
	needsModules(t, "import duckdb")
	parleytest.WarmCache(t)
	dir, _ := filepath.Abs("../../examples")
	files, err := filepath.Glob(filepath.Join(dir, "sql", "*.sql"))
	if err != nil || len(files) != len(twins)+1 {
		t.Fatalf("examples/sql has %q, %v; want views.sql and a file for each of %d tables", files, err, len(twins))
	}
	compared := make(map[string]int) // by file and column
	for _, run := range queried {
		t.Run(run.name, func(t *testing.T) {
			work := t.TempDir()
			writePuzzles(t, filepath.Join(work, "mine.jsonl"))
			if err := os.WriteFile(filepath.Join(work, "worth.yaml"), []byte(worth), 0o600); err != nil {
				t.Fatal(err)
			}
			contrasts, asked := " --contrast 'vote - single' --contrast 'mad - vote by agreement' --out run", twins
			if !strings.HasPrefix(run.arguments, "compare ") {
				contrasts, asked = " --out .", slices.DeleteFunc(slices.Clone(twins), func(t twin) bool {
					return !slices.Contains([]string{"oracle", "chosen", "enough-votes"}, t.file)
				})
			}
			shellIn(t, work, fmt.Sprintf("cp %q . && parley %s || test -f run/result.json\nparley report run\n"+
				"parley export run --format parquet --out table", filepath.Join(dir, "protocol", "ring.yaml"),
				run.arguments+contrasts))
			script := []string{"-c", query, filepath.Join(dir, "sql", "views.sql")}
			for _, twin := range asked {
				script = append(script, filepath.Join(dir, "sql", twin.file+".sql"))
			}
			var stderr bytes.Buffer
			cmd := pythonIn(work, script...)
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("the queries failed: %v, want no error:\n%s", err, stderr.String())
			}
			var rows map[string][]map[string]any
			if err := json.Unmarshal(out, &rows); err != nil {
				t.Fatalf("the rows are no JSON: %v, want no error:\n%s", err, out)
			}
			report := datatest.Read(t, filepath.Join(work, "run", "report.md"))
			for _, twin := range asked {
				if twin.file == "chosen" && bytes.Contains(report, []byte(" not measured: ")) {
					continue // what was not measured is not compared
				}
				printed := printedTable(string(report), twin.title)
				without := twin.once
				if run.once {
					without = nil
				}
				compareTable(t, twin.file, printed, rows[twin.file], twin.keys, without, compared)
			}
		})
	}
	cells := 0
	for column, n := range compared {
		if cells += n; n == 0 {
			t.Errorf("no report prints the column %s, want one that does", column)
		}
	}
	if t.Logf("%d cells compared", cells); cells < leastCells {
		t.Errorf("%d cells were compared, want at least %d", cells, leastCells)
	}
}

// printedTable has the rows of a table of a report in Markdown by their columns, but for that of the constant guess.
func printedTable(report, title string) (rows []map[string]string) {
	_, after, _ := strings.Cut(report, "\n### "+title+"\n")
	section, _, _ := strings.Cut(after, "\n#")
	var heads []string
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| --") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
		row := make(map[string]string)
		for i, cell := range cells {
			if cell = strings.TrimSpace(cell); heads == nil {
				continue
			}
			row[heads[i]] = strings.TrimSuffix(cell, " (reference)")
		}
		if heads == nil {
			for _, cell := range cells {
				heads = append(heads, strings.TrimSpace(cell))
			}
		} else if !strings.HasPrefix(row["condition"], "constant guess") {
			rows = append(rows, row)
		}
	}
	return rows
}

// compareTable compares the cells of the columns that the SQL has, but for some. A printed row that is not in the SQL
// has nothing in these columns.
func compareTable(t *testing.T, file string, printed []map[string]string, rows []map[string]any, keys, without []string,
	compared map[string]int) {
	t.Helper()
	met := 0
	for _, want := range printed {
		i := slices.IndexFunc(rows, func(row map[string]any) bool {
			return !slices.ContainsFunc(keys, func(k string) bool { return asPrinted(want[k], row[k]) != want[k] })
		})
		unmeasured := slices.Contains(slices.Collect(maps.Values(want)), "not measured")
		var row map[string]any
		if i >= 0 {
			row, met = rows[i], met+1
		}
		for column := range maps.Keys(slices.Concat(rows, []map[string]any{{}})[0]) {
			cell, shown := want[column]
			if slices.Contains(keys, column) || slices.Contains(without, column) {
				continue
			}
			if compared[file+": "+column] += 0; !shown {
				continue
			}
			compared[file+": "+column]++
			cell = strings.TrimSuffix(cell, " (noise)") // which is told of differences that are no larger
			if unmeasured && (cell == "not measured" || cell == table.Absent) {
				continue // what SQL computes of answers that were not measured is for people who look for it
			}
			if got := asPrinted(cell, row[column]); got != cell {
				t.Errorf("%s.sql, %s, %s: SQL has %s, the report %s", file, want[keys[0]], column, got, cell)
			}
		}
	}
	if met != len(rows) {
		t.Errorf("%s.sql: the report prints %d of %d rows, want all: %v", file, met, len(rows), rows)
	}
}

// asPrinted writes a value of SQL as a cell of the report is written: with as many decimals, in percent, with a sign or
// commas, or as an interval.
func asPrinted(cell string, value any) string {
	switch value := value.(type) {
	case nil:
		if cell == "" {
			return ""
		}
		return "–"
	case string:
		return value
	case []any:
		for _, between := range []string{" – ", " to "} {
			if low, high, is := strings.Cut(cell, between); is && len(value) == 2 {
				return asPrinted(low, value[0]) + between + asPrinted(high, value[1])
			}
		}
	case float64:
		_, fraction, _ := strings.Cut(strings.TrimSuffix(cell, " %"), ".")
		percent := strings.HasSuffix(cell, " %")
		if percent {
			value *= 100
		}
		if strings.HasPrefix(cell, "<") && value < 0.0005 {
			return cell
		}
		text := strconv.FormatFloat(math.Abs(value), 'f', len(fraction), 64)
		zero := !strings.ContainsAny(text, "123456789")
		switch {
		case value < 0 && !zero:
			text = "-" + text
		case strings.HasPrefix(cell, "+"):
			text = "+" + text
		case strings.Contains(cell, ","):
			text = humanize.Comma(int64(value))
		}
		if percent {
			text += " %"
		}
		return text
	}
	return fmt.Sprint(value)
}

// writePuzzles writes puzzles of two subjects, of which every third begins with words that take room.
func writePuzzles(t *testing.T, path string) {
	t.Helper()
	var file bytes.Buffer
	for subject, scene := range []struct{ lead, before, after, choice string }{
		{"A fruit stand sells three fruits: mangoes, plums, and loquats.", "The %s are more expensive than the %s.",
			"The %s are less expensive than the %s.", "The %s are the cheapest"},
		{"On a branch, there are three birds: a robin, a crow, and an owl.", "The %s is to the left of the %s.",
			"The %s is to the right of the %s.", "The %s is the rightmost"},
	} {
		names := [][]string{{"mangoes", "plums", "loquats"}, {"robin", "crow", "owl"}}[subject]
		for i, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			text := scene.lead + " " + fmt.Sprintf(scene.before, names[order[0]], names[order[1]]) + " " +
				fmt.Sprintf(scene.after, names[order[2]], names[order[1]])
			if i%3 == 2 {
				text = strings.Repeat("The statements below are each true. ", 20) + text
			}
			var choices []string
			for _, name := range names {
				choices = append(choices, fmt.Sprintf(scene.choice, name))
			}
			line, err := json.Marshal(map[string]any{"question": text, "choices": choices,
				"answer": string("ABC"[order[2]]), "subject": []string{"fruit", "birds"}[subject]})
			if err != nil {
				t.Fatal(err)
			}
			file.Write(append(line, '\n'))
		}
	}
	datatest.Write(t, path, file.Bytes())
}
