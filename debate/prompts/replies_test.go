package prompts

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
)

// statement is a reply that states an answer as a form asks for it.
func statement(form, example string) string {
	bare := strings.Trim(example, "()")
	switch {
	case strings.Contains(form, `\boxed{}`):
		return `Some reasons with 7 steps. The answer is \boxed{` + example + "}."
	case strings.Contains(form, `"The answer is (X)."`):
		return "Some reasons. The answer is (" + bare + ")."
	case strings.Contains(form, `"The answer is X."`):
		return "Some reasons. The answer is " + example + "."
	case strings.Contains(form, `"The answer is`):
		return "Some reasons.\nThe answer is: " + strings.TrimSuffix(example, ".") + "."
	case strings.Contains(form, "in the form (X)"):
		return "Some reasons. (" + bare + ")"
	}
	return ""
}

// TestFormsAndRules: of every kind, each rule of that kind for which a set says so reads the example in the form that
// the set asks for, and reads no explicit answer in the request itself.
func TestFormsAndRules(t *testing.T) {
	set := mustLoad(t, "plain")
	discussion, err := LoadDiscussion("discussion")
	if err != nil {
		t.Fatal(err)
	}
	options := []string{"one", "two", "three", "four"}
	tried := 0
	for _, kind := range answer.Kinds() {
		asked := mustLoad(t, "plain:"+string(kind))
		for _, rule := range set.Rules {
			if answer.KindOf(rule) != kind {
				continue
			}
			var own []string
			if kind == answer.KindChoice || kind == answer.KindName {
				own = options
			}
			read, err := reader.Rule(rule, own...)
			if err != nil {
				continue // among knows only the names of a task
			}
			for _, form := range []string{set.Forms[kind], discussion.Forms[kind]} {
				example := answer.Example(rule)
				want := read(`The answer is ` + example)
				if kind == answer.KindName {
					example, want = "(B)", answer.Of("two")
				}
				if strings.Contains(form, "(X)") && !strings.HasPrefix(example, "(") {
					example, want = "(B)", answer.Of("(B)") // choice-yes-no
				}
				if kind == answer.KindMath {
					want = answer.Of(example)
				}
				reply := statement(form, example)
				if got := read(reply); reply == "" || !got.Parsed || got.Text != want.Text {
					t.Errorf("%s, %s: the reply %q is read as %+v, want %q", kind, rule, reply, got, want.Text)
				}
				tried++
			}
			got := read(asked.First("What?"))
			if answer.IsReader(rule) && got.How == answer.Explicit && kind != answer.KindText { // which any text is
				t.Errorf("%s, %s: %+v is read in the request itself, want nothing stated: %q", kind, rule, got,
					asked.First("What?"))
			}
		}
	}
	if tried < 2*len(set.Rules)-4 {
		t.Errorf("%d of %d rules were tried, want at least %d", tried, 2*len(set.Rules), 2*len(set.Rules)-4)
	}
}

// TestKindsOfSets: a set with forms asks for answers of the kind that its name ends in, everywhere; one without forms
// has no kinds.
func TestKindsOfSets(t *testing.T) {
	for _, kind := range answer.Kinds() {
		s := mustLoad(t, "plain:"+string(kind))
		form := s.Forms[kind]
		for _, text := range []string{s.First("Q {form}?"), s.again("Q?"), s.Hear(Heard{Solutions: []string{"x"}}),
			s.Hear(Heard{Nobody: true}), s.HearAll("Q?", []string{"x", "y"}, 0), s.FirstAs("zero-shot", "Q?"),
			s.Hear(Heard{Wording: "question-first", Solutions: []string{"x"}}), s.Hear(Heard{Wording: "verify"})} {
			if !strings.Contains(text, form) || strings.Contains(strings.ReplaceAll(text, "Q {form}?", ""), "{form}") {
				t.Errorf("%s: the prompt %q lacks %q or keeps {form}, want the form filled in", s.Name, text, form)
			}
		}
		if s.Name != "plain:"+string(kind) {
			t.Errorf("the name is %q, want %q", s.Name, "plain:"+string(kind))
		}
		if _, err := Load("madc:" + string(kind)); err == nil || !strings.Contains(err.Error(), "leave out :") {
			t.Errorf("a kind of madc, which has none, got the error %v, want \"leave out :\"", err)
		}
		want := "plain:" + string(kind)
		if kind == answer.KindChoice {
			want = "plain"
		}
		if got := Asking("plain", kind); got != want {
			t.Errorf("Asking: %s, want %s", got, want)
		}
		if got := Asking("madc", kind); got != "madc" {
			t.Errorf("Asking: %s, want \"madc\"", got)
		}
	}
	s := mustLoad(t, "madc")
	if text := s.Hear(Heard{Wording: "verify"}); !strings.Contains(text, "in the form (X)") {
		t.Errorf("madc asks %q, want \"in the form (X)\" in it", text)
	}
}

// TestRepliesOfSets: what a file says of replies is checked.
func TestRepliesOfSets(t *testing.T) {
	for text, want := range map[string]string{
		"stop: ['###']":          "",
		"stop: ['']":             "none that is empty",
		"rules: [vibes]":         "no answer rule",
		"rules: [choice, among]": "",
		"forms: {vibes: x}":      "question has no {form}",
		"question: '{question} {form}'\nforms: {vibes: x}":                  "no kind of answers",
		"question: '{question} {form}'\nforms: {number: 'as a number'}":     "",
		"question: '{question} {form}'\nform: 'as you like'\nstop: ['###']": "",
	} {
		t.Run(text, func(t *testing.T) {
			if !strings.HasPrefix(text, "question") {
				text = "question: '{question}'\n" + text
			}
			_, err := parseSet([]byte("name: x\norigin: ours\n"+text+"\n"), "")
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", text, err, want)
			}
		})
	}
	for rule, want := range map[string]bool{"choice": true, "reader-choice-14": true, "reader-choice": true,
		"span": false, "reader-words-14": false, "math": false} {
		t.Run(rule, func(t *testing.T) {
			s, _ := Load("madc")
			if s.suit(rule) != want {
				t.Errorf("the prompts of madc suit the rule %s: got %t, want %t", rule, !want, want)
			}
		})
	}
}
