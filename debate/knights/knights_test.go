package knights

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// cast replies to requests phase by phase, and remembers them.
type cast struct {
	say    func(phase int, r inference.Request) string // a reply of "!" is a failure
	phases [][]inference.Request
	empty  int // requests for nothing
}

func (a *cast) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	if len(requests) == 0 {
		a.empty++
	}
	for i, r := range requests {
		var phase int // whose agents may be asked in turn
		if _, err := fmt.Sscanf(r.Name[strings.Index(r.Name, " round "):], " round %d", &phase); err != nil {
			return nil, err
		}
		if replies[i].Text = a.say(phase, r); replies[i].Text == "!" {
			replies[i].Err = errors.New("no room")
		}
		for len(a.phases) <= phase {
			a.phases = append(a.phases, nil)
		}
		a.phases[phase] = append(a.phases[phase], r)
	}
	return replies, nil
}

// calls are how many requests there were.
func (a *cast) calls() (n int) {
	for _, phase := range a.phases {
		n += len(phase)
	}
	return n
}

// told is the last message that an agent was sent in a phase.
func (a *cast) told(phase, agent int) string {
	for _, r := range a.phases[phase] {
		if r.Agent == agent {
			return r.Messages[len(r.Messages)-1].Content
		}
	}
	return ""
}

func knightsOf(t *testing.T) prompts.Knights {
	t.Helper()
	k, err := prompts.LoadKnights("knights")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

const game = "---\nPlayer name: Ann\nPlayer statement: I am a knight.\n---\nPlayer name: Bob\nPlayer statement: Ann " +
	"is lying.\n"

var quarrel = debate.Case{ID: "quarrel", Question: game}

// roles is a reply about all players of the quarrel.
func roles(ann, bob string) string {
	return fmt.Sprintf(`{"players": {"Ann": %q, "Bob": %q}, "explanation": "%s because"}`, ann, bob, ann)
}

func is(role string) string {
	return fmt.Sprintf(`{"role": %q, "agree_with": ["Agent 2"], "agree_reasoning": "R1", "disagree_with": [], "disagree_reasoning": "R2"}`, role)
}

// quarrelling is a debate of three on the quarrel in which each says the same in all phases, and Ann comes to be a tie.
func quarrelling(t *testing.T, d knights, supervisor func(phase int) string) (debate.Transcript, *cast) {
	t.Helper()
	a := &cast{say: func(phase int, r inference.Request) string {
		text := r.Messages[len(r.Messages)-1].Content
		switch role := PlayerRoles[r.Agent%3]; {
		case r.Agent == 3:
			return supervisor(phase)
		case strings.Contains(text, "now about one player"):
			return is(role)
		default:
			return roles(role, "knave")
		}
	}}
	d.Prompts = knightsOf(t)
	transcript, err := d.Run(t.Context(), a, quarrel)
	if err != nil {
		t.Fatal(err)
	}
	return transcript, a
}

// TestKnightsTies: the supervisor decides where the votes on players tie, and nowhere else.
func TestKnightsTies(t *testing.T) {
	for name, test := range map[string]struct {
		reading, settled, want string
		rule                   string
		calls                  int
	}{
		"code": {debate.ReadingCode, "", "knight",
			"majority per player; ties to the role first in agent order: Ann", 18},
		"paper": {debate.ReadingPaper, `{"role": "spy", "explanation": "x"}`, "spy",
			"majority per player; ties to the supervisor: Ann", 19},
		"paper, unreadable": {debate.ReadingPaper, `hm`, "knight",
			"majority per player; ties to the role first in agent order: Ann", 19},
		"paper, no supervisor": {debate.ReadingPaper, `!`, "knight",
			"majority per player; ties to the role first in agent order: Ann", 19},
	} {
		transcript, a := quarrelling(t, knights{Reading: test.reading}, func(int) string { return test.settled })
		d := transcript.Decision
		if d.Answer != answer.Of("Ann: "+test.want+", Bob: knave") || d.Rule.String() != test.rule || !d.Tie ||
			a.calls() != test.calls {
			t.Errorf("%s: %d calls and %+v, want %d calls and Ann a %s in a tie by %q", name, a.calls(), d, test.calls,
				test.want, test.rule)
		}
		want := []debate.PlayerVote{
			{Player: "Ann", Roles: []debate.Count{{Answer: "knight", Agents: []int{0}},
				{Answer: "knave", Agents: []int{1}},
				{Answer: "spy", Agents: []int{2}}}, Winner: test.want, Tie: true, By: d.Players[0].By},
			{Player: "Bob", Roles: []debate.Count{{Answer: "knave", Agents: []int{0, 1, 2}}}, Winner: "knave"},
		}
		if diff := cmp.Diff(want, d.Players); diff != "" || (d.Players[0].By == "supervisor") != (test.want == "spy") {
			t.Errorf("%s: the supervisor decides where players tie and nowhere else (by %q, want spy %v); decided "+
				"(-want +got):\n%s", name, d.Players[0].By, test.want == "spy", diff)
		}
		phases := []debate.Phase{"proposal", "debate Ann", "adjustment after Ann", "debate Bob", "adjustment after Bob",
			"final"}
		if test.reading == debate.ReadingPaper {
			phases = append(phases, "supervisor Ann")
			if text := a.told(6, 3); strings.Count(text, "knight because") != 1 ||
				!strings.Contains(text, "- Agent 3, final: ") {
				t.Errorf("the supervisor sees %q, want one reason of a knight and the final word of Agent 3", text)
			}
			if got := a.phases[6][0].Messages; len(got) != 2 || got[0].Role != "system" {
				t.Errorf("the supervisor's messages: %+v, want 2 of them and Role \"system\"", got)
			}
		}
		if diff := cmp.Diff(phases, transcript.Phases); diff != "" {
			t.Errorf("the phases are these (-want +got):\n%s", diff)
		}
		for r, turns := range transcript.Rounds {
			for _, turn := range turns {
				if turn.Round != r || turn.Grammar == "" {
					t.Errorf("round %d has the turn %+v, want its number and a grammar", r, turn)
				}
			}
		}
	}
}

// TestKnightsTieAmongTwo: the supervisor decides between the roles that tie; read as another one, the first stays.
func TestKnightsTieAmongTwo(t *testing.T) {
	votes := []string{"spy", "knave", "knave", "spy", "knight"}
	a := &cast{say: func(_ int, r inference.Request) string {
		if r.Agent == len(votes) {
			return `{"role": "knight"}` // is not one of the tied roles
		}
		return roles(votes[r.Agent], "spy")
	}}
	transcript, err := knights{Agents: 5, Reading: debate.ReadingPaper, Prompts: knightsOf(t)}.Run(t.Context(), a,
		quarrel)
	if err != nil {
		t.Fatal(err)
	}
	supervisor := transcript.Last()[0]
	if got := transcript.Decision.Players[0]; got.Winner != "spy" || !got.Tie || got.By != "" ||
		supervisor.Answer.Parsed {
		t.Errorf("a tie stays with spy where the supervisor cannot be read: got %+v, supervisor %+v", got,
			supervisor.Answer)
	}
	if strings.Contains(supervisor.Grammar, "knight") ||
		!strings.Contains(supervisor.Grammar, `"\"spy\"" | "\"knave\""`) {
		t.Errorf("the supervisor may reply by %s, want spy or knave alone", supervisor.Grammar)
	}
}

// TestKnightsOrder: the supervisor chooses the order of players; where it cannot be read, it is that of the game.
func TestKnightsOrder(t *testing.T) {
	for reply, want := range map[string]struct {
		first debate.Phase
		text  answer.Answer
	}{
		`{"order": ["Bob", "Ann"]}`: {"debate Bob", answer.Of("Bob, Ann")},
		`{"order": ["Bob", "Bob"]}`: {"debate Ann", answer.Unparsed},
		`!`:                         {"debate Ann", answer.Unparsed},
	} {
		t.Run(reply, func(t *testing.T) {
			transcript, a := quarrelling(t, knights{Order: OrderChosen, Reading: debate.ReadingCode},
				func(int) string { return reply })
			if transcript.Phases[1] != "order" || transcript.Phases[2] != want.first ||
				transcript.Rounds[1][0].Answer != want.text || transcript.Order != OrderChosen {
				t.Errorf("%s: who is chosen to speak first does: want phase order, then %s with %v; got phases %v, "+
					"order %s, first %+v", reply, want.first, want.text, transcript.Phases, transcript.Order,
					transcript.Rounds[1][0])
			}
			if a.calls() != 19 || !strings.Contains(a.told(1, 3), "- Agent 1, proposal: "+roles("knight", "knave")) {
				t.Errorf("%d calls; the supervisor sees %q; want 19 and %q in it",
					a.calls(), a.told(1, 3), "- Agent 1, proposal: "+roles("knight", "knave"))
			}
		})
	}
}

// TestKnightsConfidence: confidences are asked for and shown as the setting says.
func TestKnightsConfidence(t *testing.T) {
	for name, test := range map[string]struct {
		reading, confidence string
		shown               string
		asked               bool
	}{
		"code, hidden":  {debate.ReadingCode, "", "(confidence: 5.0)", false},
		"paper, hidden": {debate.ReadingPaper, confidenceHidden, "", true},
		"code, shown":   {debate.ReadingCode, ConfidenceShown, "(confidence: 7.0)", true},
		"paper, shown":  {debate.ReadingPaper, ConfidenceShown, "(confidence: 7.0)", true},
	} {
		a := &cast{say: func(_ int, r inference.Request) string {
			reply := roles("spy", "knave")
			if test.asked {
				reply = strings.TrimSuffix(reply, "}") + `, "confidence": 7}`
			}
			return reply
		}}
		_, err := knights{Reading: test.reading, Confidence: test.confidence, Prompts: knightsOf(t)}.Run(t.Context(), a,
			quarrel)
		if err != nil {
			t.Fatal(err)
		}
		if asked := strings.Contains(a.told(0, 0), `"confidence"`); asked != test.asked {
			t.Errorf("%s: the confidence is asked for: %v, want %v: %q", name, asked, test.asked, a.told(0, 0))
		}
		for _, phase := range []int{1, 2, 5} {
			text := a.told(phase, 1)
			if strings.Contains(text, "(confidence:") != (test.shown != "") || !strings.Contains(text, test.shown) {
				t.Errorf("%s, phase %d: agents are shown %q, want the confidence as %q (none if empty)", name, phase,
					text, test.shown)
			}
		}
	}
}

// TestKnightsDepth: each player is debated in as many passes as the depth says, and the second sees the first.
func TestKnightsDepth(t *testing.T) {
	transcript, a := quarrelling(t, knights{Depth: 2, Reading: debate.ReadingCode, Confidence: ConfidenceShown}, nil)
	want := []debate.Phase{"proposal", "debate Ann", "debate Ann", "adjustment after Ann", "debate Bob", "debate Bob",
		"adjustment after Bob", "final"}
	if diff := cmp.Diff(want, transcript.Phases); diff != "" || a.calls() != 24 {
		t.Errorf("two turns on each player took %d calls, want 24 in these phases (-want +got):\n%s", a.calls(), diff)
	}
	if text := a.told(1, 0); !strings.Contains(text,
		"- Agent 1 (YOU): knight. knight because\n- Agent 2: knave. knave because") {
		t.Errorf("the first pass: %q, want %q in it",
			text, "- Agent 1 (YOU): knight. knight because\n- Agent 2: knave. knave because")
	}
	if text := a.told(2, 0); !strings.Contains(text, "- Agent 1 (YOU): knight.\n- Agent 2: knave.\n") {
		t.Errorf("the second pass: %q, want \"- Agent 1 (YOU): knight.\n- Agent 2: knave.\n\" in it", text)
	}
	if text := a.told(3, 0); strings.Count(text, "- Agent 1 (YOU): knight. Agrees with: Agent 2. R1 Disagrees with: "+
		"none. R2\n") != 2 ||
		strings.Count(text, "- Agent 2: knave. Agrees with: none. R1") != 2 {
		t.Errorf("the adjustment shows agent 0 %q, want both turns of Agents 1 (YOU) and 2 on the player", text)
	}
	const stance = "- Agent 1: knight. Agrees with: Agent 2. R1 Disagrees with: none. R2\n"
	if text := a.told(3, 2); strings.Count(text, stance) != 2 {
		t.Errorf("the adjustment shows agent 2 %q, want %q twice", text, stance)
	}
}

// TestKnightsFallbacks: what a reply leaves out is the latest that the agent said, or knight. What cannot be read
// changes nothing in the reading of the paper; in that of the code it leaves out everything.
func TestKnightsFallbacks(t *testing.T) {
	const (
		partial = `{"players": {"Bob": "spy"}}`
		silence = `I cannot say.`
	)
	for name, test := range map[string]struct {
		reading string
		says    []string // of agent 0, phase by phase; the others always say spy, spy
		want    []string // its answers
		filled  []string // as the players of each phase
	}{
		"left out at first": {
			debate.ReadingPaper,
			[]string{partial, `{"agree_with": []}`, roles("knave", "spy"), is("spy"), partial,
				`{"explanation": "as before"}`},
			[]string{"Ann: knight, Bob: spy", "Ann: knight", "Ann: knave, Bob: spy", "Bob: spy", "Ann: knave, Bob: spy",
				"Ann: knave, Bob: spy"},
			[]string{"Ann", "Ann", "", "", "Ann", "Ann Bob"},
		},
		"unread at first": {
			debate.ReadingPaper,
			[]string{silence, `{"agree_with": []}`, silence, is("spy"), partial, partial},
			[]string{"", "Ann: knight", "", "Bob: spy", "Ann: knight, Bob: spy", "Ann: knight, Bob: spy"},
			[]string{"", "Ann", "", "", "Ann", "Ann"},
		},
		"unread at last": {
			debate.ReadingPaper,
			[]string{roles("knave", "knave"), silence, silence, silence, `{"players": []}`, silence},
			[]string{"Ann: knave, Bob: knave", "", "", "", "Ann: knave, Bob: knave", ""},
			[]string{"", "", "", "", "Ann Bob", ""},
		},
		"code, left out at first": {
			debate.ReadingCode,
			[]string{partial, `{"agree_with": []}`, roles("knave", "spy"), is("spy"), partial,
				`{"explanation": "as before"}`},
			[]string{"Ann: knight, Bob: spy", "Ann: knight", "Ann: knave, Bob: spy", "Bob: spy", "Ann: knave, Bob: spy",
				"Ann: knave, Bob: spy"},
			[]string{"Ann", "Ann", "", "", "Ann", "Ann Bob"},
		},
		"code, unread at first": {
			debate.ReadingCode,
			[]string{silence, `{"agree_with": []}`, silence, is("spy"), partial, partial},
			[]string{"Ann: knight, Bob: knight", "Ann: knight", "Ann: knight, Bob: knight", "Bob: spy",
				"Ann: knight, Bob: spy", "Ann: knight, Bob: spy"},
			[]string{"Ann Bob", "Ann", "Ann Bob", "", "Ann", "Ann"},
		},
		"code, unread at last": {
			debate.ReadingCode,
			[]string{roles("knave", "knave"), silence, silence, silence, `{"players": []}`, silence},
			[]string{"Ann: knave, Bob: knave", "Ann: knight", "Ann: knight, Bob: knave", "Bob: knave",
				"Ann: knight, Bob: knave", "Ann: knight, Bob: knave"},
			[]string{"", "Ann", "Ann Bob", "Bob", "Ann Bob", "Ann Bob"},
		},
	} {
		a := &cast{say: func(phase int, r inference.Request) string {
			if r.Agent == 0 {
				return test.says[phase]
			}
			return `{"role": "spy", "players": {"Ann": "spy", "Bob": "spy"}}`
		}}
		transcript, err := knights{Reading: test.reading, Replies: debate.RepliesFree,
			Prompts: knightsOf(t)}.Run(t.Context(),
			a, quarrel)
		if err != nil {
			t.Fatal(err)
		}
		var answers, filled []string
		for _, turns := range transcript.Rounds {
			answers, filled = append(answers, turns[0].Answer.Text), append(filled, strings.Join(turns[0].Filled, " "))
			if turns[0].Answer.Parsed != (turns[0].Answer.Text != "") || turns[0].Grammar != "" {
				t.Errorf("%s: an answer counts as read if it has a text, and is written without a grammar: got %+v",
					name, turns[0])
			}
		}
		if diff := cmp.Diff(test.want, answers) + cmp.Diff(test.filled, filled); diff != "" {
			t.Errorf("%s: the answers, and what the fallback fills in (-want +got):\n%s", name, diff)
		}
		unread := strings.Contains(a.told(1, 1), "- Agent 1: no role that could be read.")
		if unread != (answers[0] == "") {
			t.Errorf("%s: an agent whose answer could not be read is told of so: %v, want %v: %q", name, unread,
				answers[0] == "", a.told(1, 1))
		}
		if without := strings.HasSuffix(transcript.Decision.Rule.String(),
			"; no vote from: Agent 1"); without != (answers[5] == "") {
			t.Errorf("%s: %s, want without = %v", name, transcript.Decision.Rule.String(), (answers[5] == ""))
		}
	}
}

func TestKnightsNobodyIsRead(t *testing.T) {
	a := &cast{say: func(int, inference.Request) string { return "hm" }}
	transcript, err := knights{Reading: debate.ReadingPaper, Prompts: knightsOf(t)}.Run(t.Context(), a, quarrel)
	if err != nil {
		t.Fatal(err)
	}
	if d := transcript.Decision; d.Answer.Parsed || d.Tie || len(d.Votes) != 0 || len(d.Players) != 2 ||
		d.Players[0].Winner != "" || a.calls() != 18 {
		t.Errorf("nobody could be read: %d calls and %+v, want 18, 2 players without a winner, no votes and no tie",
			a.calls(), d)
	}
}

func TestKnightsSilence(t *testing.T) {
	failing := 1
	a := &cast{say: func(phase int, r inference.Request) string {
		if phase == 2 && r.Agent < failing {
			return "!"
		}
		return `{"role": "` + PlayerRoles[r.Agent] + `", ` + roles(PlayerRoles[r.Agent], "spy")[1:]
	}}
	d := knights{Reading: debate.ReadingCode, Prompts: knightsOf(t)}
	transcript, err := d.Run(t.Context(), a, quarrel)
	if err != nil {
		t.Fatal(err)
	}
	if got := transcript.Decision.Answer.Text; got != "Ann: knave, Bob: spy" || a.calls() != 6+3+2*3 ||
		transcript.Last()[0].Error == "" {
		t.Errorf("with one silent agent: %d calls and %s, want %d and \"Ann: knave, Bob: spy\"", a.calls(), got,
			6+3+2*3)
	}
	if text := a.told(3, 1); strings.Count(text, "Agent 1:") != 1 ||
		!strings.Contains(text, "On Ann:\n- Agent 1: knight. Agrees") {
		t.Errorf("who is silent is told %q, want its earlier role once", text)
	}
	a.phases, failing = nil, 3
	if _, err := d.Run(t.Context(), a, quarrel); !errors.Is(err, debate.ErrSilence) ||
		!strings.Contains(err.Error(), "adjustment after Ann") {
		t.Errorf("all agents fail: got the error %v, want %v in \"adjustment after Ann\"", err, debate.ErrSilence)
	}
}

// TestKnightsSilenceInTurn: who has fallen silent is passed over, and nothing is asked for in its place.
func TestKnightsSilenceInTurn(t *testing.T) {
	a := &cast{say: func(phase int, r inference.Request) string {
		if phase == 1 && r.Agent == 1 {
			return "!"
		}
		return `{"role": "spy", ` + roles("spy", "spy")[1:]
	}}
	transcript, err := knights{Reading: debate.ReadingPaper, Prompts: knightsOf(t)}.Run(t.Context(), a, quarrel)
	if err != nil {
		t.Fatal(err)
	}
	if a.calls() != 3+3+4*2 || a.empty > 0 || transcript.Decision.Answer.Text != "Ann: spy, Bob: spy" {
		t.Errorf("%d calls, %d of them empty, decided %+v; want %d, none, and Ann and Bob as spies", a.calls(), a.empty,
			transcript.Decision, 3+3+4*2)
	}
}

func TestKnightsRefuses(t *testing.T) {
	k := knightsOf(t)
	for name, bad := range map[string]knights{
		"no reading":   {Prompts: k},
		"no prompts":   {Reading: debate.ReadingCode},
		"agents":       {Reading: debate.ReadingCode, Prompts: k, Agents: -2},
		"depth":        {Reading: debate.ReadingCode, Prompts: k, Depth: -1},
		"an order":     {Reading: debate.ReadingCode, Prompts: k, Order: "random"},
		"a confidence": {Reading: debate.ReadingCode, Prompts: k, Confidence: "high"},
		"replies":      {Reading: debate.ReadingCode, Prompts: k, Replies: "xml"},
		"equal names": {Reading: debate.ReadingCode, Prompts: k,
			Asking: debate.Asking{Team: []debate.Agent{{Name: "Agent 2"}}}},
		"a second boss": {Reading: debate.ReadingCode, Prompts: k,
			Asking: debate.Asking{Team: []debate.Agent{{Name: "Supervisor"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := bad.Run(t.Context(), &cast{}, quarrel); err == nil {
				t.Errorf("%s: a debate of wrong settings was held, want an error", name)
			}
		})
	}
	if _, err := (knights{Reading: debate.ReadingCode, Prompts: k}).Run(t.Context(), &cast{},
		debate.Case{ID: "sum", Question: "2 + 2?"}); err == nil ||
		!strings.Contains(err.Error(), `case "sum": 0 lines`) {
		t.Errorf("a question without players got the error %v, want one of case \"sum\" with 0 lines", err)
	}
}

// TestKnightsTeam: agents are called as the team says, with their personas, and the supervisor is the one after them.
func TestKnightsTeam(t *testing.T) {
	team := []debate.Agent{{Name: "Ida", Persona: "You are bold."}, {}, {}, {Name: "Chair", Persona: "You are fair."}}
	d := knights{Asking: debate.Asking{Team: team}, Order: OrderChosen, Reading: debate.ReadingCode}
	transcript, a := quarrelling(t, d, func(int) string { return "" })
	if diff := cmp.Diff([]string{"Ida", "Agent 2", "Agent 3", "Chair"}, transcript.Roles); diff != "" {
		t.Errorf("the roles of the team are these (-want +got):\n%s", diff)
	}
	for agent, want := range []string{"You are Ida.\n\nYou are bold.", "You are Agent 2."} {
		t.Run(want, func(t *testing.T) {
			if system := a.phases[2][agent].Messages[0]; system.Role != "system" ||
				!strings.HasSuffix(system.Content, want) {
				t.Errorf("agent %d has the system message %+v, want one that ends with %q", agent, system, want)
			}
		})
	}
	if chair := a.phases[1][0].Messages[0]; !strings.HasSuffix(chair.Content, "You are fair.") {
		t.Errorf(`the chair is told %q, want its persona "You are fair." at the end`, chair.Content)
	}
	if grammar := transcript.Rounds[2][1].Grammar; !strings.Contains(grammar, `agent ::= "\"Ida\"" | "\"Agent 3\""`) {
		t.Errorf("%v, want a text with \"agent ::= \\\"\\\\\\\"Ida\\\\\\\"\\\" | \\\"\\\\\\\"Agent 3\\\\\\\"\\\"\"",
			grammar)
	}
}

// TestKnightsAlone: a team of one debates with itself.
func TestKnightsAlone(t *testing.T) {
	a := &cast{say: func(int, inference.Request) string {
		return `{"role": "spy", "players": {"Ann": "spy", "Bob": "knave"}}`
	}}
	transcript, err := knights{Agents: 1, Reading: debate.ReadingPaper, Prompts: knightsOf(t)}.Run(t.Context(), a,
		quarrel)
	if err != nil || a.calls() != 6 || !strings.Contains(transcript.Rounds[1][0].Grammar, `agents ::= "[]"`) {
		t.Errorf("an agent alone: %d calls (%v), want 6, no error, and nobody to agree with: %+v", a.calls(), err,
			transcript.Decision)
	}
}

// TestKnightsGrammars shows the grammars, and that names cannot break out of them.
func TestKnightsGrammars(t *testing.T) {
	got := solutionGrammar([]string{"Ann", `B"o\b`}, true) + stanceGrammar([]string{"A", "B", "C"}) +
		orderGrammar([]string{"Ann", "Bob"})
	want := `root ::= "{\"players\": {" "\"Ann\": " role ", " "\"B\\\"o\\\\b\": " role "}, \"explanation\": " text ", \"confidence\": " ([1-9] | "10") "}"
role ::= "\"knight\"" | "\"knave\"" | "\"spy\""
text ::= "\"" [^"\\\x00-\x1F\x7F]{0,600} "\""
root ::= "{\"role\": " role ", \"agree_with\": " agents ", \"agree_reasoning\": " text ", \"disagree_with\": " agents ", \"disagree_reasoning\": " text "}"
role ::= "\"knight\"" | "\"knave\"" | "\"spy\""
text ::= "\"" [^"\\\x00-\x1F\x7F]{0,600} "\""
agents ::= "[" (agent (", " agent){0,2})? "]"
agent ::= "\"A\"" | "\"B\"" | "\"C\""
root ::= "{\"order\": [" player ", " player "]}"
player ::= "\"Ann\"" | "\"Bob\""
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the grammars are these (-want +got):\n%s", diff)
	}
}

// TestReleasedPuzzles takes a hundred puzzles of each size through whole debates of three. What agents say is drawn:
// mostly the truth, at times with a player's role wrong, or in a form that is hard to read, or nothing. A plain account
// of who said what gives the decision that there must be.
func TestReleasedPuzzles(t *testing.T) {
	for _, size := range []int{4, 6, 8} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			right, ties := 0, 0
			for n, p := range puzzles(t, size) {
				s := newPlay(t, p, uint64(size*1000+n))
				d := knights{Reading: debate.ReadingCode, Replies: debate.RepliesFree, Prompts: knightsOf(t)}
				transcript, err := d.Run(t.Context(), &s.cast, debate.Case{ID: fmt.Sprint(p.ID), Question: p.Game})
				if err != nil {
					t.Fatal(err)
				}
				truth := Roles(s.players)(p.Solution)
				if !truth.Parsed || len(s.players) != size {
					t.Fatalf("puzzle %d has the solution %+v of %d players, want one that is read, of %d", p.ID, truth,
						len(s.players), size)
				}
				s.check(t, transcript)
				if transcript.Decision.Answer.Equal(truth) {
					right++
				}
				if transcript.Decision.Tie {
					ties++
				}
			}
			if right < 50 || right == 100 || ties == 0 {
				t.Errorf("%d players: %d right and %d ties, want 50 to 99 and some", size, right, ties)
			}
			t.Logf("%d players: %d of 100 right, %d with ties", size, right, ties)
		})
	}
}

// puzzle of the released ones.
type released struct {
	ID       int    `json:"game_id"`
	Game     string `json:"text_game"`
	Solution string `json:"text_solution"`
}

// puzzles are the hundred first of a size.
func puzzles(t *testing.T, size int) (list []released) {
	t.Helper()
	file, err := os.Open(datatest.Public(t, "kks", fmt.Sprintf("%d.jsonl", size)))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && len(list) < 100 {
		var p released
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// play is a debate of three as it is played to the program, and the account of it.
type play struct {
	cast
	players []string
	truth   []string
	latest  [3][]string // what each agent has said of each player
	argued  [3][]string // the same without proposals
	final   [3][]string
	draw    *rand.Rand
}

func newPlay(t *testing.T, p released, seed uint64) *play {
	s := &play{draw: rand.New(rand.NewPCG(seed, 0))}
	for line := range strings.Lines(p.Solution) {
		name, role, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), "."), " is a ")
		s.players, s.truth = append(s.players, name), append(s.truth, role)
	}
	for i := range s.latest {
		s.latest[i], s.argued[i] = make([]string, len(s.players)), make([]string, len(s.players))
	}
	s.say = func(phase int, r inference.Request) string {
		if phase%2 == 1 && phase < 1+2*len(s.players) {
			return s.stance(r.Agent, phase/2)
		}
		reply := s.solution(r.Agent)
		if phase > 0 {
			s.argued[r.Agent] = slices.Clone(s.latest[r.Agent])
		}
		return reply
	}
	return s
}

// orKnight is the role that stands for none.
func orKnight(role string) string {
	if role == "" {
		return "knight"
	}
	return role
}

// lie is the truth on a player, or at times another role.
func (s *play) lie(player int) string {
	if s.draw.IntN(8) == 0 {
		return PlayerRoles[s.draw.IntN(3)]
	}
	return s.truth[player]
}

// solution says something of all players.
func (s *play) solution(agent int) string {
	said, fields := slices.Clone(s.latest[agent]), []string{}
	for i, player := range s.players {
		said[i] = s.lie(i)
		fields = append(fields, fmt.Sprintf(`{"name": %q, "role": %q}`, player, said[i]))
	}
	reply := `{"players": [` + strings.Join(fields, ", ") + `], "explanation": "as I said"}`
	switch last := len(said) - 1; s.draw.IntN(12) {
	case 0: // nothing, which is what it was for all, or knight
		reply = "Let me think about " + s.players[0] + "."
		for i := range said {
			said[i] = orKnight(s.latest[agent][i])
		}
	case 1: // double braces, words around
		reply = "Here {it} is: " + strings.NewReplacer("{", "{{", "}", "}}").Replace(reply) + " Well."
	case 2: // cut in the explanation
		reply = reply[:len(reply)-4]
	case 3: // cut in the last role, which is then what it was, or knight
		reply = reply[:strings.LastIndex(reply, `", "role": "`)+len(`", "role": "k`)]
		said[last] = orKnight(s.latest[agent][last])
	}
	s.latest[agent], s.final[agent] = said, slices.Clone(said)
	return reply
}

// stance says something of one player.
func (s *play) stance(agent, player int) string {
	role, reply := s.lie(player), ""
	switch s.draw.IntN(12) {
	case 0:
		reply = "No."
	case 1:
		reply = `{"agree_with": [], "agree_reasoning": "none"}`
	}
	if reply != "" { // no role
		role = orKnight(s.argued[agent][player])
	}
	s.latest[agent][player], s.argued[agent][player] = role, role
	if reply != "" {
		return reply
	}
	return fmt.Sprintf(`{"role": %q, "agree_with": ["Agent %d"], "agree_reasoning": "REASON-%d-%d"}`, role,
		(agent+1)%3+1, agent, player)
}

// check compares a transcript with the account.
func (s *play) check(t *testing.T, transcript debate.Transcript) {
	t.Helper()
	phases := 2 + 2*len(s.players)
	if s.calls() != 3*phases || len(transcript.Rounds) != phases {
		t.Errorf("case %s: %d calls and %d rounds, want %d and %d", transcript.Case, s.calls(), len(transcript.Rounds),
			3*phases, phases)
	}
	var winners []string
	for i, player := range s.players {
		count, first := map[string]int{}, ""
		for _, final := range s.final {
			count[final[i]]++
		}
		for _, final := range s.final {
			if first == "" || count[final[i]] > count[first] {
				first = final[i]
			}
		}
		winners = append(winners, player+": "+first)
	}
	want := answer.Of(strings.Join(winners, ", "))
	if transcript.Decision.Answer != want {
		t.Errorf("case %s: %+v, want %+v", transcript.Case, transcript.Decision.Answer, want)
	}
	s.checkMessages(t, transcript)
}

// checkMessages: histories are whole and alternate, and every message has what its phase shows.
func (s *play) checkMessages(t *testing.T, transcript debate.Transcript) {
	t.Helper()
	for phase, requests := range s.phases {
		for agent, r := range requests {
			text := s.told(phase, agent)
			if len(r.Messages) != 2*phase+2 || r.Messages[0].Role != "system" ||
				len(transcript.Rounds[phase][agent].Heard) != min(2, 2*phase) {
				t.Fatalf("phase %d, agent %d: %d messages, want %d, the first the system's, and %d agents heard", phase,
					agent, len(r.Messages), 2*phase+2, min(2, 2*phase))
			}
			for i, m := range r.Messages[1:] {
				if m.Role != []string{"user", "assistant"}[i%2] {
					t.Fatalf("phase %d, agent %d: message %d is of %s, want %s", phase, agent, i, m.Role,
						[]string{"user", "assistant"}[i%2])
				}
			}
			for _, want := range s.shown(phase, agent, transcript) {
				if !strings.Contains(text, want) {
					t.Fatalf("phase %d, agent %d: %q is not in %q", phase, agent, want, text)
				}
			}
			if left := placeholder.FindString(text + r.Messages[0].Content); left != "" {
				t.Fatalf("phase %d: %s is left, want none", phase, left)
			}
		}
	}
}

// shown is what a message of a phase must contain.
func (s *play) shown(phase, agent int, transcript debate.Transcript) (texts []string) {
	now, other := (phase-1)/2, (agent+1)%3
	switch {
	case phase == 0:
		return []string{s.players[0], "---\nPlayer name: "}
	case phase == 1+2*len(s.players):
		for earlier := range phase {
			texts = append(texts, fmt.Sprintf("- Agent %d, %s: %s", other+1, transcript.Phases[earlier],
				transcript.Rounds[earlier][other].Reply.Text))
		}
		texts = append(texts, "---\nPlayer name: ")
	case phase%2 == 1:
		texts = []string{"about one player: " + s.players[now] + ".", fmt.Sprintf("- Agent %d (YOU)", agent+1),
			fmt.Sprintf("- Agent %d: ", other+1), "---\nPlayer name: "}
	default:
		texts = []string{"The debate on " + s.players[now] + " is over."}
		if said := transcript.Rounds[phase-1][other]; strings.Contains(said.Reply.Text, "REASON") {
			texts = append(texts, fmt.Sprintf("REASON-%d-%d", other, now))
		}
	}
	for d := range now { // earlier debates
		texts = append(texts, "On "+s.players[d]+":\n")
	}
	return texts
}

// TestKnightsFillsEveryPlaceholder, whoever is asked.
func TestKnightsFillsEveryPlaceholder(t *testing.T) {
	for _, confidence := range []string{confidenceHidden, ConfidenceShown} {
		t.Run(confidence, func(t *testing.T) {
			d := knights{Order: OrderChosen, Confidence: confidence, Reading: debate.ReadingPaper, Depth: 2}
			_, a := quarrelling(t, d, func(int) string { return "{agent}" })
			if len(a.phases) != 12 {
				t.Fatalf("%d phases, want 12", len(a.phases))
			}
			for phase, requests := range a.phases {
				for _, r := range requests {
					for _, m := range r.Messages {
						if left := placeholder.FindString(m.Content); left != "" {
							t.Errorf("phase %d: %s is left in %q, want none", phase, left, m.Content)
						}
					}
				}
			}
		})
	}
}

var placeholder = regexp.MustCompile(`\{(game|form|player|positions|earlier|solutions|others|debate|replies|roles?|agent|own|explanation|agree(_reason)?|disagree(_reason)?|outcome|confidence|phase|reply|json|confident)\}`)

// TestKnightsVoteOfARound: a round is voted on player by player, so that the vote may be what nobody said.
func TestKnightsVoteOfARound(t *testing.T) {
	said := []string{roles("knight", "spy"), roles("knave", "knave"), roles("knight", "knave")}
	a := &cast{say: func(_ int, r inference.Request) string { return said[r.Agent] }}
	d := knights{Reading: debate.ReadingCode, Prompts: knightsOf(t)}
	transcript, err := d.Run(t.Context(), a, quarrel)
	if err != nil {
		t.Fatal(err)
	}
	for number, test := range []struct{ ann, bob []string }{
		// agent 2 says what the majorities say
		{[]string{"knight", "knave", "knight"}, []string{"spy", "knave", "knave"}},
		{[]string{"knight", "knight", "spy"}, []string{"spy", "knave", "knave"}}, // nobody does
	} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			var turns []debate.Turn
			for i := range test.ann {
				turns = append(turns, debate.Turn{Agent: i, Answer: vote.Assignment([]string{"Ann", "Bob"},
					[]string{test.ann[i], test.bob[i]})})
			}
			turns = append(turns, debate.Turn{Agent: 3})
			if got := vote.Among(transcript, turns); got.Answer != answer.Of("Ann: knight, Bob: knave") || got.Tie ||
				len(got.Players) != 2 {
				t.Errorf("players are voted on one by one: got %+v, want Ann: knight, Bob: knave of 2 players "+
					"without a tie", got)
			}
		})
	}
	if got := vote.Among(transcript, nil); got.Answer.Parsed {
		t.Errorf("nobody voted, but the vote is for %+v, want no answer", got)
	}
	if roles := vote.RolesIn("Ann: a, Bob: b, Bob: knave",
		[]string{"Ann", "Bob"}); cmp.Diff([]string{"a", "b, Bob: knave"},
		roles) != "" {
		t.Errorf(`what names no second player stays with the role before it: got %q, want ["a" "b, Bob: knave"]`,
			roles)
	}
}
