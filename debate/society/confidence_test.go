package society

import (
	"errors"
	"math"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// TestConfidenceOfTokens: it is the geometric mean of the tokens' probabilities, and an error where a server tells
// none: such a reply would pass for certain.
func TestConfidenceOfTokens(t *testing.T) {
	t.Parallel()
	s := Society{Confidence: ConfidenceTokens}
	reply := inference.Reply{Text: "(A)", Key: "k", Tokens: 2, LogProb: math.Log(0.25)}
	c, err := s.confidence(debate.Turn{Reply: reply})
	if err != nil || c == nil || math.Abs(*c-0.5) > 1e-12 {
		t.Errorf("two tokens that are as likely as not together have confidence 0.5: got %v, %v", c, err)
	}
	reply.LogProb, reply.Unscored = 0, true
	if c, err := s.confidence(debate.Turn{Reply: reply}); !errors.Is(err, debate.ErrUnscored) {
		t.Errorf("%v, %v, want %v", c, err, debate.ErrUnscored)
	}
	if c, err := (Society{Confidence: ConfidenceAsked}).confidence(debate.Turn{Reply: reply}); c != nil || err != nil {
		t.Errorf("a reply that states no confidence has none: got %v, %v", c, err)
	}
}
