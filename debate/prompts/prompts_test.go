package prompts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEverySetLoads(t *testing.T) {
	if len(Names()) < 5 {
		t.Errorf("only %v", Names())
	}
	for _, name := range Names() {
		s, err := Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if s.Name != name || !strings.Contains(s.First("Q{solution}?"), "Q{solution}?") {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestTiny reproduces, byte for byte, the conversations that the embedded model was trained on.
func TestTiny(t *testing.T) {
	s, err := Load("tiny")
	if err != nil {
		t.Fatal(err)
	}
	want := "Can you answer the following question as accurately as possible? Q? Explain your answer. " +
		"Make sure putting the answer in the form (X) at the end of your response."
	if diff := cmp.Diff(want, s.First("Q?")); diff != "" {
		t.Error(diff)
	}
	want = "These are the solutions to the problem from other agents: One agent solution: A. (A) One agent solution: B {solution}. " +
		"Using the reasoning from other agents as additional advice, can you give an updated answer? Examine your solution and that " +
		"other agents step by step. Put your answer in the form (X) at the end of your response."
	if diff := cmp.Diff(want, s.Hear([]string{"A. (A)", "B {solution}."})); diff != "" {
		t.Error(diff)
	}
	if s.System != "" {
		t.Errorf("a system message %q", s.System)
	}
}

// TestMADC has the layout of source 0: a blank line before each solution, which stands in triple backticks after a blank.
func TestMADC(t *testing.T) {
	s, err := Load("madc")
	if err != nil {
		t.Fatal(err)
	}
	got := s.Hear([]string{"one", "two"})
	want := "These are the solutions to the problem from other agents: \n\n One agent solution: ```one```\n\n One agent solution: ```two```\n\n Using the reasoning"
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %q", got)
	}
	if got := s.Hear(nil); !strings.HasPrefix(got, "Can you double check") {
		t.Errorf("alone: %q", got)
	}
	if got := s.First("Q?"); !strings.HasSuffix(got, "as accurately as possible? Q? Explain your answer. Make sure putting the answer in the form (X) at the end of your response.\n\n### Response: Let's think step by step.") {
		t.Errorf("first: %q", got)
	}
}

func TestLesson(t *testing.T) {
	s, err := Load("lesson")
	if err != nil {
		t.Fatal(err)
	}
	want := "Task: Q\n\nYour answer: {others}\n\nOther answers:\na\n{own}"
	if diff := cmp.Diff(want, s.Revise("Q", "{others}", []string{"a", "{own}"})); diff != "" {
		t.Error(diff)
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
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Load("nonsense"); err == nil || !strings.Contains(err.Error(), "madc-zero") {
		t.Errorf("an unknown name: %v", err)
	}
	if _, err := Load("nonsense.yaml"); err == nil {
		t.Error("a missing file was read")
	}
}
