package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

var voteLine = regexp.MustCompile(`(?m)^(\d+) of (\d+) for .*: agents (\[[0-9 ]*\])$`)

// TestConclusionsCountAgents: whatever the protocol, the votes of a conclusion are agents of the transcript, and
// they are counted against all who may vote, however many calls each of them took.
func TestConclusionsCountAgents(t *testing.T) {
	printed := 0
	protocols := protocol.Protocols()
	for _, p := range protocol.Protocols() {
		if p.Form == "discussion" && debate.Value[int](p.Settings, "ablate") == 0 {
			p.Settings = p.With("neutral", true)
			p.Name += "-neutral"
			protocols = append(protocols, p)
		}
	}
	for _, p := range protocols {
		t.Run(p.Name, func(t *testing.T) {
			transcript := scripted(t, p)
			var out bytes.Buffer
			if err := Conclude(&out, transcript, nil); err != nil {
				t.Fatal(err)
			}
			for _, line := range voteLine.FindAllStringSubmatch(out.String(), -1) {
				printed++
				checkVote(t, transcript, line)
			}
		})
	}
	if printed < len(protocol.Protocols())/2 {
		t.Errorf("%d votes were printed: the test looks at nothing", printed)
	}
}

func checkVote(t *testing.T, transcript debate.Transcript, line []string) {
	t.Helper()
	n, _ := strconv.Atoi(line[1])
	of, _ := strconv.Atoi(line[2])
	var agents []int
	if err := json.Unmarshal([]byte(strings.ReplaceAll(line[3], " ", ",")), &agents); err != nil {
		t.Fatal(err)
	}
	want := transcript.Settings.Agents()
	if want == 0 {
		want = 3 // of every form that votes
	}
	if transcript.Settings.Form == "centre" {
		want = 1
	}
	if n != len(agents) || of != want {
		t.Errorf("%s: want %d of %d", line[0], len(agents), want)
	}
	for _, agent := range agents {
		answered := func(round []debate.Turn) bool {
			return slices.ContainsFunc(round, func(turn debate.Turn) bool { return turn.Agent == agent })
		}
		if !slices.ContainsFunc(transcript.Rounds, answered) {
			t.Errorf("%s: agent %d votes but said nothing, want a turn of it", line[0], agent)
		}
	}
}

// scripted holds a protocol without a model: everybody says the same, but for agents of a centre, which hears both
// sides.
func scripted(t *testing.T, p protocol.Protocol) debate.Transcript {
	t.Helper()
	d, err := p.Compose(debate.Asking{})
	if err != nil {
		t.Fatal(err)
	}
	engine := inference.NewScript(func(r inference.Request) string {
		switch {
		case r.Continuations != nil:
			return r.Continuations[0]
		case p.Form == "centre":
			return []string{"(A)", "(B)"}[r.Agent%2]
		}
		return "Step 1: think. Step 2: The answer is: (A)."
	})
	const which = "Which? (A) one (B) two"
	c := debate.Case{ID: "q", Question: which, Extract: answer.Choice, Truth: answer.Of("(A)"),
		Relist: reader.RelistBy("choice", answer.Question{Text: which})}
	if p.Form == "knights" {
		c.Question = "Player name: Ann\nPlayer name: Bob\n"
	}
	transcript, err := d.Run(t.Context(), engine.Join(0), c)
	if err != nil {
		t.Fatal(err)
	}
	return transcript
}

// TestFactsAreCounted: what a judge said of facts stands before the decision.
func TestFactsAreCounted(t *testing.T) {
	var out bytes.Buffer
	judged := debate.Transcript{Judged: []debate.Turn{{Answer: answer.Of(debate.FactYes)},
		{Answer: answer.Of(debate.FactNo)}, {Answer: answer.Of(debate.FactYes)}, {}},
		Decision: debate.Decision{Answer: answer.Of("x"), Rule: debate.OtherRule("r")}}
	const want = "facts by the judge: 2 yes, 1 no, 0 uncertain, 1 unread\ndecision: x (r)\n"
	if err := Conclude(&out, judged, nil); err != nil || out.String() != want {
		t.Errorf("facts are counted in the conclusion: got %q, %v, want %q", out.String(), err, want)
	}
}

// TestConclusionFits: it is broken between words at the end of a terminal, whether it is right or not.
func TestConclusionFits(t *testing.T) {
	t.Setenv("COLUMNS", "30")
	for answered, verdict := range map[string]string{"(A)": "right", "(B)": "wrong"} {
		var out bytes.Buffer
		console := terminal.NewConsole(&out, nil)
		rule := debate.OtherRule("majority, ties to the first")
		err := Conclude(console, debate.Transcript{Decision: debate.Decision{Answer: answer.Of(answered), Rule: rule}},
			answer.Of("(A)").Equal)
		want := "decision: " + answered + " (majority, ties\nto the first), " + verdict + "\n"
		if err = errors.Join(err, console.Flush()); err != nil || out.String() != want {
			t.Errorf("%v: %q, want %q", err, out.String(), want)
		}
	}
}

// TestUnreadIsNotWrong: a decision that cannot be read is said to be that, and no more.
func TestUnreadIsNotWrong(t *testing.T) {
	for decision, want := range map[answer.Answer]string{
		answer.Unparsed: "decision: nothing that can be read (r)\n", answer.Of("(A)"): "decision: (A) (r), right\n",
		answer.Of("(B)"): "decision: (B) (r), wrong\n",
	} {
		t.Run(fmt.Sprint(decision), func(t *testing.T) {
			var out bytes.Buffer
			if err := Conclude(&out, debate.Transcript{Decision: debate.Decision{Answer: decision,
				Rule: debate.OtherRule("r")}},
				answer.Of("(A)").Equal); err != nil || out.String() != want {
				t.Errorf("%v: %q, want %q", err, out.String(), want)
			}
		})
	}
}
