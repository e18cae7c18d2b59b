package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate"
)

// votedRound is a round as that program writes it: the agents' replies by their names, the answers that it read from
// them, and their majority.
type votedRound struct {
	Responses json.RawMessage `json:"responses"`
	Answers   json.RawMessage `json:"final_answers"`
	Decided   json.RawMessage `json:"debate_answer"`
	Right     json.RawMessage `json:"debate_answer_iscorr"`
	Target    json.RawMessage `json:"answer"`

	agents, replies, answers []string
}

// readDebateOrVote reads one object a line, with a debate's rounds by number, from 0. The log has neither the questions
// nor the messages.
func readDebateOrVote(content []byte) ([]entry, error) { return eachValue(content, votedDebate) }

func votedDebate(text []byte) (h loggedDebate, err error) {
	if err := checkNames(text); err != nil {
		return h, err
	}
	fields, err := fieldsOf(text)
	switch {
	case err != nil:
		return h, err
	case len(fields) == 0:
		return h, errors.New("has no rounds")
	case len(fields) > maxTurns:
		return h, fmt.Errorf("%d rounds: at most %d turns are read", len(fields), maxTurns)
	}
	rounds := make([]votedRound, len(fields))
	for i, f := range fields {
		if f.name != strconv.Itoa(i) {
			return h, fmt.Errorf("round %d is called %.40q", i, f.name)
		}
		if rounds[i], err = readVotedRound(f.value); err != nil {
			return h, fmt.Errorf("round %d: %w", i, err)
		}
	}
	last := rounds[len(rounds)-1]
	if last.Decided == nil {
		return h, errors.New("the last round has no debate_answer")
	}
	if err := h.buildTranscript(rounds); err != nil {
		return h, err
	}
	if h.target, err = textOf(last.Target); err != nil {
		return h, fmt.Errorf("right answer: %w", err)
	}
	decided, _ := textOf(last.Decided) // "" or null if no answer was read
	h.decided, h.by = &decided, "majority, ties at random"
	var right bool
	if json.Unmarshal(last.Right, &right) == nil { // summaries have scores instead
		h.verdict = &right
	}
	return h, nil
}

func readVotedRound(text json.RawMessage) (r votedRound, err error) {
	if err := checkNames(text); err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, err
	}
	if err := checkNames(r.Responses); err != nil {
		return r, fmt.Errorf("responses: %w", err)
	}
	replies, err := fieldsOf(r.Responses)
	if err != nil {
		return r, fmt.Errorf("responses: %w", err)
	}
	for _, f := range replies {
		var reply string
		if err := json.Unmarshal(f.value, &reply); err != nil {
			return r, fmt.Errorf("response of %.40q: %w", f.name, err)
		}
		r.agents, r.replies = append(r.agents, f.name), append(r.replies, reply)
	}
	answers, err := listOf[json.RawMessage](r.Answers, "final_answers")
	for _, a := range answers {
		read, _ := textOf(a)
		r.answers = append(r.answers, read)
	}
	return r, err
}

// buildTranscript makes the transcript. Who heard whom is in the name of the log alone, so the turns do not say it.
func (h *loggedDebate) buildTranscript(rounds []votedRound) error {
	agents := rounds[0].agents
	if len(agents) == 0 || len(agents)*len(rounds) > maxTurns {
		return fmt.Errorf("%d agents in %d rounds: from 1 to %d turns are read", len(agents), len(rounds), maxTurns)
	}
	h.transcript.Order = "fixed"
	h.nameAgents(agents)
	known := true
	for i, r := range rounds {
		if !slices.Equal(r.agents, agents) {
			return fmt.Errorf("round %d has other agents than round 0", i)
		}
		var turns []debate.Turn
		for agent, text := range r.replies {
			turns = append(turns, reply{text: text}.turn(agent, i))
		}
		known = known && len(r.answers) == len(agents)
		h.transcript.Rounds = append(h.transcript.Rounds, turns)
		h.solutions = append(h.solutions, r.answers)
	}
	if !known { // a central agent alone is evaluated, or agents without an answer are left out
		h.solutions = nil
		h.transcript.Notes = append(h.transcript.Notes,
			"the log does not have an answer of each agent: all answers are "+
				"read from the replies")
	}
	return nil
}

// nameAgents reads the names of agents, DATA_SIZE__MODEL__PERSONA__AgentN. Without personas they stay numbers.
func (h *loggedDebate) nameAgents(names []string) {
	seen, personas := make(map[string]int), false
	for _, name := range names {
		persona := name
		if parts := strings.Split(name, "__"); len(parts) >= 4 {
			h.model, persona = parts[len(parts)-3], parts[len(parts)-2]
		}
		personas = personas || persona != "None"
		h.transcript.Roles = append(h.transcript.Roles, personaRole(persona, seen))
	}
	if !personas {
		h.transcript.Roles = nil
	}
}
