package importer

import (
	"encoding/json"
	"fmt"
	"strings"
)

// readAgora reads a list of debates between models. The log has the replies of each model, but not the messages: from
// the second round on, the models heard a summary of all replies, and the log has the summary without the prompt around
// it.
func readAgora(content []byte) ([]entry, error) { return eachValue(content, agoraDebate) }

func agoraDebate(text []byte) (loggedDebate, error) {
	var debate struct {
		Question string          `json:"question"`
		Replies  json.RawMessage `json:"agent_response"`
		Answer   json.RawMessage `json:"answer"`
	}
	if err := json.Unmarshal(text, &debate); err != nil {
		return loggedDebate{}, err
	}
	models, err := fieldsOf(debate.Replies)
	if err != nil {
		return loggedDebate{}, fmt.Errorf("agent_response: %w", err)
	}
	h, agents := loggedDebate{question: debate.Question}, make([][]reply, len(models))
	for i, m := range models {
		h.transcript.Roles = append(h.transcript.Roles, m.name)
		var texts []string
		if err := json.Unmarshal(m.value, &texts); err != nil {
			return h, fmt.Errorf("agent_response of %.40q: %w", m.name, err)
		}
		for _, text := range texts {
			agents[i] = append(agents[i], reply{text: text})
		}
	}
	h.model = strings.Join(h.transcript.Roles, ", ")
	if len(debate.Answer) > 0 {
		if h.target, err = textOf(debate.Answer); err != nil {
			return h, fmt.Errorf("answer: %w", err)
		}
	}
	h.transcript.Order, h.transcript.Visibility = "fixed", "summary"
	h.transcript.Rounds, err = inRounds(agents)
	return h, err
}
