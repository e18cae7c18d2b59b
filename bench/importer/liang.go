package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/titfortat"
	"parley/inference"
)

// liang is a debate as that program writes it, or with the generated texts alone. Names stand with underscores here,
// see underscored.
type liang struct {
	Model       string   `json:"model"`
	ModelName   string   `json:"model_name"`
	Temperature *float64 `json:"temperature"`
	Source      string   `json:"source"`
	Correct     string   `json:"correct_reference"`
	Incorrect   string   `json:"incorrect_reference"`
	Base        string   `json:"base_translation"`
	Decided     string   `json:"debate_translation"`
	Reason      string   `json:"reason"`

	Players map[string][]inference.Message `json:"players"` // the chats, by role

	Rounds []struct{ Affirmative, Negative, Moderator string } `json:"rounds"`
	Judge  *struct{ Candidates, Final string }                 `json:"judge"`
}

// Agents, in the order of debate.SideNames.
const (
	affirmative = iota
	negative
	moderator
	judge
)

func readLiang(content []byte) ([]entry, error) {
	found, err := values(content)
	entries := make([]entry, len(found))
	for i, v := range found {
		entries[i].place = v.place
		entries[i].held, entries[i].err = liangDebate(v.json)
	}
	return entries, err
}

func liangDebate(text []byte) (held, error) {
	text, err := underscored(text)
	if err != nil {
		return held{}, err
	}
	var l liang
	if err := json.Unmarshal(text, &l); err != nil {
		return held{}, err
	}
	rounds, err := l.rounds()
	switch {
	case err != nil:
		return held{}, err
	case strings.TrimSpace(l.Source) == "":
		return held{}, errors.New("no source: the text to translate is missing")
	}
	h := held{question: l.Source, model: cmp.Or(l.Model, l.ModelName), temperature: l.Temperature,
		transcript: l.transcript(rounds)}
	if l.Correct != "" && l.Incorrect != "" {
		h.target, h.rejected = l.Correct, l.Incorrect
	}
	return h, nil
}

// underscored writes the names of an object with underscores instead of blanks, and small: versions of the program
// differ in that.
func underscored(text []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	out := make(map[string]json.RawMessage, len(fields))
	for name, field := range fields {
		out[strings.ReplaceAll(strings.ToLower(name), " ", "_")] = field
	}
	return json.Marshal(out)
}

// rounds are the replies as our tit for tat has them: the first translation, which the affirmative side defends; rounds
// of affirmative, negative and moderator; the candidates that a judge sees, and his judgement.
func (l liang) rounds() ([][]debate.Turn, error) {
	chats, err := l.chats()
	if err != nil {
		return nil, err
	}
	n := len(chats[moderator])
	base := said{text: l.Base}
	if len(chats[affirmative]) == n+1 { // it is a turn of its chat
		base, chats[affirmative] = chats[affirmative][0], chats[affirmative][1:]
	}
	if n == 0 || len(chats[affirmative]) != n || len(chats[negative]) != n ||
		len(chats[judge]) != 0 && len(chats[judge]) != 2 {
		return nil, fmt.Errorf("%d replies of the affirmative side, %d of the negative, %d of the moderator, %d of "+
			"the judge do not make a debate in rounds",
			len(chats[affirmative]), len(chats[negative]), n, len(chats[judge]))
	}
	var rounds [][]debate.Turn
	add := func(agents []int, i int) {
		var round []debate.Turn
		for _, agent := range agents {
			round = append(round, chats[agent][i].turn(agent, len(rounds)))
		}
		rounds = append(rounds, round)
	}
	if base.text != "" {
		rounds = append(rounds, []debate.Turn{base.turn(affirmative, 0)})
	}
	for i := range n {
		add([]int{affirmative, negative, moderator}, i)
	}
	for i := range chats[judge] {
		add([]int{judge}, i)
	}
	return rounds, nil
}

// chats are the replies of each agent.
func (l liang) chats() (chats [4][]said, err error) {
	for role, chat := range l.Players {
		switch first, _, _ := strings.Cut(strings.ToLower(role), " "); first {
		case "affirmative":
			chats[affirmative] = replies(chat)
		case "negative":
			chats[negative] = replies(chat)
		case "moderator":
			chats[moderator] = replies(chat)
		case "judge":
			chats[judge] = replies(chat)
		default:
			return chats, fmt.Errorf("unknown player %.40q; the players are affirmative side, negative side, "+
				"moderator and judge",
				role)
		}
	}
	if l.Players != nil {
		return chats, nil
	}
	for _, r := range l.Rounds {
		for agent, text := range []string{r.Affirmative, r.Negative, r.Moderator} {
			chats[agent] = append(chats[agent], said{text: text})
		}
	}
	if l.Judge != nil {
		chats[judge] = []said{{text: l.Judge.Candidates}, {text: l.Judge.Final}}
	}
	return chats, nil
}

// transcript reads what was said. The decision is that of the log; who took it, and for which side, is read from the
// replies.
func (l liang) transcript(rounds [][]debate.Turn) debate.Transcript {
	last := rounds[len(rounds)-1]
	who, name := last[len(last)-1], debate.RoleModerator
	if who.Agent == judge {
		name = debate.RoleJudge
	}
	v, _ := titfortat.ReadVerdict(who.Reply.Text)
	names := translations{cmp.Or(l.Decided, v.Answer), v.Answer, l.Base}
	if who.Agent == judge {
		names = append(names, quotations(rounds[len(rounds)-2][0].Reply.Text)...)
	}
	t := debate.Transcript{Roles: titfortat.SideNames(2), Rounds: rounds}
	for _, round := range t.Rounds {
		for i, turn := range round {
			round[i].Answer = names.readBy(turn)
		}
	}
	t.Decision = debate.Decision{
		Answer: answer.Raw(names[0]), Votes: []debate.Count{}, Rule: "the answer of the " + name, Side: v.Side,
		Reason: cmp.Or(l.Reason, v.Reason),
	}
	if v.Answer != "" && plainly(v.Answer) != plainly(names[0]) {
		t.Notes = append(t.Notes, fmt.Sprintf("the log's translation differs from the %s's: %q", name, v.Answer))
	}
	return t
}
