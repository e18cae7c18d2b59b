package society

import (
	"cmp"
	"context"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/listing"
)

// Who sums up what is said, where summaries are shown.
const (
	// summarizerReceiver has each agent sum up what it hears, for itself (exchangeA of MADC's code, Du et al.).
	summarizerReceiver = "receiver"
	// summarizerAgent has one more agent sum up each round, with the replies of all agents; its summary enters all
	// histories (ChatEval, Chan et al. 2023, simultaneous talk with summarizer; MADC, appendix). It has the number
	// after the last agent, no history and no vote.
	summarizerAgent = "agent"
)

// names returns what the agents are called, those that preside included, or nil if they are numbered.
func (s Society) names() []string {
	names := s.Names(s.Agents)
	for k, role := range s.presiders() {
		for i := len(names); i < s.Agents; i++ {
			names = append(names, debate.Transcript{}.Role(i))
		}
		names = append(names, cmp.Or(s.Member(s.Agents+k).Name, role))
	}
	return names
}

// presiders returns the roles of the agents that follow the last one: who sums up or selects, then who writes the
// answer. A judge of facts comes after them.
func (s Society) presiders() (roles []string) {
	switch {
	case s.Visibility.Name == ShowRetained:
		roles = append(roles, debate.RoleSelector)
	case s.Summarizer == summarizerAgent:
		roles = append(roles, debate.RoleSummarizer)
	}
	if s.writes() {
		roles = append(roles, s.Decide)
	}
	return roles
}

// summarize returns the summary of what all agents said last, by the summarizer, with which a round begins.
func (s Society) summarize(ctx context.Context, ask debate.Asker, last []debate.Turn, round int,
	c debate.Case) (*debate.Turn, error) {
	if round == 0 || s.Summarizer != summarizerAgent || s.before(round).Visibility.Name != ShowSummary {
		return nil, nil
	}
	heard := s.hear(last, listing.Everybody, round, c)
	asked := []debate.Turn{{Agent: s.Agents, Round: round, Kind: debate.KindSummary, Heard: heard.heard,
		Messages: debate.Conversation(s.Member(s.Agents).Persona, s.Prompts.SumUp(heard.texts, c.Question))}}
	ask.MaxTokens, ask.Extract = summaryTokens, answer.Raw
	err := ask.Ask(ctx, asked)
	return &asked[0], err
}

// sumUp asks every agent that hears others to summarise them, all at once and without a system message. The summary
// then replaces their texts.
func (s Society) sumUp(ctx context.Context, ask debate.Asker, turns []debate.Turn, hearings []hearing,
	c debate.Case) error {
	var summaries []debate.Turn
	var whose []int
	for i, t := range turns {
		if texts := hearings[i].texts; len(texts) > 0 {
			asked := debate.Conversation("", s.Prompts.SumUp(texts, c.Question))
			summaries = append(summaries, debate.Turn{Agent: t.Agent, Round: t.Round, Messages: asked})
			whose = append(whose, i)
		}
	}
	if len(summaries) == 0 {
		return nil
	}
	ask.MaxTokens, ask.Extract = summaryTokens, answer.Raw
	if err := ask.Ask(ctx, summaries); err != nil {
		return err
	}
	for k, i := range whose {
		turns[i].Before = append(turns[i].Before, summaries[k])
		hearings[i].replaceBy(summaries[k])
	}
	return nil
}

// summaryTokens bounds a summary, as in MADC's code.
const summaryTokens = 512
