package titfortat

import (
	"cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
)

// settings are the settings of the form. Files, flags, records and help follow from the fields: see debate.Form.Typed.
type settings struct {
	Agents    int             `yaml:"agents"`
	Rounds    int             `yaml:"rounds"`
	Reading   string          `yaml:"reading"`
	Prompts   string          `yaml:"prompts"`
	Team      []debate.Member `yaml:"team"`
	Until     string          `yaml:"until"`
	Order     string          `yaml:"order"`
	Level     *int            `yaml:"level"`
	JudgeSees string          `yaml:"judge-sees"`
	Swapped   bool            `yaml:"swapped"`
	Replies   string          `yaml:"replies"`
}

// described says what the settings mean, and which numbers they can be.
var described = debate.Describe(func(s *settings) []debate.Field {
	return []debate.Field{
		debate.Number(&s.Agents, 1, 1000, "number of debaters; the first is affirmative"),
		debate.Number(&s.Rounds, 1, 1000, "number of rounds at most; the moderator may end the debate earlier"),
		debate.Says(&s.Reading, debate.ReadingMeans),
		debate.Says(&s.Prompts, debate.PromptsMeans),
		debate.Says(&s.Team, debate.TeamMeans),
		debate.Says(&s.Until, "what in a moderator's verdict ends the debate"),
		debate.Says(&s.Order, "the order in which a debater is told what several others have said"),
		debate.Number(&s.Level, 0, 3, "how far the sides may agree: 0 is on everything, 3 on nothing"),
		debate.Says(&s.JudgeSees, "which arguments the judge is shown"),
		debate.Says(&s.Swapped, "moderator and judge see each side under the other's name"),
		debate.Says(&s.Replies, "how moderator and judge write replies with several fields"),
	}
})

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[settings](all)
	sides, err := prompts.LoadSides(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	order, err := listing.ParseCounted(s.Order, "", "tit-for-tat")
	if err != nil {
		return nil, debate.Blame("order", err)
	}
	level := 2
	if s.Level != nil {
		level = *s.Level
	}
	d := titForTat{
		Asking:   ask.Worded(sides.Origin, sides.File, sides.Stop),
		Debaters: cmp.Or(s.Agents, usualDebaters), Rounds: cmp.Or(s.Rounds, 3), Until: s.Until, JudgeSees: s.JudgeSees,
		Level: level, Order: order,
		Reading: cmp.Or(s.Reading, debate.ReadingCode), Swapped: s.Swapped, Replies: s.Replies, Prompts: sides,
	}.complete()
	return debate.Composed(d, all, d.check)
}

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name:    FormName,
		Meaning: "sides argue in turn before a moderator, who may end the debate; otherwise a judge decides",
		Typed:   described,
		Idle:    debate.IdleBy(idle), Parts: parts(), Compose: compose,
		Agents: usualDebaters, Asks: debate.Wording{Prompts: "topic"},
		Seating: debate.Seating{Everybody: []string{"tool"}, Seats: func(_ debate.Settings, debaters int) int {
			return debaters + 2 // the moderator and the judge
		}},
	}
}

// FormName is the name of the form in files and records.
const FormName = "tit-for-tat"

// usualDebaters are the sides of the source.
const usualDebaters = 2

var idle = []debate.IdleRule[settings]{
	{Settings: []string{"order"}, When: func(s settings) bool { return cmp.Or(s.Agents, usualDebaters) == 2 },
		Why: "between two debaters, each of whom hears the other alone: take more agents"},
}
