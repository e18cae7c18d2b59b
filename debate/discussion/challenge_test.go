package discussion

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
)

// TestChallenge: who disagrees is asked for another answer; the decision stays as it is.
func TestChallenge(t *testing.T) {
	c := debatetest.Puzzle
	c.Facts, c.Wrong = "Letters are facts.", "(D)"
	for setting, want := range map[string]string{
		challengePlain: "discussion is: (B)", challengeWrong: "discussion is: (D)", challengeIrrelevant: "bamboo",
		challengeHistory: "Participant 2: [AGREE]", ChallengeFacts: "Letters are facts.",
	} {
		t.Run(setting, func(t *testing.T) {
			p := &panel{messages: []string{"(B)", "[AGREE]"},
				others: map[string][]string{"Do you stand by it": {"AGREE", "DISAGREE", "hm"},
					"take for right": {"It is (C)."}}}
			d := discussion{Challenge: setting, Decide: "majority", Reading: debate.ReadingPaper,
				Prompts: discussionPrompts(t)}
			got, err := d.Run(t.Context(), p, c)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.asked) < 4 {
				t.Fatalf("%s: 3 agents and the one who doubts are asked: got %d calls", setting, len(p.asked))
			}
			asked := p.asked[len(p.asked)-4]
			if !strings.Contains(newestOf(asked.Messages), want) || kinds(got)[debate.KindChallenge] != 4 {
				t.Errorf("%s: 4 calls of which the first has %q: got %d, %q", setting, want,
					kinds(got)[debate.KindChallenge], newestOf(asked.Messages))
			}
			if len(got.Challenges) != 3 || got.Decision.Answer.Text != "(B)" {
				t.Fatalf("%s: each of 3 agents is challenged, and (B) stays decided: got %d challenges and %q",
					setting, len(got.Challenges), got.Decision.Answer.Text)
			}
			agrees, disagrees, unclear := got.Challenges[0], got.Challenges[1], got.Challenges[2]
			if agrees.Agrees == nil || !*agrees.Agrees || disagrees.Agrees == nil || *disagrees.Agrees ||
				disagrees.Answer != answer.Of("(C)") {
				t.Errorf(`%s: "agree" keeps the solution and "disagree" goes over to (C): got %+v`, setting,
					got.Challenges)
			}
			if unclear.Agrees != nil || unclear.Answer.Parsed {
				t.Errorf("%s: what cannot be read counts as %+v, want neither agreement nor an answer", setting,
					unclear)
			}
			if setting == challengePlain && agrees.Answer != answer.Of("(B)") ||
				setting == challengeIrrelevant && agrees.Answer.Parsed {
				t.Errorf("%s: who agrees with a challenge has its answer ((B) where it is plain, none where it is "+
					"irrelevant): got %+v", setting, agrees.Answer)
			}
		})
	}
	none := discuss(t, discussion{Challenge: challengePlain, Turns: 1, Decide: "counting", VoteFrom: 1},
		&panel{messages: stubborn(1)})
	if len(none.Challenges) != 0 || len(none.Notes) != 1 {
		t.Errorf("where there is no answer to challenge: %+v, want no challenges and a note", none)
	}
}

// TestChallengeByTheModel: without a wrong answer the model is asked for one, and what it says is shown to all and
// recorded with what they say to it. An empty reply challenges nobody.
func TestChallengeByTheModel(t *testing.T) {
	c := debatetest.Puzzle
	c.Wrong = ""
	held := func(wrong string) (debate.Transcript, *panel) {
		p := &panel{messages: []string{"(B)", "[AGREE]"}, others: map[string][]string{
			"Give an answer that is wrong": {wrong}, "Do you stand by it": {"AGREE", "DISAGREE", "hm"},
			"take for right": {"It is (C)."}}}
		d := discussion{Challenge: challengeWrong, Decide: "majority", Reading: debate.ReadingPaper,
			Prompts: discussionPrompts(t)}
		got, err := d.Run(t.Context(), p, c)
		if err != nil {
			t.Fatal(err)
		}
		return got, p
	}
	got, p := held(" It is (A). ")
	asked := p.asked[len(p.asked)-5]
	if text := newestOf(asked.Messages); !strings.Contains(text, c.Question) {
		t.Errorf("asked for a wrong answer by %q, want %q in it", text, c.Question)
	}
	if text := newestOf(p.asked[len(p.asked)-4].Messages); !strings.Contains(text, "discussion is: It is (A).") {
		t.Errorf("challenged by %q, want \"discussion is: It is (A).\" in it", text)
	}
	for _, said := range got.Challenges {
		if said.Shown == nil || *said.Shown != answer.Of("(A)") {
			t.Errorf("a challenge of the model is shown and recorded: got %v, want (A)", said.Shown)
		}
	}
	if len(got.Challenges) != 3 || kinds(got)[debate.KindChallenge] != 5 || got.Decision.Answer.Text != "(B)" {
		t.Errorf("3 agents challenged 5 times by the model keep (B): got %d, %d times, %q", len(got.Challenges),
			kinds(got)[debate.KindChallenge], got.Decision.Answer.Text)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	none, _ := held(" ")
	if len(none.Challenges) != 0 || len(none.Notes) != 1 || kinds(none)[debate.KindChallenge] != 1 {
		t.Errorf("a model that finds no challenge is asked once, challenges nobody, and a note says so: asked %d "+
			"times, %d challenges, notes %q", kinds(none)[debate.KindChallenge], len(none.Challenges), none.Notes)
	}
	without := discussion{Challenge: challengeWrong, Prompts: discussionPrompts(t)}
	without.Prompts.Challenge.Wrong.User = ""
	if _, err := without.Run(t.Context(), p, c); err == nil || !strings.Contains(err.Error(), "challenge.wrong") {
		t.Errorf(`%v, want an error with "challenge.wrong"`, err)
	}
}

// TestChallenger: a member of the team after the agents is asked for the wrong answer, presides, and votes on nothing.
func TestChallenger(t *testing.T) {
	c := debatetest.Puzzle
	c.Wrong = ""
	for _, neutral := range []bool{false, true} {
		p := &panel{messages: []string{"(B)", "[AGREE]", "[AGREE]", "[AGREE]"},
			others: map[string][]string{"Give an answer that is wrong": {"It is (D)."},
				"Do you stand by it": {"AGREE"}}}
		d := discussion{Neutral: neutral, Challenge: challengeWrong, Decide: "majority", Reading: debate.ReadingPaper,
			Prompts: discussionPrompts(t)}
		d.Team = []debate.Agent{{}, {}, {}, {Model: "other"}}
		got, err := d.Run(t.Context(), p, c)
		if err != nil {
			t.Fatal(err)
		}
		challenger := len(got.Roles) - 1
		if got.Role(challenger) != debate.RoleChallenger || !got.Presides(challenger) || len(got.Challenges) != 3 ||
			slices.Contains(got.Voters(), challenger) {
			t.Errorf("the roles are %v, with %d challenges and the voters %v; want a challenger, 3, and no vote of "+
				"its own", got.Roles, len(got.Challenges), got.Voters())
		}
		for _, r := range p.asked {
			wrong := strings.Contains(newestOf(r.Messages), "Give an answer that is wrong")
			if (r.Model == "other") != wrong || (r.Agent == challenger) != wrong {
				t.Errorf("agent %d, model %q, is asked %q, want a wrong answer of the challenger's model alone",
					r.Agent, r.Model, newestOf(r.Messages))
			}
		}
		c := c
		c.Wrong = "(D)"
		if _, err := d.Run(t.Context(), p, c); err == nil || !strings.Contains(err.Error(), "leave one of them out") {
			t.Errorf("a challenger beside a given wrong answer got the error %v, want \"leave one of them out\"", err)
		}
	}
}
