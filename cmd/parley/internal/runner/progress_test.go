package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// reference is the header of a run with the usual reference.
var reference = rundir.Header{Run: spec.Run{Reference: trial.Reference}}

// TestProgressOffTerminal writes a line a minute and no more, whether debates end or not.
func TestProgressOffTerminal(t *testing.T) { synctest.Test(t, offTerminal) }

func offTerminal(t *testing.T) {
	var out bytes.Buffer
	count := rundir.Count{Debates: 4, Expected: 10, Generations: 8, Held: 8, Tokens: 1200}
	p := newProgress(&out, inference.NewScript(func(inference.Request) string { return "" }), reference,
		func() rundir.Count { return count }, 0)
	p.before = rundir.Count{}
	p.update(trial.Outcome{Condition: trial.Reference, Score: task.Right})
	p.update(trial.Outcome{Condition: trial.Reference, Score: task.Wrong})
	p.update(trial.Outcome{})
	time.Sleep(59 * time.Second)
	if out.Len() > 0 {
		t.Errorf("wrote %q in the first minute, want nothing", out.String())
	}
	time.Sleep(time.Minute + 2*time.Second)
	p.finish()
	want := "4 of 10 debates, 1m0s, about 1m30s left, 1,200 tokens (0/s), 8 generations, mad 0.50\n" +
		"4 of 10 debates, 2m0s, about 3m0s left, 1,200 tokens (0/s), 8 generations, mad 0.50\n"
	if got := out.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// shown is what stands on a terminal of so many columns.
func shown(p terminal.Progress, columns int) string {
	return fmt.Sprintf("%3.0f%% %s", 100*p.Share, terminal.Line(p.Line, p.Parts, columns-5))
}

// TestProgressLine: a line never exceeds the terminal, and leaves out the least important parts first.
func TestProgressLine(t *testing.T) {
	count := rundir.Count{Expected: 440, Generations: 57, Tokens: 12_340, PromptTokens: 4000, CachedTokens: 3000}
	p := newProgress(io.Discard, busy{}, reference, func() rundir.Count { return count }, 0)
	defer p.finish()
	p.before = rundir.Count{}
	now := p.start.Add(20 * time.Second)
	for columns, want := range map[int]string{
		23: "  0% 0 of 440 debates",
		53: "  0% 0 of 440 debates, 20s, 12,340 tokens (700/s)",
		93: "  0% 0 of 440 debates, 20s, 12,340 tokens (700/s), 57 generations",
		103: "  0% 0 of 440 debates, 20s, 12,340 tokens (700/s), 57 generations, " +
			"75 % of prompt tokens saved",
	} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			if got := shown(p.progress(now), columns); got != want || len(got) > columns {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	count.Debates, count.Held = 110, 57
	p.update(trial.Outcome{Condition: trial.Reference, Score: task.Right})
	if got, want := shown(p.progress(now), 112), " 25% 110 of 440 debates, 20s, about 1m0s left, "+
		"12,340 tokens (700/s), 57 generations, mad 1.00"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestProgressTogether: where all debates end together, as those of one batch do, generations say how far it is and how
// long it takes at most, from the first one on.
func TestProgressTogether(t *testing.T) {
	count := rundir.Count{Expected: 120, Conditions: 2, Generations: 10, Tokens: 500}
	p := newProgress(io.Discard, busy{}, reference, func() rundir.Count { return count }, 254)
	defer p.finish()
	for generations, want := range map[int]string{
		10: "  4% 0 of 120 debates, 2m0s, 500 tokens (116/s), 10 of at most 264 generations",
		137: " 52% 0 of 120 debates, 2m0s, at most about 2m0s left, 500 tokens (116/s), " +
			"137 of at most 264 generations",
		264: "100% 0 of 120 debates, 2m0s, 500 tokens (116/s), 264 generations",
		300: "114% 0 of 120 debates, 2m0s, 500 tokens (116/s), 300 generations",
	} {
		count.Generations = generations
		if got := shown(p.progress(p.start.Add(2*time.Minute)), 120); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// busy is an engine that has done some work.
type busy struct{ inference.Engine }

// Stats implements inference.Engine.
func (busy) Stats() inference.Stats { return inference.Stats{Decoded: 14_000} }

// TestBarAndWatch: the bar of a run and those who watch its directory tell the same, also after the run was interrupted
// and while debates are under way.
func TestBarAndWatch(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions.Questions = questions.Questions[:6]
	path, enough := filepath.Join(t.TempDir(), "run"), errors.New("enough")
	for session, last := range []int{15, 6 * len(conditions)} {
		d := benchtest.OpenDirectory(t, path)
		options := bench.Options{Task: questions, Conditions: conditions,
			Engine: recorder{benchtest.Crowd(questions), d, new(sync.Mutex), map[string]bool{}}}
		if err := options.Complete(); err != nil {
			t.Fatal(err)
		}
		header := benchtest.Header(options, conditions[0].Debate.(society.Society))
		header.Time = time.Now().Format(time.RFC3339)
		if err := d.Begin(header); err != nil {
			t.Fatal(err)
		}
		bar := newProgress(io.Discard, options.Engine, header, d.Count, 0)
		watched := pace{follower: rundir.Follow(path)}
		defer bar.finish()
		if session == 0 {
			bar.start, _ = time.Parse(time.RFC3339, header.Time)
		}
		compare := func(now time.Time) {
			t.Helper()
			recording := options.Engine.(recorder).mu
			recording.Lock()
			defer recording.Unlock()
			p, err := watched.follower.Read()
			if err != nil {
				t.Fatal(err)
			}
			is := watched.watched(p, now)
			if line, left := shown(bar.progress(now), 200), rundir.TimeLeft(is.left, false); is.Count != d.Count() ||
				!strings.Contains(line, is.Count.Done()+", ") || strings.Contains(line, "left") != (left != "") ||
				!strings.Contains(line, left) {
				t.Errorf("the bar says %s\nand watch %s (%+v, recorded are %+v)", line, is.Line(), is.Count, d.Count())
			}
		}
		compare(bar.start)
		n, ahead := 0, 0
		options.Observe = func(o trial.Outcome) error {
			if n == last {
				return enough
			}
			err := d.Outcome(o)
			bar.update(o)
			n++
			compare(bar.start.Add(time.Duration(n) * time.Second))
			ahead = max(ahead, d.Count().Generations-d.Count().Held)
			return err
		}
		if _, err := bench.Compare(t.Context(), options); err != nil && !errors.Is(err, enough) || n != last {
			t.Fatalf("%d debates, %v, want %d", n, err, last)
		}
		if ahead == 0 {
			t.Error("no debate was under way when another was recorded")
		}
		watched.follower.Close()
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	status, err := rundir.ReadStatus(path)
	if err != nil || status.State != rundir.StateFinished || status.Debates != 6*len(conditions) {
		t.Errorf("%+v, %v, want a finished run of %d debates", status, err, 6*len(conditions))
	}
}

// recorder is an engine that records each generation once, as soon as there is its reply.
type recorder struct {
	inference.Engine
	directory *rundir.Directory
	mu        *sync.Mutex // guards known, and what is recorded
	known     map[string]bool
}

// Join implements inference.Engine.
func (r recorder) Join(order int) inference.Participant { return recording{r.Engine.Join(order), r} }

// record records a generation, unless it is recorded.
func (r recorder) record(g inference.Generation) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, recorded := r.directory.Reply(g.Reply.Key); recorded || r.known[g.Reply.Key] {
		return nil
	}
	r.known[g.Reply.Key] = true
	return r.directory.Generation(g)
}

type recording struct {
	inference.Participant
	to recorder
}

// Generate implements inference.Participant.
func (r recording) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies, err := r.Participant.Generate(ctx, requests)
	for i, reply := range replies {
		g := requests[i].Generation(0)
		if g.Reply = reply; reply.Err == nil {
			err = errors.Join(err, r.to.record(g))
		}
	}
	return replies, err
}
