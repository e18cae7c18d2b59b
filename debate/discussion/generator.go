package discussion

import (
	"context"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/inference"
)

// view is what an agent sees when it speaks.
type view struct {
	part
	records []debate.Record
	draft   string
}

// memory returns how many turns before the current one agents see: two, as the paper says, or all (-1), since the
// filter of the released program that should keep two keeps everything.
func (x *discussing) memory() int {
	if x.Reading == debate.ReadingPaper {
		return 2
	}
	return -1
}

// view returns the discussion as an agent sees it. An agent sees nothing of it if all agents have to draft. In
// collective refinement it sees the answers of the last turn only, and there is no common draft.
func (x *discussing) view(p part) view {
	if x.hides(p) {
		return view{part: p}
	}
	if x.Paradigm == paradigmCollective {
		return view{part: p, records: visibleTo(x.Transcript.Records, p.agent, x.turn, 1)}
	}
	records := visibleTo(x.Transcript.Records, p.agent, x.turn, x.memory())
	return view{p, records, current(records)}
}

// hides reports whether draft and discussion are hidden from who says a part, because all agents draft. In
// paradigmDebate the released program hides them from the first agent. From the debaters it hides them only in their
// second round of the first turn, and never if all agents draft in every turn.
func (x *discussing) hides(p part) bool {
	if x.Paradigm == paradigmDebate && x.Reading == debate.ReadingCode && p.agent > 0 {
		return x.Drafting == draftFirst && x.turn == 1 && p.round == 1
	}
	return x.Drafting == draftEvery || x.Drafting == draftFirst && x.turn == 1
}

// stance asks whether the agent agrees with the draft, if the style asks that in a call of its own; otherwise it
// returns nil.
func (x *discussing) stance(ctx context.Context, v view) (agrees *bool, err error) {
	style := x.Prompts.Styles[x.Generator]
	if style.Stance == "" || v.draft == "" || x.Paradigm == paradigmCollective || x.drafts(v.part) {
		return nil, nil
	}
	turns, err := x.ask(ctx, debate.KindStance, []debate.Turn{{Agent: v.agent,
		Messages: merge(debate.WithMessage(x.before(v), style.Stance))}})
	if err != nil {
		return nil, err
	}
	yes := agreement(turns[0].Reply.Text, x.Reading)
	return &yes, nil
}

// message returns the conversation that asks an agent for its message.
func (x *discussing) message(v view, stance *bool) []inference.Message {
	if x.Paradigm == paradigmCollective {
		return x.collective(v)
	}
	style, request := x.Prompts.Styles[x.Generator], ""
	switch {
	case v.draft == "":
		request = style.Propose
	case x.drafts(v.part):
		request = style.Revise
	case stance != nil && *stance:
		request = style.Agreed + style.Improve
	case stance != nil:
		request = style.Disagreed + style.Improve
	default:
		request = style.Improve
	}
	return x.steps(debate.WithMessage(x.before(v), request))
}

// before returns what an agent is sent before the request: the question, its role, the draft, and the discussion, in
// which its own messages are replies.
func (x *discussing) before(v view) []inference.Message {
	p := x.Prompts
	messages := debate.Conversation(p.SystemFor(x.Generator, x.c.Question, x.role(v.agent), v.draft,
		len(v.records) > 0), "")
	for _, r := range v.records {
		if r.Agent == v.agent {
			messages = append(messages, inference.Message{Role: "assistant", Content: r.Message})
		} else {
			messages = debate.WithMessage(messages, p.LineOf(x.Transcript.Role(r.Agent), r.Message))
		}
	}
	return messages
}

// collective returns the conversation of collective refinement, with the agent's own last answer and those of the
// others, in agent order or in another.
func (x *discussing) collective(v view) []inference.Message {
	own, speakers, others := "", []string{}, []string{}
	latest := make([]*debate.Record, x.agents())
	for i, r := range v.records {
		if latest[r.Agent] = &v.records[i]; r.Agent == v.agent {
			own = r.Message
		}
	}
	for _, agent := range x.recordsShown(latest, v.agent) {
		speakers, others = append(speakers, x.Transcript.Role(agent)), append(others, latest[agent].Message)
	}
	system := debate.Conversation(x.Prompts.CollectiveSystem(x.role(v.agent)), "")
	return x.steps(debate.WithMessage(system, x.Prompts.CollectiveFor(x.c.Question, own, speakers, others)))
}

// recordsShown returns the other agents in the order in which their answers are listed. latest has the record of each
// agent in the last turn, nil if there is none.
func (x *discussing) recordsShown(latest []*debate.Record, reader int) []int {
	before := listing.Standing{Round: x.turn - 1}
	for _, r := range latest {
		said := answer.Unparsed
		if r != nil {
			said = x.read(r.Solution)
		}
		before.Answers, before.Silent = append(before.Answers, said), append(before.Silent, r == nil)
	}
	all := slices.Repeat([]bool{true}, len(latest))
	return x.Order.Others(reader, before, all, x.Seeds.Orders(x.c.ID, before.Round))
}

// steps adds the request to reason step by step, unless Direct is set, and merges consecutive messages of one role.
func (x *discussing) steps(messages []inference.Message) []inference.Message {
	if !x.Direct {
		messages = debate.WithMessage(messages, x.Prompts.Steps)
	}
	return merge(messages)
}

// merge joins consecutive messages of one role with a blank line.
func merge(messages []inference.Message) (merged []inference.Message) {
	for _, m := range messages {
		if last := len(merged) - 1; last >= 0 && merged[last].Role == m.Role {
			merged[last].Content += "\n\n" + m.Content
		} else {
			merged = append(merged, m)
		}
	}
	return merged
}
