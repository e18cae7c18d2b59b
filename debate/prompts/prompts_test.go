package prompts

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/strictyaml"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestEverySetLoads(t *testing.T) {
	if len(Names()) < 5 {
		t.Errorf("the program has the sets of prompts %v, want at least 5", Names())
	}
	for _, name := range Names() {
		s, err := Load(name)
		if err != nil {
			t.Errorf("the set of prompts %s is refused: %v, want no error", name, err)
		} else if s.Name != name || !strings.Contains(s.First("Q{solution}?"), "Q{solution}?") {
			t.Errorf("set %s has its own name and asks with the solution in it: name %q, asks %q", name, s.Name,
				s.First("Q{solution}?"))
		}
	}
}

// TestTiny reproduces, byte for byte, the conversations that the embedded model was trained on.
func TestTiny(t *testing.T) {
	s := mustLoad(t, "tiny")
	want := "Can you answer the following question as accurately as possible? Q? Explain your answer. " +
		"Make sure putting the answer in the form (X) at the end of your response."
	if diff := cmp.Diff(want, s.First("Q?")); diff != "" {
		t.Errorf("the first message is this (-want +got):\n%s", diff)
	}
	want = "These are the solutions to the problem from other agents: One agent solution: A. (A) One agent " +
		"solution: B {solution}. " +
		"Using the reasoning from other agents as additional advice, can you give an updated answer? Examine your " +
		"solution and that " +
		"other agents step by step. Put your answer in the form (X) at the end of your response."
	if diff := cmp.Diff(want, s.Hear(Heard{Solutions: []string{"A. (A)", "B {solution}."}, Round: 1})); diff != "" {
		t.Errorf("the later message is this (-want +got):\n%s", diff)
	}
	if s.System != "" {
		t.Errorf("a system message %q, want none", s.System)
	}
}

// TestMADC checks the layout of MADC: a blank line before each solution, which follows a space in triple backticks.
func TestMADC(t *testing.T) {
	s := mustLoad(t, "madc")
	got := s.Hear(Heard{Solutions: []string{"one", "two"}, Round: 1})
	want := "Other agents have solved the same problem. Their solutions: \n\n Solution of another agent: " +
		"```one```\n\n Solution of another agent: ```two```\n\n Take their"
	if !strings.HasPrefix(got, want) {
		t.Errorf("an agent hears %q, want a text that begins with %q", got, want)
	}
	if got := s.Hear(Heard{Nobody: true}); got != s.Alone || got == "" {
		t.Errorf("an agent that hears nobody is sent %q, want %q", got, s.Alone)
	}
	if got := s.Hear(Heard{Round: 1}); got != s.Exchange.Before+s.Exchange.After {
		t.Errorf("an agent that hears others of whom nothing is shown is sent %q, want %q", got,
			s.Exchange.Before+s.Exchange.After)
	}
	want = "\n\n### Instruction:\n" + s.again("Q?") + "\n\n### Response:\nLet's think step by step.\n"
	first := s.First("Q?")
	if !strings.HasSuffix(first, want) || strings.Count(first, "\n\n### Instruction:\n") != 5 {
		t.Errorf("the first prompt is %q, want 5 instructions, the last %q", first, want)
	}
	for _, example := range strings.Split(first, "### Instruction:\n")[1:5] {
		if !strings.Contains(example, "\n\n### Response:\nLet's think step by step.\nStep 1: ") ||
			!lastStep.MatchString(example) {
			t.Errorf("a worked example is %q, want numbered steps and a last step", example)
		}
	}
}

var lastStep = regexp.MustCompile(`\nStep [0-9]: The answer is: [^ ]+\.\n\n$`)

// TestMADCZero checks the question of MADC's threshold experiment; the rest of the set is that of madc.
func TestMADCZero(t *testing.T) {
	zero := mustLoad(t, "madc-zero")
	if want := strings.Replace(zero.again("Q?"), "the answer", "your final answer", 1) +
		" Let's think step by step."; zero.First("Q?") != want {
		t.Errorf("got %q, want %q", zero.First("Q?"), want)
	}
	shots := mustLoad(t, "madc")
	if diff := cmp.Diff(shots, zero, cmpopts.IgnoreFields(Set{}, "Name", "Origin", "Question",
		"Stop")); diff != "" {
		t.Errorf("all but the question is as in madc (-want +got):\n%s", diff)
	}
}

// TestEveryElection: a set that asks for ballots asks for those of every election.
func TestEveryElection(t *testing.T) {
	asked := 0
	for _, name := range Names() {
		s := mustLoad(t, name)
		if len(s.Vote.Rules) == 0 {
			continue
		}
		for _, e := range vote.Elections() {
			if asked++; s.Vote.Rules[e.Name] == "" {
				t.Errorf("set %s has no instruction for %s, want one", name, e.Name)
			}
		}
	}
	if asked < 40 {
		t.Errorf("%d instructions were looked for, want at least 40", asked)
	}
}

// TestReversal checks that the set has the question and the exchange of the zero-shot set, no system message, and the
// question with worked examples before the initial answer.
func TestReversal(t *testing.T) {
	zero := mustLoad(t, "madc-zero")
	reversal := mustLoad(t, "reversal")
	if diff := cmp.Diff(zero, reversal, cmpopts.IgnoreFields(Set{}, "Name", "Origin", "System", "Shared", "Vote",
		"Recalled", "Stop")); diff != "" || reversal.System != "" {
		t.Errorf("a set for reversals has no system message (%q) and nothing beside its own fields (-want +got):\n%s",
			reversal.System, diff)
	}
	shots := mustLoad(t, "madc")
	if diff := cmp.Diff(shots.First("Q?"), reversal.Recall("Q?")); diff != "" {
		t.Error("the centre recalls another question than that of madc:", diff)
	}
}

func TestLesson(t *testing.T) {
	s := mustLoad(t, "lesson")
	want := "Task: Q\n\nYour answer: {others}\n\nOther answers:\na\n{own}"
	if diff := cmp.Diff(want, s.Revise("Q", "{others}", []string{"a", "{own}"})); diff != "" {
		t.Errorf("the later message is this (-want +got):\n%s", diff)
	}
}

func TestOwnSets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.yaml")
	for text, want := range map[string]string{
		"name: mine\norigin: me\nquestion: 'Q: {question}'\n":                       "",
		"name: mine\norigin: me\nquestion: no placeholder\n":                        "must contain {question} once",
		"name: mine\nquestion: '{question}'\n":                                      "origin must be given",
		"name: mine\norigin: me\nquestion: '{question}'\nquestoin: x\n":             "[4:1]",
		"name: mine\norigin: me\nquestion: '{question}'\nexchange: {solution: x}\n": "must contain {solution} once",
		"- a list": "mine.yaml",
	} {
		t.Run(text, func(t *testing.T) {
			datatest.Write(t, path, text)
			_, err := Load(path)
			if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		})
	}
	if _, err := Load("nonsense"); err == nil || !strings.Contains(err.Error(), "madc-zero") {
		t.Errorf("an unknown name got the error %v, want one that lists madc-zero", err)
	}
	if _, err := Load("nonsense.yaml"); err == nil {
		t.Error("a missing file was read, want an error")
	}
	datatest.Write(t, path, make([]byte, strictyaml.MostBytes+1))
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "more than 65,536 bytes") {
		t.Errorf("a file that is too large got the error %v, want \"more than 65,536 bytes\"", err)
	}
}

// FuzzParse: any file is refused or usable, and none causes a panic.
func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		text, err := files.ReadFile(name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("name: &a [*a, *a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parseSet(text, "")
		if err == nil && !strings.Contains(s.First("Q?"), "Q?") {
			t.Errorf("%q was read, but has no place for the question, want an error", text)
		}
	})
}

// TestKindsAreApart: the name of a set of one kind is none of another kind, whichever was asked for before.
func TestKindsAreApart(t *testing.T) {
	for range 2 {
		sides, err := LoadSides("topic")
		if err != nil || sides.Name != "topic" {
			t.Errorf("a set of sides is found by its name: got %q, %v, want topic", sides.Name, err)
		}
		if s, err := Load("sides/topic"); err == nil {
			t.Errorf("sides/topic was loaded as %+v, want an error", s)
		}
		society, err := Load("tiny")
		if knights, other := LoadKnights("tiny"); err != nil || other != nil || society.Name != "tiny" ||
			knights.Name != "tiny" {
			t.Errorf("sets of two kinds may have one name: want both called tiny, got %q (%v) and %q (%v)",
				society.Name, other, knights.Name, err)
		}
	}
}

// TestOrdinal: rounds are counted as one counts them in English.
func TestOrdinal(t *testing.T) {
	for n, want := range map[int]string{1: "first", 10: "tenth", 11: "11th", 21: "21st", 22: "22nd", 103: "103rd"} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if got := ordinal(n); got != want {
				t.Errorf("%d: %s, want %s", n, got, want)
			}
		})
	}
}

// TestSlots: texts in the place of replies, or around them, are refused without what they show.
func TestSlots(t *testing.T) {
	for text, want := range map[string]string{
		"vacuous: ['{answer}', 'nothing']": "vacuous[1] must contain {answer} once",
		"insist: ['']":                     "insist[0] must contain {answer} once",
		"labelled: '{name}'":               "labelled must contain {solution} once",
		"own: 'the first'":                 "own must contain {number} once",
		"anonymous: {solution: 'x'}":       "anonymous.solution must contain {solution} once",
		"labelled: '{solution} ({name})'":  "",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := parseSet([]byte("name: x\norigin: ours\nquestion: '{question}'\n"+text+"\n"), "")
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", text, err, want)
			}
		})
	}
}

// readSet is Load of a set that has to load.
func mustLoad(t testing.TB, name string) Set {
	t.Helper()
	s, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
