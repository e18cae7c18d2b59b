package agreement

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Roles of players.
const (
	knight = iota
	knave
	spy
)

// TestSmoothAndStrict: smooth is the share of players whose role is right, strict whether all are.
func TestSmoothAndStrict(t *testing.T) {
	truth := []int{knight, knave, knave, spy}
	for _, c := range []struct {
		roles  []int
		smooth float64
		strict bool
	}{
		{[]int{knight, knave, knave, spy}, 1, true},
		{[]int{knave, knave, knave, knave}, 0.5, false},
		{[]int{knight, Unparsed, knave, spy}, 0.75, false},
	} {
		t.Run(fmt.Sprintf("%v %v", c.roles, c.smooth), func(t *testing.T) {
			if Smooth(c.roles, truth) != c.smooth || Strict(c.roles, truth) != c.strict {
				t.Errorf("%v: smooth %g and strict %v, want %g and %v", c.roles, Smooth(c.roles, truth),
					Strict(c.roles, truth), c.smooth, c.strict)
			}
		})
	}
	if Smooth(nil, nil) != 0 || Strict(nil, nil) {
		t.Error("0 players count as solved, want a share of 0, and not all of them")
	}
}

// TestRoundArea is worked by hand: a puzzle of four players is debated in four rounds, after which none, one, one and
// all four roles are right. Appendix B adds up 0, 1/4, 1/4 and 1 and divides by four; trapezoids would give 1/3.
func TestRoundArea(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{0, 0.25, 0.25, 1}, 0.375}, {nil, 0}, {[]float64{0.7}, 0.7}, {[]float64{0, 1}, 0.5},
		{[]float64{0, 1, 1}, 2.0 / 3}, {[]float64{0, 0, 1}, 1.0 / 3},
	} {
		t.Run(fmt.Sprint(c.values), func(t *testing.T) {
			if got := RoundArea(c.values); !near(got, c.want, 1e-12) {
				t.Errorf("%v: %g, want %g", c.values, got, c.want)
			}
		})
	}
}

// TestStandings: the right answer is 0; ? in the comments is an unparsed one.
func TestStandings(t *testing.T) {
	for _, c := range []struct {
		answers []int
		want    []Standing
	}{
		{[]int{0, 0, 1}, []Standing{MajorityRight, MajorityRight, MinorityWrong}},
		{[]int{1, 1, 0}, []Standing{MajorityWrong, MajorityWrong, MinorityRight}},
		{[]int{0, 1, 2}, []Standing{ChaosRight, ChaosWrong, ChaosWrong}},
		// 2 of 4 are enough
		{[]int{0, 0, 1, 2}, []Standing{MajorityRight, MajorityRight, MinorityWrong, MinorityWrong}},
		// 2 against 2 are not
		{[]int{0, 0, 1, 1}, []Standing{ChaosRight, ChaosRight, ChaosWrong, ChaosWrong}},
		{[]int{0, 0, 1, 1, 2}, []Standing{ChaosRight, ChaosRight, ChaosWrong, ChaosWrong, ChaosWrong}},
		{[]int{0, Unparsed, Unparsed}, []Standing{ChaosRight, ChaosWrong, ChaosWrong}}, // ? has no majority
		{nil, []Standing{}},
	} {
		t.Run(fmt.Sprint(c.answers), func(t *testing.T) {
			if diff := cmp.Diff(c.want, Standings(c.answers, Key{0})); diff != "" {
				t.Errorf("%v: who is in the majority, and right (-want +got):\n%s", c.answers, diff)
			}
		})
	}
}

// TestAgreement: the two agreements of appendix B as its formulas have them: one answer of at least ceil(A/2) of the A
// agents, and of all of them.
func TestAgreement(t *testing.T) {
	for _, c := range []struct {
		answers   []int
		half, all bool
	}{
		{[]int{1, 1, 1}, true, true},
		{[]int{0, 0, 1}, true, false},
		{[]int{0, 1, 2}, false, false},
		{[]int{0, 0, 1, 1}, true, false}, // both pairs are half of the four
		{[]int{0, 0, 1, 2}, true, false},
		{[]int{0, 1}, true, false}, // each is half of the two
		{[]int{0, 0, 1, 1, 2}, false, false},
		{[]int{0, 0, 1, 1, 2, 2}, false, false},
		{[]int{0, Unparsed}, true, false},
		{[]int{0, Unparsed, Unparsed}, false, false}, // agents that cannot be read count in A, and agree with nobody
		{[]int{0, 0, Unparsed, Unparsed}, true, false},
		{[]int{Unparsed, Unparsed, Unparsed}, false, false},
		{[]int{2}, true, true}, {[]int{Unparsed}, false, false}, {nil, false, false},
	} {
		t.Run(fmt.Sprintf("%v %v", c.answers, c.half), func(t *testing.T) {
			if half, all := HalfAgree(c.answers), AllAgree(c.answers); half != c.half || all != c.all {
				t.Errorf("%v: at least half agree %v, want %v; all agree %v, want %v", c.answers, half, c.half,
					all, c.all)
			}
		})
	}
}

// TestShifts: two of the minority are corrected, one of the majority is spoiled.
func TestShifts(t *testing.T) {
	var s Shifts
	s.Count(Standings([]int{1, 1, 0}, Key{0}), Standings([]int{0, 1, 0}, Key{0}))
	s.Count(Standings([]int{0, 0, 1}, Key{0}), Standings([]int{0, 1, 0}, Key{0}))
	want := Shifts{MajorityWrong: {1, 1}, MajorityRight: {1, 1}, MinorityWrong: {0, 1}, MinorityRight: {0, 1}}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("the shifts are those that were worked by hand (-want +got):\n%s", diff)
	}
}

// TestMajorityProperties: it has at least half of the agents, no other answer has, and the order of agents does not
// matter.
func TestMajorityProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answers := rapid.SliceOfN(rapid.IntRange(-1, 2), 0, 7).Draw(t, "answers")
		answer, found := majority(answers)
		var enough []int
		for role := range 3 {
			n := 0
			for _, a := range answers {
				if a == role {
					n++
				}
			}
			if n > 0 && n >= (len(answers)+1)/2 {
				enough = append(enough, role)
			}
		}
		if found != (len(enough) == 1) || found && answer != enough[0] || !found && answer != Unparsed {
			t.Fatalf("%v: a majority is what more than half answer, %v, else nothing: got %d, found %v", answers,
				enough, answer, found)
		}
		if again, ok := majority(rapid.Permutation(answers).Draw(t, "shuffled")); again != answer || ok != found {
			t.Fatalf("the majority of %v is the same in any order: got %d, shuffled %d", answers, answer, again)
		}
	})
}
