package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/internal/datatest"
)

// recordings are runs that an earlier program recorded.
const recordings = "../../../bench/rundir/testdata/before"

// listed runs the command and returns what it prints.
func listed(t *testing.T, asJSON bool, directories ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(&Options{line: command.Line{Out: &out, Args: directories}, json: asJSON}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestStates lists runs in every state, that which was written last at the top, each with what to do next.
func TestStates(t *testing.T) {
	dir := t.TempDir()
	at := time.Now().Add(-time.Hour)
	for name, from := range map[string]string{"whole": "compare", "reported": "compare", "ended": "interrupted",
		"killed": "interrupted", "torn": "compare"} {
		err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(recordings, from)))
		if at = at.Add(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	damage := filepath.Join(dir, "torn", "debates.jsonl.zst")
	text, err := os.ReadFile(damage)
	for i := len(text) / 2; i < len(text)/2+40; i++ {
		text[i] ^= 0xff
	}
	latest := filepath.Join(dir, "whole", "debates.jsonl.zst")
	session := `[{"scheduler":{},"time":{},"command":["parley","compare","--out=old name"],"out":".",` +
		`"directory":"/there","host":"h","start":"2026-11-28T05:00:00Z"}]`
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "killed", "engine.json"), []byte(session), 0o600),
		os.WriteFile(damage, text, 0o600),
		os.WriteFile(filepath.Join(dir, "reported", "report.html"), nil, 0o600),
		os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("no run"), 0o600),
		os.Mkdir(filepath.Join(dir, "empty"), 0o700), os.Chtimes(latest, time.Time{}, time.Now().Add(time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{"whole": {"finished", "parley report "}, "reported": {"finished", "parley show "},
		"ended": {"ended", "the command that began it"}, "killed": {"ended", "cd /there && parley compare "},
		"torn": {"damaged", "parley repair "}}
	lines := strings.Split(strings.TrimSpace(listed(t, true, dir)), "\n")
	if len(lines) != len(want) || !strings.Contains(lines[0], `/whole"`) {
		t.Errorf("%q, want %d runs, and whole, which was written last, at the top", lines, len(want))
	}
	for _, line := range lines {
		var r recorded
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		w := want[filepath.Base(r.Directory)]
		if r.State != w[0] || !strings.HasPrefix(r.Next, w[1]) {
			t.Errorf("%s: %s, %q, want %s, %q", r.Directory, r.State, r.Next, w[0], w[1])
		}
	}
	table := listed(t, false, dir)
	if !strings.Contains(table, "8 of 8") || !strings.Contains(table, "tiny") {
		t.Errorf("%s\nwant the number of debates and the model", table)
	}
	line := "\ncd /there && parley compare --out=" + wording.Shell(filepath.Join(dir, "killed")) + "\n"
	if !strings.Contains(table, line) || !strings.Contains(table, " it was killed, ") {
		t.Errorf("%s\nwant %s, and that the run was killed", table, line)
	}
}

// TestUnbegun: an experiment of which a task has not begun is not finished, unless only the others were asked for.
func TestUnbegun(t *testing.T) {
	const text = `name: two
tasks:
  - name: one
    family: gsm8k
    file: a.jsonl
  - name: other
    family: gsm8k
    file: b.jsonl
conditions:
  - name: mad
    protocol: society
`
	for name, c := range map[string]struct {
		begun       []string
		flag        string
		state, next string
		tasks       int
	}{
		"all":       {[]string{"one", "other"}, "", "finished", "parley report ", 2},
		"last not":  {[]string{"one"}, "", "ended", "cd /there && parley run two ", 2},
		"first not": {[]string{"other"}, "", "ended", "cd /there && parley run two ", 2},
		"only":      {[]string{"one"}, "--only=one", "finished", "parley report ", 1},
		"unknown":   {[]string{"one"}, "-", "ended", "the command that began it", 2},
	} {
		t.Run(name, func(t *testing.T) {
			directory := filepath.Join(t.TempDir(), "two")
			session := `[{"scheduler":{},"time":{},"command":["parley","run","two","` + c.flag + `","--out=old"],"out":"..",` +
				`"directory":"/there","host":"h","start":"2026-11-28T05:00:00Z"}]`
			if c.flag == "-" {
				session = `[{"scheduler":{},"time":{}}]`
			}
			for _, task := range c.begun {
				member := filepath.Join(directory, task)
				err := errors.Join(os.CopyFS(member, os.DirFS(filepath.Join(recordings, "compare"))),
					os.WriteFile(filepath.Join(member, "engine.json"), []byte(session), 0o600))
				if err != nil {
					t.Fatal(err)
				}
			}
			datatest.Write(t, filepath.Join(directory, "experiment.yaml"), text)
			var r recorded
			if err := json.Unmarshal([]byte(listed(t, true, directory)), &r); err != nil {
				t.Fatal(err)
			}
			if r.State != c.state || !strings.HasPrefix(r.Next, c.next) || len(r.Tasks) != c.tasks {
				t.Errorf("%s, %q, %q, want %s, %q, %d tasks", r.State, r.Next, r.Tasks, c.state, c.next, c.tasks)
			}
			if c.state == "ended" && c.flag == "" && !strings.HasSuffix(r.Next, "--out="+wording.Shell(directory)) {
				t.Errorf("%q does not go on in %s", r.Next, directory)
			}
		})
	}
}

// TestNoRuns: a directory without runs is said to have none, and one that does not exist is an error.
func TestNoRuns(t *testing.T) {
	if said := listed(t, false, t.TempDir()); !strings.Contains(said, "no runs in ") {
		t.Errorf("%q, want that there are none", said)
	}
	o := &Options{line: command.Line{Out: &bytes.Buffer{}, Args: []string{filepath.Join(t.TempDir(), "nowhere")}}}
	if err := run(o); err == nil {
		t.Error("no error for a directory that does not exist")
	}
	t.Chdir(t.TempDir())
	if said := listed(t, false); said != "no runs in parley-runs; parley demo makes one\n" {
		t.Errorf("%q, want no error where no run was ever made", said)
	}
}
