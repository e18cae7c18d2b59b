package society

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestSharedLayout sends all agents the same, in one order, up to the number of their own solution.
func TestSharedLayout(t *testing.T) {
	a := &debatetest.Actors{Lines: map[[2]int]string{{0, 0}: "one (A)", {1, 0}: "two (B)", {2, 0}: "three (A)"},
		Fail: map[[2]int]error{{3, 0}: errors.New("broken")}}
	s := Society{Agents: 4, Rounds: 2, Exchange: Exchange{Order: Order{Name: "truth-last",
		Reading: debate.ReadingCode}},
		Layout: LayoutShared, Prompts: debatetest.Load(t, "tiny")}
	transcript, err := s.Run(t.Context(), a, debatetest.Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	common := "Solution 1: two (B) Solution 2: one (A) Solution 3: three (A) Using"
	for k, own := range []string{"number 2.", "number 1.", "number 3."} {
		messages := a.Requests[1][k].Messages
		text := messages[0].Content
		if len(messages) != 1 || !strings.HasPrefix(text, s.Prompts.First("Q?")) || !strings.Contains(text, common) ||
			!strings.HasSuffix(text, own) {
			t.Errorf("agent %d is sent %q, want the question and %q first and %q last", k, text, common, own)
		}
		if text[:len(text)-2] != a.Requests[1][0].Messages[0].Content[:len(text)-2] {
			t.Errorf("agent %d is sent something of its own before the end: %q", k, text)
		}
	}
	if got := transcript.Rounds[1][2].Heard; !cmp.Equal(got, []int{1, 0, 2}) || transcript.Layout != LayoutShared ||
		len(a.Requests[1]) != 3 {
		t.Errorf("heard %v, layout %q, %d asked; want %v, %v and 3",
			got, transcript.Layout, len(a.Requests[1]), []int{1, 0, 2}, LayoutShared)
	}
	for _, bad := range []Society{{Layout: "round"},
		{Layout: LayoutShared, Prompts: prompts.Set{Question: "{question}", Exchange: s.Prompts.Exchange,
			Alone: "a"}}} {
		t.Run(bad.Layout, func(t *testing.T) {
			bad.Agents, bad.Rounds = 2, 2
			if _, err := bad.Run(t.Context(), a, debatetest.Puzzle); err == nil ||
				!strings.Contains(err.Error(), "layout") {
				t.Errorf(`%q: %v, want an error with "layout"`, bad.Layout, err)
			}
		})
	}
}

// TestUntilAgreement ends after the first round in which all who speak agree; an answer that cannot be read is no
// agreement.
func TestUntilAgreement(t *testing.T) {
	lines := map[[2]int]string{{0, 0}: "(A)", {1, 0}: "hm", {0, 1}: "(A)", {1, 1}: "(A)", {0, 2}: "(B)", {1, 2}: "(C)"}
	fail := map[[2]int]error{{2, 0}: errors.New("broken")}
	for until, rounds := range map[string]int{UntilAgreement: 2, UntilRounds: 3, "": 3} {
		t.Run(until, func(t *testing.T) {
			s := Society{Agents: 3, Rounds: 3, Until: until, Prompts: debatetest.Load(t, "tiny")}
			transcript, err := s.Run(t.Context(), &debatetest.Actors{Lines: lines, Fail: fail}, debatetest.Puzzle)
			if err != nil || len(transcript.Rounds) != rounds {
				t.Errorf("until %q: %d rounds, %v; want %v and no error", until, len(transcript.Rounds), err, rounds)
			}
		})
	}
	if _, err := (Society{Agents: 3, Rounds: 3, Until: "dawn", Prompts: debatetest.Load(t, "tiny")}).Run(t.Context(),
		&debatetest.Actors{},
		debatetest.Puzzle); err == nil || !strings.Contains(err.Error(), "agreement") {
		t.Errorf(`%v, want an error with "agreement"`, err)
	}
}

// TestSociety follows one debate of three agents and two rounds, byte by byte.
func TestSociety(t *testing.T) {
	speaker := &debatetest.Actors{Lines: map[[2]int]string{
		{0, 0}: "I say (B).", {1, 0}: "No idea.", {2, 0}: "(A)", {0, 1}: "(A) then", {1, 1}: "(A)", {2, 1}: "(B)",
	}}
	order, _ := ParseOrder("truth-last", "")
	var seen []int
	s := Society{
		Agents: 3, Rounds: 2, Exchange: Exchange{Order: order}, Prompts: debatetest.Load(t, "madc-zero"),
		Asking: debate.Asking{Sampling: inference.Sampling{Temperature: 1}, MaxTokens: 99, Seeds: debate.Seeds{Run: 1},
			Observe: func(round []debate.Turn) { seen = append(seen, len(round)) }},
	}
	got, err := s.Run(t.Context(), speaker, debatetest.Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	want := "system: You are a helpful assistant.\nuser: " + s.Prompts.First("Q?") + "\nassistant: No idea.\n" +
		"user: Other agents have solved the same problem. Their solutions: \n\n Solution of another agent: ```I say " +
		"(B).```\n\n Solution of another agent: ```(A)```" + s.Prompts.Exchange.After + "\n"
	if diff := cmp.Diff(want, debatetest.Say(got.Rounds[1][1].Messages)); diff != "" {
		t.Errorf("agent 1 is sent this in round 1 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]int{{1, 2}, {0, 2}, {0, 1}},
		[][]int{got.Rounds[1][0].Heard, got.Rounds[1][1].Heard, got.Rounds[1][2].Heard}); diff != "" {
		t.Errorf("agents hear these in round 1 (-want +got):\n%s", diff)
	}
	if want := (debate.Decision{Answer: answer.Of("(A)"),
		Votes: []debate.Count{{Answer: "(A)", Agents: []int{0, 1}}, {Answer: "(B)", Agents: []int{2}}},
		Rule:  debate.Rule{Means: debate.MeansRule, Name: "majority", Ties: debate.TiesFirst}}); cmp.Diff(want,
		got.Decision) != "" {
		t.Errorf("the decision of a majority (-want +got):\n%s", cmp.Diff(want, got.Decision))
	}
	if len(speaker.Requests) != 2 || len(speaker.Requests[0]) != 3 || cmp.Diff([]int{3, 3}, seen) != "" {
		t.Fatalf("%d batches of calls, observed as %v, want 2 of 3 replies each", len(speaker.Requests), seen)
	}
	if r := speaker.Requests[1][2]; r.Name != "q1 round 1 agent 2" || r.MaxTokens != 99 ||
		r.Sampling.Temperature != 1 || r.Sampling.Seed != s.Seeds.Of("q1", 2, 1, 0) {
		t.Errorf("the request of agent 2 in round 1 is %+v, want its name, 99 tokens, temperature 1 and its seed", r)
	}
	if len(got.Rounds[0][1].Messages) != 2 || !strings.HasPrefix(want, debatetest.Say(got.Rounds[0][1].Messages)) {
		t.Errorf("round 1 changed what round 0 was, want its first two messages as asked: %q",
			debatetest.Say(got.Rounds[0][1].Messages))
	}
	if first := vote.Among(got, got.Rounds[0]); first.Answer != answer.Of("(B)") || !first.Tie {
		t.Errorf("the vote without a debate is %+v, want (B) in a tie", first)
	}
	if got.Rounds[0][1].Answer.Parsed || got.Rounds[1][0].Answer.Same(got.Rounds[0][0].Answer) {
		t.Errorf("the turns are %+v, want agent 1 unread at first and agent 0 of another answer later", got.Rounds)
	}
}

// TestAlone gets the double-check message of MADC.
func TestAlone(t *testing.T) {
	speaker := &debatetest.Actors{Lines: map[[2]int]string{{0, 0}: "(B)", {0, 1}: "(A)"}}
	got, err := Society{Agents: 1, Rounds: 2, Prompts: debatetest.Load(t, "madc")}.Run(t.Context(), speaker,
		debatetest.Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	messages := got.Rounds[1][0].Messages
	if last := messages[len(messages)-1].Content; last != debatetest.Load(t, "madc").Alone {
		t.Errorf("sent %q, want %v", last, debatetest.Load(t, "madc").Alone)
	}
}

// TestRoundZeroIsShared sends byte-equal first requests with equal seeds whatever the strategy, the number of agents
// and the number of rounds: that is what makes conditions paired.
func TestRoundZeroIsShared(t *testing.T) {
	first := func(agents, rounds int, name string) []inference.Request {
		order, err := ParseOrder(name, "")
		if err != nil {
			t.Fatal(err)
		}
		speaker := &debatetest.Actors{Lines: map[[2]int]string{}}
		if _, err := (Society{Agents: agents, Rounds: rounds, Exchange: Exchange{Order: order},
			Prompts: debatetest.Load(t, "madc"), Asking: debate.Asking{Seeds: debate.Seeds{Run: 3}}}).Run(t.Context(),
			speaker,
			debatetest.Puzzle); err != nil {
			t.Fatal(err)
		}
		return speaker.Requests[0]
	}
	want := first(3, 2, "fixed")
	if want[0].Sampling.Seed == want[1].Sampling.Seed {
		t.Error("two agents have one seed, want one each")
	}
	for _, name := range listing.Names() {
		if diff := cmp.Diff(want, first(3, 2, name)); diff != "" {
			t.Errorf("%s shares its first round with others of its size (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(want, first(6, 1, "fixed")[:3]); diff != "" {
		t.Errorf("round 0 is asked alike whatever the settings of later rounds (-want +got):\n%s", diff)
	}
}

// TestSilence: an agent whose request failed is not heard any more and has no vote; a debate of silent agents fails.
func TestSilence(t *testing.T) {
	tooLong := errors.New("too long")
	speaker := &debatetest.Actors{
		Lines: map[[2]int]string{{0, 0}: "(A)", {1, 0}: "(B)", {2, 0}: "(C)", {0, 1}: "(A)", {1, 1}: "cut off (B)",
			{2, 1}: "(C)"},
		Fail: map[[2]int]error{{1, 1}: tooLong},
	}
	s := Society{Agents: 3, Rounds: 3, Prompts: debatetest.Load(t, "tiny")}
	got, err := s.Run(t.Context(), speaker, debatetest.Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	if len(speaker.Requests[2]) != 2 || cmp.Diff([]int{2}, got.Rounds[2][0].Heard) != "" {
		t.Errorf("after falling silent: %d requests, and agent 0 heard %v, want 2 and agent 2 alone",
			len(speaker.Requests[2]), got.Rounds[2][0].Heard)
	}
	want := debate.Turn{Agent: 1, Round: 2, Reply: inference.Reply{Err: tooLong}, Error: "too long"}
	if diff := cmp.Diff(want, got.Rounds[2][1], cmpopts.EquateErrors(), sameAnswer); diff != "" {
		t.Errorf("the turn of the silent agent (-want +got):\n%s", diff)
	}
	if cut := got.Rounds[1][1]; cut.Reply.Text != "" || cut.Answer.Parsed {
		t.Errorf("a failed reply has the text %q and the answer %v, want neither", cut.Reply.Text, cut.Answer)
	}
	_, err = s.Run(t.Context(), &debatetest.Actors{Fail: map[[2]int]error{{0, 0}: tooLong, {1, 0}: tooLong,
		{2, 0}: tooLong}},
		debatetest.Puzzle)
	if !errors.Is(err, debate.ErrSilence) || !errors.Is(err, tooLong) {
		t.Errorf("nobody could speak: %v, want the error %q and the error %q", err, debate.ErrSilence, tooLong)
	}
}

// TestRefusals: what could only send empty messages, or mean something else than asked for, is refused before anybody
// speaks.
func TestRefusals(t *testing.T) {
	mute := debatetest.Actors{}
	tiny, lesson := debatetest.Load(t, "tiny"), debatetest.Load(t, "lesson")
	ruleless, truthless := debatetest.Puzzle, debatetest.Puzzle
	ruleless.Extract, truthless.Truth = nil, answer.Unparsed
	for _, c := range []struct {
		society Society
		about   debate.Case
		want    string
	}{
		{Society{Agents: 0, Rounds: 1, Prompts: tiny}, debatetest.Puzzle,
			`case "q1": a debate of 0 agents and 1 rounds`},
		{Society{Agents: 1, Rounds: 0, Prompts: tiny}, debatetest.Puzzle, "1 agents and 0 rounds"},
		{Society{Agents: 1, Rounds: 1, Prompts: tiny}, ruleless, "no answer rule"},
		{Society{Agents: 1, Rounds: 1}, debatetest.Puzzle, "no prompts"},
		{Society{Agents: 2, Rounds: 2, Prompts: lesson}, debatetest.Puzzle, `prompts "lesson" lack exchange or alone`},
		{Society{Agents: 2, Rounds: 2, Prompts: tiny, Exchange: Exchange{Order: Order{Name: "loudest"}}},
			debatetest.Puzzle,
			`no order "loudest"`},
		{Society{Agents: 2, Rounds: 2, Prompts: tiny, Exchange: Exchange{Order: Order{Name: "truth-last"}}}, truthless,
			"order truth-last needs the right answer"},
	} {
		if _, err := c.society.Run(t.Context(), &mute, c.about); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want %q", err, c.want)
		}
	}
	if len(mute.Requests) != 0 {
		t.Errorf("%d calls were made, want 0", len(mute.Requests))
	}
}

// TestCheckWritesNothing: debates that run at the same time share the list of a program, even beyond its end.
func TestCheckWritesNothing(t *testing.T) {
	shared := []Exchange{{}, {Wording: "untouched"}}
	s := Society{Agents: 2, Rounds: 2, Prompts: debatetest.Load(t, "tiny"), Program: shared[:1]}
	if err := s.Check(debatetest.Puzzle); err != nil || shared[1].Wording != "untouched" {
		t.Errorf("checking a debate changes no member of the team that it was given: wording %q, want untouched (%v)",
			shared[1].Wording, err)
	}
}

// absent breaks the contract of a Speaker: it answers nobody.
type absent struct{}

func (absent) Generate(context.Context, []inference.Request) ([]inference.Reply, error) {
	return nil, nil
}

func TestSpeakerThatLosesRequests(t *testing.T) {
	_, err := Society{Agents: 2, Rounds: 1, Prompts: debatetest.Load(t, "tiny")}.Run(t.Context(), absent{},
		debatetest.Puzzle)
	if err == nil || !strings.Contains(err.Error(), "0 replies to 2 requests") {
		t.Errorf("a speaker that loses requests got the error %v, want \"0 replies to 2 requests\"", err)
	}
}

// TestTranscriptJSON: records are read by others, so that their form must not change unnoticed.
func TestTranscriptJSON(t *testing.T) {
	speaker := &debatetest.Actors{Lines: map[[2]int]string{{0, 0}: "(A)", {1, 0}: "what?"},
		Fail: map[[2]int]error{{1, 1}: errors.New("too long")}}
	order, _ := ParseOrder("most-frequent-last", "paper")
	set := prompts.Set{Question: "{question}", Exchange: prompts.Exchange{Solution: "{solution}"}, Alone: "alone"}
	transcript, err := Society{Agents: 2, Rounds: 2, Exchange: Exchange{Order: order}, Prompts: set}.Run(t.Context(),
		speaker, debatetest.Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(transcript, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/transcript.json"
	if *update {
		datatest.Write(t, golden, append(got, '\n'))
	}
	want := datatest.Read(t, golden)
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("%s (go test ./debate/society -update rewrites it): %s", golden, diff)
	}
	var back debate.Transcript
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(transcript, back, cmpopts.IgnoreFields(inference.Reply{}, "Err"), sameAnswer); diff != "" {
		t.Errorf("a transcript is read back from JSON as it was (-want +got):\n%s", diff)
	}
}

// sameAnswer compares answers as values; by Answer.Equal an unparsed one is not even the same as itself.
var sameAnswer = cmp.Comparer(func(a, b answer.Answer) bool { return a == b })

var update = flag.Bool("update", false, "rewrite the golden files")
