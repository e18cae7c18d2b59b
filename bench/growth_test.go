package bench_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	gonum "gonum.org/v1/gonum/stat"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/samples"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// steps are what is done with a study of n questions, each of which is asked under vote and mad, in the order in which
// they are done: each takes what those before it have left in the directory.
var steps = []struct {
	name string
	do   func(t *testing.T, directory string, n int)
}{
	{"study", func(t *testing.T, directory string, n int) { hold(t, filepath.Join(directory, "run"), n, nil) }},
	{"resume", func(t *testing.T, directory string, n int) { hold(t, filepath.Join(directory, "run"), n, nil) }},
	{"read", func(t *testing.T, directory string, n int) { benchtest.ReadRun(t, filepath.Join(directory, "run")) }},
	{"status", func(t *testing.T, directory string, n int) {
		_, err := rundir.ReadStatus(filepath.Join(directory, "run"))
		done(t, err)
	}},
	{"export", func(t *testing.T, directory string, n int) {
		run := filepath.Join(directory, "run")
		_, err := offline.Export(benchtest.ReadRun(t, run), run, filepath.Join(directory, "table"), "csv")
		done(t, err)
	}},
	{"diff", func(t *testing.T, directory string, n int) {
		run := benchtest.ReadRun(t, filepath.Join(directory, "run"))
		_, err := offline.CompareRuns(run, run, nil)
		done(t, err)
	}},
	{"report", func(t *testing.T, directory string, n int) {
		_, err := report.Of(filepath.Join(directory, "run"), "", report.Options{})
		done(t, err)
	}},
	{"shards", func(t *testing.T, directory string, n int) {
		for i := range 2 {
			s := &trial.Shard{Index: i + 1, Of: 2}
			hold(t, rundir.ShardDirectory(filepath.Join(directory, "merged"), s), n, s)
		}
	}},
	{"merge", func(t *testing.T, directory string, n int) {
		whole := filepath.Join(directory, "merged")
		_, err := rundir.Merge(whole, rundir.ShardsOf(whole))
		done(t, err)
	}},
	{"stats", func(t *testing.T, directory string, n int) {
		var rows strings.Builder
		rows.WriteString("question,score\n")
		for i := range n * rowsAQuestion {
			fmt.Fprintf(&rows, "q%d,%d\n", i, i%2)
		}
		path := filepath.Join(directory, "rows.csv")
		datatest.Write(t, path, rows.String())
		read, err := samples.Read([]string{path}, samples.Options{})
		done(t, err)
		_, err = read.Run(spec.Tests{}, "", "")
		done(t, err)
	}},
}

// rowsAQuestion is how many rows stats reads for each question of the other steps.
const rowsAQuestion = 20

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hold holds the study, or a shard of it, in a directory, on an engine that has its replies from there.
func hold(t *testing.T, path string, n int, shard *trial.Shard) {
	t.Helper()
	questions, err := task.Generate(3, n, 1)
	done(t, err)
	_, conditions := benchtest.Setup(t, 3, 2)
	conditions = slices.DeleteFunc(conditions, func(c trial.Condition) bool {
		return c.Name != "vote" && c.Name != "mad"
	})
	o := bench.Options{Task: questions, Conditions: conditions}
	o.Run.On(questions)
	o.Run.Asking(conditions[0].Debate.(society.Society))
	if shard != nil {
		o, err = o.Shard(*shard)
		done(t, err)
	}
	_, err = bench.Record(t.Context(), path, o, func(d *rundir.Directory) (inference.Engine, error) {
		return &journalled{Engine: inference.NewScript(nil), directory: d, asked: make(map[string]bool)}, nil
	})
	done(t, err)
}

// journalled is an engine whose replies depend on their seeds, and that journals them.
type journalled struct {
	inference.Engine
	directory *rundir.Directory

	mu    sync.Mutex
	asked map[string]bool // keys that are journalled
}

// Join makes an engine for each debate, so that no reply is kept.
func (j *journalled) Join(order int) inference.Participant {
	return journalling{j, inference.NewScript(func(r inference.Request) string {
		return fmt.Sprintf("One reason, and then another one. The answer is (%c)", 'A'+rune(r.Sampling.Seed%3))
	}).Join(order)}
}

type journalling struct {
	to *journalled
	inference.Participant
}

func (j journalling) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies, err := j.Participant.Generate(ctx, requests)
	j.to.mu.Lock()
	defer j.to.mu.Unlock()
	for i, reply := range replies {
		if _, known := j.to.directory.Reply(reply.Key); known || j.to.asked[reply.Key] {
			continue
		}
		j.to.asked[reply.Key] = true
		made := requests[i].Generation(0)
		made.Reply = reply
		if err := j.to.directory.Generation(made); err != nil {
			return nil, err
		}
	}
	return replies, err
}

// The environment of TestGrowth: where its picture and table go, "" for none, and whether the sizes are those of large
// studies. A process that does one step for it has the name, the directory and the size.
const (
	growthOut  = "PARLEY_GROWTH"
	growthFull = "PARLEY_GROWTH_FULL"
	growthStep = "PARLEY_GROWTH_STEP"
)

// TestGrowth: no step of a study allocates more than in proportion to its questions. What they take in processors'
// time, memory and bytes on disk is measured and drawn by make growth, each step in a process of its own.
func TestGrowth(t *testing.T) {
	if step := os.Getenv(growthStep); step != "" {
		oneStep(t, step)
		return
	}
	sizes := []int{40, 160}
	out := os.Getenv(growthOut)
	if out != "" {
		sizes = []int{250, 500, 1000, 2000}
		if os.Getenv(growthFull) != "" {
			sizes = []int{2000, 10_000, 20_000, 50_000}
		}
	}
	var all []grown
	for _, n := range sizes {
		directory := t.TempDir()
		for _, s := range steps {
			g := grown{step: s.name, size: n}
			if out == "" {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				s.do(t, directory, n)
				runtime.ReadMemStats(&after)
				g.memory = float64(after.TotalAlloc - before.TotalAlloc)
			} else {
				g.measure(t, directory)
			}
			all = append(all, g)
		}
	}
	if out != "" {
		draw(t, out, all)
		return
	}
	for _, s := range steps {
		if e := exponent(all, s.name, func(g grown) float64 { return g.memory }); e > 1.1 {
			t.Errorf("%s allocates as n to the power of %.2f, want at most 1.1", s.name, e)
		}
	}
}

// grown is what one step took at one size.
type grown struct {
	step         string
	size         int
	time         float64 // of processors, s
	memory, disk float64 // bytes: what was had from the system at most, and what the directory has
}

// measure does a step in a process of its own.
func (g *grown) measure(t *testing.T, directory string) {
	t.Helper()
	self, err := os.Executable()
	done(t, err)
	c := exec.CommandContext(t.Context(), self, "-test.run=^TestGrowth$", "-test.timeout=0")
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", growthStep, g.step, g.size, directory))
	said, err := c.CombinedOutput()
	_, told, found := strings.Cut(string(said), growthStep+" ")
	if err != nil || !found {
		t.Fatalf("%s of %d ends without an error and says its figure: got %v: %s", g.step, g.size, err, said)
	}
	fmt.Sscan(told, &g.memory)
	g.time = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	done(t, filepath.WalkDir(directory, func(_ string, e fs.DirEntry, err error) error {
		if info, missing := e.Info(); err == nil && missing == nil && !e.IsDir() {
			g.disk += float64(info.Size())
		}
		return err
	}))
}

// oneStep does the step that a process is for, and tells its memory.
func oneStep(t *testing.T, text string) {
	var name, directory string
	var n int
	if _, err := fmt.Sscan(text, &name, &n, &directory); err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		if s.name == name {
			s.do(t, directory, n)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println(growthStep, m.Sys)
}

// exponent is that of the power of the size which fits what a step took best.
func exponent(all []grown, step string, of func(grown) float64) float64 {
	var x, y []float64
	for _, g := range all {
		if g.step == step {
			x, y = append(x, math.Log(float64(g.size))), append(y, math.Log(of(g)))
		}
	}
	_, slope := gonum.LinearRegression(x, y, nil, false)
	return slope
}

// draw writes growth.svg and growth.csv into a directory.
func draw(t *testing.T, out string, all []grown) {
	t.Helper()
	measures := []struct {
		name   string
		of     func(grown) float64
		colour chart.Colour
	}{
		{"time", func(g grown) float64 { return g.time }, chart.Better},
		{"RAM", func(g grown) float64 { return g.memory }, chart.Worse},
		{"disk", func(g grown) float64 { return g.disk }, chart.Published},
	}
	f := chart.Figure{Title: "What a study takes, by its questions"}
	table := [][]string{{"step", "questions", "seconds", "memory", "disk", "exponent of time", "of memory", "of disk"}}
	var panels []chart.Panel
	for _, s := range steps {
		p := chart.Panel{Title: s.name, X: chart.Axis{Label: "questions", Log: true},
			Y: chart.Axis{Label: "times the first", Log: true, Grid: true}}
		ends := chart.Mark{Kind: chart.Labels, Colour: chart.Ink}
		for _, m := range measures {
			var points []chart.Point
			for _, g := range all {
				if g.step == s.name {
					points = append(points, chart.Point{X: float64(g.size), Y: m.of(g)})
				}
			}
			for i, first := 0, points[0].Y; i < len(points); i++ {
				points[i].Y /= first
			}
			p.Marks = append(p.Marks, chart.Curve(points, m.colour, 1)...)
			end := points[len(points)-1]
			end.Text = fmt.Sprintf("%s %.2f", m.name, exponent(all, s.name, m.of))
			ends.Points = append(ends.Points, end)
		}
		p.Marks = append(p.Marks, ends)
		panels = append(panels, p)
	}
	for _, g := range all {
		row := []string{g.step, strconv.Itoa(g.size)}
		for _, m := range measures {
			row = append(row, strconv.FormatFloat(m.of(g), 'g', -1, 64))
		}
		for _, m := range measures {
			row = append(row, fmt.Sprintf("%.2f", exponent(all, g.step, m.of)))
		}
		table = append(table, row)
	}
	done(t, f.Render(540, panels...))
	drawing, err := f.Paper("svg", chart.TwoColumns)
	done(t, err)
	var text bytes.Buffer
	done(t, csv.NewWriter(&text).WriteAll(table))
	done(t, os.MkdirAll(out, 0o755))
	datatest.Write(t, filepath.Join(out, "growth.svg"), string(drawing))
	datatest.Write(t, filepath.Join(out, "growth.csv"), text.String())
	t.Logf("%s", text.String())
}
