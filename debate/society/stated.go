package society

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

// readBeside reads what replies state beside their answers: how sure agents are, and whether they keep or revise.
func (s Society) readBeside(replies []debate.Turn, round int) (err error) {
	for i := range replies {
		if s.grouped() && len(replies[i].Reply.Confidences) > 0 {
			weight := vote.GroupConfidence(s.Confidence, replies[i].Reply.Confidences, s.Window)
			replies[i].Weight = &weight
		} else if replies[i].Confidence, err = s.confidence(replies[i]); err != nil {
			return err
		}
		if s.Verdict == VerdictStated && round > 0 {
			replies[i].Verdict = verdictIn(replies[i].Reply.Text)
		}
	}
	return nil
}

// Where the confidence of an agent comes from.
const (
	ConfidenceAsked = "asked" // the agent is asked for it
	// ConfidenceTokens is the mean probability of the tokens, as MALLM computes it: exp of the mean log-probability.
	ConfidenceTokens = "tokens"
)

// grouped reports whether votes count by one of DeepConf's confidences, vote.GroupConfidences.
func (s Society) grouped() bool { return slices.Contains(vote.GroupConfidences(), s.Confidence) }

// deepConfTokens is how many tokens are looked at for the confidence of one, as in DeepConf's program.
const deepConfTokens = 20

// scoring has all agents' replies keep how sure they are at each place, by so many tokens.
func scoring(ask debate.Asking, tokens int) debate.Asking {
	ask.Confidences, ask.Sampling.Alternatives, ask.Team = true, tokens, slices.Clone(ask.Team)
	for i, agent := range ask.Team {
		if agent.Sampling != nil {
			own := *agent.Sampling
			own.Alternatives, ask.Team[i].Sampling = tokens, &own
		}
	}
	return ask
}

var confidenceStated = regexp.MustCompile(`(?i)confidence[^0-9]{0,20}([0-9]+(?:\.[0-9]+)?)[` + answer.SpaceClass + `]*(%?)`)

// confidence returns an agent's confidence, from 0 to 1, or nil if nobody asked or it did not say. The error is
// debate.ErrUnscored.
func (s Society) confidence(t debate.Turn) (*float64, error) {
	var c float64
	switch {
	case t.Silent() || s.Confidence == "" || s.grouped():
		return nil, nil
	case s.Confidence == ConfidenceTokens:
		if t.Reply.Tokens == 0 {
			return nil, nil
		}
		var err error
		if c, err = t.Likelihood(); err != nil {
			return nil, err
		}
	default:
		said := confidenceStated.FindAllStringSubmatch(t.Reply.Text, -1)
		if said == nil {
			return nil, nil
		}
		last := said[len(said)-1]
		c, _ = strconv.ParseFloat(last[1], 64)
		if last[2] == "%" || c > 1 {
			c /= 100
		}
	}
	c = min(c, 1)
	return &c, nil
}

// believe enters every agent's beliefs over the answers of a round. It scores them without generating anything: each
// agent is sent its history, its own reply, and a request for its answer alone. The probabilities of the answers add up
// to 1.
func (s Society) believe(ctx context.Context, ask debate.Asker, turns []debate.Turn) error {
	for _, v := range vote.Majority(turns).Votes {
		ask.Continuations = append(ask.Continuations, v.Answer)
	}
	if len(ask.Continuations) == 0 {
		return nil
	}
	ask.Extract = answer.Raw
	var asked []debate.Turn
	for _, t := range turns {
		if !t.Silent() {
			asked = append(asked, debate.Turn{Agent: t.Agent, Round: t.Round,
				Messages: debate.WithMessage(debate.WithReply(t.Messages, t), s.Prompts.AnswerAlone())})
		}
	}
	if err := ask.Ask(ctx, asked); err != nil {
		return err
	}
	for _, b := range asked {
		for k, p := range vote.Softmax(b.Reply.LogProbs) {
			turns[b.Agent].Beliefs = append(turns[b.Agent].Beliefs,
				debate.Belief{Answer: ask.Continuations[k], Probability: p})
		}
	}
	return nil
}

// Whether agents change their answers, for FREE-MAD's score (trajectory).
const (
	verdictInferred = "inferred" // as their answers tell
	// VerdictStated is as they say, in the words for which keepOrRevise asks; of an agent that says neither, its
	// answers tell.
	VerdictStated = "stated"
)

// keepOrRevise is the wording that asks for verdicts.
const keepOrRevise = "keep-or-revise"

var (
	// a label, and behind it, on the same line, marks and a few words at most, and one of the two
	verdictAt = regexp.MustCompile(`(?i)\b(?:verdict|decision)\b[^\pL]*(?:(?:is|to|i|will|we)\b[^\pL]*)*` +
		`(keep(?:ing)?|kept|revis(?:e|ed|ing))\b`)
	verdictAlone = regexp.MustCompile(`(?i)^[^\pL]*(keep|revise)[^\pL]*$`)
	// the request itself, which leaves open which of the two
	verdictOpen = regexp.MustCompile(`(?i)\bkeep\b["*]*\W*(?:or\W+)?(?:verdict\W+|decision\W+)?\brevise\b`)
)

// verdictIn returns the last verdict that a reply states: "Verdict: keep", "**Decision:** REVISE", or the word on a
// line of its own. It is "" if the reply states none.
func verdictIn(reply string) debate.Verdict {
	for _, line := range slices.Backward(strings.Split(reply, "\n")) {
		all := append(verdictAt.FindAllStringSubmatch(line, -1), verdictAlone.FindAllStringSubmatch(line, -1)...)
		if len(all) == 0 || verdictOpen.MatchString(line) {
			continue
		}
		if strings.HasPrefix(strings.ToLower(all[len(all)-1][1]), "r") {
			return debate.VerdictRevise
		}
		return debate.VerdictKeep
	}
	return ""
}

// contradictions says how often verdicts do not go with the answers beside them, and how often there are none, or "" if
// that is never.
func contradictions(rounds [][]debate.Turn) string {
	asked, silent, kept, revised := 0, 0, 0, 0
	for r := 1; r < len(rounds); r++ {
		for i, t := range rounds[r] {
			if t.Silent() || t.Kind != debate.KindReply {
				continue
			}
			same := t.Answer.Same(rounds[r-1][i].Answer)
			switch asked++; {
			case t.Verdict == "":
				silent++
			case t.Verdict == debate.VerdictKeep && !same:
				kept++
			case t.Verdict == debate.VerdictRevise && (same || !t.Answer.Parsed):
				revised++
			}
		}
	}
	if silent+kept+revised == 0 {
		return ""
	}
	return fmt.Sprintf("verdicts asked for: %d; that keep beside another answer: %d; that revise and give no other: "+
		"%d; not stated: %d", asked, kept, revised, silent)
}
