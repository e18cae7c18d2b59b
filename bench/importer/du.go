package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"parley/debate"
	"parley/inference"
)

// readDu reads one object of debates by question: [chats, right answer], or the chats alone where nothing is right or
// wrong.
func readDu(content []byte) ([]entry, error) {
	fields, err := fieldsOf(content)
	if err != nil {
		return nil, located(content, err)
	}
	entries := make([]entry, len(fields))
	for i, f := range fields {
		h, err := duDebate(f)
		entries[i] = entry{fmt.Sprint("debate ", i+1), h, err}
	}
	return entries, nil
}

// field is a name with what stands under it.
type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf are the fields of an object in their order, which a map does not keep.
func fieldsOf(text []byte) (fields []field, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("is not a JSON object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		f := field{name: name.(string)} // what else could be a name is a syntax error
		if err := d.Decode(&f.value); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	_, err = d.Token()
	return fields, err
}

func duDebate(f field) (h held, err error) {
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
	said := make([][]said, len(chats))
	for i, chat := range chats {
		said[i] = replies(chat)
	}
	h.transcript.Order = "fixed"
	h.transcript.Rounds, err = inRounds(said)
	return h, err
}

// textOf is a JSON text, or a number as it is written.
func textOf(value json.RawMessage) (text string, err error) {
	if _, err := strconv.ParseFloat(string(value), 64); err == nil {
		return string(value), nil
	}
	err = json.Unmarshal(value, &text)
	return text, err
}

// inRounds are the rounds of agents who all speak in each, and hear all others of the round before.
func inRounds(agents [][]said) ([][]debate.Turn, error) {
	if len(agents) == 0 || len(agents[0]) == 0 {
		return nil, errors.New("no agent says anything")
	}
	if len(agents)*len(agents[0]) > maxTurns {
		return nil, fmt.Errorf("%d agents and %d rounds are too many: at most %d turns are read", len(agents),
			len(agents[0]),
			maxTurns)
	}
	rounds := make([][]debate.Turn, len(agents[0]))
	for i, replies := range agents {
		if len(replies) != len(rounds) {
			return nil, fmt.Errorf("agent 0 speaks %d times, agent %d %d times", len(rounds), i, len(replies))
		}
		for r, reply := range replies {
			turn := reply.turn(i, r)
			for other := range agents {
				if r > 0 && other != i {
					turn.Heard = append(turn.Heard, other)
				}
			}
			rounds[r] = append(rounds[r], turn)
		}
	}
	return rounds, nil
}
