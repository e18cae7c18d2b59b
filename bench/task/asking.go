package task

import (
	"fmt"
	"slices"
)

// Asking says how the questions of a family are to be put, where the prompts of their kind of answers are not enough.
// The zero value is for all families whose questions say everything.
type Asking struct {
	Prompts     string `json:"prompts,omitempty"`     // a set of prompts; "": plain, in the form of the kind
	Instruction string `json:"instruction,omitempty"` // to put before every question
}

// askings are those of the families that need something.
var askings = map[string]Asking{
	"common-mt": {Prompts: "translate"}, // its questions are sentences in Chinese, and say nothing of translation
	"squad2": {Instruction: "Answer from the text. If the text does not answer the question, the answer is " +
		"unknown."},
}

// Asking returns how the questions of the family are to be put.
func (f Family) Asking() Asking { return askings[f.Name] }

// Asking returns how the task's questions are to be put.
func (t Task) Asking() Asking { return askings[t.Family] }

// Instructed returns the task with an instruction before every question, and itself if that is "".
func (t Task) Instructed(instruction string) Task {
	if instruction == "" {
		return t
	}
	t.Source += fmt.Sprintf(", instruction %q", instruction)
	t.Questions = slices.Clone(t.Questions)
	for i := range t.Questions {
		t.Questions[i].Text = instruction + "\n\n" + t.Questions[i].Text
	}
	return t
}
