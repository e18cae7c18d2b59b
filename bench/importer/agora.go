package importer

import (
	"encoding/json"
	"fmt"
	"strings"
)

// readAgora reads a list of debates between models, each with its replies alone. From the second round on a summary of
// all replies was heard, which the log has, but not what it was wrapped in: it is left out.
func readAgora(content []byte) ([]entry, error) {
	found, err := values(content)
	entries := make([]entry, len(found))
	for i, v := range found {
		h, err := agoraDebate(v.json)
		entries[i] = entry{v.place, h, err}
	}
	return entries, err
}

func agoraDebate(text []byte) (held, error) {
	var debate struct {
		Question string          `json:"question"`
		Replies  json.RawMessage `json:"agent_response"`
		Answer   json.RawMessage `json:"answer"`
	}
	if err := json.Unmarshal(text, &debate); err != nil {
		return held{}, err
	}
	models, err := fieldsOf(debate.Replies)
	if err != nil {
		return held{}, fmt.Errorf("agent_response: %w", err)
	}
	h, agents := held{question: debate.Question}, make([][]said, len(models))
	for i, m := range models {
		h.transcript.Roles = append(h.transcript.Roles, m.name)
		var texts []string
		if err := json.Unmarshal(m.value, &texts); err != nil {
			return h, fmt.Errorf("agent_response of %.40q: %w", m.name, err)
		}
		for _, text := range texts {
			agents[i] = append(agents[i], said{text: text})
		}
	}
	h.model = strings.Join(h.transcript.Roles, ", ")
	if len(debate.Answer) > 0 {
		if h.target, err = textOf(debate.Answer); err != nil {
			return h, fmt.Errorf("answer: %w", err)
		}
	}
	h.transcript.Order, h.transcript.Showing = "fixed", "summary"
	h.transcript.Rounds, err = inRounds(agents)
	return h, err
}
