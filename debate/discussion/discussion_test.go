package discussion

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
)

func discussionPrompts(t *testing.T) prompts.Discussion {
	t.Helper()
	p, err := prompts.LoadDiscussion("discussion")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// panel speaks in a discussion: messages and ballots line by line, solutions by themselves (the letter in the message).
type panel struct {
	messages []string            // in the order in which they are asked for
	others   map[string][]string // replies by a text in what is asked, in order; the last is repeated
	asked    []inference.Request
	fail     string // whoever is asked this fails
}

func (p *panel) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		p.asked = append(p.asked, r)
		replies[i] = p.answer(newestOf(r.Messages))
	}
	return replies, nil
}

func newestOf(messages []inference.Message) string { return messages[len(messages)-1].Content }

func (p *panel) answer(asked string) inference.Reply {
	if p.fail != "" && strings.Contains(asked, p.fail) {
		return inference.Reply{Err: errors.New("too long")}
	}
	for key, lines := range p.others {
		if strings.Contains(asked, key) {
			if len(lines) > 1 {
				p.others[key] = lines[1:]
			}
			return inference.Reply{Text: lines[0], Tokens: 2, LogProb: -1}
		}
	}
	if _, contribution, ok := strings.Cut(asked, "Contribution: "); ok {
		text, _, _ := strings.Cut(contribution, "\n\nFinal solution:")
		return inference.Reply{Text: letterIn(text)}
	}
	if _, solution, ok := strings.Cut(asked, "after the discussion: "); ok {
		text, _, _ := strings.Cut(solution, "\n\n")
		return inference.Reply{Text: text, Tokens: 2, LogProb: -1}
	}
	if len(p.messages) == 0 {
		return inference.Reply{Text: "(A)"}
	}
	line := p.messages[0]
	p.messages = p.messages[1:]
	return inference.Reply{Text: line}
}

// letterIn is "(B)" for a text that has it, else the text.
func letterIn(text string) string {
	for _, letter := range []string{"(A)", "(B)", "(C)", "(D)"} {
		if strings.Contains(text, letter) {
			return letter
		}
	}
	return text
}

func discuss(t *testing.T, d discussion, p *panel) debate.Transcript {
	t.Helper()
	d.Prompts = discussionPrompts(t)
	transcript, err := d.Run(t.Context(), p, debatetest.Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	return transcript
}

// kinds counts the calls of a transcript.
func kinds(t debate.Transcript) map[debate.Kind]int {
	counts := map[debate.Kind]int{}
	for _, round := range append(append([][]debate.Turn{}, t.Rounds...), t.Voting...) {
		for _, turn := range round {
			counts[turn.Kind]++
		}
	}
	return counts
}

// TestDiscussionEnds: when a consensus ends a discussion, in both readings.
func TestDiscussionEnds(t *testing.T) {
	lines := func() []string { return []string{"It is (B).", "[AGREE]", "[AGREE]", "[AGREE]", "[AGREE]", "[AGREE]"} }
	for _, test := range []struct {
		rule, reading string
		agents        int
		records       int
		how           string
	}{
		{"majority", debate.ReadingPaper, 3, 2, "majority consensus at turn 1, message 2: agreed"},
		{"supermajority", debate.ReadingPaper, 3, 2, "supermajority consensus at turn 1, message 2: agreed"},
		{"unanimity", debate.ReadingPaper, 3, 3, "unanimity consensus at turn 1, message 3: agreed"},
		{"hybrid", debate.ReadingPaper, 3, 3, "hybrid consensus at turn 1, message 3: agreed"},
		{"majority", debate.ReadingPaper, 2, 1, "majority consensus at turn 1, message 1: agreed"},
		{"majority", debate.ReadingCode, 2, 1, "majority consensus at turn 1, message 1: agreed"},
		{"majority", debate.ReadingCode, 3, 6, "majority consensus at turn 2, message 6: not agreed after the last " +
			"turn, " +
			"so the newest solution"},
		{"unanimity", debate.ReadingCode, 3, 6, "unanimity consensus at turn 2, message 6: not agreed after the " +
			"last turn, " +
			"so the newest solution"},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", test.rule, test.reading), func(t *testing.T) {
			got := discuss(t, discussion{Agents: test.agents, Turns: 2, Decide: test.rule, Reading: test.reading},
				&panel{messages: lines()})
			if len(got.Records) != test.records || got.Decision.Rule.String() != test.how ||
				got.Decision.Answer.Text != "(B)" {
				t.Errorf("%s of %d, %s: %d records and %+v, want %d and (B) by %q", test.rule, test.agents,
					test.reading, len(got.Records), got.Decision, test.records, test.how)
			}
			want := map[debate.Kind]int{debate.KindMessage: test.records, debate.KindSolution: test.records}
			if test.reading == debate.ReadingPaper {
				want[debate.KindSolution] = 1 // agreements carry none, and so none is asked for
			}
			if diff := cmp.Diff(want, kinds(got)); diff != "" {
				t.Errorf("%s of %d, %s: so many calls of each kind (-want +got):\n%s", test.rule, test.agents,
					test.reading, diff)
			}
		})
	}
}

// TestFullLength: all turns are held, and the last message decides.
func TestFullLength(t *testing.T) {
	got := discuss(t, discussion{Turns: 2, Full: true, Decide: "majority", Reading: debate.ReadingPaper},
		&panel{messages: []string{"(B)", "[AGREE]", "[AGREE]", "[AGREE]", "[DISAGREE] (C)", "[AGREE]"}})
	if len(got.Records) != 6 || got.Decision.Answer.Text != "(C)" ||
		!strings.HasSuffix(got.Decision.Rule.String(), "message 6: agreed") {
		t.Errorf("a full discussion has %d records and %+v, want 6 and (C), agreed at message 6", len(got.Records),
			got.Decision)
	}
	if len(got.Decision.Votes) != 2 || got.Decision.Votes[0].Answer != "(C)" ||
		!cmp.Equal(got.Decision.Votes[0].Agents, []int{1, 2}) {
		t.Errorf("the solutions held at the end are %+v, want 2, of which the first is (C) of agents 1 and 2",
			got.Decision.Votes)
	}
}

// TestWhatAgentsAreSent follows two turns of three agents.
func TestWhatAgentsAreSent(t *testing.T) {
	p := &panel{messages: []string{"zero (A)", "one [DISAGREE] (B)", "two [AGREE]", "zero again [AGREE] (B)"}}
	d := discussion{Turns: 2, Decide: "unanimity", Reading: debate.ReadingPaper, Direct: true}
	got := discuss(t, d, p)
	d.Prompts = discussionPrompts(t)
	if !strings.HasSuffix(got.Decision.Rule.String(), "turn 2, message 4: agreed") {
		t.Fatalf(`all agree at turn 2, message 4: decided by %q, want "turn 2, message 4: agreed" at its end`,
			got.Decision.Rule)
	}
	var sent []string
	for _, r := range p.asked {
		if !strings.Contains(newestOf(r.Messages), "Contribution") {
			sent = append(sent, debatetest.Say(r.Messages))
		}
	}
	style := d.Prompts.Styles["simple"]
	for i, want := range []string{
		"system: " + d.Prompts.SystemFor("simple", "Q?", "Participant 1", "", false) + "\nuser: " + style.Propose +
			"\n",
		"system: " + d.Prompts.SystemFor("simple", "Q?", "Participant 2", "(A)", true) +
			"\nuser: Participant 1: zero (A)\n\n" + style.Improve + "\n",
		"system: " + d.Prompts.SystemFor("simple", "Q?", "Participant 3", "(B)", true) +
			"\nuser: Participant 1: zero (A)\n\nParticipant 2: one [DISAGREE] (B)\n\n" + style.Improve + "\n",
		"system: " + d.Prompts.SystemFor("simple", "Q?", "Participant 1", "(B)", true) +
			"\nassistant: zero (A)\nuser: Participant 2: one [DISAGREE] (B)\n\nParticipant 3: two [AGREE]\n\n" +
			style.Improve + "\n",
	} {
		t.Run(fmt.Sprintf("%.60s", want), func(t *testing.T) {
			if diff := cmp.Diff(want, sent[i]); diff != "" {
				t.Errorf("message %d is sent as (-want +got):\n%s", i+1, diff)
			}
		})
	}
	seeds := map[uint64]bool{}
	for _, r := range p.asked {
		seeds[r.Sampling.Seed] = true
	}
	if len(seeds) != len(p.asked) {
		t.Errorf("%d calls have %d different seeds, want one each", len(p.asked), len(seeds))
	}
}

// TestMemoryOfTwoTurns: in the fourth turn the first one is forgotten in the paper's reading, and seen in the code's.
func TestMemoryOfTwoTurns(t *testing.T) {
	for reading, remembered := range map[string]bool{debate.ReadingPaper: false, debate.ReadingCode: true} {
		p := &panel{messages: []string{"oldest (A)", "b (B)", "c (C)", "a (A)", "b (B)", "c (C)", "a (A)", "b (B)",
			"c (C)"}}
		discuss(t, discussion{Turns: 4, Decide: "unanimity", Reading: reading}, p)
		got := ""
		for _, r := range p.asked {
			if strings.Contains(r.Name, "round 3 agent 2") && !strings.Contains(newestOf(r.Messages), "Contribution") {
				got = debatetest.Say(r.Messages)
			}
		}
		if got == "" || strings.Contains(got, "oldest") != remembered {
			t.Errorf("reading %s: a memory of two turns has the oldest message: want %v, in %q", reading, remembered,
				got)
		}
	}
}

// TestAllAgentsDraft: neither draft nor discussion is seen in the first turn, or in any.
func TestAllAgentsDraft(t *testing.T) {
	for drafting, hidden := range map[string]int{draftNone: 1, draftFirst: 3, draftEvery: 6} {
		t.Run(drafting, func(t *testing.T) {
			p := &panel{messages: []string{"(A)", "(B)", "(C)", "(D)", "(A)", "(B)"}}
			discuss(t, discussion{Turns: 2, Drafting: drafting, Decide: "unanimity", Reading: debate.ReadingPaper}, p)
			proposes := 0
			for _, r := range p.asked {
				if text := debatetest.Say(r.Messages); strings.Contains(text, "Suggest a solution") {
					proposes++
					if strings.Contains(text, "Participant 1: (A)") || strings.Contains(text, "solution so far") {
						t.Errorf("drafting %s: agents that all draft see no draft and no solution of others, got %q",
							drafting, text)
					}
				}
			}
			if proposes != hidden {
				t.Errorf("%s: %d messages without a draft, want %d", drafting, proposes, hidden)
			}
		})
	}
}

// TestStyles: the split style asks first whether one agrees; the others' requests differ.
func TestStyles(t *testing.T) {
	p := &panel{messages: []string{"(A)", "[AGREE]", "so be it"}}
	got := discuss(t, discussion{Agents: 2, Turns: 1, Generator: "split", Decide: "unanimity",
		Reading: debate.ReadingPaper},
		p)
	if n := kinds(got); n[debate.KindStance] != 1 || n[debate.KindMessage] != 2 || n[debate.KindSolution] != 1 {
		t.Errorf("a style has 1 stance, 2 messages and 1 solution, got %v", n)
	}
	if !got.Records[1].Agrees() || !strings.Contains(debatetest.Say(p.asked[3].Messages), "You have agreed") {
		t.Errorf("the second record is %+v, asked by %q; want an agreement, and \"You have agreed\"", got.Records[1],
			debatetest.Say(p.asked[3].Messages))
	}
	for _, style := range []string{"free", "critical", "reasoning"} {
		p := &panel{messages: []string{"(A)", "[AGREE]"}}
		discuss(t, discussion{Agents: 2, Turns: 1, Generator: style, Decide: "unanimity", Reading: debate.ReadingPaper},
			p)
		if shown := strings.Contains(debatetest.Say(p.asked[2].Messages),
			"The solution so far: (A)"); shown == (style == "reasoning") {
			t.Errorf("style %s: a reasoning agent sees no solution so far, others do: shown %v", style, shown)
		}
	}
}

// TestCollective: all answer at once, and hear the last answers of the others only.
func TestCollective(t *testing.T) {
	p := &panel{messages: []string{"zero (A)", "one (B)", "two (C)", "zero now (B)", "one now (B)", "two now (C)"}}
	got := discuss(t, discussion{Paradigm: paradigmCollective, Turns: 3, Decide: countingDecision, VoteFrom: 2}, p)
	if got.Decision.Answer.Text != "(B)" || len(got.Records) != 6 || got.Records[3].Agreement != nil {
		t.Errorf("a collective decides (B) in 6 messages, the drafts of which agree with nothing: got %q in %d, "+
			"agreement %v", got.Decision.Answer.Text, len(got.Records), got.Records[3].Agreement)
	}
	asked := debatetest.Say(p.asked[7].Messages)
	for _, want := range []string{"This was your last answer:\n\none (B)",
		"(Participant 1) zero (A)\n\n(Participant 3) two (C)"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(asked, want) {
				t.Errorf("agent 1 is asked %q, want %q in it", asked, want)
			}
		})
	}
	if n := kinds(got); n[debate.KindMessage] != 6 || n[debate.KindSolution] != 6 || n[debate.KindFinal] != 3 {
		t.Errorf("a collective has 6 messages, 6 solutions and 3 last answers, got %v", n)
	}
}

// TestNeutral: a neutral agent speaks first, its drafts agree to nothing, and it does not vote.
func TestNeutral(t *testing.T) {
	p := &panel{messages: []string{"a draft (A)", "[AGREE]", "[AGREE]", "[AGREE]"}}
	got := discuss(t, discussion{Neutral: true, Decide: "unanimity", Reading: debate.ReadingPaper}, p)
	if got.Roles[0] != "Moderator" || len(got.Records) != 4 || got.Records[0].Agreement != nil ||
		got.Decision.Answer.Text != "(A)" {
		t.Errorf("a neutral agent moderates first, agrees with nothing and (A) is decided after 4 messages: got %v "+
			"and %+v", got.Roles, got.Records)
	}
	if votes := got.Decision.Votes; len(votes) != 1 || !cmp.Equal(votes[0].Agents, []int{1, 2, 3}) {
		t.Errorf("the neutral agent has no vote: want one answer of agents 1, 2 and 3, got %+v", votes)
	}
}

// TestAblation: one agent, as many messages as a discussion had. It is not told of others, unless the prompts have no
// words for one alone, and reasons step by step unless it is to answer directly.
func TestAblation(t *testing.T) {
	p := &panel{messages: []string{"(A)", "rather (B)", "no, (C)"}}
	got := discuss(t, discussion{Ablate: 3}, p)
	if got.Decision.Answer.Text != "(C)" || len(p.asked) != 6 ||
		!strings.Contains(debatetest.Say(p.asked[4].Messages), "The solution so far: (B)") {
		t.Fatalf("%+v after %d calls, %q; want Text \"(C)\", 6 and \"The solution so far: (B)\" in it",
			got.Decision, len(p.asked), debatetest.Say(p.asked[4].Messages))
	}
	first := func(d discussion) string {
		p := &panel{messages: []string{"(A)"}}
		if _, err := d.Run(t.Context(), p, debatetest.Puzzle); err != nil {
			t.Fatal(err)
		}
		return debatetest.Say(p.asked[0].Messages)
	}
	const others, steps = "You and others", "step by step"
	d := discussion{Ablate: 1, Prompts: discussionPrompts(t)}
	alone := first(d)
	d.Direct = true
	direct := first(d)
	d.Direct, d.Prompts.Alone.User = false, ""
	if member := first(d); strings.Contains(alone+direct, others) || !strings.Contains(member, others) ||
		!strings.Contains(alone, steps) || strings.Contains(direct, steps) ||
		!strings.Contains(direct, debatetest.Puzzle.Question) {
		t.Errorf("alone %q\ndirect %q\nas a member %q; want others only as a member, and steps unless direct", alone,
			direct, member)
	}
}

// TestDiscussionFails: with the agent's name; and what is refused.
func TestDiscussionFails(t *testing.T) {
	d := discussion{Prompts: discussionPrompts(t)}
	if _, err := d.Run(t.Context(), &panel{fail: "Participant 1: "}, debatetest.Puzzle); err == nil ||
		!strings.Contains(err.Error(), "Participant 2: ") {
		t.Errorf(`%v, want an error with "Participant 2: "`, err)
	}
	for want, bad := range map[string]discussion{
		"no reading":              {Reading: "poem"},
		"no paradigm":             {Paradigm: "circle"},
		"no generator":            {Generator: "rude"},
		"no way to decide":        {Decide: "lot"},
		"no persona":              {Personas: "expert,king"},
		"give them with --facts":  {Shown: shownFacts},
		"nobody agrees":           {Paradigm: paradigmCollective},
		"never votes":             {Paradigm: paradigmDebate, Decide: "simple"},
		"voting begins":           {Turns: 2, Decide: "simple"},
		"one vote each":           {Decide: "ranked", Ballots: vote.BallotsSoft},
		"no grammar":              {Decide: "judge", Ballots: vote.BallotsGrammar},
		"each must be at least 1": {Agents: -1},
		"paradigm debate needs ":  {Paradigm: paradigmDebate, Agents: 1},
	} {
		t.Run(want, func(t *testing.T) {
			bad.Prompts = d.Prompts
			if _, err := bad.Run(t.Context(), &panel{}, debatetest.Puzzle); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want an error with %v", want, err, want)
			}
		})
	}
}

// TestDebateParadigm: consensus waits for the end of a turn, and its last round counts.
func TestDebateParadigm(t *testing.T) {
	p := &panel{messages: []string{"a draft (A)", "[AGREE]", "[AGREE]", "[AGREE]", "[AGREE]"}}
	got := discuss(t, discussion{Paradigm: paradigmDebate, Rounds: 2, Turns: 1, Decide: "majority",
		Reading: debate.ReadingPaper}, p)
	var order []string
	for _, r := range got.Records {
		order = append(order, fmt.Sprint(r.Agent))
	}
	if spoke := strings.Join(order, ""); spoke != "01212" ||
		got.Decision.Rule.String() != "majority consensus at turn 1, message 5: agreed" {
		t.Errorf("the agents spoke in the order %s and decided %+v, want 01212 and a majority agreed at message 5",
			spoke, got.Decision)
	}
}
