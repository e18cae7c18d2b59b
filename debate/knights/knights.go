// Package knights is Wu et al.'s debate on puzzles of knights, knaves and spies: agents debate the players one by one,
// and adjust their solutions after each. knights.Run is the loop, phases.go its steps, table.go the state of one
// debate, and messages.go what agents see. Replies are read by assignment.go and object.go, or, in the code's reading,
// as the source's own program reads them (released.go).
package knights

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
)

// knights is Wu et al.'s debate (Wu, Li, Li, Can LLM Agents Really Debate?, section 3) on a puzzle of knights, knaves
// and spies. All agents propose roles for all players. Then the players are debated one after the other: each agent
// sees what all agents think of the player, takes a stance, and then adjusts its whole solution. After a final
// discussion the last solutions are counted player by player.
//
// Each agent keeps its whole history. The code sends the history as one text with the chat roles written into it; here
// it is sent as the messages of a chat. Where the code sends a further message for each other agent, here all of them
// are in one message, since many chat templates require user and assistant to take turns.
type knights struct {
	debate.Asking     // Team[Agents], if there is one, is the supervisor, and Team[Agents+1] the judge
	Agents        int // 0 means 3
	// Depth is, in the paper, the number of passes over all players; in the code, the number of stances on a player
	// before solutions are adjusted. 0 means 1.
	Depth      int
	Order      string // in which players are debated: orderGiven, the default, OrderChosen or OrderAgreed
	Confidence string // confidenceHidden, the default, or ConfidenceShown
	Reading    string // debate.ReadingCode or debate.ReadingPaper
	Replies    string // debate.RepliesJSON, the default, or debate.RepliesFree
	Until      string // debate.UntilRounds, the default, or UntilProposals
	Judge      string // judgeNone, the default, judgeSoundness or judgeReasons
	Prompts    prompts.Knights
}

// Orders in which players are debated.
const (
	orderGiven = "given" // as the puzzle lists them
	// OrderChosen is as the supervisor says, who is shown all proposals; as given if the reply is no permutation.
	OrderChosen = "chosen"
	// OrderAgreed is that of all agents, as the paper has it (C4), which does not say how they agree: each is shown all
	// proposals and names an order, in which the first of n players has n-1 points and the last none (Borda). Players
	// with equal points stay as given. An order that is no permutation does not count.
	OrderAgreed = "agreed"
)

// What agents see of each other's confidence.
const (
	// confidenceHidden shows no confidence in the paper's reading, where agents are asked for one all the same. In the
	// code's reading nobody is asked, and the code's default of 5.0 is shown.
	confidenceHidden = "hidden"
	ConfidenceShown  = "shown" // agents are asked for one, from 1 to 10, and it is shown
)

// UntilProposals ends a debate before it begins: the proposals are counted player by player. Of one agent, that is its
// model alone, as in Figure 2 of the source.
const UntilProposals = "proposals"

// Whether arguments are rated after the decision, on which ratings have no influence.
const (
	judgeNone = "none"
	// each agent's, from 1 to 4, by a judge that is shown the puzzle and the agent's replies
	judgeSoundness = "soundness"
	// why each agent agreed and why it disagreed with others on each player, from 0 to 4, by a judge that is shown the
	// puzzle with its solution, as in appendix D of the source
	judgeReasons = "reasons"
)

// Run holds one debate. In the transcript every phase is a round and has its name in Phases; a phase of the supervisor
// has its turn only. Roles are the names of the agents and then of the supervisor. An agent whose request fails falls
// silent as in a society.
//
// If a reply lacks the role of a player, the agent's latest role for that player is filled in, or else "knight", as in
// the code; Turn.Filled names these players. Replies are read by ReadSolution and ReadStance, or as the code reads
// them; Case.Extract is not used. A stated confidence, from 1 to 10, becomes Turn.Confidence divided by ten.
//
// Where paper and code differ:
//   - In the paper agents take turns in the debate on a player, and each sees the stances before its own; in the code
//     all are asked at once. In all other phases both ask all at once.
//   - In the paper Depth is the number of passes over all players; in the code, of stances in a row on each player.
//   - In the paper agents agree on the order of players, in the code the supervisor chooses it: OrderAgreed and
//     OrderChosen, which go with both readings.
//   - In the paper the supervisor breaks the tie on a player; in the code a tie goes to the role first in agent order.
//   - In the paper agents are always asked for a confidence, whether it is shown or not; in the code every solution is
//     shown with a confidence, whether agents were asked for one or not.
//   - In the paper's reading an unreadable reply has no answer and no vote, and what the agent said before stands; the
//     paper itself says nothing about such replies. In the code hardly any reply is unreadable (releasedObject): roles
//     that are missing are filled in, and have a vote.
//
// Two things differ from both. A stance has no confidence here, while the code asks for one if confidence is shown. And
// everybody's own replies stay in its history as they were, while the code adds a confidence to them.
func (d knights) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	d = d.complete()
	t := debate.Transcript{Protocol: "knights", Case: c.ID, Order: d.Order, Reading: d.Reading, Roles: d.speakerNames()}
	players, err := PlayersOf(c.Question)
	if err == nil {
		err = d.check(c)
	}
	if err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	table := d.seat(speaker, c, players, &t)

	if err := table.propose(ctx); err != nil {
		return t, err
	}
	if d.Until != UntilProposals {
		if err := table.debateAll(ctx); err != nil {
			return t, err
		}
	}
	if t.Decision, err = table.decide(ctx); err != nil {
		return t, err
	}
	switch d.Judge {
	case judgeSoundness:
		err = table.rate(ctx)
	case judgeReasons:
		err = table.examine(ctx, c.Truth.Text)
	}
	return t, err
}

// passes returns how often all players are debated, and stances how many stances in a row agents take on each. Depth is
// the former in the paper and the latter in the code.
func (d knights) passes() int {
	if d.Reading == debate.ReadingPaper {
		return d.Depth
	}
	return 1
}

// stances returns how many stances each agent takes on a player in one pass: passes share the depth.
func (d knights) stances() int { return d.Depth / d.passes() }

// complete sets the defaults.
func (d knights) complete() knights {
	if d.Agents == 0 {
		d.Agents = 3
	}
	if d.Depth == 0 {
		d.Depth = 1
	}
	for setting, usual := range map[*string]string{&d.Order: orderGiven, &d.Confidence: confidenceHidden,
		&d.Replies: debate.RepliesJSON, &d.Judge: judgeNone, &d.Until: debate.UntilRounds} {
		if *setting == "" {
			*setting = usual
		}
	}
	return d
}

// speakerNames returns the names of the agents and then of the supervisor.
func (d knights) speakerNames() (names []string) {
	for i := range d.Agents + 1 {
		name := d.Member(i).Name
		switch {
		case name == "" && i == d.Agents:
			name = debate.RoleSupervisor
		case name == "":
			name = debate.Numbered(i)
		}
		names = append(names, name)
	}
	return names
}

// RoleNames implements debate.Named.
func (d knights) RoleNames() []string { return d.speakerNames() }

func (d knights) check(c debate.Case) error {
	if orders := []string{orderGiven, OrderChosen, OrderAgreed}; !slices.Contains(orders, d.Order) {
		return debate.About(fmt.Errorf("no order %q; there are %s", d.Order, strings.Join(orders, ", ")), "order")
	}
	for _, s := range []struct{ what, setting, one, other string }{
		{"confidence", d.Confidence, confidenceHidden, ConfidenceShown},
		{"reading", d.Reading, debate.ReadingCode, debate.ReadingPaper},
		{"replies", d.Replies, debate.RepliesJSON, debate.RepliesFree},
		{"until", d.Until, debate.UntilRounds, UntilProposals},
	} {
		if s.setting != s.one && s.setting != s.other {
			return debate.About(fmt.Errorf("no %s %q; there are %s and %s", s.what, s.setting, s.one, s.other), s.what)
		}
	}
	if d.Agents < 1 || d.Depth < 1 {
		return debate.About(fmt.Errorf("a debate of %d agents and depth %d: at least one of each is needed", d.Agents,
			d.Depth), "agents", "depth")
	}
	names := d.speakerNames()
	for i, name := range names {
		if index(names[:i], name) >= 0 {
			return debate.About(fmt.Errorf("two agents are called %q: they speak of each other by name", name), "team",
				"agents")
		}
	}
	if d.Prompts.Propose == "" {
		return debate.About(errors.New("no prompts: set the prompts"), "prompts")
	}
	return d.checkJudge(c)
}

// checkJudge refuses judges that there are not, or that cannot be asked.
func (d knights) checkJudge(c debate.Case) error {
	if judges := []string{judgeNone, judgeSoundness, judgeReasons}; !slices.Contains(judges, d.Judge) {
		return debate.About(fmt.Errorf("no judge %q; there are %s", d.Judge, strings.Join(judges, ", ")), "judge")
	}
	for _, text := range []struct{ judge, name, text string }{
		{judgeSoundness, "rate", d.Prompts.Rate}, {judgeReasons, "examine", d.Prompts.Examine},
	} {
		if d.Judge == text.judge && text.text == "" {
			return debate.About(fmt.Errorf("the prompts %s have no text %s, with which a judge is asked",
				d.Prompts.Name, text.name), "prompts", "judge")
		}
	}
	if d.Judge == judgeReasons && !c.Truth.Parsed {
		return debate.About(fmt.Errorf("judge %s is shown the solution: give it with --truth (Case.Truth)", d.Judge),
			"judge")
	}
	return nil
}
