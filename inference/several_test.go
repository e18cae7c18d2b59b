package inference

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/internal/bug"
)

// running makes a script an engine that commands use.
type running struct {
	*Script
	info    ModelInfo
	stopped error
	closed  int
}

func (r *running) Stop(err error)     { r.stopped = err }
func (r *running) Plan() string       { return r.info.Name }
func (r *running) Threads() int       { return 2 }
func (r *running) Cells() int         { return 10 }
func (r *running) MemoryLine() string { return "memory of " + r.info.Name }
func (r *running) Survey() *Survey    { return nil }
func (r *running) Model() ModelInfo   { return r.info }
func (r *running) Close() error       { r.closed++; return nil }

// TestSeveral: each request goes to the engine that has its model, replies keep their order, counts are those of all,
// and a name that nobody has fails alone.
func TestSeveral(t *testing.T) {
	t.Parallel()
	engine := func(name string) *running {
		return &running{Script: NewScript(func(r Request) string { return name + " " + r.Messages[0].Content }),
			info: ModelInfo{Name: name, Hash: name}}
	}
	first, second := engine("first"), engine("second")
	s := NewSeveral(map[string]Running{"": first, "http://second": second, "same": second})
	requests := make([]Request, 5)
	for i, name := range []string{"same", "", "nobody", "http://second", ""} {
		requests[i] = Request{Model: name, Messages: []Message{{Role: "user", Content: string(rune('a' + i))}}}
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
		t.Error(diff)
	}
	if replies[2].Err == nil || replies[0].Err != nil {
		t.Errorf("%+v, want replies[2].Err != nil && replies[0].Err == nil", replies)
	}
	all := s.Stats()
	if all.Generations != 4 || len(all.Models) != 2 || all.Models[0].Generations != 2 || all.PromptAsked != 4 {
		t.Errorf("%+v, want all.Generations == 4 && len(all.Models) == 2 && all.Models[0].Generations == 2 && "+
			"all.PromptAsked == 4",
			all)
	}
	if m := s.Model(); m.Name != "first" || len(m.Team) != 1 || m.Team[0].Name != "second" {
		t.Errorf(`%+v, want m.Name == "first" && len(m.Team) == 1 && m.Team[0].Name == "second"`, m)
	}
	if s.Plan() != "first\nsecond" || s.Threads() != 2 || s.Cells() != 20 || s.MemoryLine() != "memory of first" {
		t.Errorf("%q %d %d %q, want s.Plan() == \"first\\nsecond\" && s.Threads() == 2 && s.Cells() == 20 && "+
			`s.MemoryLine() == "memory of first"`,
			s.Plan(), s.Threads(), s.Cells(), s.MemoryLine())
	}
	s.Stop(ErrSurvey)
	if err := s.Close(); err != nil || first.closed != 1 || second.closed != 1 || first.stopped != ErrSurvey ||
		second.stopped != ErrSurvey {
		t.Errorf("%v %+v %+v, want err == nil && first.closed == 1 && second.closed == 1 && first.stopped == "+
			"ErrSurvey && second.stopped == ErrSurvey",
			err, first, second)
	}
}

// TestSeveralPanic: a panic in one engine is the error of the requests that were sent there, and names its place. The
// others have their replies.
func TestSeveralPanic(t *testing.T) {
	t.Parallel()
	sound := &running{Script: NewScript(func(r Request) string { return "said" }), info: ModelInfo{Name: "sound"}}
	broken := &running{Script: NewScript(func(r Request) string { return r.Messages[len(os.Args)].Content }),
		info: ModelInfo{Name: "broken"}}
	p := NewSeveral(map[string]Running{"": sound, "broken": broken}).Join(0)
	replies, err := p.Generate(t.Context(), []Request{{Model: "broken"}, {}, {Model: "broken"}})
	if err != nil {
		t.Fatal(err)
	}
	var b bug.Error
	for number, i := range []int{0, 2} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			if !errors.As(replies[i].Err, &b) || !strings.Contains(b.Place, "several_test.go") {
				t.Errorf(`%d: %v, want errors.As(replies[i].Err, &b) && strings.Contains(b.Place, "several_test.go")`,
					i, replies[i].Err)
			}
		})
	}
	if replies[1].Err != nil || replies[1].Text != "said" {
		t.Errorf(`%+v, want replies[1].Err == nil && replies[1].Text == "said"`, replies[1])
	}
}
