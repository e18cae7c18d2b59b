package bench

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// TestCases: all times that a question is asked are about it, whatever its name looks like.
func TestCases(t *testing.T) {
	got := casesOf(Options{Run: spec.Run{Repeats: 2},
		Task: task.Task{Questions: []task.Question{{ID: "a"},
			{ID: "the last round 3 #2"}}}})
	want := map[string]string{"a": "a", "a #2": "a", "the last round 3 #2": "the last round 3 #2",
		"the last round 3 #2 #2": "the last round 3 #2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// heard is one request with its reply, whose text is its key.
func heard(name string, round, agent int, key string, messages int, continuations ...string) exchange {
	r := inference.Request{Name: name, Case: name, Round: round, Agent: agent,
		Messages: make([]inference.Message, messages), Continuations: continuations}
	return exchange{r, inference.Reply{Key: key, Text: key}}
}

// TestLikeReplies finds what is most like a request, whoever was heard first.
func TestLikeReplies(t *testing.T) {
	all := []exchange{
		heard("a", 0, 0, "a00", 1), heard("a", 0, 1, "a01", 1),
		heard("a", 1, 0, "a10", 3),
		heard("b", 0, 0, "b00", 1), heard("b", 0, 1, "b01", 1),
		heard("b #2", 0, 1, "b01again", 1),
		heard("b", 1, 0, "vote", 5, "yes", "no"),
	}
	for range 2 {
		s := &sample{asks: map[string]string{"a": "a", "b": "b", "b #2": "b"}}
		s.sort(slices.Clone(all))
		for _, test := range []struct {
			round, agent  int
			key           string
			messages      int
			continuations []string
			standIn       string
			want          []string // one of these
		}{
			{0, 1, "a01", 1, nil, "b", []string{"a01"}},
			{0, 0, "?", 1, nil, "b", []string{"b00"}},
			{0, 1, "?", 1, nil, "b", []string{"b01", "b01again"}},
			{0, 7, "?", 1, nil, "a", []string{"a00", "a01"}},
			{1, 1, "?", 3, nil, "b", []string{"a10"}},
			{9, 1, "?", 3, nil, "b", []string{"a10"}},
			{9, 1, "?", 7, []string{"1", "2"}, "b", []string{"vote"}},
			{9, 1, "?", 7, []string{"1", "2", "3"}, "",
				[]string{"a00", "a01", "a10", "b00", "b01", "b01again", "vote"}},
		} {
			g := inference.Generation{Round: test.round, Agent: test.agent,
				Messages:      make([]inference.Message, test.messages),
				Continuations: test.continuations, Reply: inference.Reply{Key: test.key}}
			got, ok := s.reply(g, test.standIn)
			again, _ := s.reply(g, test.standIn)
			if !ok || !slices.Contains(test.want, got.Key) || again.Key != got.Key {
				t.Errorf("%+v: %+v, %+v, want ok && slices.Contains(test.want, got.Key) && again.Key == got.Key",
					test, got, again)
			}
		}
		slices.Reverse(all)
	}
	if _, ok := (&sample{}).reply(inference.Generation{}, "a"); ok {
		t.Error("a reply out of nothing")
	}
}

// TestCast has each question played by one that was asked, but for its name and text.
func TestCast(t *testing.T) {
	question := func(id, player string) task.Question {
		return task.Question{ID: id, Text: "text of " + id, Target: "target of " + player,
			Truth: answer.Of("truth of " + player)}
	}
	a, b, c, d := question("a", "a"), question("b", "b"), question("c", "c"), question("d", "d")
	all := task.Task{Questions: []task.Question{a, b, c, d}}
	played, standIns := (&sample{questions: []task.Question{d, b}}).standIn(all)
	want := []task.Question{question("a", "d"), b, question("c", "d"), d}
	if diff := cmp.Diff(want, played.Questions) + cmp.Diff(map[string]string{"a": "d", "b": "b", "c": "d", "d": "d"},
		standIns); diff != "" {
		t.Error(diff)
	}
	if all.Questions[0].Target != a.Target {
		t.Error("the task itself was changed")
	}
}

// TestOff holds the half width of an interval to one worked by hand: 2, 4, 6 have mean 4 and deviation 2; Student's t
// with two degrees of freedom is 4.303 at 97.5 %; three of twelve questions leave three quarters.
func TestOff(t *testing.T) {
	if got := off([]float64{2, 4, 6}, 12); got < 4.302 || got > 4.304 { // 4.303 x 2 / sqrt(3) x sqrt(3/4)
		t.Errorf("%v, want got >= 4.302 && got <= 4.304", got)
	}
	if got := off([]float64{2, 4, 6}, 3); got != 0 {
		t.Errorf("%v, want 0", got)
	}
}
