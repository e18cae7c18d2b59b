package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate"
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

// mallmVotes are the votes after one turn.
type mallmVotes struct {
	Answers     json.RawMessage `json:"answers"` // the candidates: the panelists' final answers
	Type        string          `json:"type"`
	Alterations json.RawMessage `json:"alterations"` // mallmResult by what voters see
}

type mallmResult struct {
	Votes json.RawMessage `json:"votes"`
	Most  int             `json:"most_voted"`
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
	seen := make(map[string]int)
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
			x.panelists = append(x.panelists, agent)
		}
	}
	x.h.model = strings.Join(models, ", ")
	x.h.settings = debate.Settings{Paradigm: x.Paradigm, Neutral: len(x.panelists) > 0 && x.panelists[0] > 0}
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

// vote reads the votes after each turn: the final answers that the panelists vote on, and the ballots of the last vote.
func (x *mallmReader) vote() error {
	if len(x.Votes) == 0 || string(x.Votes) == "null" {
		return nil
	}
	fields, err := fieldsOf(x.Votes)
	if err == nil {
		err = checkNames(x.Votes)
	}
	if err != nil {
		return fmt.Errorf("votesEachTurn: %w", err)
	}
	last := 0
	for _, f := range fields {
		turn, err := strconv.Atoi(f.name)
		if _, held := x.rounds[turn]; err != nil || !held || turn <= last {
			return fmt.Errorf("votesEachTurn has the turn %.40q, in which nobody speaks, or which is not in order",
				f.name)
		}
		if err := x.voteAfter(turn, f.value); err != nil {
			return fmt.Errorf("votes after turn %d: %w", turn, err)
		}
		last = turn
	}
	return nil
}

func (x *mallmReader) voteAfter(turn int, text json.RawMessage) error {
	var votes mallmVotes
	if err := json.Unmarshal(text, &votes); err != nil {
		return err
	}
	candidates, err := listOf[string](votes.Answers, "answers")
	if err != nil {
		return err
	}
	// the votes of consensus_voting are on solutions that agents have had before
	if votes.Type != "consensus_voting" && len(candidates) == len(x.panelists) {
		for i, text := range candidates {
			x.say(turn, debate.Turn{Agent: x.panelists[i], Kind: debate.KindFinal}, text, text)
		}
	}
	x.h.by = cmp.Or(votes.Type, "vote")
	return x.elect(votes, len(candidates))
}

// result returns the vote that decides: the anonymous one if there are several, the public one of consensus_voting.
func (v mallmVotes) result() (result mallmResult, err error) {
	fields, err := fieldsOf(v.Alterations)
	for _, name := range []string{"anonymous", "public"} {
		for _, f := range fields {
			if f.name == name && err == nil {
				err = json.Unmarshal(f.value, &result)
				return result, err
			}
		}
	}
	return result, err
}

// elect reads the ballots of a vote, in the place of those of an earlier one.
func (x *mallmReader) elect(votes mallmVotes, candidates int) error {
	d := &x.h.transcript.Decision
	d.Ballots, d.Tally, x.secret = nil, nil, false
	result, err := votes.result()
	if err != nil {
		return fmt.Errorf("alterations: %w", err)
	}
	ballots, err := mallmBallots(votes.Type, result.Votes, candidates)
	if err != nil || len(ballots) == 0 {
		return err
	}
	if votes.Type != "ranked_voting" { // whose points depend on the program's settings
		d.Tally = &debate.Tally{Rule: votes.Type, Winner: -1, Scores: make([]float64, candidates)}
		for _, b := range ballots {
			for _, candidate := range b.Ranking {
				d.Tally.Scores[candidate]++
			}
			for candidate, points := range b.Points {
				d.Tally.Scores[candidate] += float64(points)
			}
		}
		if result.Most >= 0 && result.Most < candidates {
			d.Tally.Winner = result.Most
		}
	}
	// The program leaves out invalid votes, and puts all approvals into one list: nobody knows whose the others are.
	if x.secret = votes.Type == "approval_voting" || len(ballots) != len(x.panelists); x.secret {
		return nil
	}
	for i := range ballots {
		ballots[i].Agent = x.panelists[i]
	}
	d.Ballots = ballots
	return nil
}

// mallmBallots reads votes by their type, without the voters: of judges, and of types that are unknown, there are none.
func mallmBallots(kind string, text json.RawMessage, candidates int) (ballots []debate.Ballot, err error) {
	var read func(vote json.RawMessage, candidates int) (debate.Ballot, error)
	switch kind {
	case "simple_voting", "consensus_voting", "approval_voting":
		read = func(vote json.RawMessage, candidates int) (debate.Ballot, error) {
			return mallmRanking(slices.Concat([]byte("["), vote, []byte("]")), candidates)
		}
	case "ranked_voting":
		read = mallmRanking
	case "cumulative_voting":
		read = mallmPoints
	default:
		return nil, nil
	}
	votes, err := listOf[json.RawMessage](text, "votes")
	if err != nil {
		return nil, err
	}
	for _, vote := range votes {
		b, err := read(vote, candidates)
		if err != nil {
			return nil, err
		}
		ballots = append(ballots, b)
	}
	return ballots, nil
}

// mallmRanking reads the numbers of candidates, best first.
func mallmRanking(vote json.RawMessage, candidates int) (b debate.Ballot, err error) {
	if b.Ranking, err = listOf[int](vote, "a vote"); err != nil {
		return b, err
	}
	for _, c := range b.Ranking {
		if c < 0 || c >= candidates {
			return b, fmt.Errorf("a vote for answer %d of %d", c, candidates)
		}
	}
	return b, nil
}

// mallmPoints reads the points that a voter gives to candidates, by their numbers.
func mallmPoints(vote json.RawMessage, candidates int) (b debate.Ballot, err error) {
	fields, err := fieldsOf(vote)
	if err == nil {
		err = checkNames(vote)
	}
	b.Points = make([]int, candidates)
	for _, f := range fields {
		c, numberErr := strconv.Atoi(f.name)
		if numberErr != nil || c < 0 || c >= candidates {
			return b, fmt.Errorf("points for answer %.40q of %d", f.name, candidates)
		}
		if json.Unmarshal(f.value, &b.Points[c]) != nil || b.Points[c] < 0 || b.Points[c] > mostPoints {
			return b, fmt.Errorf("%.40s points for an answer: must be a number from 0 to %d", f.value, mostPoints)
		}
	}
	return b, err
}

// mostPoints bounds what a voter gives to one answer; the program has voters distribute ten.
const mostPoints = 1000

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
