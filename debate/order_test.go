package debate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/debate/answer"
)

// answersOf reads one letter an agent; a dot is unparsed and a dash is silent.
func answersOf(letters string) (answers []answer.Answer, silent []bool) {
	for _, l := range letters {
		a := answer.Of(string(l))
		if l == '.' || l == '-' {
			a = answer.Unparsed
		}
		answers, silent = append(answers, a), append(silent, l == '-')
	}
	return answers, silent
}

// all says that everybody is heard.
func all(agents int) []bool { return slices.Repeat([]bool{true}, agents) }

func seeded(receiver int) *rand.Rand { return rand.New(rand.NewPCG(7, uint64(receiver+1))) }

// TestOrders reads like the rules of source 0 (behaviour of its code and Algorithm 1 of its paper).
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		rule, order, reading string
		answers, truth       string
		receiver             int
		want                 []int
	}{
		{"the others in agent order", "fixed", "code", "ABAB", "A", 1, []int{0, 2, 3}},
		{"wrong answers first, right ones last, stable inside each half", "truth-last", "code", "ABACA", "A", 3, []int{1, 0, 2, 4}},
		{"truth first is the reverse, stable too", "truth-first", "code", "ABACA", "A", 3, []int{0, 2, 4, 1}},
		{"if nobody is right the order is the fixed one", "truth-last", "code", "BCDB", "A", 0, []int{1, 2, 3}},
		{"an unparsed reply is not right", "truth-last", "code", "A.BA", "A", 3, []int{1, 2, 0}},
		{"the most frequent answer last", "most-frequent-last", "code", "AABA", "A", 1, []int{2, 0, 3}},
		{"counts are of the others, the own answer excluded: an even split shows each the opposing camp last", "most-frequent-last", "code", "AABB", "A", 0, []int{1, 2, 3}},
		{"the same from the other side", "most-frequent-last", "code", "AABB", "A", 2, []int{3, 0, 1}},
		{"equal counts of different answers interleave in agent order", "most-frequent-last", "code", "XABAB", "A", 0, []int{1, 2, 3, 4}},
		{"unparsed replies count one each and move to the front", "most-frequent-last", "code", "X.A.A", "A", 0, []int{1, 3, 2, 4}},
		{"most frequent first, stable", "most-frequent-first", "code", "XBAAC", "A", 0, []int{2, 3, 1, 4}},
		{"whoever fell silent is not heard", "fixed", "code", "A-B-", "A", 0, []int{2}},
		{"an unparsed truth is nobody's answer, not even an unparsed one's", "truth-first", "code", "B.AB", ".", 3, []int{0, 1, 2}},
		{"one agent hears nobody", "most-frequent-last", "code", "A", "A", 0, nil},

		{"paper: one order of all, the first of the most frequent is last", "most-frequent-last", "paper", "AABA", "A", 2, []int{1, 3, 0}},
		{"paper: the receiver leaves itself out", "most-frequent-last", "paper", "AABA", "A", 0, []int{2, 1, 3}},
		{"paper: the even split is the same for all, whatever their camp", "most-frequent-last", "paper", "AABB", "A", 0, []int{1, 2, 3}},
		{"paper: here the readings differ", "most-frequent-last", "paper", "AABB", "A", 2, []int{1, 3, 0}},
		{"paper: unparsed replies count one each here too", "most-frequent-last", "paper", "A.A", "A", 1, []int{2, 0}},
		{"paper: the receiver's own answer counts, so that two are most frequent", "most-frequent-first", "paper", "BAAC", "A", 1, []int{2, 0, 3}},
		{"code: it does not, and nothing is", "most-frequent-first", "code", "BAAC", "A", 1, []int{0, 2, 3}},
		{"paper: truth orders are the code's", "truth-last", "paper", "ABACA", "A", 3, []int{1, 0, 2, 4}},
		{"paper: and so is truth first", "truth-first", "paper", "ABACA", "A", 3, []int{0, 2, 4, 1}},
	} {
		o, err := ParseOrder(c.order, c.reading)
		if err != nil {
			t.Fatal(err)
		}
		answers, silent := answersOf(c.answers)
		truth, _ := answersOf(c.truth)
		if diff := cmp.Diff(c.want, o.others(c.receiver, answers, silent, all(len(answers)), truth[0], seeded)); diff != "" {
			t.Errorf("%s (%s, receiver %d): %s", c.rule, c.answers, c.receiver, diff)
		}
	}
}

// TestRandomOrder is drawn anew for every receiver in the code, and once for all in the paper.
func TestRandomOrder(t *testing.T) {
	answers, silent := answersOf("ABCDEFGH")
	list := func(reading string, receiver int) []int {
		o, _ := ParseOrder("random", reading)
		return o.others(receiver, answers, silent, all(len(answers)), answer.Unparsed, seeded)
	}
	without := func(agents []int, out ...int) []int {
		return slices.DeleteFunc(slices.Clone(agents), func(i int) bool { return slices.Contains(out, i) })
	}
	if cmp.Diff(without(list("code", 0), 1), without(list("code", 1), 0)) == "" {
		t.Error("code: two receivers got the same order")
	}
	if diff := cmp.Diff(without(list("paper", 0), 1), without(list("paper", 1), 0)); diff != "" {
		t.Errorf("paper: two receivers got different orders: %s", diff)
	}
	if cmp.Diff(list("code", 3), list("code", 3)) != "" || slices.IsSorted(list("code", 3)) {
		t.Error("not a seeded shuffle")
	}
}

// TestOrdersArePermutations: every order lists everybody but the receiver and the silent, once.
func TestOrdersArePermutations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringMatching(`[ABC.\-]{1,10}`).Draw(t, "answers")
		answers, silent := answersOf(letters)
		receiver := rapid.IntRange(0, len(answers)-1).Draw(t, "receiver")
		o, err := ParseOrder(rapid.SampledFrom(OrderNames()).Draw(t, "order"), rapid.SampledFrom([]string{"code", "paper"}).Draw(t, "reading"))
		if err != nil {
			t.Fatal(err)
		}
		got := o.others(receiver, answers, silent, all(len(answers)), answer.Of("A"), seeded)
		var want []int
		for i, l := range letters {
			if i != receiver && l != '-' {
				want = append(want, i)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("got %v, want a permutation of %v", got, want)
		}
	})
}

func TestParseOrder(t *testing.T) {
	if o, err := ParseOrder("", ""); err != nil || o != (Order{"fixed", "code"}) {
		t.Errorf("%v, %v", o, err)
	}
	if _, err := ParseOrder("alphabetical", ""); err == nil || !strings.Contains(err.Error(), "most-frequent-last") {
		t.Error(err)
	}
	if _, err := ParseOrder("fixed", "film"); err == nil {
		t.Error("an unknown reading was accepted")
	}
}
