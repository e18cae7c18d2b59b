package titfortat

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// script replies line by line, and remembers what was asked.
type script struct {
	lines []string
	asked [][]inference.Message
}

func (s *script) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		if len(s.lines) == 0 {
			return nil, errors.New("nothing left to say")
		}
		s.asked = append(s.asked, r.Messages)
		replies[i].Text, s.lines = s.lines[0], s.lines[1:]
	}
	return replies, nil
}

func sidesOf(t *testing.T, name string) prompts.Sides {
	t.Helper()
	s, err := prompts.LoadSides(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTitForTat follows a debate of two rounds that the judge decides, in both readings.
func TestTitForTat(t *testing.T) {
	undecided := `{'Whether there is a preference': 'No', 'Supported Side': '', 'Reason': 'both', 'debate_answer': ''}`
	for _, reading := range []string{debate.ReadingCode, debate.ReadingPaper} {
		s := &script{lines: []string{"aff one", "neg one", undecided, "aff two", "neg two", "no dictionary", "(A), (B)",
			`{"Reason": "because", "debate_answer": "it is (B)"}`}}
		d := titForTat{Rounds: 2, Level: 3, Reading: reading, Prompts: sidesOf(t, "topic")}
		transcript, err := d.Run(t.Context(), s, debatetest.Puzzle)
		if err != nil {
			t.Fatal(err)
		}
		if got := transcript.Decision; got.Answer.Text != "(B)" || got.Rule.String() != "the answer of the judge" ||
			got.Reason != "because" {
			t.Errorf(`reading %s: the judge decides (B) because of "because": got %q by %s because of %q`, reading,
				got.Answer.Text, got.Rule, got.Reason)
		}
		var rounds []int
		for _, round := range transcript.Rounds {
			rounds = append(rounds, len(round))
		}
		if diff := cmp.Diff([]int{3, 3, 1, 1}, rounds); diff != "" {
			t.Errorf("the rounds have so many turns (-want +got):\n%s", diff)
		}
		debater := "system: " + d.Prompts.DebaterFor("Q?", 3)
		for i, want := range []string{
			debater + "\nuser: Q?\n",
			debater + "\nuser: aff one\n\nYou disagree",
			"system: " + d.Prompts.ModeratorFor("Q?") + "\nuser: The first round of the debate is over.\n\nThe " +
				"affirmative side argues: aff one\n\nThe negative side argues: neg one\n\n",
			debater + "\nuser: Q?\nassistant: aff one\nuser: neg one\n\nDo you agree",
		} {
			if got := debatetest.Say(s.asked[i]); !strings.HasPrefix(got, want) {
				t.Errorf("%s: call %d sends %q, want it to begin with %q", reading, i, got, want)
			}
		}
		if got := debatetest.Say(s.asked[5]); strings.Count(got, "assistant: ") != 1 ||
			!strings.Contains(got, "The second round") {
			t.Errorf("the moderator's history is %q, want one reply of its own and the second round", got)
		}
		if all := strings.Contains(debatetest.Say(s.asked[6]), "aff two"); all != (reading == debate.ReadingPaper) {
			t.Errorf("%s: the judge sees %q, want all of the second speech: %v", reading, debatetest.Say(s.asked[6]),
				!all)
		}
		if got := debatetest.Say(s.asked[7]); !strings.Contains(got, "assistant: (A), (B)\nuser: So what") {
			t.Errorf("the judge's second call: %q, want \"assistant: (A), (B)\nuser: So what\" in it", got)
		}
	}
}

// TestAdaptiveBreak: the code ends the debate when an answer is filled in, the paper when there is a preference.
func TestAdaptiveBreak(t *testing.T) {
	for name, test := range map[string]struct {
		verdict     string
		code, paper int // calls
	}{
		"preferred and answered": {`{"Whether there is a preference": "Yes", "Supported Side": "Negative", "Reason": "r", "debate_answer": "(A)"}`, 3, 3},
		"answered only":          {`{"Whether there is a preference": "No", "Supported Side": "", "Reason": "r", "debate_answer": "(A)"}`, 3, 5},
		"preferred only":         {`{"Whether there is a preference": "Yes", "Supported Side": "Negative", "Reason": "r", "debate_answer": ""}`, 5, 5},
		"unreadable":             {`I would rather not say.`, 5, 5},
	} {
		t.Run(name, func(t *testing.T) {
			for d, want := range map[*titForTat]int{
				{Reading: debate.ReadingCode}: test.code, {Reading: debate.ReadingPaper}: test.paper,
				{Reading: ReadingRecorded}:                                test.paper,
				{Reading: debate.ReadingCode, Until: untilPreference}:     test.paper,
				{Reading: debate.ReadingPaper, Until: untilAnswer}:        test.code,
				{Reading: debate.ReadingCode, Until: untilModerator}:      test.code,
				{Reading: debate.ReadingPaper, Until: debate.UntilRounds}: 5,
			} {
				reading := d.Reading + " until " + d.Until
				s := &script{lines: []string{"a", "n", test.verdict, "(A)", "it must be (C)"}}
				d.Rounds, d.Level, d.Prompts = 1, 2, sidesOf(t, "topic")
				transcript, err := d.Run(t.Context(), s, debatetest.Puzzle)
				if err != nil {
					t.Fatal(err)
				}
				if len(s.asked) != want {
					t.Errorf("%s, %s: %d calls, want %d", name, reading, len(s.asked), want)
				}
				if want == 5 && transcript.Decision.Answer.Text != "(C)" {
					t.Errorf("%s, %s: a judge who replies in words decides %+v, want (C)", name, reading,
						transcript.Decision)
				}
			}
		})
	}
	for i, bad := range []titForTat{{Rounds: -1, Reading: debate.ReadingCode}, {Reading: "poem"},
		{Reading: debate.ReadingCode, Level: 4}} {
		t.Run([]string{"rounds", "reading", "level"}[i], func(t *testing.T) {
			bad.Prompts = sidesOf(t, "topic")
			if _, err := bad.Run(t.Context(), &script{}, debatetest.Puzzle); err == nil {
				t.Errorf("%+v was accepted, want an error", bad)
			}
		})
	}
	if _, err := (titForTat{Reading: debate.ReadingCode, Prompts: sidesOf(t, "topic")}).Run(t.Context(),
		&script{lines: []string{"a"}}, debatetest.Puzzle); err == nil || !strings.Contains(err.Error(), "negative") {
		t.Errorf("a side that fails got the error %v, want one that names the negative side", err)
	}
}

// TestRecordedDebates drives debates that were recorded with the source's program through ours. It was an older program
// than the published one: a verdict without a preference did not end a debate though it gave an answer, as in the
// paper, and its judge was shown the arguments of the first round, as in the code. So all debates end in the recorded
// reading in the same round, by the same path, with the same text, and the judge is told the same; in the code's
// reading those that have such a verdict end there, and in the paper's the judge sees more. Moderator and judge are
// read from their raw replies, but for apostrophes, which that program removed.
func TestRecordedDebates(t *testing.T) {
	file, err := os.Open(datatest.Public(t, "liang-mad-logs", "common-mt-lexical-debates.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	debates, judged, earlier, longer := 0, 0, 0, 0
	for lines.Scan() {
		var log recorded
		if err := json.Unmarshal(lines.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		want := outcome{len(log.Rounds), "the answer of the moderator", bare(log.Translation)}
		if log.Judge != nil {
			want.path, judged = "the answer of the judge", judged+1
		}
		for _, reading := range []string{ReadingRecorded, debate.ReadingPaper} {
			got, asked := log.replay(t, reading)
			if got != want {
				t.Errorf("debate %d in the reading %s: %+v, recorded %+v", log.ID, reading, got, want)
			}
			if log.Judge == nil {
				continue
			}
			switch same := log.judged(asked); {
			case reading == ReadingRecorded && !(same && log.FirstOnly):
				t.Errorf("debate %d: the judge was told %q", log.ID, asked)
			case reading == debate.ReadingPaper && !same:
				longer++
			}
		}
		if round, text := log.firstAnswer(); round > 0 && round < len(log.Rounds) || round > 0 && log.Judge != nil {
			want, earlier = outcome{round, "the answer of the moderator", text}, earlier+1
		}
		if got, _ := log.replay(t, debate.ReadingCode); got != want {
			t.Errorf("debate %d as the code reads it: %+v, want %+v", log.ID, got, want)
		}
		debates++
	}
	if debates != 100 || judged != 84 || earlier == 0 || longer != judged {
		t.Errorf("%d debates, %d judged, %d that end earlier in the code's reading, %d judges that see more in the "+
			"paper's", debates, judged, earlier, longer)
	}
	t.Logf("%d recorded debates, %d of them judged; %d end earlier in the code's reading", debates, judged, earlier)
}

// recorded is one of the recorded debates, outcome how it ended.
type recorded struct {
	ID          int
	Source      string
	Base        string `json:"base_translation"`
	Translation string `json:"debate_translation"`
	Rounds      []struct{ Affirmative, Negative, Moderator string }
	Judge       *struct{ Candidates, Final string }
	FirstOnly   bool `json:"judge_prompt_contains_round1_arguments_only"`
}

type outcome struct {
	rounds     int
	path, text string
}

func bare(text string) string { return strings.ReplaceAll(text, "'", "") }

// firstAnswer is the first round in which the moderator gives an answer, from 1; 0 if there is none.
func (r recorded) firstAnswer() (round int, text string) {
	for i, round := range r.Rounds {
		if v, ok := ReadVerdict(round.Moderator); ok && v.Answer != "" {
			return i + 1, bare(v.Answer)
		}
	}
	return 0, ""
}

// judged reports whether what the judge is told holds the arguments of the first round, and those of no other.
func (r recorded) judged(told string) bool {
	for i, round := range r.Rounds {
		for _, argument := range []string{round.Affirmative, round.Negative} {
			later := i > 0 && argument != r.Rounds[0].Affirmative && argument != r.Rounds[0].Negative
			if i == 0 && !strings.Contains(told, argument) || later && strings.Contains(told, argument) {
				return false
			}
		}
	}
	return true
}

// replay holds a recorded debate again, and returns what the judge was told first.
func (r recorded) replay(t *testing.T, reading string) (got outcome, told string) {
	t.Helper()
	s := &script{lines: []string{r.Base}}
	for _, round := range r.Rounds {
		s.lines = append(s.lines, round.Affirmative, round.Negative, round.Moderator)
	}
	if r.Judge != nil {
		s.lines = append(s.lines, r.Judge.Candidates, r.Judge.Final)
	}
	d := titForTat{Rounds: 4, Level: 2, Reading: reading, Prompts: sidesOf(t, "translation")}
	transcript, err := d.Run(t.Context(), s, debate.Case{ID: "log", Question: r.Source, Extract: answer.Raw})
	if err != nil {
		t.Fatalf("debate %d ended with %v, want no error", r.ID, err)
	}
	rounds := 0
	for _, round := range transcript.Rounds {
		if len(round) == 3 {
			rounds++
		}
	}
	if judge := 1 + 3*len(r.Rounds); judge < len(s.asked) {
		told = debatetest.Say(s.asked[judge])
	}
	return outcome{rounds, transcript.Decision.Rule.String(), bare(transcript.Decision.Answer.Text)}, told
}

// TestReadVerdict: among fields of unknown names, one that is called an answer or a translation is the answer, and the
// same reply is always read alike.
func TestReadVerdict(t *testing.T) {
	for reply, want := range map[string]string{
		`{"debate_answer": "(A)", "zeal": "great"}`:        "(A)",
		`{"verdict": "(B)", "debate_answer": ""}`:          "",
		`{"Correct Translation": "ja", "Comment": "good"}`: "ja",
		`{"Solution": "(C)"}`:                              "(C)",
		`{"one": "(A)", "two": "(B)", "three": "(C)"}`:     "(B)",
	} {
		t.Run(reply, func(t *testing.T) {
			for range 20 {
				if v, ok := ReadVerdict(reply); !ok || v.Answer != want {
					t.Fatalf("%s: %q, want %q", reply, v.Answer, want)
				}
			}
		})
	}
}
