package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// under is a run in the middle, with texts that a terminal would obey.
func under() Snapshot {
	r := Run{TokensPerSecond: 1234.5, Elapsed: 75 * time.Second, Left: 3*time.Minute + 400*time.Millisecond}
	r.Status = rundir.Status{State: rundir.StateRunning, Process: "process 7 on host",
		Header: &rundir.Header{Run: spec.Run{Task: "puzzles", Questions: 12},
			Model: inference.ModelInfo{Name: "tiny\x1b[2J"}}}
	r.Count = rundir.Count{Debates: 7, Failed: 1, Expected: 24, Generations: 1300, Tokens: 54_321,
		PromptTokens: 200_000, CachedTokens: 150_999}
	r.Conditions = []rundir.ConditionProgress{
		{Name: "mad", Expected: 12, N: 6, Right: 3, Accuracy: 0.5, Interval: stat.Wilson(3, 6, 0.95)},
		{Name: "a-condition-with-a-very-long-name/agents=3/rounds=2", Expected: 12, Failed: 1,
			Interval: stat.Interval{High: 1}}}
	r.Last = []rundir.Finished{
		{Case: "q1", Condition: "mad", Score: task.Right, Decision: "(A)",
			Asked: "Which is the\nsecond \u202eoldest? "},
		{Case: "q2 #2", Condition: "mad", Score: task.Unparsed, Asked: strings.Repeat("日本語", 40)},
		{Case: "q3", Condition: "other", Score: task.Failed, Error: "too long\x07"}}
	return Snapshot{Directory: "parley-runs/x", Runs: []Run{r}}
}

// TestView compares the view with what is expected at two widths. Beside it, no line is wider than the terminal, and
// what models wrote reaches no terminal as it is.
func TestView(t *testing.T) {
	for width, name := range map[int]string{60: "view-60", 100: "view-100"} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			m := NewModel(Open("x"), false)
			m, _ = update(m, snapshotMsg{under(), nil})
			m, _ = update(m, tea.WindowSizeMsg{Width: width, Height: 40})
			got := m.View().Content + "\n"
			for line := range strings.Lines(got) {
				if n := text.StringWidth(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%d columns at %d: %s", n, width, line)
				}
			}
			if strings.ContainsAny(got, "\x1b\x07\u202e") {
				t.Errorf("control characters: %q", got)
			}
			golden(t, name, got)
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if diff := cmp.Diff(string(want), got); err != nil || diff != "" {
		t.Errorf("%v\n%s, want err == nil && diff == \"\"", err, diff)
	}
}

func update(m Model, msg tea.Msg) (Model, tea.Cmd) {
	next, cmd := m.Update(msg)
	return next.(Model), cmd
}

// TestSharedWords leaves out the words with which all questions begin, and no more.
func TestSharedWords(t *testing.T) {
	for _, test := range []struct {
		asked []string
		want  int
	}{
		{nil, 0},
		{[]string{"Answer this."}, 0},
		{[]string{"Answer this.", "Answer this."}, 0},
		{[]string{"Answer this: one", "Answer this: one", "", "Answer this: other"}, len("Answer this: ")},
		{[]string{"Answer this: one", "Answer that: one"}, len("Answer ")},
		{[]string{"Answer it", "Answer"}, 0},
		{[]string{"one", "two"}, 0},
	} {
		t.Run(strings.Join(test.asked, "|"), func(t *testing.T) {
			var list []rundir.Finished
			for _, asked := range test.asked {
				list = append(list, rundir.Finished{Asked: asked})
			}
			if got := sharedWords(list); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}

// TestColour: colours are escape sequences around texts, which stay the same.
func TestColour(t *testing.T) {
	plain, coloured := NewModel(Open("x"), false), NewModel(Open("x"), true)
	plain, _ = update(plain, snapshotMsg{under(), nil})
	coloured, _ = update(coloured, snapshotMsg{under(), nil})
	got := coloured.text()
	if !strings.Contains(got, "\x1b[32m+ q1") || !strings.Contains(got, "\x1b[33m! q3") {
		t.Errorf("%q, want strings.Contains(got, \"\\x1b[32m+ q1\") && strings.Contains(got, \"\\x1b[33m! q3\")", got)
	}
	for _, code := range []string{"1", "2", "31", "32", "33", "0"} {
		got = strings.ReplaceAll(got, "\x1b["+code+"m", "")
	}
	if got != plain.text() {
		t.Errorf("%v, want got = %v", cmp.Diff(plain.text(), got), plain.text())
	}
}

// TestMessages plays a view by its messages.
func TestMessages(t *testing.T) {
	m := NewModel(Open(filepath.Join(t.TempDir(), "none")), false)
	if got := m.text(); !strings.Contains(got, "reading ...") {
		t.Errorf(`%v, want a text with "reading ..."`, got)
	}
	msg := m.Init()()
	failed, cmd := update(m, msg)
	if failed.Err() == nil || !quits(cmd) {
		t.Errorf("a directory that does not exist: %v, quits: %t", failed.Err(), quits(cmd))
	}
	m, cmd = update(m, snapshotMsg{under(), nil})
	if cmd == nil || m.Err() != nil {
		t.Error("no further reading after the first")
	}
	if _, cmd = update(m, tickMsg{}); cmd == nil {
		t.Fatal("a tick does not read")
	}
	if _, ok := cmd().(snapshotMsg); !ok {
		t.Error("a tick does not read")
	}
	// A later error is shown beside what was read before.
	broken, cmd := update(m, msg)
	if got := broken.text(); quits(cmd) || !strings.Contains(got, "none") || !strings.Contains(got, "7 of 24 debates") {
		t.Errorf(`%v, want !quits(cmd) && strings.Contains(got, "none") && strings.Contains(got, "7 of 24 debates")`,
			got)
	}
	m, _ = update(m, tea.WindowSizeMsg{Width: 80, Height: 6})
	if n := strings.Count(m.text(), "\n") + 1; n != 6 {
		t.Errorf("%d lines on a screen of 6", n)
	}
	top := m.text()
	for _, key := range []tea.KeyPressMsg{{Code: tea.KeyDown}, {Code: tea.KeyPgDown}, {Code: tea.KeyPgDown},
		{Code: tea.KeyPgDown}, {Code: tea.KeyPgDown}, {Code: tea.KeyPgDown}} {
		m, _ = update(m, key)
	}
	if got := m.text(); !strings.Contains(got, "q1") || strings.Contains(got, "parley watch") {
		t.Errorf("not at the end:\n%s", got)
	}
	for range 40 {
		m, _ = update(m, tea.KeyPressMsg{Code: tea.KeyUp})
	}
	if m.text() != top {
		t.Errorf("not at the top again:\n%s", m.text())
	}
	for i, key := range []tea.KeyPressMsg{{Code: 'q', Text: "q"}, {Code: 'c', Mod: tea.ModCtrl}, {Code: tea.KeyEsc}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if _, cmd := update(m, key); !quits(cmd) {
				t.Errorf("%s does not quit", key)
			}
		})
	}
	if _, cmd := update(m, tea.KeyPressMsg{Code: 'x', Text: "x"}); cmd != nil {
		t.Error("x does something")
	}
}

func quits(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	_, ok := cmd().(tea.QuitMsg)
	return ok
}

// TestRates works the numbers by hand: 600 tokens and 4 debates in 20 seconds, with 10 debates of an earlier process.
func TestRates(t *testing.T) {
	began := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	locked := began.Add(time.Hour)
	at := func(seconds, debates, tokens int, header time.Time) (rundir.Progress, time.Time) {
		p := rundir.Progress{Locked: locked, Count: rundir.Count{Debates: debates, Expected: 20, Tokens: tokens,
			Generations: 3 * debates, Held: 3 * debates}}
		p.State, p.Process = rundir.StateRunning, "process 1 on x"
		p.Header = &rundir.Header{Time: header.Format(time.RFC3339)}
		return p, locked.Add(time.Duration(seconds) * time.Second)
	}
	var w watchedRun
	if r := w.run(at(10, 10, 5000, began)); r.TokensPerSecond != -1 || r.Left != -1 || r.Elapsed != 10*time.Second {
		t.Errorf("one reading: %+v", r)
	}
	// 6 debates are left, at 5 seconds each
	if r := w.run(at(30, 14, 5600, began)); r.TokensPerSecond != 30 || r.Left != 30*time.Second ||
		r.Elapsed != 30*time.Second {
		t.Errorf("resumed: %v tokens/s, %v left", r.TokensPerSecond, r.Left)
	}
	// The same process began the run: 14 debates took 30 seconds.
	var own watchedRun
	if r := own.run(at(30, 14, 5600, locked)); r.Left != 6*30*time.Second/14 {
		t.Errorf("%v left", r.Left)
	}
	// A process that resumes a run of the same second did not hold the debates that it found: one takes 10 seconds.
	var second watchedRun
	for i, want := range []time.Duration{-1, 50 * time.Second} {
		p, now := at(10*(i+1), 14+i, 5600, locked)
		p.Resumes = true
		if r := second.run(p, now); r.Left != want {
			t.Errorf("resumed within a second, reading %d: %v left, want %v", i, r.Left, want)
		}
	}
	// The window has the last 30 seconds: from second 30 on.
	w.run(at(50, 14, 5600, began))
	if r := w.run(at(60, 15, 5900, began)); r.TokensPerSecond != 10 {
		t.Errorf("%v tokens/s", r.TokensPerSecond)
	}
	p, now := at(70, 15, 5900, began)
	p.Locked = locked.Add(time.Minute)
	if r := w.run(p, now); r.TokensPerSecond != -1 || r.Left != -1 || r.Elapsed != 10*time.Second {
		t.Errorf("another process: %v, %v", r.TokensPerSecond, r.Left)
	}
}

func TestLine(t *testing.T) {
	r := under().Runs[0]
	r.Name = "task\x1bx"
	want := `task\u001bx: running, 7 of 24 debates (1 failed), 54,321 tokens (1,234/s), 1,300 generations, 75 % of ` +
		"prompt tokens saved, 1m15s, about 3m0s left"
	if got := r.Line(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestFollow follows a run of an experiment that the real runner writes: it says that nothing is recorded, then has a
// snapshot after each debate, and one of the end; where nothing was added, there is none.
func TestFollow(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 2, 1)
	questions.Questions = questions.Questions[:2]
	directory := t.TempDir()
	path := filepath.Join(directory, "task")
	d, err := rundir.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	w := Open(directory)
	defer w.Close()
	ticks, lines, ended := make(chan time.Time), make(chan string, 100), make(chan error, 1)
	go func() {
		ended <- Follow(t.Context(), w, ticks, func(s Snapshot) error {
			lines <- s.Current().Line()
			return nil
		})
	}()
	ticks <- time.Now()
	if line := <-lines; !strings.HasPrefix(line, "task: running, nothing is recorded yet") {
		t.Errorf(`%v, want strings.HasPrefix(line, "task: running, nothing is recorded yet")`, line)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0
	look := func(trial.Outcome) error { // before the outcome is recorded
		ticks <- time.Now()
		if line, want := <-lines, fmt.Sprintf("task: running, %d of 8 debates, ", n); !strings.HasPrefix(line, want) {
			t.Errorf("got %s, want %s", line, want)
		}
		n++
		return nil
	}
	options := bench.Options{Task: questions, Conditions: conditions[:4], Engine: benchtest.Crowd(questions),
		Observe: look}
	if err := benchtest.RecordIn(t, path, options); err != nil {
		t.Fatal(err)
	}
	for range quiet {
		ticks <- time.Now()
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if line := <-lines; !strings.HasPrefix(line, "task: finished, 8 of 8 debates, ") || len(lines) > 0 {
		t.Errorf("%s; %d more", line, len(lines))
	}
}
