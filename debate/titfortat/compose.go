package titfortat

import (
	"cmp"
	"reflect"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
)

// settings are the settings of the form. Files, flags, records and help follow from the fields: see debate.Form.Typed.
type settings struct {
	Agents    int             `yaml:"agents" range:"1..1000" doc:"number of debaters; the first is affirmative"`
	Rounds    int             `yaml:"rounds" range:"1..1000" doc:"number of rounds at most; the moderator may end the debate earlier"`
	Reading   string          `yaml:"reading" doc:"what is followed where a source's paper and its code differ"`
	Prompts   string          `yaml:"prompts" doc:"a set of prompts, or a .yaml file"`
	Team      []debate.Member `yaml:"team" doc:"what sets agents apart"`
	Until     string          `yaml:"until" doc:"what in a moderator's verdict ends the debate"`
	Order     string          `yaml:"order" doc:"the order in which a debater is told what several others have said"`
	Level     *int            `yaml:"level" range:"0..3" doc:"how far the sides may agree: 0 is on everything, 3 on nothing"`
	JudgeSees string          `yaml:"judge-sees" doc:"which arguments the judge is shown"`
	Swapped   bool            `yaml:"swapped" doc:"moderator and judge see each side under the other's name"`
	Replies   string          `yaml:"replies" doc:"how moderator and judge write replies with several fields"`
}

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
		Typed:   reflect.TypeFor[settings](),
		Idle:    debate.IdleBy(idle), Parts: parts(), Compose: compose,
		Agents: usualDebaters, Asks: debate.Wording{Prompts: "topic"},
		Seating: debate.Seating{Seats: func(_ debate.Settings, debaters int) int {
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
