package society

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
)

// originals are what functions of MADC's program made of random replies (tools/differential/madc.py).
type originals struct {
	Answers    [][3]*string `json:"answers"`    // a text, what debates read in it, what the evaluation does
	Majorities [][2]*string `json:"majorities"` // answers, and what is decided
	// by action: answers of the others, and which of them are listed
	Orders       map[string][][2]string `json:"orders"`
	Visibilities json.RawMessage        `json:"showings"`
	Percentages  map[string][]int       `json:"percentages"`
	Debates      []originalDebate       `json:"debates"`
	Failures     map[string]string      `json:"failures"`
}

type originalDebate struct {
	Program   []string    `json:"program"`
	Question  string      `json:"question"`
	Replies   [][]string  `json:"replies"`   // by round and agent
	Messages  [][]string  `json:"messages"`  // masked, by later round and agent
	Roles     []string    `json:"roles"`     // of an agent's whole history
	Heard     [][][]int   `json:"heard"`     // where the program drew; -1 is one of whom nothing was left
	Summaries [][]string  `json:"summaries"` // that each agent was given
	Summing   [][2]string `json:"summing"`   // masked, what agent 0 was asked first, with its role
}

func readOriginals(t *testing.T) (o originals) {
	t.Helper()
	debatetest.ReadExpectations(t, "madc.json", &o)
	return o
}

func (r originals) text(s *string) answer.Answer {
	if s == nil {
		return answer.Unparsed
	}
	return answer.Of(*s)
}

// TestDifferentialAnswers reads what MADC's two chains of rules read.
func TestDifferentialAnswers(t *testing.T) {
	r, compared := readOriginals(t), 0
	for _, c := range r.Answers {
		for k, rule := range []answer.Extractor{answer.Choice, answer.ChoiceYesNo} {
			if got, want := rule(*c[0]), r.text(c[1+k]); got != want {
				t.Errorf("rule %d of %q: %v, want %v", k, *c[0], got, want)
			}
			compared++
		}
	}
	debatetest.Enough(t, compared, 1400)
}

// saidBy are turns with the answers of a line of letters, read by a rule: a dot is none, a Y is a "(Yes)".
func saidBy(letters string, rule answer.Extractor) (turns []debate.Turn) {
	for i, l := range letters {
		text := "(" + string(l) + ")"
		switch l {
		case '.':
			text = "none"
		case 'Y':
			text = "(Yes)"
		}
		turns = append(turns, debate.Turn{Agent: i, Messages: debate.Conversation("", "?"),
			Reply:  inference.Reply{Text: text},
			Answer: rule(text)})
	}
	return turns
}

// TestDifferentialMajorities decides as MADC's evaluation does.
func TestDifferentialMajorities(t *testing.T) {
	r := readOriginals(t)
	for _, c := range r.Majorities {
		if got, want := vote.Majority(saidBy(*c[0], answer.ChoiceYesNo)).Answer, r.text(c[1]); got != want {
			t.Errorf("%s: %v, want %v", *c[0], got, want)
		}
	}
	debatetest.Enough(t, len(r.Majorities), 500)
}

// TestDifferentialOrders lists the others as MADC's functions do, those included that are attached to wrong
// answers.
func TestDifferentialOrders(t *testing.T) {
	r, set, compared := readOriginals(t), debatetest.Load(t, "madc"), 0
	for action, cases := range r.Orders {
		program, err := parseProgram([]string{action}, debate.ReadingCode)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			turns := saidBy("."+c[0], answer.Choice) // agent 0 hears the others
			s := Society{Agents: len(turns), Rounds: 2, Program: program, Prompts: set}
			got := ""
			for _, i := range s.hear(turns, 0, 1, debate.Case{Truth: answer.Of("(A)")}).heard {
				got += strconv.Itoa(i - 1)
			}
			if got != c[1] {
				t.Errorf("%s of %s: %s, want %s", action, c[0], got, c[1])
			}
			compared++
		}
	}
	debatetest.Enough(t, compared, 12*150)
}

// TestDifferentialVisibility cuts texts into steps as MADC's functions do.
func TestDifferentialVisibility(t *testing.T) {
	var all map[string]json.RawMessage
	var of struct {
		Counts map[string][]int `json:"counts"`
		Steps  [][2]any         `json:"exchangeG"`
	}
	raw := readOriginals(t).Visibilities
	if err := json.Unmarshal(raw, &of); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	compared := 0
	same := func(action, want, between string, texts ...string) {
		t.Helper()
		program, err := parseProgram([]string{action}, debate.ReadingCode)
		if err != nil {
			t.Fatal(err)
		}
		var heard []int
		var latest []debate.Turn
		for i, text := range texts {
			heard, latest = append(heard, i), append(latest, debate.Turn{Agent: i, Reply: inference.Reply{Text: text}})
		}
		got := ""
		for _, text := range program[0].Visibility.texts(heard, latest, prompts.Set{}, program[0].followsReleased()) {
			got += text + between
		}
		if got != want {
			t.Errorf("%s of %q: %q, want %q", action, texts, got, want)
		}
		compared++
	}
	for _, action := range []string{"exchangeO", "exchangeO1", "exchangeO2", "exchangeO3", "exchangeO4"} {
		var cases [][2]string
		if err := json.Unmarshal(all[action], &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			same(action, c[1], "", c[0])
		}
	}
	for _, c := range of.Steps {
		var texts []string
		for _, text := range c[0].([]any) {
			texts = append(texts, text.(string))
		}
		same("exchangeG", c[1].(string), "\n\n", texts...)
	}
	for action, counts := range of.Counts {
		for n, left := range counts {
			same(action, strings.TrimSuffix(strings.Repeat("Step x\n\n", left), "\n\n"), "",
				strings.Repeat("Step x", n))
		}
	}
	debatetest.Enough(t, compared, 6*60+4*80)
}

// TestDifferentialPercentages names the percentages of exchangeD and exchangeE by the number of the action.
func TestDifferentialPercentages(t *testing.T) {
	r, compared := readOriginals(t), 0
	for action, wants := range r.Percentages {
		program, err := parseProgram([]string{action}, debate.ReadingCode)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range wants {
			s := Society{Agents: 2, Rounds: 9, Program: program, Prompts: debatetest.Load(t, "madc")}
			text := s.Prompts.Hear(s.heardOf(k+1, hearing{texts: []string{"x"}}, debate.Case{}))
			if !strings.Contains(text, fmt.Sprintf(" %d%%", want)) {
				t.Errorf("%s, action %d: %q, want %d%%", action, k+1, text, want)
			}
			compared++
		}
	}
	debatetest.Enough(t, compared, 14)
}

// retold replies what each agent said in each round. Where summaries are asked for, whose messages are no history, it
// gives those.
type retold struct {
	replies, summaries [][]string
	round              int
}

// Generate implements Speaker.
func (s *retold) Generate(_ context.Context, requests []inference.Request) (replies []inference.Reply, err error) {
	lines := [][]string{slices.Repeat([]string{"·end·"}, len(s.replies[0]))}
	if s.round < len(s.replies) {
		lines = s.replies[s.round:]
	}
	if s.round > 0 && len(requests[0].Messages) == 1 {
		lines = s.summaries[s.round-1:]
	} else {
		s.round++
	}
	for _, r := range requests {
		replies = append(replies, inference.Reply{Text: lines[0][r.Agent]})
	}
	return replies, nil
}

// again holds a debate of a source's program again with the same replies, and compares the structure of all messages.
// Where the program drew whom an agent hears, its draw is put into our message, and ours has as many others, each once.
func (d originalDebate) again(t *testing.T, settings debate.Settings) (compared int) {
	t.Helper()
	settings = settings.With("prompts", cmp.Or(settings.Prompts(), "madc"))
	made, err := compose(settings, debate.Asking{Seeds: debate.Seeds{Run: 5}})
	if err != nil {
		t.Fatal(err)
	}
	s, c := made.(Society), debate.Case{ID: d.Question, Question: d.Question, Extract: answer.Choice,
		Truth: answer.Of("(A)")}
	got, err := s.Run(t.Context(), &retold{replies: d.Replies, summaries: d.Summaries}, c)
	if err != nil {
		t.Fatal(err)
	}
	for k, wants := range d.Messages {
		for i, want := range wants {
			turn := got.Rounds[k+1][i]
			if d.Heard != nil {
				turn = drawn(t, s, got.Rounds[k], turn, d.Heard[k][i], c)
			}
			if diff := gocmp.Diff(want, debatetest.Mask(newestMessage(turn.Messages))); diff != "" {
				t.Errorf("%+v: after %q, round %d, agent %d is sent what the released code sends (-want +got):\n%s",
					settings, d.Replies[k], k+1, i, diff)
			}
			compared++
		}
	}
	if d.Summing != nil {
		var asked [][2]string
		for _, m := range got.Rounds[1][0].Before[0].Messages {
			asked = append(asked, [2]string{m.Role, debatetest.Mask(m.Content)})
		}
		if diff := gocmp.Diff(d.Summing, asked); diff != "" {
			t.Errorf("a summary is asked for as in the released code (-want +got):\n%s", diff)
		}
	}
	if roles := append(debatetest.MessageRoles(got.Last()[0].Messages), "assistant"); d.Roles != nil &&
		!slices.Equal(roles, d.Roles) {
		t.Errorf("%+v: roles %v, want %v", settings, roles, d.Roles)
	}
	return compared
}

// TestDifferentialDebates holds MADC's debates again.
func TestDifferentialDebates(t *testing.T) {
	compared, actions := 0, map[string]bool{}
	for _, d := range readOriginals(t).Debates {
		compared += d.again(t, debate.Settings{Form: "society"}.With("agents", len(d.Replies[0])).
			With("program", d.Program))
		actions[d.Program[0]] = true
	}
	if len(actions) < 27 {
		t.Errorf("the debates have the actions %v, want at least 27", actions)
	}
	debatetest.Enough(t, compared, 300)
}

// TestDifferentialDu holds debates of Du et al. again (tools/differential/du.py).
func TestDifferentialDu(t *testing.T) {
	var tasks map[string][]originalDebate
	debatetest.ReadExpectations(t, "du.json", &tasks)
	for _, task := range []string{"du-gsm8k", "du-mmlu", "du-arithmetic", "du-biography"} {
		t.Run(task, func(t *testing.T) {
			compared := 0
			for _, d := range tasks[task] {
				compared += d.again(t, debate.Settings{Form: "society"}.With("agents", len(d.Replies[0])).
					With("rounds", len(d.Replies)).With("prompts", task))
			}
			debatetest.Enough(t, compared, 110)
		})
	}
}

// drawn is a turn with the others as MADC's program drew them, which ours only have to be as many as.
func drawn(t *testing.T, s Society, latest []debate.Turn, turn debate.Turn, draw []int, c debate.Case) debate.Turn {
	t.Helper()
	distinct := slices.Compact(slices.Sorted(slices.Values(turn.Heard)))
	if len(turn.Heard) != len(draw) || len(distinct) != len(draw) || slices.Contains(turn.Heard, turn.Agent) {
		t.Errorf("agent %d hears %v, theirs %v, want as many, all different and not itself", turn.Agent, turn.Heard,
			draw)
	}
	draw = slices.Clone(draw)
	for k, i := range draw {
		for other := 0; i < 0; other++ { // nothing is left of it: any that is not listed and of whom nothing is left
			if other != turn.Agent && !slices.Contains(draw, other) &&
				s.showHeard(turn.Round, []int{other}, latest, c)[0] == "" {
				draw[k], i = other, other
			}
		}
	}
	turn.Heard = draw
	turn.Messages = s.message(latest, turn, hearing{heard: draw, texts: s.showHeard(turn.Round, draw, latest, c)}, c)
	return turn
}

// newestMessage is the last of messages.
func newestMessage(messages []inference.Message) string { return messages[len(messages)-1].Content }

// TestDifferentialFailures: what fails as released is run as meant, what records nothing is refused.
func TestDifferentialFailures(t *testing.T) {
	if diff := gocmp.Diff(map[string]string{"exchangeD": "IndexError", "exchangeJ": "0 questions recorded"},
		readOriginals(t).Failures); diff != "" {
		t.Errorf("the failures of the released programs are these (-want +got):\n%s", diff)
	}
	if _, err := parseProgram([]string{"exchangeJ"}, debate.ReadingCode); err == nil {
		t.Error("exchangeJ was read as an action, want an error")
	}
	if _, err := parseProgram([]string{"exchangeJ", "exchangeD"}, debate.ReadingPaper); err != nil {
		t.Error(err)
	}
}
