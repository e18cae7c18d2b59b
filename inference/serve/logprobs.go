package serve

import (
	"slices"
	"unicode/utf8"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/serve/served"
)

// lowest stands for minus infinity, which JSON cannot write, as with OpenAI.
const lowest = -9999

// chatLogprob is a token with its alternatives, as chat completions write it.
type chatLogprob struct {
	Token       string        `json:"token"`
	Logprob     float32       `json:"logprob"`
	Bytes       []int         `json:"bytes"`
	TopLogprobs []chatLogprob `json:"top_logprobs,omitempty"`
}

// plainLogprob returns a token without alternatives, with its bytes: a token may be no whole character.
func plainLogprob(m *served.Model, s inference.TokenScore) chatLogprob {
	bytes := m.Vocabulary.Bytes(s.Token)
	list := make([]int, len(bytes))
	for i, b := range bytes {
		list[i] = int(b)
	}
	return chatLogprob{Token: m.TokenText(s.Token), Logprob: max(s.LogProb, lowest), Bytes: list}
}

// best returns the most probable tokens of a position, the drawn one among them if it is one of these. Equally probable
// ones are in the order of their IDs, so that the list is the same on every run.
func best(t generation.Token, most int) []inference.TokenScore {
	all := append([]inference.TokenScore{{Token: t.ID, LogProb: t.LogProb}}, t.Alternatives...)
	slices.SortStableFunc(all, func(a, b inference.TokenScore) int {
		switch {
		case a.LogProb > b.LogProb:
			return -1
		case a.LogProb < b.LogProb:
			return 1
		}
		return int(a.Token) - int(b.Token)
	})
	return all[:min(most, len(all))]
}

// newChatLogprob returns a drawn token as chat completions write it, with its alternatives.
func newChatLogprob(m *served.Model, t generation.Token, most int) chatLogprob {
	out := plainLogprob(m, inference.TokenScore{Token: t.ID, LogProb: t.LogProb})
	for _, s := range best(t, most) {
		out.TopLogprobs = append(out.TopLogprobs, plainLogprob(m, s))
	}
	return out
}

// textLogprobs are those of text completions. Each list has one element for each token; the first token of a prompt has
// no probability.
type textLogprobs struct {
	Tokens        []string             `json:"tokens"`
	TokenLogprobs []*float32           `json:"token_logprobs"`
	TopLogprobs   []map[string]float32 `json:"top_logprobs"`
	TextOffset    []int                `json:"text_offset"` // in characters (code points) that are complete before it
}

// add adds a token. Its alternatives are the most probable tokens and the token itself, as with OpenAI.
func (l *textLogprobs) add(m *served.Model, t generation.Token, most, offset int) {
	logprob := max(t.LogProb, lowest)
	top := map[string]float32{m.TokenText(t.ID): logprob}
	for _, s := range best(t, most) {
		if text := m.TokenText(s.Token); s.Token != t.ID {
			if _, there := top[text]; !there { // of two tokens with one text, the better one
				top[text] = max(s.LogProb, lowest)
			}
		}
	}
	l.Tokens = append(l.Tokens, m.TokenText(t.ID))
	l.TokenLogprobs = append(l.TokenLogprobs, &logprob)
	l.TopLogprobs = append(l.TopLogprobs, top)
	l.TextOffset = append(l.TextOffset, offset)
}

// addFirst adds the first token of a prompt.
func (l *textLogprobs) addFirst(m *served.Model, token int32) {
	l.Tokens, l.TokenLogprobs = append(l.Tokens, m.TokenText(token)), append(l.TokenLogprobs, nil)
	l.TopLogprobs, l.TextOffset = append(l.TopLogprobs, nil), append(l.TextOffset, 0)
}

// characters counts the code points of a text, in which clients measure offsets.
func characters(text string) int { return utf8.RuneCountInString(text) }
