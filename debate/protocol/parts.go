package protocol

import (
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference/calculator"
)

// shared lists the values of settings that mean the same to several forms.
var shared = []debate.Part{
	{Setting: "replies", Value: debate.RepliesFree, Meaning: "in free text; as much is read as can be"},
	{Setting: "replies", Value: debate.RepliesJSON,
		Meaning: "as JSON under a grammar, so that they cannot be malformed"},
	{Setting: "tool", Value: calculator.Name, Source: "Cobbe et al. 2021 (arXiv 2110.14168)",
		Meaning: "computes <<expression=, and writes its value and >> there"},
	{Setting: "reading", Value: debate.ReadingPaper,
		Meaning: "as in the paper, where a source's paper and its code differ"},
	{Setting: "reading", Value: debate.ReadingCode, Meaning: "as in the code"},
}

// Parts lists the values of settings: first those that several forms share, then those of each form.
func Parts() []debate.Part {
	all := slices.Clone(shared)
	for _, f := range Forms() {
		all = append(all, f.Parts...)
	}
	return all
}

// PartsOf lists the values of the settings of one form.
func PartsOf(f debate.Form) []debate.Part { return slices.Concat(shared, f.Parts) }

// ValuesOf lists the values that a setting can have, each once. There are none where it can be any number or text.
func ValuesOf(setting string, parts []debate.Part) (values []string) {
	for _, part := range parts {
		if part.Setting == setting && !slices.Contains(values, part.Value) {
			values = append(values, part.Value)
		}
	}
	return values
}

// MeaningOf returns what a setting means, in the words of the first form that reads it.
func MeaningOf(setting string) string {
	for _, f := range Forms() {
		for _, s := range f.Settings {
			if s.Name == setting {
				return s.Meaning
			}
		}
	}
	return ""
}
