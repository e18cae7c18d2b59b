package bench

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/bench/task"
	"parley/debate/answer"
	"parley/inference"
)

func TestParseNames(t *testing.T) {
	for name, want := range map[string][2]string{
		"puzzle/7 round 1 agent 2":             {"puzzle/7", "1 agent 2"},
		"puzzle/7 #12 round 0 agent 10":        {"puzzle/7", "0 agent 10"},
		"the last round 3 round 0 agent 1":     {"the last round 3", "0 agent 1"},
		"round 1 agent 2":                      {"round 1 agent 2", ""},
		"":                                     {"", ""},
		"two\nlines #2 round 0 agent 1":        {"two\nlines", "0 agent 1"},
		"puzzle/7 round 1 agent 2 and a half ": {"puzzle/7 round 1 agent 2 and a half ", ""},
	} {
		question, place := parseName(name)
		if diff := cmp.Diff(want, [2]string{question, place}); diff != "" {
			t.Errorf("%q: %s", name, diff)
		}
	}
}

// heard is one request with its reply, whose text is its key.
func heard(name, key string, messages int, continuations ...string) exchange {
	r := inference.Request{Name: name, Messages: make([]inference.Message, messages), Continuations: continuations}
	return exchange{r, inference.Reply{Key: key, Text: key}}
}

// TestLikeReplies finds what is most like a request, whoever was heard first.
func TestLikeReplies(t *testing.T) {
	all := []exchange{
		heard("a round 0 agent 0", "a00", 1), heard("a round 0 agent 1", "a01", 1),
		heard("a round 1 agent 0", "a10", 3),
		heard("b round 0 agent 0", "b00", 1), heard("b round 0 agent 1", "b01", 1),
		heard("b #2 round 0 agent 1", "b01again", 1),
		heard("b round 1 agent 0", "vote", 5, "yes", "no"),
	}
	for range 2 {
		s := &sample{}
		s.sort(slices.Clone(all))
		for _, test := range []struct {
			name          string
			key           string
			messages      int
			continuations []string
			standIn       string
			want          []string // one of these
		}{
			{"a round 0 agent 1", "a01", 1, nil, "b", []string{"a01"}},
			{"c round 0 agent 0", "?", 1, nil, "b", []string{"b00"}},
			{"c #3 round 0 agent 1", "?", 1, nil, "b", []string{"b01", "b01again"}},
			{"c round 0 agent 7", "?", 1, nil, "a", []string{"a00", "a01"}},
			{"c round 1 agent 1", "?", 3, nil, "b", []string{"a10"}},
			{"c round 9 agent 1", "?", 3, nil, "b", []string{"a10"}},
			{"c round 9 agent 1", "?", 7, []string{"1", "2"}, "b", []string{"vote"}},
			{"c round 9 agent 1", "?", 7, []string{"1", "2", "3"}, "",
				[]string{"a00", "a01", "a10", "b00", "b01", "b01again", "vote"}},
		} {
			g := inference.Generation{Name: test.name, Messages: make([]inference.Message, test.messages),
				Continuations: test.continuations, Reply: inference.Reply{Key: test.key}}
			got, ok := s.reply(g, test.standIn)
			again, _ := s.reply(g, test.standIn)
			if !ok || !slices.Contains(test.want, got.Key) || again.Key != got.Key {
				t.Errorf("%+v: %+v, %+v", test, got, again)
			}
		}
		slices.Reverse(all)
	}
	if _, ok := (&sample{}).reply(inference.Generation{Name: "a round 0 agent 0"}, "a"); ok {
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
		t.Error(got)
	}
	if got := off([]float64{2, 4, 6}, 3); got != 0 {
		t.Error(got)
	}
}
