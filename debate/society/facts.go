package society

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// What is judged after the decision.
const (
	judgeNone = "none"
	// JudgeFacts has a judge say of every fact about the question, one by one, whether each agent's last reply agrees
	// with it (Du et al., biographies). The judge has the number after the last agent that presides, and nobody hears
	// it. It is asked as the agents are, and costs calls as they do.
	JudgeFacts = debate.JudgeFacts
)

// shortBullet is the least number of characters of a reply of one bullet that is judged: in Du et al.'s program, a
// shorter one means that the model does not know the person.
const shortBullet = 400

// judge is the number of the judge.
func (s Society) judge() int { return s.Agents + len(s.presiders()) }

// judgeFacts asks the judge about every fact and every reply of the last round.
func (s Society) judgeFacts(ctx context.Context, ask debate.Asker, t *debate.Transcript, c debate.Case) error {
	facts := debate.Bullets(c.Facts)
	turns := []debate.Turn{} // not nil: the judge was there, even if there was nothing to judge
	for _, said := range t.Last() {
		bullets := debate.Bullets(said.Told())
		if !said.Tells() || len(bullets) == 1 && utf8.RuneCountInString(bullets[0]) < shortBullet {
			continue
		}
		for _, fact := range facts {
			text := s.Prompts.FactOn(c.Question, strings.Join(bullets, " "), fact)
			turns = append(turns, debate.Turn{Agent: s.judge(), Round: said.Round, Sample: len(turns),
				Kind: debate.KindFact, Heard: []int{said.Agent},
				Messages: debate.Conversation(s.Member(s.judge()).Persona, text)})
		}
	}
	if t.Judged = turns; len(turns) == 0 {
		return nil
	}
	ask.Extract = verdict
	return ask.Try(ctx, turns)
}

// verdict reads what the judge says of a fact as Du et al.'s program does: "uncertain" anywhere, else "yes", else "no".
func verdict(reply string) answer.Answer {
	reply = strings.ToLower(reply)
	for _, word := range []string{debate.FactUncertain, debate.FactYes, debate.FactNo} {
		if strings.Contains(reply, word) {
			return answer.Of(word)
		}
	}
	return answer.Unparsed
}
