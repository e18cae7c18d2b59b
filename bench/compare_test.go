package bench_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/details"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/discussion"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestCompare checks the table against what must hold between its rows, whatever the agents say.
func TestCompare(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	var observed []string
	got, err := bench.Compare(t.Context(), bench.Options{
		Task: questions, Conditions: conditions, Engine: benchtest.Crowd(questions),
		Observe: func(o trial.Outcome) error {
			observed = append(observed, o.Question+" "+o.Condition)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, builds := range []bool{false, true} {
		for _, q := range questions.Questions {
			for _, c := range conditions {
				if (c.DependsOn != "") == builds {
					want = append(want, q.ID+" "+c.Name)
				}
			}
		}
	}
	if diff := cmp.Diff(want, observed); diff != "" {
		t.Errorf("debates are observed in their order (-want +got):\n%s", diff)
	}
	single, vote, sc, mad, oracle := benchtest.Row(t, got, "single"), benchtest.Row(t, got, "vote"),
		benchtest.Row(t, got, "self-consistency"),
		benchtest.Row(t, got, "mad"), benchtest.Row(t, got, "oracle")
	if mad.Right < oracle.Right || oracle.Right <= vote.Right {
		t.Errorf("who hears a right answer takes it (mad >= oracle > vote): got mad %d, oracle %d, vote %d right",
			mad.Right, oracle.Right, vote.Right)
	}
	if single.Replies != 40 || vote.Replies != 120 || sc.Replies != 240 || mad.Replies != 240 {
		t.Errorf("calls: single %d, vote %d, self-consistency %d, mad %d; want 40, 120, 240 and 240",
			single.Replies, vote.Replies, sc.Replies, mad.Replies)
	}
	if mad.Paired != nil || single.Paired == nil ||
		single.Paired.OnlySecond-single.Paired.OnlyFirst != mad.Right-single.Right || single.UnparsedReplies == 0 {
		t.Errorf("the reference has no test, and single differs from it by its right answers, with unread "+
			"replies: got %+v against %+v", single, mad)
	}
	if single.Interval.Low > single.Accuracy || single.Interval.High < single.Accuracy {
		t.Errorf("accuracy %.3f lies within its interval: got %+v", single.Accuracy, single.Interval)
	}
	// 6 first answers a question (about as many again for equal tokens: the script's replies differ in length), and
	// three second ones for each different order, visibility and layout that heard something different; the donors'
	// questions are asked anyway.
	if s := got.Stats; s.Generations >= 40*(2*6+8*3) || s.Generations < 40*6 || s.Joined == 0 {
		t.Errorf("round 0 is shared, so that fewer than %d generations are made, some of them joined: got %d, %d "+
			"joined", 40*(2*6+8*3), s.Generations, s.Joined)
	}
	table := got.Document().String()
	for _, text := range []string{"ACCURACY", "95 % INTERVAL", "madc", "oracle", "constant guess", "prompt tokens",
		"%"} {
		t.Run(text, func(t *testing.T) {
			if !strings.Contains(table, text) {
				t.Errorf("the table has %q: got\n%s", text, table)
			}
		})
	}
}

// TestSilentDebatesFail: a question that no agent can be asked fails in every condition, is reported, and is in no
// accuracy.
func TestSilentDebatesFail(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 2, 2)
	questions.Questions = questions.Questions[:3]
	engine := &benchtest.Mute{Engine: benchtest.Crowd(questions), Question: questions.Questions[1].Text}
	got, err := bench.Compare(t.Context(), bench.Options{Task: questions, Conditions: conditions, Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got.Rows {
		if r.N != 2 || r.Failed != 1 || r.Accuracy != float64(r.Right)/2 {
			t.Errorf("%s: of 3 debates 1 fails and 2 count, and accuracy is of those: got n %d, failed %d, %d "+
				"right, accuracy %g", r.Condition, r.N, r.Failed, r.Right, r.Accuracy)
		}
	}
	if len(got.Failed) != len(conditions) || !strings.Contains(got.Failed[0], "too long") {
		t.Errorf("each of %d conditions has a debate that is \"too long\": got %v", len(conditions), got.Failed)
	}
}

func TestCompareEnds(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 2, 1)
	full := errors.New("disk full")
	_, err := bench.Compare(t.Context(), bench.Options{Task: questions, Conditions: conditions,
		Engine:  benchtest.Crowd(questions),
		Observe: func(trial.Outcome) error { return full }})
	if !errors.Is(err, full) {
		t.Errorf("a full disk: %v, want the error %q", err, full)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := bench.Compare(cancelled, bench.Options{Task: questions, Conditions: conditions,
		Engine: benchtest.Crowd(questions)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, want the error %q", err, context.Canceled)
	}
	if _, err := bench.Compare(t.Context(), bench.Options{Conditions: conditions}); err == nil {
		t.Error("conditions were compared without questions, want an error")
	}
	if _, err := bench.Compare(t.Context(), bench.Options{Task: questions}); err == nil {
		t.Error("questions were compared under no conditions, want an error")
	}
}

// TestSelect: the conditions that are selected come in the order of the run, with those that they build on.
func TestSelect(t *testing.T) {
	_, conditions := benchtest.Setup(t, 3, 2)
	some, err := trial.Select(conditions, []string{"madc", "single"})
	if err != nil || len(some) != 3 || some[0].Name != "single" || some[1].Name != trial.Reference ||
		some[2].Name != "madc" {
		t.Fatalf("conditions are selected in the order of the run: got %v, %v, want single, %s, madc", some, err,
			trial.Reference)
	}
	if all, err := trial.Select(conditions, nil); err != nil || len(all) != len(conditions)-5 {
		t.Errorf("without names all conditions but 5 are chosen, of %d: got %d, %v", len(conditions), len(all), err)
	}
	if some, err := trial.Select(conditions, []string{"mad-shared"}); err != nil || len(some) != 2 ||
		some[1].Debate.(society.Society).Layout != society.LayoutShared {
		t.Errorf("mad-shared brings the reference along and has the layout %v: got %v, %v", society.LayoutShared, some,
			err)
	}
	if _, err := trial.Select(conditions, []string{"vibes"}); err == nil ||
		!strings.Contains(err.Error(), "self-consistency") {
		t.Errorf("an unknown condition is refused with those that there are, self-consistency among them: got %v",
			err)
	}
}

// TestDirectory writes a run and reads it back.
func TestDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs", "one")
	d, err := rundir.OpenDirectory(path)
	if err != nil || !d.Empty() {
		t.Fatalf("a directory that does not exist yet is opened as an empty one: %v", err)
	}
	questions, conditions := benchtest.Setup(t, 2, 2)
	questions.Questions = questions.Questions[:2]
	engine := benchtest.Crowd(questions)
	header := benchtest.Header(bench.Options{Engine: engine, Task: questions, Conditions: conditions},
		conditions[len(conditions)-2].Debate.(society.Society))
	header.Model.Hash = "def"
	if err := d.Begin(header); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(header.Headline(), "2 agents, 2 rounds") {
		t.Errorf("the headline of a run has \"2 agents, 2 rounds\": got %s", header.Headline())
	}
	got, err := bench.Compare(t.Context(), bench.Options{Task: questions, Conditions: conditions, Engine: engine,
		Observe: d.Outcome})
	if err != nil {
		t.Fatal(err)
	}
	g := inference.Generation{Name: "x", Messages: []inference.Message{{Role: "user", Content: "hello <&>"}},
		Reply: inference.Reply{Text: "hi", Key: "k"}}
	if err := errors.Join(d.Generation(g), d.Finish(got), d.Close()); err != nil || d.Empty() {
		t.Fatalf("what was written is there, and the directory is not empty: empty %v, %v", d.Empty(), err)
	}
	lines := func(file string) (lines []string) {
		if _, err := record.Read(filepath.Join(path, file), func(line []byte) error {
			lines = append(lines, string(line))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return lines
	}
	debates, generations := lines("debates.jsonl.zst"), lines("generations.jsonl.zst")
	if len(debates) != 1+2*len(conditions) || len(generations) != 2 || debates[0] != generations[0] ||
		!strings.HasPrefix(debates[0], `{"v":2,"kind":"header"`) {
		t.Fatalf("%d conditions of 2 questions are %d lines of debates behind a header, with 2 lines of "+
			"generations behind the same: got %d and %d",
			len(conditions), 1+2*len(conditions), len(debates), len(generations))
	}
	if !strings.Contains(generations[1], `"content":"hello <&>"`) ||
		!strings.Contains(debates[1], `"condition":"single"`) || strings.Contains(debates[1], `"messages"`) {
		t.Errorf("generations have texts without escapes, and debates have conditions but no messages: got\n%s\n%s",
			generations[1], debates[1])
	}
	if text, err := os.ReadFile(filepath.Join(path, "result.json")); err != nil ||
		!strings.Contains(string(text), `"condition": "madc"`) {
		t.Errorf("result.json has a row for madc: got %s, %v", text, err)
	}
	if _, err := rundir.OpenDirectory(filepath.Join(path, "result.json", "below")); err == nil {
		t.Error("a directory was made below a file, want an error")
	}
	goesOn(t, path, header, got.Rows[0].N*len(conditions))
}

// goesOn opens the directory of a run again: the same run goes on, a wider one begins anew with its generations,
// another one is refused.
func goesOn(t *testing.T, path string, header rundir.Header, debates int) {
	t.Helper()
	d := benchtest.OpenDirectory(t, path)
	if _, err := rundir.OpenDirectory(path); err == nil || !strings.Contains(err.Error(), "in use by process") {
		t.Errorf("a directory that is open is refused as \"in use by process\": got %v, want that error", err)
	}
	if g, o := d.Count().Generations, d.Count().Debates; g != 1 || o != debates {
		t.Errorf("%d generations and %d debates recorded, want 1 and %d", g, o, debates)
	}
	if r, ok := d.Reply("k"); !ok || r.Text != "hi" {
		t.Errorf("a recorded reply is found by its key: got %v, found %v, want hi", r, ok)
	}
	other := header
	other.Seed, other.Model.Hash = 7, "abc"
	if err := d.Begin(other); err == nil || !strings.Contains(err.Error(),
		"SHA-256 was def and is abc\n  seed was 1 and is 7\nto resume the recorded run, ask for what it was") ||
		!strings.Contains(err.Error(), "--fork NEW") {
		t.Errorf("another model or seed is refused, with both values and the way out by --fork: got %v", err)
	}
	if err := d.Begin(header); err != nil {
		t.Error(err)
	}
	if err := d.Outcome(trial.Outcome{Question: "another"}); err == nil ||
		!strings.Contains(err.Error(), "does not repeat") {
		t.Errorf("a debate on another question is refused, as it \"does not repeat\" the recorded one: got %v", err)
	}
	wider := header
	wider.Questions++
	if err := errors.Join(d.Begin(wider), d.Close()); err != nil {
		t.Error(err)
	}
	d = benchtest.OpenDirectory(t, path)
	if g, o := d.Count().Generations, d.Count().Debates; g != 1 || o != 0 {
		t.Errorf("%d generations and %d debates under the new header, want 1 and 0", g, o)
	}
	d.Close()
	strange := t.TempDir()
	datatest.Write(t, filepath.Join(strange, "letter.txt"), "")
	if _, err := rundir.OpenDirectory(strange); err == nil ||
		!strings.Contains(err.Error(), "holds letter.txt and no run") {
		t.Errorf("a directory of other files is refused, as it \"holds letter.txt and no run\": got %v", err)
	}
}

// TestFactsForAll: a condition that shows facts is refused where a question has none, before anything is asked; where
// all have some, each question's own facts are shown.
func TestFactsForAll(t *testing.T) {
	rows := `[{"question": "Is it?", "answer": true, "facts": ["It is so."]},
		{"question": "Was it?", "answer": false, "facts": ["It was not so."]}]`
	questions, err := task.Rows("x", "strategyqa", []byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	p, err := protocol.LoadProtocol("consensus-majority")
	if err != nil {
		t.Fatal(err)
	}
	p.Settings = p.With("challenge", discussion.ChallengeFacts).With("personas", discussion.PersonaNone)
	condition, err := trial.Held(p, "tiny", debate.Asking{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	shown := map[string]string{}
	o := bench.Options{Run: spec.Run{Reference: condition.Name},
		Task: questions, Conditions: []trial.Condition{condition},
		Engine: inference.NewScript(func(r inference.Request) string {
			mu.Lock()
			defer mu.Unlock()
			if text := r.Messages[len(r.Messages)-1].Content; strings.Contains(text, "These facts may help: ") {
				shown[r.Case] = text
				return "AGREE"
			}
			return "(A)"
		})}
	if _, err := bench.Compare(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(shown["x/1"], "It is so.") || !strings.Contains(shown["x/2"], "It was not so.") {
		t.Errorf("each question is asked with its own facts: got %v", shown)
	}
	o.Task.Questions[1].Facts = ""
	if _, err := bench.Compare(t.Context(), o); err == nil || !strings.Contains(err.Error(),
		"condition consensus-majority: it needs facts about the question, and question x/2 of task x has none") {
		t.Errorf("a condition that needs facts is refused, with the question x/2 that has none: got %v", err)
	}
}

// TestFactsAreScored: a biography is right to the degree to which the judge says so, over all agents; without a judge
// nothing is, and the run is refused.
func TestFactsAreScored(t *testing.T) {
	rows := `[{"person": "Ann", "facts": "- She wrote.\n- She sang."},
		{"person": "Bo", "facts": ["He ran.", "He swam."]}]`
	questions, err := task.Rows("x", "biography", []byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	held := func(judge string) trial.Condition {
		p, err := protocol.LoadProtocol("du-biography")
		if err != nil {
			t.Fatal(err)
		}
		p.Settings = p.With("judge", judge).With("agents", 2)
		condition, err := trial.Held(p, "", debate.Asking{})
		if err != nil {
			t.Fatal(err)
		}
		return condition
	}
	var outcomes []trial.Outcome
	o := bench.Options{Task: questions, Conditions: []trial.Condition{held(society.JudgeFacts)},
		Observe: func(o trial.Outcome) error { outcomes = append(outcomes, o); return nil },
		Engine: inference.NewScript(func(r inference.Request) string {
			switch text := r.Messages[len(r.Messages)-1].Content; {
			case r.Agent < 2:
				return "- A fact.\n- Another."
			case strings.Contains(text, "wrote") || strings.Contains(text, "He"):
				return "Yes"
			case strings.Contains(text, "sang"):
				return "No"
			}
			return ""
		})}
	o.Run.Reference = o.Conditions[0].Name
	c, err := bench.Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	row := c.Rows[0]
	pooled, known := row.Number("facts-judged")
	degree, _ := row.Number("facts")
	if row.Accuracy != 0.5 || pooled != 0.75 || !known || degree != 0.75 || !row.Dynamics.Unmarked {
		t.Errorf("accuracy is 0.5 and facts have 0.75, pooled and in the mean, marked: got %g, %g of the facts, "+
			"%g in the mean, marked %t", row.Accuracy, pooled, degree, !row.Dynamics.Unmarked)
	}
	if outcomes[0].Score != task.Wrong || *outcomes[0].Partial != 0.5 || outcomes[1].Score != task.Right ||
		outcomes[1].Marked() {
		t.Errorf("facts half of which hold are wrong with a part of 0.5, and no answer is right without a mark: got "+
			"%+v", outcomes)
	}
	line := strings.Join(strings.Fields(details.Facts(c).String()), " ")
	if !strings.Contains(line, "0.750 │ 0.153 │ 6 │ 2 │") {
		t.Errorf("the row has the share of facts with its n, \"0.750 │ 0.153 │ 6 │ 2 │\": got %s", line)
	}
	o.Conditions = []trial.Condition{held("")}
	if _, err := bench.Compare(t.Context(), o); err == nil ||
		!strings.Contains(err.Error(), "only a judge of facts can say") {
		t.Errorf("facts without a judge of facts are refused, as \"only a judge of facts can say\": got %v", err)
	}
}
