package protocol

import (
	"slices"

	"parley/debate"
)

// shared are the values of settings that mean the same to several forms.
var shared = []debate.Part{
	{Setting: "replies", Value: debate.RepliesFree, Meaning: "in words, read with patience"},
	{Setting: "replies", Value: debate.RepliesJSON, Meaning: "by a grammar, so that they cannot be malformed"},
	{Setting: "reading", Value: debate.ReadingPaper,
		Meaning: "where a source's paper and its code differ, as the paper"},
	{Setting: "reading", Value: debate.ReadingCode, Meaning: "as the code"},
}

// Parts lists what debates are composed of: the values of settings that several forms share, and then those of each
// form.
func Parts() []debate.Part {
	all := slices.Clone(shared)
	for _, f := range forms {
		all = append(all, f.Parts...)
	}
	return all
}
