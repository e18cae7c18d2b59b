package inference_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/modeltest"
)

// teamFiles are the embedded model in two quantisations, and a synthetic model of another architecture.
func teamFiles(t *testing.T) (half, small, other string) {
	t.Helper()
	dir := t.TempDir()
	half, err := models.Embedded(dir)
	if err != nil {
		t.Fatal(err)
	}
	small, other = filepath.Join(dir, "small.gguf"), filepath.Join(dir, "other.gguf")
	if err := llamacpp.Quantize(t.Context(), half, small, "q8_0", 1); errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	shape, err := models.ShapeNamed("test")
	if err != nil {
		t.Fatal(err)
	}
	shape.Context = 8192
	if err := models.WriteSynthetic(other, models.Synthetic{Shape: shape, Seed: 7}); err != nil {
		t.Fatal(err)
	}
	return half, small, other
}

// teamRequests are two questions to each of the models, then a score, a request that is too long, and one to nobody.
func teamRequests() (list []inference.Request) {
	for i, model := range []string{"", "small", "other", "copy", "again"} {
		for k, puzzle := range puzzles[:2] {
			list = append(list, inference.Request{Messages: ask(puzzle), MaxTokens: 40, Model: model, Agent: i,
				Sample: k, Sampling: inference.Sampling{Temperature: 1, Seed: uint64(k)}})
		}
	}
	return append(list,
		inference.Request{Messages: ask(puzzles[0]), Continuations: []string{"(A)", "(B)"}, Model: "small", Agent: 6},
		inference.Request{Messages: ask(puzzles[0]), MaxTokens: 5000, Model: "small", Agent: 7},
		inference.Request{Messages: ask(puzzles[0]), Model: "nobody", Agent: 8})
}

// teamOptions are those of all engines here, so that only their models differ.
func teamOptions(more ...inference.Option) []inference.Option {
	return append([]inference.Option{inference.Threads(1), inference.Context(4096),
		inference.Mode(inference.Reproducible)}, more...)
}

// TestTeam: every request is answered by the model that it names, with the text and the key that this model alone
// gives, and each file is opened once, whatever it is called.
func TestTeam(t *testing.T) {
	half, small, other := teamFiles(t)
	team := func(more ...inference.Option) *inference.Local {
		return openModel(t, half, teamOptions(append(more, inference.Also("small", small),
			inference.Also("other", other), inference.Also("copy", half), inference.Also("again", other))...)...)
	}
	recorded := map[string]inference.Reply{}
	l := team(inference.OnGeneration(func(g inference.Generation) error {
		recorded[g.Reply.Key] = g.Reply
		return nil
	}))
	asked := teamRequests()
	replies := generate(t, l, asked...)
	served := replies[:len(replies)-2]
	if !errors.Is(replies[len(served)].Err, inference.ErrTooLong) {
		t.Errorf("%+v, want %v", replies[len(served)], inference.ErrTooLong)
	}
	if err := replies[len(served)+1].Err; err == nil || !strings.Contains(err.Error(), `no model "nobody" was opened`) {
		t.Errorf("%v, want an error with \"no model \\\"nobody\\\" was opened\"", err)
	}
	for name, file := range map[string]string{"": half, "copy": half, "small": small, "other": other, "again": other} {
		sameAlone(t, name, file, asked[:len(served)], served)
	}
	teamCounts(t, l)
	rehearsed(t, l, [][][]inference.Exchange{{exchanges(asked, replies)}})
	if len(recorded) != 7 {
		t.Errorf("%d generations were shown, want 7", len(recorded))
	}
	again := team(inference.Known(func(key string) (inference.Reply, bool) { r, ok := recorded[key]; return r, ok }))
	if diff := cmp.Diff(served, generate(t, again, asked...)[:len(served)],
		cmpopts.IgnoreFields(inference.Reply{}, "Duration", "CachedTokens", "Generated")); diff != "" {
		t.Errorf("each model gives the reply that it gives alone (-want +got):\n%s", diff)
	}
	if s := again.Stats(); s.Steps != 0 || s.Restored != len(served) {
		t.Errorf("all was known, and yet: %+v; want Steps 0 and Restored %v", s, len(served))
	}
}

// sameAlone: the replies to requests that name a model are those of an engine that has only this model.
func sameAlone(t *testing.T, name, file string, asked []inference.Request, replies []inference.Reply) {
	t.Helper()
	alone := openModel(t, file, teamOptions()...)
	for i, r := range asked {
		if r.Model != name {
			continue
		}
		r.Model = ""
		want := generate(t, alone, r)[0]
		if want.Model != "" {
			t.Errorf("a reply of the only model names it: %s", want.Model)
		}
		want.Model = alone.Model().Hash
		if diff := cmp.Diff(want, replies[i], cmpopts.IgnoreFields(inference.Reply{}, "Duration",
			"CachedTokens")); diff != "" {
			t.Errorf("model %q, request %d: in a team the reply is that alone (-alone +team):\n%s", name, i, diff)
		}
	}
}

// teamCounts: models, counts and memory are known for each of the three.
func teamCounts(t *testing.T, l *inference.Local) {
	t.Helper()
	info := l.Model()
	if len(info.Team) != 2 || len(info.All()) != 3 || info.Team[0].Quantization != "Q8_0" ||
		info.Team[1].Architecture != "qwen2" || info.All()[0].Team != nil {
		t.Errorf("2 further models are in the team, Q8_0 and qwen2, and have no team themselves: got %+v", info)
	}
	s := l.Stats()
	if len(s.Models) != 3 || s.Generations != 8 || s.Models[0].Generations != 2 || s.Models[1].Generations != 4 ||
		s.Models[2].Generations != 2 || s.Joined != 4 { // two continuations are scored for one request
		t.Errorf("8 generations of 3 models are counted as 2, 4 and 2, and 4 joined others: got %+v", s)
	}
	if plan := l.Plan(); strings.Count(plan, "\n") != 2 || !strings.Contains(plan, "\nsmall: ") {
		t.Errorf("the plan has a line for each of 3 models: got %q", plan)
	}
	if line := l.MemoryLine(); !strings.Contains(line, "other: weights ") ||
		!strings.Contains(line, "small: 4,096 KV") {
		t.Errorf("the line on memory names both further models: got %q", line)
	}
}

// TestPlaces: each model of a team is computed where its place says, with the text that it has there alone, and its
// record says where. Without a GPU all of them are on the CPU.
func TestPlaces(t *testing.T) {
	half, small, other := teamFiles(t)
	open := func(file string, options ...inference.Option) *inference.Local {
		return openModel(t, file, append([]inference.Option{inference.Context(4096), inference.GPULayers(0),
			inference.Device("")}, options...)...)
	}
	device, called, layers := modeltest.GPU(), modeltest.GPU(), -1
	if device == "" {
		called, layers = "CPU", 0
	}
	team := open(half, inference.Also("small", small), inference.Also("other", other),
		inference.Place("small", layers, device))
	for i, c := range []struct{ name, file, on string }{{"", half, "CPU"}, {"small", small, called},
		{"other", other, "CPU"}} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.name, c.file), func(t *testing.T) {
			if got := team.Model().All()[i].Device; got != c.on {
				t.Errorf("model %q is on %s, want %s", c.name, got, c.on)
			}
			var there []inference.Option
			if c.name == "small" {
				there = []inference.Option{inference.GPULayers(layers), inference.Device(device)}
			}
			r := inference.Request{Messages: ask(puzzles[0]), MaxTokens: 20}
			want := generate(t, open(c.file, there...), r)[0].Text
			r.Model = c.name
			if got := generate(t, team, r)[0].Text; got != want || want == "" {
				t.Errorf("model %q says %q, and alone %q", c.name, got, want)
			}
		})
	}
	for want, options := range map[string][]inference.Option{
		`no model "nobody" is opened that could be placed`: {inference.Place("nobody", 0, "")},
		`"" and "copy" are one model, which has two places`: {inference.Also("copy", half), inference.Place("", 0, ""),
			inference.Place("copy", -1, "")},
	} {
		t.Run(want, func(t *testing.T) {
			if _, err := inference.Open(half, options...); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}
