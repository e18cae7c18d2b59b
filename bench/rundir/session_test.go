package rundir_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// TestSessionsSayHowTheyEnded: each session has its host, start, end and reason, and is recorded once. One that was
// killed has no end; while it runs, nothing is said of its end.
func TestSessionsSayHowTheyEnded(t *testing.T) {
	path, _ := benchtest.Finished(t)
	line := rundir.Line{Command: []string{"parley", "compare", "--out=run"}, Out: ".", Directory: "/somewhere"}
	for i, c := range []struct {
		end    func(d *rundir.Directory) error
		reason string
	}{
		{func(d *rundir.Directory) error {
			return d.End(analysis.Comparison{}, inference.Stats{}, fmt.Errorf("question 1: %w", context.Canceled))
		}, "interrupted"},
		{func(*rundir.Directory) error { return nil }, rundir.ReasonKilled},
		{func(d *rundir.Directory) error {
			return d.End(analysis.Comparison{}, inference.Stats{}, errors.New("server says no"))
		}, "server says no"},
		{func(d *rundir.Directory) error { return d.Finish(analysis.Comparison{}) }, "finished"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			d := benchtest.OpenDirectory(t, path)
			d.Line = line
			if err := d.Start(); err != nil {
				t.Fatal(err)
			}
			if s, err := rundir.ReadStatus(path); err != nil || s.Session.Reason != "" || !s.Session.End.IsZero() {
				t.Errorf("a session that is under way has no reason and no end: got %+v, %v", s.Session, err)
			}
			// an error that End was given comes back
			if err := c.end(d); err != nil && !strings.Contains(err.Error(), c.reason) &&
				!errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			sessions, err := rundir.Sessions(path)
			if err != nil || len(sessions) != i+2 { // beside that of the whole run
				t.Fatalf("%d sessions, %v, want %d", len(sessions), err, i+2)
			}
			s, host := sessions[i+1], ""
			host, _ = os.Hostname()
			if s.Reason != c.reason || s.End.IsZero() != (c.reason == rundir.ReasonKilled) || s.Host != host ||
				!slices.Equal(s.Command, line.Command) || s.Start.IsZero() || !strings.Contains(s.String(), c.reason) {
				t.Errorf("the session ended by the reason %s, with its host, command and times: got %+v", c.reason, s)
			}
		})
	}
}

// TestAgain: the line that goes on names the directory of the run as it is found, also after it was moved, and goes
// to the directory of its command from elsewhere. What a stranger has written is no other command.
func TestAgain(t *testing.T) {
	shard := &rundir.Header{}
	shard.Shard = &trial.Shard{Index: 1, Of: 2}
	words := func(more ...string) []string {
		return append(append([]string{"parley", "run", "x"}, more...), "--out=o")
	}
	for _, c := range []struct {
		line      rundir.Line
		header    *rundir.Header
		directory string
		want      string
	}{
		{rundir.Line{Command: words(), Out: ".", Directory: "/here"}, nil, "o", "parley run x --out=o"},
		{rundir.Line{Command: words(), Out: ".", Directory: "/here"}, nil, "moved", "parley run x --out=moved"},
		{rundir.Line{Command: words(), Out: "..", Directory: "/here"}, nil, "o/task", "parley run x --out=o"},
		{rundir.Line{Command: words("--shard=1/2"), Out: "../o", Directory: "/here"}, shard, "o.shard-1-of-2",
			"parley run x --shard=1/2 --out=o"},
		{rundir.Line{Command: words("--shard=1/2"), Out: "../o", Directory: "/here"}, &rundir.Header{}, "o",
			"parley run x --out=o"},
		{rundir.Line{Command: words(), Out: ".", Directory: "/it's there"}, nil, "/at/o",
			`cd '/it'\''s there' && parley run x --out=/at/o`},
		{rundir.Line{Command: words("--a b=$(x)", "--$(y)=1"), Out: "."}, nil, "o",
			"parley run x '--a b'='$(x)' '--$(y)'=1 --out=o"},
		{rundir.Line{Command: []string{"rm", "-r", "--out=o"}, Out: "."}, nil, "o", ""},
		{rundir.Line{}, nil, "o", ""},
	} {
		if got := c.line.Again(c.header, c.directory, "/here"); got != c.want {
			t.Errorf("%+v in %s: %s, want %s", c.line, c.directory, got, c.want)
		}
	}
}

// TestMergedSessions: a shard that is merged while it is under way, and once more at its end, has one session.
func TestMergedSessions(t *testing.T) {
	s := newSharded(t)
	out := filepath.Join(t.TempDir(), "out")
	shard := s.shard(t, out, 1, 1, "a")
	d := benchtest.OpenDirectory(t, shard)
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	merged(t, out, shard)
	if sessions, err := rundir.Sessions(out); err != nil || len(sessions) != 2 || !sessions[1].End.IsZero() {
		t.Fatalf("%+v, %v, want the second under way", sessions, err)
	}
	if err := errors.Join(d.Finish(analysis.Comparison{}), d.Close()); err != nil {
		t.Fatal(err)
	}
	merged(t, out, shard)
	if sessions, err := rundir.Sessions(out); err != nil || len(sessions) != 2 || sessions[1].Reason != "finished" {
		t.Errorf("%+v, %v, want two that have finished", sessions, err)
	}
}
