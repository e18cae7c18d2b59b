package vote

import (
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// Assignment returns the answer that assigns roles to players: "Ann: knight, Bob: spy".
func Assignment(players, roles []string) answer.Answer {
	parts := make([]string, len(players))
	for i, player := range players {
		parts[i] = player + ": " + roles[i]
	}
	return answer.Of(strings.Join(parts, ", "))
}

// RolesIn returns the roles in the text of an Assignment, or nil if it is not about these players.
func RolesIn(text string, players []string) []string {
	roles := make([]string, len(players))
	for i, player := range players {
		rest, ok := strings.CutPrefix(text, player+": ")
		if !ok {
			return nil
		}
		roles[i], text = rest, ""
		if i+1 < len(players) {
			end := strings.Index(rest, ", "+players[i+1]+": ")
			if end < 0 {
				return nil
			}
			roles[i], text = rest[:end], rest[end+2:]
		}
	}
	return roles
}

// Among returns the majority vote of some turns of a debate, such as those of one round; the vote of round 0 is the
// vote without debate. In a puzzle each player's role is voted on separately (Wu et al.), otherwise whole answers are.
func Among(t debate.Transcript, turns []debate.Turn) debate.Decision {
	d := Majority(turns)
	if len(t.Decision.Players) == 0 || !d.Answer.Parsed {
		return d
	}
	players := make([]string, len(t.Decision.Players))
	for i, p := range t.Decision.Players {
		players[i] = p.Player
	}
	d.Players, d.Tie, d.Rule = Players(turns, players), false, debate.OtherRule("majority per player")
	winners := make([]string, len(players))
	for i, v := range d.Players {
		winners[i], d.Tie = v.Winner, d.Tie || v.Tie
	}
	d.Answer = Assignment(players, winners)
	return d
}

// Players returns the vote on each player. Ties go to the role first in agent order.
func Players(turns []debate.Turn, players []string) []debate.PlayerVote {
	byPlayer := make([][]debate.Turn, len(players))
	for _, turn := range turns {
		if roles := RolesIn(turn.Answer.Text, players); turn.Answer.Parsed && roles != nil {
			for i, role := range roles {
				byPlayer[i] = append(byPlayer[i], debate.Turn{Agent: turn.Agent, Answer: answer.Of(role)})
			}
		}
	}
	votes := make([]debate.PlayerVote, len(players))
	for i, player := range players {
		vote := Majority(byPlayer[i])
		votes[i] = debate.PlayerVote{Player: player, Roles: vote.Votes, Winner: vote.Answer.Text, Tie: vote.Tie}
	}
	return votes
}
