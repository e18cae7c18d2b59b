package importer

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/parley-debate/parley/inference"
)

// readDu reads one object with a debate for each question: [chats, right answer], or the chats alone if no answer is
// right.
func readDu(content []byte) ([]entry, error) {
	fields, err := fieldsOf(content)
	if err != nil {
		return nil, locate(content, err)
	}
	entries := make([]entry, len(fields))
	for i, f := range fields {
		h, err := duDebate(f)
		entries[i] = entry{fmt.Sprint("debate ", i+1), h, err}
	}
	return entries, nil
}

func duDebate(f field) (h loggedDebate, err error) {
	h.question = f.name
	var chats [][]inference.Message
	if json.Unmarshal(f.value, &chats) != nil {
		var pair []json.RawMessage
		if err := json.Unmarshal(f.value, &pair); err != nil || len(pair) != 2 {
			return h, errors.New("is neither [chats, answer] nor a list of chats")
		}
		if err := json.Unmarshal(pair[0], &chats); err != nil {
			return h, fmt.Errorf("chats: %w", err)
		}
		if h.target, err = textOf(pair[1]); err != nil {
			return h, fmt.Errorf("right answer: %w", err)
		}
	}
	agents := make([][]reply, len(chats))
	for i, chat := range chats {
		agents[i] = repliesIn(chat)
	}
	h.transcript.Order = "fixed"
	h.transcript.Rounds, err = inRounds(agents)
	return h, err
}
