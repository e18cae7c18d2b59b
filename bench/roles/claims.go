package roles

import (
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/puzzle"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/knights"
)

// Claims counts what agents claim about a puzzle in their explanations and reasons, decided by program: see
// puzzle.Checker, which misses many claims.
type Claims struct {
	Turns    int `json:"turns"`    // replies that were read
	Mistaken int `json:"mistaken"` // of them, those with a claim that fails
	N        int `json:"n"`        // claims
	Follow   int `json:"follow"`
	Fail     int `json:"fail"`
	Vacuous  int `json:"vacuous"` // from suppositions that no solution allows
}

// Claimed are the claims of some turns: of a kind of phase, or of a change.
type Claimed struct {
	Of string `json:"of"`
	Claims
}

// phaseKinds are the kinds of phases in which agents give reasons, in their order.
var phaseKinds = []string{"proposal", "debate", "adjustment", "final"}

// changes are what becomes of an agent's role for the player under debate.
var changes = []string{"to right", "to wrong", "right as before", "wrong as before"}

// claimed is one turn with the verdicts on its claims.
type claimed struct {
	round, agent         int
	phase, stood, change string // of phaseKinds and, of an adjustment, standings and changes
	verdicts             []puzzle.Verdict
}

// Reply is what a table of replies says of one turn.
type Reply struct {
	Phase  string // proposal, debate, adjustment or final
	Stood  string // of an adjustment: where the agent stood on the player before the debate, see agreement.Standing
	Change string // of an adjustment: what became of its role for that player
	Claims Claims // they are empty where the puzzle cannot be read
}

// Replies returns what is known of the turns of a debate on a puzzle, by round and agent; nil of other debates.
func Replies(o *outcome.Debate) map[[2]int]Reply {
	c, ok := dynamicsOf(o)
	if !ok {
		return nil
	}
	c.play()
	replies := make(map[[2]int]Reply)
	for _, k := range c.claims {
		r := Reply{Phase: k.phase, Stood: k.stood, Change: k.change}
		r.Claims.add(k.verdicts)
		replies[[2]int{k.round, k.agent}] = r
	}
	return replies
}

func (c *Claims) add(verdicts []puzzle.Verdict) {
	c.Turns++
	c.N += len(verdicts)
	if slices.Contains(verdicts, puzzle.Fails) {
		c.Mistaken++
	}
	for _, v := range verdicts {
		switch v {
		case puzzle.Follows:
			c.Follow++
		case puzzle.Vacuous:
			c.Vacuous++
		default:
			c.Fail++
		}
	}
}

// check decides the claims of a phase. moved is where agents stood if the phase adjusts solutions.
func (c *dynamics) check(phase debate.Phase, turns []outcome.Turn, moved *shift) {
	kind := string(phase.Kind())
	if !slices.Contains(phaseKinds, kind) {
		return
	}
	for _, turn := range turns {
		place := slices.Index(c.agents, turn.Agent)
		if place < 0 || turn.Silent() {
			continue
		}
		k := claimed{round: turn.Round, agent: turn.Agent, phase: kind}
		if moved != nil {
			k.stood = moved.before[place].String()
			k.change = changeOf(moved.before[place], moved.after[place])
		}
		if c.game != nil {
			for _, claim := range c.game.Claims(argumentsIn(turn.Reply.Text)) {
				k.verdicts = append(k.verdicts, c.game.Check(claim))
			}
		}
		c.claims = append(c.claims, k)
	}
}

func changeOf(before, after agreement.Standing) string {
	switch {
	case !before.IsRight() && after.IsRight():
		return changes[0]
	case before.IsRight() && !after.IsRight():
		return changes[1]
	case after.IsRight():
		return changes[2]
	}
	return changes[3]
}

// argumentsIn returns what an agent argues in a reply: its explanation, or its reasons to agree and to disagree; the
// whole reply if it gives none of these in fields.
func argumentsIn(reply string) string {
	var parts []string
	if s, ok := knights.ReadSolution(reply, nil); ok {
		parts = append(parts, s.Explanation)
	}
	if s, ok := knights.ReadStance(reply, "", nil); ok {
		parts = append(parts, s.AgreeReason, s.DisagreeReason)
	}
	parts = slices.DeleteFunc(parts, func(text string) bool { return text == "" })
	if len(parts) == 0 {
		return reply
	}
	return strings.Join(parts, "\n")
}
