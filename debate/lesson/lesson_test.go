package lesson

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/debatetest"
)

// TestLesson is the lesson's stateless loop: three agents, two rounds, raw strings.
func TestLesson(t *testing.T) {
	speaker := &debatetest.Actors{Lines: map[[2]int]string{{0, 0}: "42", {1, 0}: "42.", {2, 0}: "41", {0, 1}: "42.",
		{1, 1}: "42",
		{2, 1}: "41"}}
	got, err := lesson{Prompts: debatetest.Load(t, "lesson"),
		Asking: debate.Asking{Seeds: debate.Seeds{Run: 1}}}.Run(t.Context(), speaker,
		debate.Case{ID: "q", Question: "6*7?"})
	if err != nil {
		t.Fatal(err)
	}
	want := Result{Answer: "42.", Rounds: [][]string{{"42", "42.", "41"}, {"42.", "42", "41"}}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Result{}, "Transcript")); diff != "" {
		t.Errorf("the lesson's loop gives this (-want +got):\n%s", diff)
	}
	if !got.Transcript.Decision.Tie {
		t.Error("42. and 42 are different strings, so this is a tie")
	}
	messages := "system: Here are other agents' answers to the same task. Use them to critique and improve your " +
		"own: update it if they are more convincing, otherwise defend it. State only your answer.\n" +
		"user: Task: 6*7?\n\nYour answer: 42.\n\nOther answers:\n42\n41\n"
	if diff := cmp.Diff(messages, debatetest.Say(got.Transcript.Rounds[1][1].Messages)); diff != "" {
		t.Errorf("agent 1 is sent this in round 1 (-want +got):\n%s", diff)
	}
}

// TestLessonSilence: nobody hears an agent whose request failed, and it is not asked again.
func TestLessonSilence(t *testing.T) {
	speaker := &debatetest.Actors{
		Lines: map[[2]int]string{{0, 0}: "1", {2, 0}: "2", {0, 1}: "2", {2, 1}: "2"},
		Fail:  map[[2]int]error{{1, 0}: errors.New("too long")},
	}
	got, err := lesson{Prompts: debatetest.Load(t, "lesson")}.Run(t.Context(), speaker,
		debate.Case{ID: "q", Question: "1+1?"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"1", "", "2"}, {"2", "", "2"}}, got.Rounds); diff != "" {
		t.Errorf("a silent agent's answer stays out of the rounds (-want +got):\n%s", diff)
	}
	revised := got.Transcript.Rounds[1][0]
	if !strings.HasSuffix(revised.Messages[1].Content, "Your answer: 1\n\nOther answers:\n2") ||
		cmp.Diff([]int{2}, revised.Heard) != "" || len(speaker.Requests[1]) != 2 {
		t.Errorf("agent 0 heard %v and was sent %q, want agent 2's answer beside its own", revised.Heard,
			revised.Messages[1].Content)
	}
}

// TestLessonRefusals: what could only send empty messages is refused before anybody speaks.
func TestLessonRefusals(t *testing.T) {
	mute, own, madc := debatetest.Actors{}, debatetest.Load(t, "lesson"), debatetest.Load(t, "madc")
	for want, l := range map[string]lesson{"-1 agents": {Agents: -1, Prompts: own}, "no prompts": {},
		`prompts "madc" lack revision`: {Prompts: madc}} {
		if _, err := l.Run(t.Context(), &mute, debatetest.Puzzle); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("lesson: got error %v, want %q", err, want)
		}
	}
	if len(mute.Requests) != 0 {
		t.Errorf("%d calls were made, want 0", len(mute.Requests))
	}
}
