package samples

import (
	"archive/zip"
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/parley-debate/parley/bench/importer"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/internal/datatest"
)

// archived is an inspect log as its zip archive, packed by zstd as inspect_ai does today.
func archived(t *testing.T, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	for i := 0; i < len(entries); i += 2 {
		e, err := w.CreateHeader(&zip.FileHeader{Name: entries[i], Method: zstd.ZipMethodWinZip})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Write([]byte(entries[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const inspectEval = `{"version":2,"status":"success","plan":{},"eval":{"task":"sums","model":"mock/a",` +
	`"dataset":{"samples":2},"config":{"epochs":2},"scorers":[{"name":"match"},{"name":"graded"}]}`

func inspectOf(id string, epoch int, match, graded string) string {
	return fmt.Sprintf(`{"id":%s,"epoch":%d,"input":[{"role":"system","content":"s"},{"role":"user","content":`+
		`[{"type":"text","text":"What is %s?"}]}],"target":["1","one"],"output":{"completion":"It is 1"},"scores":`+
		`{"match":{"value":%s,"answer":"1"},"graded":{"value":{"style":%s}}},"model_usage":{"mock/a":`+
		`{"output_tokens":3},"mock/judge":{"output_tokens":2}},"metadata":{"topic":"t%d"}}`,
		id, epoch, strings.Trim(id, `"`), match, graded, epoch)
}

// TestFormats: the first sample of each format's file, with all that the format knows of it.
func TestFormats(t *testing.T) {
	inspect := Sample{Place: "sample 1", System: "mock/a", Question: "q1", Text: "What is q1?", Digest: "What is q1?",
		Score: 0.5, Scored: true, Tokens: 5, Cluster: "t1", Answer: "1", Target: "1, one", Reply: "It is 1"}
	entries := []string{"header.json", inspectEval + "}",
		"samples/q1_epoch_1.json", inspectOf(`"q1"`, 1, `"P"`, "0.25"),
		"../../evil.json", "{", "samples/2_epoch_1.json", inspectOf("2", 1, `"I"`, "1")}
	harness := Sample{Place: "line 1", System: "file", Question: "7", Text: "Q: 1+1?", Digest: "h7", Score: 1,
		Scored: true, Tokens: -1, Cluster: "easy", Answer: "2", Target: "2", Reply: "It is 2"}
	const row = `{"doc_id":7,"doc":{"level":"easy"},"target":"2","arguments":{"gen_args_0":{"arg_0":"Q: 1+1?"}},"resps":` +
		`[["It is 2"]],"filtered_resps":["%s"],"filter":"%s","metrics":["exact_match"],"doc_hash":"h7","exact_match":%s}` + "\n"
	for name, c := range map[string]struct {
		content []byte
		options Options
		want    Sample
		measure string
	}{
		"inspect, an archive": {archived(t, entries...), Options{Cluster: "topic"}, inspect, "match"},
		"inspect, JSON": {[]byte(inspectEval + `,"samples":[` + inspectOf(`"q1"`, 1, "0.5", "1") + "]}"),
			Options{Cluster: "topic"}, inspect, "match"},
		"lm-eval, one of two filters": {fmt.Appendf(nil, row+row, "", "strict", "0.0", "2", "flexible", "1.0"),
			Options{Measure: "exact_match,flexible", Cluster: "level"},
			func() Sample { s := harness; s.Place = "line 2"; return s }(), "exact_match,flexible"},
		"lm-eval, its only filter": {fmt.Appendf(nil, row, "2", "flexible", "1.0"),
			Options{Measure: "exact_match", Cluster: "level"}, harness, "exact_match,flexible"},
		"promptfoo": {[]byte(`{"evalId":"e","results":{"version":3,"results":[{"promptIdx":0,"testIdx":0,"provider":` +
			`{"id":"p:x","label":""},"vars":{"b":"2","a":"1"},"response":{"output":"It is 3"},"success":true,"score":0.75,` +
			`"failureReason":0,"tokenUsage":{"completion":4},"namedScores":{"style":1}}]}}`), Options{Cluster: "a"},
			Sample{Place: "result 1", System: "p:x", Question: `{"a":"1","b":"2"}`, Text: `{"a":"1","b":"2"}`,
				Digest: `{"a":"1","b":"2"}`, Repeat: -1, Score: 0.75, Scored: true, Tokens: 4, Cluster: "1",
				Reply: "It is 3"},
			"score"},
		"every-eval-ever": {[]byte(`{"schema_version":"0.3.0","model_id":"org/m","evaluation_name":"gsm8k","sample_id":"g1",` +
			`"sample_hash":"abc","interaction_type":"single_turn","input":{"raw":"1+1?","reference":["2"]},"output":{"raw":` +
			`["It is 2"]},"answer_attribution":[{"turn_idx":0,"source":"output.raw","extracted_value":"2","is_terminal":` +
			`true}],"evaluation":{"score":1.0,"is_correct":true},"token_usage":{"output_tokens":3},"error":null,` +
			`"metadata":{"epoch":"2","parley.condition":"vote"}}` + "\n"), Options{},
			Sample{Place: "instance 1", System: "org/m/vote", Question: "g1", Text: "1+1?", Digest: "abc", Repeat: 1,
				Score: 1, Scored: true, Tokens: 3, Answer: "2", Target: "2", Reply: "It is 2"}, "gsm8k"},
		"every-eval-ever, several turns": {[]byte(`{"schema_version":"0.3.0","model_id":"m","evaluation_name":"e",` +
			`"sample_id":3,"interaction_type":"agentic","input":{"raw":"1+1?","reference":[]},"output":null,` +
			`"messages":[{"turn_idx":4,"role":"assistant","content":"So 3"},{"turn_idx":0,"role":"user","content":"1+1?"},{"turn_idx":2,"role":` +
			`"assistant","content":"It is 2"},{"turn_idx":3,"role":"tool","content":"3"},{"turn_idx":5,"role":"assistant",` +
			`"content":null}],"answer_attribution":[{"turn_idx":2,"source":"messages[2].content","extracted_value":"2",` +
			`"is_terminal":true}],"evaluation":{"score":0,"is_correct":false}}` + "\n"), Options{},
			Sample{Place: "instance 1", System: "m", Question: "3", Text: "1+1?", Digest: "1+1?", Scored: true,
				Tokens: -1, Answer: "2", Reply: "It is 2"}, "e"},
		"rows": {[]byte("question,system,score,repeat,tokens,cluster\nq1,a b,7,1,12,c1\n"), Options{Best: 10},
			Sample{Place: "row 1 (line 2)", System: "a_b", Question: "q1", Repeat: 1, Score: 0.7, Scored: true,
				Tokens: 12, Cluster: "c1"}, "score"},
	} {
		t.Run(name, func(t *testing.T) {
			path := datatest.File(t, "file", c.content)
			got, err := Read([]string{path}, c.options)
			if err != nil {
				t.Fatal(err)
			}
			c.want.Place += " of " + path
			if diff := cmp.Diff(c.want, got.All[0]); diff != "" || got.Measure != c.measure {
				t.Errorf("score %s, want %s; the first sample, - wanted, + read:\n%s", got.Measure, c.measure, diff)
			}
		})
	}
}

// TestDebates: the logs of debates that parley import reads have the same decisions here.
func TestDebates(t *testing.T) {
	for format, file := range map[string]string{"mallm": "mallm.json", "debate-or-vote": "debate-or-vote.jsonl"} {
		t.Run(format, func(t *testing.T) {
			path := filepath.Join("..", "importer", "testdata", file)
			log, err := importer.Read(format, []string{path})
			if err != nil {
				t.Fatal(err)
			}
			imported, err := log.Run(nil)
			if err != nil {
				t.Fatal(err)
			}
			read, err := Read([]string{path}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			run, err := read.Run(spec.Tests{}, "", "")
			if err != nil {
				t.Fatal(err)
			}
			unknown := 0
			for _, o := range imported.Outcomes {
				if o.Target == "" {
					unknown++
				}
			}
			want, got := imported.Comparison.Rows[0], run.Comparison.Rows[0]
			if got.Right != want.Right || got.N != want.N-unknown || got.Failed != unknown || got.Right == 0 {
				t.Errorf("%d of %d right, %d failed; import has %d of %d, %d of them without a right answer", got.Right,
					got.N, got.Failed, want.Right, want.N, unknown)
			}
			if len(read.Notes) != len(log.Problems) {
				t.Errorf("notes %q, want one for each of %v", read.Notes, log.Problems)
			}
		})
	}
}

// TestRefused: what cannot be read rightly is refused with its place.
func TestRefused(t *testing.T) {
	bomb := archived(t, "header.json", inspectEval+"}", "samples/1.json", strings.Repeat(" ", inspectMost+1))
	const rows = "question,system,score,repeat\n"
	one := inspectEval + `,"samples":[` + inspectOf("1", 1, "1", "1") + "]}"
	other := inspectEval + `,"samples":[` + strings.ReplaceAll(inspectOf("1", 1, "1", "1"), "What is", "Was ist") +
		`,{"id":2,"epoch":1,"input":"","scores":{"match":{"value":1}}}]}`
	for name, c := range map[string]struct {
		files   []string
		measure string
		want    string
	}{
		"an archive that takes too much": {[]string{string(bomb)}, "", "bytes unpacked"},
		"an archive that is cut":         {[]string{string(bomb[:len(bomb)/2])}, "", "zip"},
		"no number":                      {[]string{rows + "q,a,good,0\n"}, "", `row 1 (line 2): score: "good"`},
		"NaN":                            {[]string{rows + "q,a,NaN,0\n"}, "", "no finite number"},
		"NaN of Python":                  {[]string{`{"question":"q","score":NaN}` + "\n"}, "", "invalid character"},
		"a score above 1":                {[]string{rows + "q,a,7,0\n"}, "", "--best"},
		"a score below 0":                {[]string{rows + "q,a,-0.5,0\n"}, "", "from 0 to 1"},
		"two samples of one number":      {[]string{rows + "q,a,1,0\nq,a,0,0\n"}, "", "both repeat 1"},
		"two files of one system": {[]string{rows + "q,a,1,0\n", rows + "q,a,0,0\n"}, "",
			"second are both repeat 1 of question q by a: name the systems apart, as in NAME=FILE"},
		"a repeat that nobody asks": {[]string{rows + "q,a,1,99999999\n"}, "", "at most"},
		"a negative repeat":         {[]string{rows + "q,a,1,-1\n"}, "", "whole number"},
		"a name that no file can have": {[]string{rows + "q," + strings.Repeat("a", 201) + ",1,0\n"}, "",
			"takes 201 bytes"},
		"no question in common":     {[]string{rows + "q,a,1,0\nr,b,1,0\n"}, "", "all of a, b"},
		"a score that there is not": {[]string{one}, "x", "match, graded.style"},
		"scores of two kinds":       {[]string{rows + "q,a,1,0\n", one}, "", "one that all have"},
		"a list as a score": {[]string{strings.Replace(one, `"value":1`, `"value":[1]`, 1)}, "",
			"no number"},
		"an empty file": {[]string{" \n"}, "", "is empty"},
		"a header alone": {[]string{`{"status":"success","eval":{"task":"t","dataset":{"samples":7}},"plan":{}}`}, "",
			"has no samples, of the 7 that were evaluated"},
		"something else": {[]string{`{"a":1}`}, "", "none of the formats"},
		"JSON of a hundred thousand brackets": {[]string{`{"eval":{},"version":2,"samples":` +
			strings.Repeat("[", 100_000)}, "", "max depth"},
		"an id with two texts, and one without": {[]string{one, other}, "", "not the same in all files"},
	} {
		t.Run(name, func(t *testing.T) {
			var paths []string
			for i, content := range c.files {
				path := datatest.File(t, []string{"first", "second"}[i], []byte(content))
				if strings.Contains(c.want, "not the same") || strings.Contains(c.want, "one that all") {
					path = fmt.Sprintf("s%d=%s", i, path)
				}
				paths = append(paths, path)
			}
			read, err := Read(paths, Options{Measure: c.measure})
			if err == nil {
				_, err = read.Run(spec.Tests{}, "", "")
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("a file that cannot be read is refused with %q: got %v", c.want, err)
			}
		})
	}
}

// TestMatch: questions are matched by their ids, or by their texts where ids are numbers of rows, and what is left out
// is named.
func TestMatch(t *testing.T) {
	log := func(model string, samples ...string) string {
		return datatest.File(t, model, []byte(strings.ReplaceAll(inspectEval, "mock/a", model)+`,"samples":[`+
			strings.Join(samples, ",")+"]}"))
	}
	of := func(id, asked, score string) string {
		return fmt.Sprintf(`{"id":%s,"epoch":1,"input":"%s","output":{"completion":"r"},"scores":{"match":{"value":"%s"}}}`,
			id, asked, score)
	}
	for name, c := range map[string]struct {
		first, second []string
		questions     int
		right         [2]int
		notes         []string
	}{
		"by id": {[]string{of("1", "x", "C"), of("2", "y", "I")}, []string{of("2", "y", "C"), of("1", "x", "C")}, 2,
			[2]int{1, 2}, nil},
		"by text": {[]string{of("1", "x", "C"), of("2", "y", "I")}, []string{of("1", "y", "C"), of("2", "x", "I")}, 2,
			[2]int{1, 1}, []string{"questions are matched by their texts, not by their ids"}},
		"a part of a log": {[]string{of("1", "x", "C") + `],"results":{"total_samples":9},"_":[`},
			[]string{of("1", "x", "C")}, 1, [2]int{1, 1},
			[]string{"PATH: the log's status is success, with 1 of 9 samples"}},
		"what one lacks": {[]string{of("1", "x", "C"), of("2", "y", "I")},
			[]string{of("2", "y", "C"), of("3", "z", "C")}, 1, [2]int{0, 1},
			[]string{"left out: 1 question that only the samples of a have: 1",
				"left out: 1 question that only the samples of b have: 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			first := log("a", c.first...)
			for i := range c.notes {
				c.notes[i] = strings.Replace(c.notes[i], "PATH", first, 1)
			}
			read, err := Read([]string{first, log("b", c.second...)}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			run, err := read.Run(spec.Tests{}, "", "")
			if err != nil {
				t.Fatal(err)
			}
			rows := run.Comparison.Rows
			got := [2]int{rows[0].Right, rows[1].Right}
			if run.Header.Questions != c.questions || got != c.right || !cmp.Equal(run.Header.Notes, c.notes) {
				t.Errorf("%d questions, %v right, notes %q; want %d, %v, %q", run.Header.Questions, got,
					run.Header.Notes, c.questions, c.right, c.notes)
			}
		})
	}
}

// TestScores: the accuracy and the mean score of a run are those of its samples, a failed one counts in neither, and
// repeats that nobody numbered are counted.
func TestScores(t *testing.T) {
	read, err := Read([]string{datatest.File(t, "f", []byte("question,system,score\nq,a,1\nq,a,0.5\nr,a,0\nr,a,0\n"+
		"q,b,1\nq,b,1\nr,b,1\nr,b,0\n"))}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	read.All[3].Scored, read.All[3].Why = false, "refused"
	run, err := read.Run(spec.Tests{}, "b", "")
	if err != nil {
		t.Fatal(err)
	}
	a, b := run.Comparison.Rows[0], run.Comparison.Rows[1]
	if a.N != 3 || a.Right != 1 || b.N != 4 || b.Right != 3 || run.Header.Repeats != 2 {
		t.Errorf("a %d of %d, b %d of %d right, %d repeats; want 1 of 3, 3 of 4, 2", a.Right, a.N, b.Right, b.N,
			run.Header.Repeats)
	}
	if a.Partial == nil || a.Partial.Mean != 0.375 || run.Header.Measure != task.LoggedPartly {
		t.Errorf("mean score of a %+v by measure %s, want 0.375 over two questions", a.Partial, run.Header.Measure)
	}
	if len(run.Comparison.Contrasts) != 1 || run.Comparison.Contrasts[0].Name != "a - b by score" {
		t.Errorf("contrasts %+v, want the one of scores", run.Comparison.Contrasts)
	}
	if len(run.Comparison.Failed) != 1 {
		t.Errorf("%d failed, want the one that was refused", len(run.Comparison.Failed))
	}
}

// TestReadAgain: a rule of ours reads the replies in place of the harness, scores them by the log's targets, and what
// changes is named; without targets nothing can be scored again.
func TestReadAgain(t *testing.T) {
	const rows = "question,system,score,reply,answer,target\n" +
		"What is 1+1?,a,0,I think the answer is 2.,,2\n" +
		"What is 2+2?,a,1,The answer is 4.,4,4\n" +
		"What is 3+3?,a,1,The answer is 7.,6,6\n" +
		"What is 4+4?,a,0,<think>It is 8.</think>No idea.,,8\n"
	read, err := Read([]string{datatest.File(t, "f", []byte(rows))}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := read.Run(spec.Tests{}, "", "number")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"read again by the rule number: 2 of 4 samples have another score",
		`What is 1+1? by a from 0 to 1: read "2", and the log nothing`,
		`What is 3+3? by a from 1 to 0: read "7", and the log "6"`}
	if diff := cmp.Diff(want, run.Header.Notes); diff != "" || run.Comparison.Rows[0].Right != 2 {
		t.Errorf("%d right, want 2; notes, - wanted, + said:\n%s", run.Comparison.Rows[0].Right, diff)
	}
	read.All[1].Target = ""
	if _, err := read.Run(spec.Tests{}, "", "number"); err == nil || !strings.Contains(err.Error(), "row 2 (line 3)") {
		t.Errorf("a sample without a target: %v, want an error that names it", err)
	}
}

// TestReadAgainByChoices: the text of an option is its letter where the rows list the options.
func TestReadAgainByChoices(t *testing.T) {
	const rows = `{"question":7,"score":0,"target":"B","choices":["one","two"],"reply":"The answer is two."}`
	read, err := Read([]string{datatest.File(t, "f", []byte(rows))}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := read.Run(spec.Tests{}, "", "reader")
	if err != nil || run.Comparison.Rows[0].Right != 1 {
		t.Errorf("%d right, %v, want 1", run.Comparison.Rows[0].Right, err)
	}
}
