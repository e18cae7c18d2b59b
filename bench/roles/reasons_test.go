package roles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// rated answers as scripted, but that agents argue for the roles that they gave last, and that the judge, who sees the
// solution, rates agent 0 at 4 and 0, agent 1 at 2 and 2, and agent 2 at 1 and 0; on Ann, it says nothing of agent 2.
func rated(r inference.Request) string {
	asked := r.Messages[len(r.Messages)-1].Content
	switch {
	case r.Agent == 4 && !strings.Contains(asked, "Ann: knight, Bob: knave, Cid: spy"):
		return "what is the solution?"
	case r.Agent == 4 && strings.Contains(asked, "In the debate on Ann, Agent 3"):
		return "?"
	case r.Agent == 4:
		return fmt.Sprintf(`{"agree": %d, "disagree": %d, "reason": ""}`, []int{4, 2, 1}[r.Sample], r.Sample%2*2)
	case strings.Contains(asked, "The debate is now about one player"):
		role := map[string]string{"Ann": "knight", "Bob": "spy", "Cid": "knave"}
		if r.Agent == 0 || r.Agent == 1 && strings.Contains(asked, "one player: Cid") {
			role = map[string]string{"Ann": "knight", "Bob": "knave", "Cid": "spy"}
		}
		_, player, _ := strings.Cut(asked, "The debate is now about one player: ")
		return fmt.Sprintf(`{"role": %q, "agree_with": [], "agree_reasoning": "", "disagree_with": [], `+
			`"disagree_reasoning": ""}`, role[player[:3]])
	}
	return scripted(r)
}

// TestBehaviours is worked by hand. Before the debate on Bob agents 1 and 2 are wrong, of whom 1 then follows agent 0
// and so contradicts itself; on Cid agent 2 is wrong and stays so. Only agent 0's reasons are sound.
func TestBehaviours(t *testing.T) {
	d := judged(t, "reasons")
	truth := answer.Of("Ann: knight, Bob: knave, Cid: spy")
	transcript, err := d.Run(t.Context(), inference.NewScript(rated).Join(0), debate.Case{ID: "q", Question: game,
		Extract: answer.Raw, Truth: truth})
	if err != nil {
		t.Fatal(err)
	}
	got := Of(played(trial.Outcome{Question: "q", Truth: truth, Transcript: transcript}))
	for agent, want := range [][]Behaviour{
		{{Of: followsSound, N: 3, Right: 3}, {Of: followsNone}, {Of: contradicts},
			{Of: givesSound, N: 6, Right: 4, Wrong: 3, Corrected: 1}, {Of: givesPoor}},
		{{Of: followsSound, N: 3, Right: 3, Wrong: 1, Corrected: 1}, {Of: followsNone},
			{Of: contradicts, N: 1, Right: 1, Wrong: 1, Corrected: 1}, // on Bob
			{Of: givesSound}, {Of: givesPoor, N: 6, Right: 4, Wrong: 2}},
		{{Of: followsSound, N: 1, Right: 1}, {Of: followsNone, N: 2, Wrong: 2}, {Of: contradicts}, {Of: givesSound},
			{Of: givesPoor, N: 4, Right: 4, Wrong: 1, Corrected: 1}}, // not on Ann, where it was not rated
	} {
		if diff := cmp.Diff(want, got.Agents[agent].Behaviours); diff != "" {
			t.Errorf("agent %d has the behaviours that were counted by hand (-want +got):\n%s", agent, diff)
		}
	}
	if diff := cmp.Diff([]RatedReasons{{Of: "agree", Ratings: [5]int{1: 2, 2: 3, 4: 3}, Unread: 1},
		{Of: "disagree", Ratings: [5]int{0: 5, 2: 3}, Unread: 1}}, got.Reasons); diff != "" {
		t.Errorf("the reasons are those that were worked by hand (-want +got):\n%s", diff)
	}
	if got.Ratings != nil {
		t.Errorf("where agents were not asked for ratings there are none: got %+v", got.Ratings)
	}
}

// TestFollows: who cannot be read behaves in no way, nobody does where nobody was rated, and a rating belongs to the
// debate that was rated.
func TestFollows(t *testing.T) {
	four, three, less := 4.0, 3.0, 2.5
	none := agreement.Unparsed
	for _, c := range []struct {
		stances []int
		ratings []*float64
		after   int // of agent 0
		want    []string
		gives   string
	}{
		{[]int{0, 1}, []*float64{&four, &three}, none, nil, givesSound},
		{[]int{0, 1}, []*float64{nil, nil}, 0, nil, ""},
		{[]int{0, 1}, []*float64{&three, &four}, 0, []string{followsSound}, givesSound}, // its own
		{[]int{0, 1}, []*float64{&less, &four}, 0, []string{followsNone}, givesPoor},
		{[]int{0, 1}, []*float64{&three, nil}, 1, []string{followsNone, contradicts}, givesSound},
		{[]int{none, 1}, []*float64{nil, &less}, 1, []string{followsNone}, ""},
		{[]int{0, 1, 1}, []*float64{&three, &less, &four}, 1, []string{followsSound, contradicts}, givesSound},
		{[]int{0, 1}, []*float64{&less, &four}, 2, []string{followsNone, contradicts}, givesPoor}, // nobody's role
	} {
		t.Run(fmt.Sprintf("%v %v", c.stances, c.after), func(t *testing.T) {
			a := argued{stances: c.stances, ratings: c.ratings, after: []int{c.after}}
			if got, gives := a.follows(0), a.gives(0); !slices.Equal(got, c.want) || gives != c.gives {
				t.Errorf("%+v: %q and %q, want %q and %q", c, got, gives, c.want, c.gives)
			}
		})
	}
	c := &dynamics{agents: []int{0}, players: []string{"Ann", "Bob"}}
	c.argue(0, turnsOf(debate.Turn{Agent: 0})) // not read, and so without a phase of ratings
	c.argue(1, turnsOf(debate.Turn{Agent: 0, Answer: answer.Of("Bob: spy")}))
	rating := turnsOf(debate.Turn{Agent: 2, Heard: []int{0},
		Reply: inference.Reply{Text: `{"agree": 4, "disagree": 2}`}})
	for range 2 { // a forged record may have more
		c.examine(rating)
	}
	if c.argued[0].ratings[0] != nil || *c.argued[1].ratings[0] != 3 || len(c.reasons) != 1 {
		t.Errorf("an agent rates the others (3) and not itself, with one reason: got %+v, %d reasons", c.argued,
			len(c.reasons))
	}
}
