package listing

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
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

// certain are the beliefs of agents who are sure of their answers.
func certain(answers []answer.Answer) [][]debate.Belief {
	beliefs := make([][]debate.Belief, len(answers))
	for i, a := range answers {
		if a.Parsed {
			beliefs[i] = []debate.Belief{{Answer: a.Text, Probability: 1}}
		}
	}
	return beliefs
}

// all says that everybody is heard.
func all(agents int) []bool { return slices.Repeat([]bool{true}, agents) }

func seeded(receiver int) *rand.Rand { return rand.New(rand.NewPCG(7, uint64(receiver+1))) }

// TestOrders reads like the rules of MADC (behaviour of its code and Algorithm 1 of its paper).
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		rule, order, reading string
		answers, truth       string
		receiver             int
		want                 []int
	}{
		{"the others in agent order", "fixed", "code", "ABAB", "A", 1, []int{0, 2, 3}},
		{"wrong answers first, right ones last, stable inside each half", "truth-last", "code", "ABACA", "A", 3,
			[]int{1, 0, 2, 4}},
		{"truth first is the reverse, stable too", "truth-first", "code", "ABACA", "A", 3, []int{0, 2, 4, 1}},
		{"if nobody is right the order is the fixed one", "truth-last", "code", "BCDB", "A", 0, []int{1, 2, 3}},
		{"an unparsed reply is not right", "truth-last", "code", "A.BA", "A", 3, []int{1, 2, 0}},
		{"the most frequent answer last", "most-frequent-last", "code", "AABA", "A", 1, []int{2, 0, 3}},
		{"counts are of the others, the own answer excluded: an even split shows each the opposing camp last",
			"most-frequent-last", "code", "AABB", "A", 0, []int{1, 2, 3}},
		{"the same from the other side", "most-frequent-last", "code", "AABB", "A", 2, []int{3, 0, 1}},
		{"equal counts of different answers interleave in agent order", "most-frequent-last", "code", "XABAB", "A", 0,
			[]int{1, 2, 3, 4}},
		{"unparsed replies count one each and move to the front", "most-frequent-last", "code", "X.A.A", "A", 0,
			[]int{1, 3, 2, 4}},
		{"most frequent first, stable", "most-frequent-first", "code", "XBAAC", "A", 0, []int{2, 3, 1, 4}},
		{"whoever fell silent is not heard", "fixed", "code", "A-B-", "A", 0, []int{2}},
		{"an unparsed truth is nobody's answer, not even an unparsed one's", "truth-first", "code", "B.AB", ".", 3,
			[]int{0, 1, 2}},
		{"one agent hears nobody", "most-frequent-last", "code", "A", "A", 0, nil},

		{"paper: one order of all, the first of the most frequent is last", "most-frequent-last", "paper", "AABA", "A",
			2, []int{1, 3, 0}},
		{"paper: the receiver leaves itself out", "most-frequent-last", "paper", "AABA", "A", 0, []int{2, 1, 3}},
		{"paper: the even split is the same for all, whatever their camp", "most-frequent-last", "paper", "AABB", "A",
			0, []int{1, 2, 3}},
		{"paper: here the readings differ", "most-frequent-last", "paper", "AABB", "A", 2, []int{1, 3, 0}},
		{"paper: unparsed replies count one each here too", "most-frequent-last", "paper", "A.A", "A", 1, []int{2, 0}},
		{"paper: the receiver's own answer counts, so that two are most frequent", "most-frequent-first", "paper",
			"BAAC", "A", 1, []int{2, 0, 3}},
		{"code: it does not, and nothing is", "most-frequent-first", "code", "BAAC", "A", 1, []int{0, 2, 3}},
		{"paper: truth orders are the code's", "truth-last", "paper", "ABACA", "A", 3, []int{1, 0, 2, 4}},
		{"paper: and so is truth first", "truth-first", "paper", "ABACA", "A", 3, []int{0, 2, 4, 1}},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.rule, c.order), func(t *testing.T) {
			o, err := Parse(c.order, c.reading)
			if err != nil {
				t.Fatal(err)
			}
			answers, silent := answersOf(c.answers)
			truth, _ := answersOf(c.truth)
			standing := Standing{Answers: answers, Silent: silent, Right: truth[0].Equal}
			if diff := cmp.Diff(c.want, o.Others(c.receiver, standing, all(len(answers)), seeded)); diff != "" {
				t.Errorf("%s (%s, receiver %d): the order of what is heard (-want +got):\n%s", c.rule, c.answers,
					c.receiver, diff)
			}
		})
	}
}

// TestRandomOrder is drawn anew for every receiver in the code, and once for all in the paper.
func TestRandomOrder(t *testing.T) {
	answers, silent := answersOf("ABCDEFGH")
	list := func(reading string, receiver int) []int {
		o, _ := Parse("random", reading)
		return o.Others(receiver, Standing{Answers: answers, Silent: silent}, all(len(answers)), seeded)
	}
	without := func(agents []int, out ...int) []int {
		return slices.DeleteFunc(slices.Clone(agents), func(i int) bool { return slices.Contains(out, i) })
	}
	if cmp.Diff(without(list("code", 0), 1), without(list("code", 1), 0)) == "" {
		t.Error("code: two receivers got the same order")
	}
	if diff := cmp.Diff(without(list("paper", 0), 1), without(list("paper", 1), 0)); diff != "" {
		t.Errorf("paper: two receivers see the others in the same order (-first +second):\n%s", diff)
	}
	if cmp.Diff(list("code", 3), list("code", 3)) != "" || slices.IsSorted(list("code", 3)) {
		t.Error("a random order is not a shuffle by its seed, want the same order twice, and not the sorted one")
	}
}

// TestOrdersArePermutations: every order lists everybody but the receiver and the silent, once.
func TestOrdersArePermutations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringMatching(`[ABC.\-]{1,10}`).Draw(t, "answers")
		answers, silent := answersOf(letters)
		receiver := rapid.IntRange(0, len(answers)-1).Draw(t, "receiver")
		o, err := Parse(rapid.SampledFrom(Names()).Draw(t, "order"),
			rapid.SampledFrom([]string{"code", "paper"}).Draw(t, "reading"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(o.Name, Mispaired) {
			return // loses some: see TestMispaired
		}
		got := o.Others(receiver, Standing{Answers: answers, Silent: silent, Right: answer.Of("A").Equal,
			Beliefs: certain(answers)}, all(len(answers)), seeded)
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

// TestParseOrder: orders are read by name, with their reading; others are refused with the names that there are.
func TestParseOrder(t *testing.T) {
	if o, err := Parse("", ""); err != nil || o != (Order{Name: "fixed", Reading: "code"}) {
		t.Errorf("an order that is not given is fixed, in the reading code: got %+v, %v", o, err)
	}
	if _, err := Parse("alphabetical", ""); err == nil || !strings.Contains(err.Error(), "most-frequent-last") {
		t.Errorf(`%v, want an error with "most-frequent-last"`, err)
	}
	if _, err := Parse("fixed", "film"); err == nil {
		t.Error("an unknown reading was accepted, want an error")
	}
}

// TestMispaired is MADC's code before it was corrected: the unparsed answer of agent 1 is dropped, its text is not.
func TestMispaired(t *testing.T) {
	answers, silent := answersOf("XB.AAC")
	o, err := Parse("most-frequent-last-mispaired", "code")
	if err != nil {
		t.Fatal(err)
	}
	// Parsed answers B A A C rank the texts of 1 2 3 4; that of 5 disappears.
	if diff := cmp.Diff([]int{1, 4, 2, 3}, o.Others(0, Standing{Answers: answers, Silent: silent}, all(6),
		seeded)); diff != "" {
		t.Errorf("others are heard in this order (-want +got):\n%s", diff)
	}
}

// TestProbable: where all are certain the order is that of counts; who holds a popular answer only half-heartedly comes
// before those who are sure of it.
func TestProbable(t *testing.T) {
	answers, silent := answersOf("XAABA")
	f := Standing{Answers: answers, Silent: silent, Beliefs: certain(answers)}
	probable, _ := Parse("most-probable-last", "code")
	if diff := cmp.Diff([]int{3, 1, 2, 4}, probable.Others(0, f, all(5), seeded)); diff != "" {
		t.Errorf("where all are certain, the order is that of counts (-want +got):\n%s", diff)
	}
	f.Beliefs[1] = []debate.Belief{{Answer: "A", Probability: 0.5}, {Answer: "B", Probability: 0.5}}
	if diff := cmp.Diff([]int{3, 1, 2, 4}, probable.Others(0, f, all(5), seeded)); diff != "" {
		t.Errorf("who half believes in the popular answer comes before those who are sure of it (-want +got):\n%s",
			diff)
	}
	f.Beliefs[4] = []debate.Belief{{Answer: "A", Probability: 0.1}, {Answer: "B", Probability: 0.9}}
	if diff := cmp.Diff([]int{2, 3, 1, 4}, probable.Others(0, f, all(5), seeded)); diff != "" {
		t.Errorf("others are heard in the order of what they believe (-want +got):\n%s", diff)
	}
}

// TestRotatingAndDecay: rotating begins one further each round; decay keeps the order less often each round.
func TestRotatingAndDecay(t *testing.T) {
	answers, silent := answersOf("XABC")
	rotating, _ := Parse("rotating", "code")
	for round, want := range map[int][]int{1: {2, 3, 1}, 2: {3, 1, 2}, 3: {1, 2, 3}} {
		if diff := cmp.Diff(want, rotating.Others(0, Standing{Answers: answers, Silent: silent, Round: round}, all(4),
			seeded)); diff != "" {
			t.Errorf("round %d: the rotating order (-want +got):\n%s", round, diff)
		}
	}
	o := Order{Name: "truth-last", Reading: "code", Decay: 0.5}
	held := map[int]int{}
	for round := 1; round <= 4; round++ {
		for seed := range uint64(400) {
			draw := func(int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(round))) }
			if !o.drawsDecay(round, draw(0)) {
				held[round]++
			}
		}
	}
	for round, want := range map[int]int{1: 400, 2: 200, 3: 100, 4: 50} {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			if held[round] < want*3/4 || held[round] > want*5/4 {
				t.Errorf("round %d: the order held in %d of 400, expected about %d", round, held[round], want)
			}
		})
	}
}
