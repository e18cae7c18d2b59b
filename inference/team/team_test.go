package team

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bug"
)

// running makes a script an engine that commands use.
type running struct {
	*inference.Script
	info    inference.ModelInfo
	stopped error
	closed  int
}

func (r *running) Stop(err error)               { r.stopped = err }
func (r *running) Plan() string                 { return r.info.Name }
func (r *running) Threads() int                 { return 2 }
func (r *running) Cells() int                   { return 10 }
func (r *running) MemoryLine() string           { return "memory of " + r.info.Name }
func (r *running) Survey() *inference.Survey    { return nil }
func (r *running) Able(inference.Request) error { return nil }
func (r *running) Model() inference.ModelInfo   { return r.info }
func (r *running) Close() error                 { r.closed++; return nil }

// TestTeam: each request goes to the engine that has its model, replies keep their order, counts are those of all,
// and a name that nobody has fails alone.
func TestTeam(t *testing.T) {
	t.Parallel()
	engine := func(name string) *running {
		say := func(r inference.Request) string { return name + " " + r.Messages[0].Content }
		return &running{Script: inference.NewScript(say),
			info: inference.ModelInfo{Name: name, Hash: name}}
	}
	first, second := engine("first"), engine("second")
	s := New(map[string]inference.Running{"": first, "http://second": second, "same": second})
	requests := make([]inference.Request, 5)
	for i, name := range []string{"same", "", "nobody", "http://second", ""} {
		content := string(rune('a' + i))
		requests[i] = inference.Request{Model: name, Messages: []inference.Message{{Role: "user", Content: content}}}
	}
	p := s.Join(0)
	defer p.Leave()
	replies, err := p.Generate(t.Context(), requests)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range replies {
		texts = append(texts, r.Text)
	}
	if diff := cmp.Diff([]string{"second a", "first b", "", "second d", "first e"}, texts); diff != "" {
		t.Errorf("replies are in the order of the requests (-want +got):\n%s", diff)
	}
	if replies[2].Err == nil || replies[0].Err != nil {
		t.Errorf("an unknown model is the error of its own reply alone: got %+v", replies)
	}
	all := s.Stats()
	if all.Generations != 4 || len(all.Models) != 2 || all.Models[0].Generations != 2 || all.PromptAsked != 4 {
		t.Errorf("4 generations of 2 models are counted, 2 of the first: got %+v", all)
	}
	if m := s.Model(); m.Name != "first" || len(m.Team) != 1 || m.Team[0].Name != "second" {
		t.Errorf("the first model has the second one as its team: got %+v", m)
	}
	if s.Plan() != "first\nsecond" || s.Threads() != 2 || s.Cells() != 20 || s.MemoryLine() != "memory of first" {
		t.Errorf("plan, threads and memory are those of both models: got plan %q, %d threads, %d cells, %q", s.Plan(),
			s.Threads(), s.Cells(), s.MemoryLine())
	}
	s.Stop(inference.ErrSurvey)
	if err := s.Close(); err != nil || first.closed != 1 || second.closed != 1 ||
		first.stopped != inference.ErrSurvey ||
		second.stopped != inference.ErrSurvey {
		t.Errorf("both models are stopped and closed once: %v, got %+v and %+v", err, first, second)
	}
}

// TestTeamPanic: a panic in one engine is the error of the requests that were sent there, and names its place. The
// others have their replies.
func TestTeamPanic(t *testing.T) {
	t.Parallel()
	sound := &running{Script: inference.NewScript(func(r inference.Request) string { return "said" }),
		info: inference.ModelInfo{Name: "sound"}}
	fail := func(r inference.Request) string { return r.Messages[len(os.Args)].Content }
	broken := &running{Script: inference.NewScript(fail),
		info: inference.ModelInfo{Name: "broken"}}
	p := New(map[string]inference.Running{"": sound, "broken": broken}).Join(0)
	replies, err := p.Generate(t.Context(), []inference.Request{{Model: "broken"}, {}, {Model: "broken"}})
	if err != nil {
		t.Fatal(err)
	}
	var b bug.Error
	for number, i := range []int{0, 2} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			if !errors.As(replies[i].Err, &b) || !strings.Contains(b.Place, "team_test.go") {
				t.Errorf("%d: a panic of a model is the error of its replies, with the place: got %v", i,
					replies[i].Err)
			}
		})
	}
	if replies[1].Err != nil || replies[1].Text != "said" {
		t.Errorf("the reply of the other model is told: got %q, %v", replies[1].Text, replies[1].Err)
	}
}

// TestOneOwnerFails: where one engine fails as a whole, or returns too few replies, so do all requests of the call.
func TestOneOwnerFails(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		short bool
		want  string
	}{"an error": {false, "broken"}, "too few": {true, "0 replies to 1 requests"}} {
		t.Run(name, func(t *testing.T) {
			replies, err := ByOwner([]inference.Request{{Model: "a"}, {Model: "b"}, {Model: "c"}},
				func(r inference.Request) (string, error) { return r.Model, nil },
				func(owner string, part []inference.Request) ([]inference.Reply, error) {
					switch {
					case owner != "b":
						return make([]inference.Reply, len(part)), nil
					case c.short:
						return nil, nil
					}
					return nil, broken
				})
			if err == nil || err.Error() != c.want || replies != nil {
				t.Errorf("%s of one engine of three is that of the call: got %v, %v, want %s", name, replies, err,
					c.want)
			}
		})
	}
}
