package debate

import (
	"math"
	"regexp"
	"strconv"

	"parley/debate/answer"
)

// Where the confidence of an agent comes from.
const (
	ConfidenceAsked = "asked" // it states it
	// the mean probability of its tokens, as source 4 reads it: exp of the mean log-probability
	ConfidenceTokens = "tokens"
)

var stated = regexp.MustCompile(`(?i)confidence[^0-9]{0,20}([0-9]+(?:\.[0-9]+)?)[` + answer.SpaceClass + `]*(%?)`)

// likelihood is the probability of a reply's mean token, 0 where none was generated.
func (t Turn) likelihood() float64 {
	if t.Reply.Tokens == 0 {
		return 0
	}
	return math.Exp(t.Reply.LogProb / float64(t.Reply.Tokens))
}

// confidence is how sure an agent is, from 0 to 1; nil where nobody asked, or where it did not say.
func (s Society) confidence(t Turn) *float64 {
	var c float64
	switch {
	case t.silent() || s.Confidence == "":
		return nil
	case s.Confidence == ConfidenceTokens:
		if t.Reply.Tokens == 0 {
			return nil
		}
		c = t.likelihood()
	default:
		said := stated.FindAllStringSubmatch(t.Reply.Text, -1)
		if said == nil {
			return nil
		}
		last := said[len(said)-1]
		c, _ = strconv.ParseFloat(last[1], 64)
		if last[2] == "%" || c > 1 {
			c /= 100
		}
	}
	c = min(c, 1)
	return &c
}
