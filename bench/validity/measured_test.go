package validity_test

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// told is a reading of replies by a reader that tells.
func told(how map[answer.How]int) (r validity.Reading) {
	for h, n := range how {
		r.Answers += n
		if h != answer.Explicit && h != answer.Fallback && h != answer.ByClosing {
			r.UnparsedReplies += n
		}
	}
	r.How = how
	return r
}

// TestOf has each state in which a run measured nothing, and those in which it did.
func TestOf(t *testing.T) {
	good := told(map[answer.How]int{answer.Explicit: 17, answer.ByClosing: 2, answer.Nothing: 1})
	looped := told(map[answer.How]int{answer.Explicit: 9, answer.Looped: 8, answer.Fallback: 3})
	looped.Looped = 8
	paper := validity.Reading{Answers: 20, UnparsedReplies: 20, AtLimit: 15}
	c := func(name string, r validity.Reading, right, unparsed int) validity.Condition {
		return validity.Condition{Name: name, Reading: r, N: 10, Right: right, Unparsed: unparsed,
			Accuracy: float64(right) / 10}
	}
	whole := told(map[answer.How]int{answer.Fallback: 20})
	texts := func(c validity.Condition) validity.Condition {
		c.Texts = true
		return c
	}
	inPart := func(c validity.Condition, mean float64) validity.Condition {
		c.Degree, c.Partial = "facts", mean
		return c
	}
	bound := c("oracle", good, 10, 0)
	bound.Bound = true
	for _, x := range []struct {
		name       string
		conditions []validity.Condition
		guess      float64
		says       string // the beginning of the first sentence; "" if nothing is to be said
		try        string // within the last one
		comparable bool   // single and mad
	}{
		{"healthy", []validity.Condition{c("single", good, 6, 0), c("mad", good, 7, 0)}, 0.5, "", "", true},
		{"unread", []validity.Condition{c("single", looped, 6, 0), c("mad", looped, 7, 0)}, 0.1,
			"The answers were not measured: 18 of 40 replies (45 %) state their answer (single 9 of 20, mad 9 of 20)",
			"Of 40 replies, 16 repeat themselves: a lower --temperature", false},
		{"one unread", []validity.Condition{c("single", looped, 6, 0), c("mad", good, 7, 0)}, 0.1,
			"The answers of 1 of 2 conditions were not measured: 9 of 20 replies", "repeat themselves", false},
		{"unread by a paper's rule", []validity.Condition{c("single", paper, 0, 10), c("mad", paper, 0, 10)}, 0.1,
			"The answers were not measured: 0 of 40 replies (0 %) have an answer that could be read",
			"30 end at the limit of tokens", false},
		{"a paper's rule, decisions read", []validity.Condition{c("single", paper, 5, 0), c("mad", paper, 5, 1)},
			0.1, "",
			"", true},
		{"below chance", []validity.Condition{c("single", good, 3, 0), c("mad", good, 2, 0), bound}, 0.833,
			"No condition reaches chance: the best one, single, is right on 0.300, and the same answer to all " +
				"questions " +
				"on 0.833.", "", true},
		{"texts", []validity.Condition{texts(c("single", whole, 3, 0)), texts(c("mad", whole, 4, 0))}, 0.1, "", "",
			true},
		{"one above", []validity.Condition{c("single", good, 9, 0), c("mad", good, 2, 0)}, 0.833, "", "", true},
		{"nobody right", []validity.Condition{c("single", good, 0, 0), c("mad", good, 0, 0)}, 0.1,
			"Nobody was right, under any condition: 20 debates", "", false},
		{"nobody right in full", []validity.Condition{inPart(c("single", good, 0, 0), 0.25),
			inPart(c("mad", good, 0, 0), 0.5)}, 0.1, "Nobody was right in full, under any condition: by accuracy 20 " +
			"debates tell nothing apart. By facts, what is right in part, conditions differ: from 0.250 (single) to " +
			"0.500 (mad).", "", false},
		{"nobody right, not in part either", []validity.Condition{inPart(c("single", good, 0, 0), 0),
			inPart(c("mad", good, 0, 0), 0)}, 0.1, "Nobody was right, under any condition: 20 debates", "", false},
		{"a bound is right", []validity.Condition{c("single", good, 0, 0), c("mad", good, 0, 0), bound}, 0, "", "",
			true},
		{"no debates", []validity.Condition{{Name: "single"}}, 0.5, "", "", true},
	} {
		t.Run(x.name, func(t *testing.T) {
			got := validity.Of(x.conditions, x.guess)
			text := strings.Join(got.Says, " ")
			if !strings.HasPrefix(text, x.says) || (x.says == "") != (text == "") || !strings.Contains(text, x.try) {
				t.Errorf("%s: says %q, want %q, with the advice %q", x.name, text, x.says, x.try)
			}
			if got.Comparable("single", "mad") != x.comparable {
				t.Errorf("%s: single and mad are comparable: got %t, want %t", x.name, !x.comparable, x.comparable)
			}
		})
	}
}

// TestEmptyReplies: the head says how many replies have no text, whatever was read of them, and why.
func TestEmptyReplies(t *testing.T) {
	reading := func(stop inference.StopReason, texts ...string) validity.Reading {
		turns := make([]debate.Turn, len(texts))
		for i, text := range texts {
			turns[i] = readAs(answer.Explicit, stop)
			turns[i].Reply.Text, turns[i].Reply.Tokens = text, 2
		}
		return readingOf(replied(turns...))
	}
	for want, r := range map[string]validity.Reading{
		"": reading(inference.StopLength, "(A)", "."),
		"Without a text that others could be sent: 2 of 3 replies.": reading(inference.StopEnd, "", "(A)", " \u200b\n"),
		"Without a text that others could be sent: 1 of 2 replies. 1 of these end within their reasoning or " +
			"at the limit of tokens: a higher --max-tokens leaves room for what follows.": reading(inference.StopLength,
			"", "(A)"),
	} {
		f := validity.Of([]validity.Condition{{Name: "mad", N: 3, Right: 2, Accuracy: 0.6, Reading: r}}, 0.1)
		if got := strings.Join(f.Says, " "); got != want {
			t.Errorf("the warnings about empty replies are %q: got %q", want, got)
		}
	}
}
