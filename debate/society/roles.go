package society

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
)

// Whether agents keep their roles, which are the personas and methods of the team.
const (
	rolesFixed = "fixed"
	// rolesRotating gives each agent, in each later round, the role of the next one (MADC, dynamic role switching,
	// for which its program has no action). The agent keeps its history, its model and its sampling.
	rolesRotating = "rotating"
)

// hasRoles reports whether there are roles to exchange.
func (s Society) hasRoles() bool {
	return slices.ContainsFunc(s.Team[:min(s.Agents, len(s.Team))],
		func(a debate.Agent) bool { return a.Persona != "" || a.Method != "" })
}

// recast returns the history of an agent with the system message of the role that it has in a turn, and the instruction
// how to reason that comes with the role. Where roles are fixed, the history stays as it is.
func (s Society) recast(history []inference.Message, t debate.Turn) (recast []inference.Message,
	method string) {
	if s.Roles != rolesRotating {
		return history, ""
	}
	role := s.Member((t.Agent + t.Round) % s.Agents)
	for len(history) > 0 && history[0].Role == "system" {
		history = history[1:]
	}
	if role.Method != "" {
		method = "\n\n" + s.Prompts.Reason(role.Method)
	}
	return slices.Concat(debate.Conversation(cmp.Or(role.Persona, s.Prompts.System), ""), history), method
}

// Which agent leaves before each later round, as long as more than two are left (MADC, preliminaries: agents can be
// removed; its program removes none), or which ones at once. Who has left is not asked, not heard, and has no vote.
const (
	RemovalNone = "none"
	// removalRarest is an agent whose answer the fewest agents gave; unreadable answers were given by nobody else. Of
	// several agents it is the last one.
	removalRarest = "rarest"
	removalLast   = "last" // the agent with the highest number
	// removalAlike has half of the agents leave before the second round, so that as many different answers stay as can
	// be: each by the first agent that gave it, then further ones in agent order, unreadable ones last.
	removalAlike = "alike"
)

var errLeft = errors.New("not asked: it has left the debate")

// dismiss has agents leave before a round whose turns are still empty, and returns what was said last without them.
func (s Society) dismiss(turns, last []debate.Turn, round int) (left []debate.Turn) {
	var speaking, leaving []int
	for i, t := range last {
		if !t.Silent() && t.Kind != debate.KindConfederate {
			speaking = append(speaking, i)
		}
	}
	switch {
	case len(speaking) <= 2:
	case s.Removal != removalAlike:
		leaving = []int{s.rarest(last, speaking)}
	case round == 1:
		leaving = alike(last, speaking)
	}
	left = slices.Clone(last)
	for _, i := range leaving {
		for _, turns := range [][]debate.Turn{turns, left} {
			turns[i].Reply.Err, turns[i].Error = errLeft, errLeft.Error()
		}
	}
	return left
}

// rarest returns the agent that leaves alone.
func (s Society) rarest(last []debate.Turn, speaking []int) (leaving int) {
	fewest := len(last) + 1
	for _, i := range speaking {
		given := 1
		for j, other := range last {
			if s.Removal == removalRarest && i != j && last[i].Answer.Equal(other.Answer) {
				given++
			}
		}
		if given <= fewest {
			leaving, fewest = i, given
		}
	}
	return leaving
}

// alike returns those who leave so that different answers stay.
func alike(last []debate.Turn, speaking []int) (leaving []int) {
	var first, again, unread []int
	for _, i := range speaking {
		same := func(j int) bool { return last[j].Answer.Equal(last[i].Answer) }
		switch {
		case !last[i].Answer.Parsed:
			unread = append(unread, i)
		case slices.ContainsFunc(first, same):
			again = append(again, i)
		default:
			first = append(first, i)
		}
	}
	return slices.Concat(first, again, unread)[max(2, (len(speaking)+1)/2):]
}

// What a confederate argues for. The last agent of a society is its confederate: it is asked nothing, says the texts of
// the prompts (prompts.Common.Insist) for one wrong answer in every round, and has no vote, so that all it can do is
// mislead the others.
const (
	// confederatePopular is the most frequent wrong one of the others' first answers. If several are, the first in
	// agent order counts; if nobody was wrong, it is confederateNext.
	confederatePopular = "popular"
	// confederateNext is the option after the right one, the first after the last, or the whole number after it.
	confederateNext = "next"
)

// askedAgents returns how many agents are asked: all but the confederate.
func (s Society) askedAgents() int {
	if s.Confederate != "" {
		return s.Agents - 1
	}
	return s.Agents
}

// confess enters the confederate's turn in a round, once the others have replied. Its answer is found in the first
// round; last has it in later ones.
func (s Society) confess(turns, last []debate.Turn, c debate.Case) error {
	own := &turns[s.askedAgents()]
	own.Kind, own.Answer = debate.KindConfederate, last[s.askedAgents()].Answer
	if own.Round == 0 {
		wrong, err := s.misleadingAnswer(turns[:s.askedAgents()], c)
		if err != nil {
			return err
		}
		own.Answer = wrong
	}
	own.Reply.Text = s.Prompts.InsistOn(own.Answer.Text, own.Round)
	return nil
}

// misleadingAnswer returns the answer that the confederate argues for.
func (s Society) misleadingAnswer(first []debate.Turn, c debate.Case) (answer.Answer, error) {
	if s.Confederate == confederatePopular {
		for _, v := range vote.Majority(first).Votes {
			if a := answer.Of(v.Answer); !c.IsRight(a) {
				return a, nil
			}
		}
	}
	return nextOption(c)
}

// mostRight bounds how many whole numbers in a row are looked at.
const mostRight = 1000

var optionLetter = regexp.MustCompile(`^\(([A-Z])\)$`)

// nextOption returns the answer after the right one, which is an option of the question, such as (B), or a whole
// number; where that is right too, the first one that is not.
func nextOption(c debate.Case) (answer.Answer, error) {
	right := c.Truth.Text
	if m := optionLetter.FindStringSubmatch(right); m != nil {
		for _, letter := range string(m[1][0]+1) + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
			next := "(" + string(letter) + ")"
			if !c.IsRight(answer.Of(next)) && strings.Contains(c.Question, next) {
				return answer.Of(next), nil
			}
		}
	}
	if n, whole := new(big.Int).SetString(right, 10); whole {
		for range mostRight {
			if next := answer.Of(n.Add(n, big.NewInt(1)).String()); !c.IsRight(next) {
				return next, nil
			}
		}
	}
	return answer.Unparsed, fmt.Errorf("%w: the confederate finds no wrong answer beside %s, which is neither one of "+
		"several options in the question, such as (A), nor a whole number: hold it on another task", debate.ErrPrior,
		right)
}
