package debate_test

import (
	"context"
	"fmt"
	"log"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
)

// A form of your own: two agents answer, one after the other, and the last one decides. Its settings are its fields.
type relay struct {
	Agents int `yaml:"agents"`
}

// described says what the settings mean, and which numbers they can be.
var described = debate.Describe(func(r *relay) []debate.Field {
	return []debate.Field{
		debate.Number(&r.Agents, 1, 1000, "how many answer, one after the other"),
	}
})

// Run implements debate.Debate. What an agent hears is what the one before it said.
func (r relay) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	t, heard := debate.Transcript{Case: c.ID}, ""
	for agent := range r.Agents {
		replies, err := speaker.Generate(ctx, []inference.Request{{Agent: agent, Messages: []inference.Message{
			{Role: "user", Content: c.Question + heard}}}})
		if err != nil {
			return t, err
		}
		turn := debate.Turn{Agent: agent, Round: agent, Reply: replies[0], Answer: c.Extract(replies[0].Text)}
		t.Rounds = append(t.Rounds, []debate.Turn{turn})
		heard = " Somebody says: " + turn.Reply.Text
	}
	t.Decision = vote.Majority(t.Last())
	return t, nil
}

// Example registers a form, reads its settings as a file has them, and holds a debate with scripted replies.
func Example() {
	debate.Register(debate.Form{Name: "relay", Meaning: "agents answer one after the other; the last one decides",
		Typed: described, Agents: 2,
		Compose: func(s debate.Settings, _ debate.Asking) (debate.Debate, error) {
			return debate.Typed[relay](s), nil
		}})

	settings := debate.Settings{Form: "relay"}
	if err := settings.Set("agents", "2"); err != nil {
		log.Fatal(err)
	}
	form, _ := debate.FormNamed(settings.Form)
	d, err := form.Compose(settings, debate.Asking{})
	if err != nil {
		log.Fatal(err)
	}
	c := debate.Case{ID: "tomato", Question: "Is a tomato a fruit? (A) yes (B) no", Extract: answer.Choice}
	t, err := d.Run(context.Background(), scripted{"It is red, so (B).", "It has seeds, so (A)."}, c)
	if err != nil {
		log.Fatal(err)
	}
	for r, round := range t.Rounds {
		fmt.Printf("round %d: agent %d says %s\n", r, round[0].Agent, round[0].Answer)
	}
	fmt.Println(t.Decision.Answer, "by", t.Decision.Rule)
	// Output:
	// round 0: agent 0 says (B)
	// round 1: agent 1 says (A)
	// (A) by majority, ties to the answer first in agent order
}

// scripted has the reply of each agent.
type scripted []string

// Generate implements debate.Speaker.
func (s scripted) Generate(_ context.Context, requests []inference.Request) (replies []inference.Reply, _ error) {
	for _, r := range requests {
		replies = append(replies, inference.Reply{Text: s[r.Agent]})
	}
	return replies, nil
}
