package debate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
)

// TestSolutions: the solutions of a debate are the turns of each round that answer the question.
func TestSolutions(t *testing.T) {
	say := func(agent int, kind Kind, text string) Turn {
		return Turn{Agent: agent, Kind: kind, Reply: inference.Reply{Text: text}}
	}
	yes, no := true, false
	message := say(0, KindMessage, "talk")
	for name, c := range map[string]struct {
		of   Transcript
		want [][]string
	}{
		"a society's replies, but for silence and blanks": {
			Transcript{Rounds: [][]Turn{{say(0, "", "a"), say(1, "", "b"), say(2, "", " ")},
				{say(0, "", "a"), {Agent: 1, Error: "too long"}, say(2, "", "c")}}},
			[][]string{{"a", "b"}, {"a", "c"}},
		},
		"a tit for tat's sides, without who presides": {
			Transcript{Roles: []string{"affirmative", "negative", "moderator", "judge"},
				Rounds: [][]Turn{{say(1, "", "n"), say(0, "", "a"), say(2, "", "go on")},
					{say(3, "", "judged")}}},
			[][]string{{"a", "n"}},
		},
		"a discussion's solutions, those agreed to too": {
			Transcript{
				Roles: []string{"P1", "P2", "P3"},
				Rounds: [][]Turn{{say(0, KindPersona, "an expert")}, {message}, {message},
					{say(1, KindChallenge, "no")}},
				Records: []Record{{Agent: 0, Turn: 1, Solution: "x"}, {Agent: 1, Turn: 1, Agreement: &yes},
					{Agent: 2, Turn: 1, Agreement: &no, Solution: "y"}, {Agent: 0, Turn: 2, Agreement: &yes}},
			},
			[][]string{{"x", "x", "y"}, {"y", "x", "y"}},
		},
		"final answers instead, where they were asked for": {
			Transcript{
				Roles:    []string{"Moderator", "P1", "P2"},
				Settings: new(Settings{}.With("neutral", true)),
				Rounds:   [][]Turn{{message}, {message, say(2, KindFinal, "z2"), say(1, KindFinal, "z1")}},
				Records: []Record{{Agent: 0, Turn: 1, Solution: "draft"}, {Agent: 1, Turn: 1, Agreement: &yes},
					{Agent: 2, Turn: 1, Agreement: &no, Solution: "y"}},
			},
			[][]string{{"draft", "y"}, {"z1", "z2"}},
		},
		"nothing": {Transcript{}, nil},
		"numbers that no agent has": {Transcript{Rounds: [][]Turn{{say(-1, "", "a"), say(1<<40, "", "b")}}},
			[][]string{{"a", "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.of.Solutions()); diff != "" {
				t.Errorf("the solutions of %s (-want +got):\n%s", name, diff)
			}
		})
	}
}
