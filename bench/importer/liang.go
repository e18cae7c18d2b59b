package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/titfortat"
	"github.com/parley-debate/parley/inference"
)

// liang is a debate as that program writes it, with the chats in Players, or as it was published, with the generated
// texts in Rounds and Judge. Its keys are those that canonicalKeys makes.
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

// The agents, in the order of titfortat.SideNames.
const (
	affirmative = iota
	negative
	moderator
	judge
)

func readLiang(content []byte) ([]entry, error) { return eachValue(content, liangDebate) }

func liangDebate(text []byte) (loggedDebate, error) {
	text, err := canonicalKeys(text)
	if err != nil {
		return loggedDebate{}, err
	}
	var l liang
	if err := json.Unmarshal(text, &l); err != nil {
		return loggedDebate{}, err
	}
	rounds, err := l.rounds()
	switch {
	case err != nil:
		return loggedDebate{}, err
	case strings.TrimSpace(l.Source) == "":
		return loggedDebate{}, errors.New("no source: the text to translate is missing")
	}
	h := loggedDebate{question: l.Source, model: cmp.Or(l.Model, l.ModelName), temperature: l.Temperature,
		transcript: l.transcript(rounds)}
	if l.Correct != "" && l.Incorrect != "" {
		h.target, h.rejected = l.Correct, l.Incorrect
	}
	return h, nil
}

// canonicalKeys writes the keys of an object in lower case and with underscores instead of blanks, because versions of
// the program differ in that. Two keys that become one are refused: which of them counts would be a matter of chance.
func canonicalKeys(text []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	out := make(map[string]json.RawMessage, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		key := strings.ReplaceAll(strings.ToLower(name), " ", "_")
		if out[key] != nil {
			return nil, fmt.Errorf("the key %.40q appears twice, in two spellings", key)
		}
		out[key] = fields[name]
	}
	return json.Marshal(out)
}

// rounds returns the replies in the rounds of our tit for tat: the base translation, which the affirmative side
// defends; rounds of affirmative, negative and moderator; the candidates that the judge lists, and the judge's
// decision.
func (l liang) rounds() ([][]debate.Turn, error) {
	chats, err := l.chats()
	if err != nil {
		return nil, err
	}
	n := len(chats[moderator])
	base := reply{text: l.Base}
	if len(chats[affirmative]) == n+1 { // the chat begins with the base translation
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

// players are the agents by the first word of their names in a log.
var players = map[string]int{"affirmative": affirmative, "negative": negative, "moderator": moderator, "judge": judge}

// chats returns the replies of each agent.
func (l liang) chats() (chats [4][]reply, err error) {
	if len(l.Rounds) > maxTurns {
		return chats, fmt.Errorf("%d rounds: at most %d turns are read", len(l.Rounds), maxTurns)
	}
	var seen [4]bool
	for _, role := range slices.Sorted(maps.Keys(l.Players)) {
		first, _, _ := strings.Cut(strings.ToLower(role), " ")
		agent, known := players[first]
		switch {
		case !known:
			return chats, fmt.Errorf("unknown player %.40q; the players are affirmative side, negative side, "+
				"moderator and judge", role)
		case seen[agent]:
			return chats, fmt.Errorf("two players are called %s", first)
		}
		seen[agent], chats[agent] = true, repliesIn(l.Players[role])
	}
	if l.Players != nil {
		return chats, nil
	}
	for _, r := range l.Rounds {
		for agent, text := range []string{r.Affirmative, r.Negative, r.Moderator} {
			chats[agent] = append(chats[agent], reply{text: text})
		}
	}
	if l.Judge != nil {
		chats[judge] = []reply{{text: l.Judge.Candidates}, {text: l.Judge.Final}}
	}
	return chats, nil
}

// transcript reads the answers from the replies. The decision is that of the log; the last reply tells who took it, and
// for which side.
func (l liang) transcript(rounds [][]debate.Turn) debate.Transcript {
	last := rounds[len(rounds)-1]
	final, name := last[len(last)-1], debate.RoleModerator
	if final.Agent == judge {
		name = debate.RoleJudge
	}
	v, _ := titfortat.ReadVerdict(final.Reply.Text)
	known := translations{cmp.Or(l.Decided, v.Answer), v.Answer, l.Base}
	if final.Agent == judge {
		known = append(known, quotations(rounds[len(rounds)-2][0].Reply.Text)...)
	}
	t := debate.Transcript{Roles: titfortat.SideNames(2), Rounds: rounds}
	for _, round := range t.Rounds {
		for i, turn := range round {
			round[i].Answer = known.answerOf(turn)
		}
	}
	t.Decision = debate.Decision{
		Answer: answer.Raw(known[0]), Votes: []debate.Count{},
		Rule: debate.OtherRule("the answer of the " + name), Side: v.Side,
		Reason: cmp.Or(l.Reason, v.Reason),
	}
	if v.Answer != "" && normalize(v.Answer) != normalize(known[0]) {
		t.Notes = append(t.Notes, fmt.Sprintf("the log's translation differs from the %s's: %q", name, v.Answer))
	}
	return t
}
