package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/discussion"
)

// mallm is a discussion as Scheduler.run_discussion of that program writes it. Lists are read later, within bounds.
type mallm struct {
	Personas   json.RawMessage `json:"personas"`
	Paradigm   string          `json:"paradigm"`
	Input      json.RawMessage `json:"input"`
	Context    json.RawMessage `json:"context"`
	Final      json.RawMessage `json:"finalAnswer"`
	Votes      json.RawMessage `json:"votesEachTurn"` // mallmVotes by turn
	References json.RawMessage `json:"references"`
	Success    *bool           `json:"decisionSuccess"`
	Memory     json.RawMessage `json:"globalMemory"`
	Judgements json.RawMessage `json:"judgements"`
	Scores     struct {
		Correct *bool `json:"correct"` // by the program's metric multichoice, in files that it has evaluated
	} `json:"scores"`
}

type mallmPersona struct {
	ID      string `json:"agentId"`
	Model   string `json:"model"`
	Persona string `json:"persona"`

	Description string `json:"personaDescription"`
}

// mallmMessage is an entry of the global memory.
type mallmMessage struct {
	ID           int             `json:"message_id"`
	Turn         int             `json:"turn"`
	Agent        string          `json:"agent_id"`
	Contribution string          `json:"contribution"` // draft, improve, feedback or judge
	Message      string          `json:"message"`
	Agreement    *bool           `json:"agreement"`
	Solution     string          `json:"solution"`
	Memory       json.RawMessage `json:"memory_ids"` // of the messages that the agent saw
}

func readMALLM(content []byte) ([]entry, error) { return eachValue(content, mallmDebate) }

func mallmDebate(text []byte) (loggedDebate, error) {
	var m mallm
	if err := checkNames(text); err != nil {
		return loggedDebate{}, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return loggedDebate{}, err
	}
	if m.Final == nil {
		return loggedDebate{},
			errors.New("no finalAnswer: it is no discussion, or one of a version before November 2024")
	}
	x := mallmReader{mallm: m, h: loggedDebate{by: "consensus", verdict: m.Scores.Correct}}
	for _, read := range []func() error{x.cast, x.ask, x.discuss, x.vote, x.decide} {
		if err := read(); err != nil {
			return loggedDebate{}, err
		}
	}
	return x.h, nil
}

// mallmReader makes a debate of a discussion, step by step.
type mallmReader struct {
	mallm
	h         loggedDebate
	agents    map[string]int // by the program's IDs
	panelists []int
	rounds    map[int]int // by the program's turns
	secret    bool        // whether the last vote is known without its voters
}

var mallmModerator = regexp.MustCompile(`^Moderator( [0-9]+)?$`)

// cast reads the agents: moderators, who only draft, then the panelists, then the judge, if the log has judgements.
func (x *mallmReader) cast() error {
	personas, err := listOf[mallmPersona](x.Personas, "personas")
	if err != nil {
		return err
	}
	if len(personas) == 0 {
		return errors.New("no personas: it is no discussion, but a baseline or an ablation")
	}
	x.agents = make(map[string]int)
	judged := len(x.Judgements) > 0 && string(x.Judgements) != "null"
	var models []string
	seen, described := make(map[string]int), make([]string, len(personas))
	for agent, p := range personas {
		if _, twice := x.agents[p.ID]; twice {
			return fmt.Errorf("two agents have the agentId %.40q", p.ID)
		}
		x.agents[p.ID] = agent
		if p.Model != "" && !slices.Contains(models, p.Model) {
			models = append(models, p.Model)
		}
		if judged && agent == len(personas)-1 {
			x.h.transcript.Roles = append(x.h.transcript.Roles, debate.RoleJudge)
			continue
		}
		x.h.transcript.Roles = append(x.h.transcript.Roles, personaRole(p.Persona, seen))
		if len(x.panelists) > 0 || !mallmModerator.MatchString(p.Persona) {
			x.panelists, described[agent] = append(x.panelists, agent), strings.TrimSpace(p.Description)
		}
	}
	if strings.Join(described, "") != "" {
		x.h.transcript.Personas = described
	}
	x.h.model = strings.Join(models, ", ")
	x.h.settings = debate.Flat(discussion.FormName, discussion.Settings{Paradigm: x.Paradigm,
		Neutral: len(x.panelists) > 0 && x.panelists[0] > 0})
	return nil
}

// personaRole is what an agent with a persona is called. A persona that several agents have is numbered, and one that
// has the name of a role in Parley does not take that role.
func personaRole(persona string, seen map[string]int) string {
	persona = cmp.Or(strings.TrimSpace(persona), "agent")
	switch persona {
	case debate.RoleAffirmative, debate.RoleNegative, debate.RoleModerator, debate.RoleJudge, debate.RoleSupervisor:
		persona += " (persona)"
	}
	if seen[persona]++; seen[persona] > 1 {
		return fmt.Sprintf("%s %d", persona, seen[persona])
	}
	return persona
}

// ask reads the question as the program puts it, after its context, and the right answer.
func (x *mallmReader) ask() error {
	context, err := listOf[string](x.Context, "context")
	if err != nil {
		return err
	}
	input, err := listOf[string](x.Input, "input")
	if err != nil {
		return err
	}
	references, err := listOf[string](x.References, "references")
	if err != nil {
		return err
	}
	if len(input) > 1 {
		for i := range input {
			input[i] = fmt.Sprintf("%d) %s", i+1, input[i])
		}
	}
	x.h.question = strings.Join(append(context, input...), "\n")
	x.h.target = strings.Join(references, " / ")
	if strings.TrimSpace(x.h.question) == "" {
		return errors.New("no input: the question is missing")
	}
	return nil
}

// discuss reads the messages. A round has those of one turn.
func (x *mallmReader) discuss() error {
	messages, err := listOf[mallmMessage](x.Memory, "globalMemory")
	if err != nil {
		return err
	}
	x.rounds = make(map[int]int)
	speakers, turn := make(map[int]int), 0 // of the messages by their IDs
	for i, m := range messages {
		agent, known := x.agents[m.Agent]
		switch {
		case !known:
			return fmt.Errorf("message %d is from %.40q, who is none of the personas", i+1, m.Agent)
		case m.Turn < max(1, turn) || m.Turn > maxTurns:
			return fmt.Errorf("message %d is of turn %d, after one of turn %d", i+1, m.Turn, turn)
		}
		heard, err := m.heard(agent, speakers)
		if err != nil {
			return fmt.Errorf("message %d: %w", i+1, err)
		}
		turn, speakers[m.ID] = m.Turn, agent
		kind := debate.KindMessage
		if m.Contribution == "judge" {
			kind = debate.KindJudgement
		} else {
			x.h.transcript.Records = append(x.h.transcript.Records, debate.Record{Agent: agent, Turn: m.Turn,
				Agreement: m.Agreement, Solution: m.Solution})
		}
		x.say(m.Turn, debate.Turn{Agent: agent, Kind: kind, Heard: heard}, m.Message, m.Solution)
	}
	if len(x.h.transcript.Records) == 0 {
		return errors.New("globalMemory has no message")
	}
	return nil
}

// heard returns the other agents whose messages an agent saw. speakers are those of the messages so far.
func (m mallmMessage) heard(agent int, speakers map[int]int) (heard []int, err error) {
	seen, err := listOf[int](m.Memory, "memory_ids")
	for _, id := range seen {
		if other, ok := speakers[id]; ok && other != agent && !slices.Contains(heard, other) {
			heard = append(heard, other)
		}
	}
	return heard, err
}

// say adds a reply to the round of one of the program's turns. Its answer is read from the solution.
func (x *mallmReader) say(turn int, t debate.Turn, text, solution string) {
	round, begun := x.rounds[turn]
	if !begun {
		round = len(x.h.transcript.Rounds)
		x.rounds[turn] = round
		x.h.transcript.Rounds = append(x.h.transcript.Rounds, nil)
		x.h.solutions = append(x.h.solutions, nil)
	}
	t.Round, t.Reply.Text = round, text
	for _, earlier := range x.h.transcript.Rounds[round] {
		if earlier.Agent == t.Agent {
			t.Sample++
		}
	}
	x.h.transcript.Rounds[round] = append(x.h.transcript.Rounds[round], t)
	x.h.solutions[round] = append(x.h.solutions[round], solution)
}

// decide reads the final answer, and notes what is not known of the decision.
func (x *mallmReader) decide() (err error) {
	x.h.decided = new(string)
	if string(x.Final) != "null" {
		if *x.h.decided, err = textOf(x.Final); err != nil {
			return fmt.Errorf("finalAnswer: %w", err)
		}
	}
	x.h.transcript.Decision.Votes = []debate.Count{}
	if x.secret {
		x.h.transcript.Notes = append(x.h.transcript.Notes, "the log does not say who cast which vote")
	}
	if x.Success != nil && !*x.Success {
		x.h.transcript.Notes = append(x.h.transcript.Notes, "the log says that no decision was reached")
	}
	return nil
}
