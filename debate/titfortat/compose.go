package titfortat

import (
	"cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
)

// Settings are the settings that the form reads, with the names and types of debate.Settings. The doc tags are shown to
// users; the list of what the form reads follows from the fields: see debate.Described.
type Settings struct {
	Agents    int             `doc:"number of debaters; the first is affirmative"`
	Rounds    int             `doc:"number of rounds at most; the moderator may end the debate earlier"`
	Reading   string          `doc:"paper or code, where a source's paper and its code differ"`
	Prompts   string          `doc:"a set of prompts, or a .yaml file"`
	Team      []debate.Member `doc:"what sets agents apart"`
	Order     string          `doc:"the order in which a debater is told what several others have said"`
	Until     string          `doc:"what in a moderator's verdict ends the debate"`
	JudgeSees string          `doc:"which arguments the judge is shown"`
	Level     *int            `doc:"how far the sides may agree, from 0 to 3"`
	Swapped   bool            `doc:"moderator and judge see each side under the other's name"`
	Replies   string          `doc:"how moderator and judge write replies with several fields"`
}

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
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
	d := TitForTat{
		Asking:   ask.Stopping(sides.Stop),
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
		Reads:   debate.Reads[Settings](), Settings: debate.Described[Settings](),
		Idle: idle, Parts: parts(), Compose: compose,
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

var idle = []debate.IdleRule{
	{Settings: []string{"order"}, When: func(s debate.Settings) bool { return cmp.Or(s.Agents, usualDebaters) == 2 },
		Why: "between two debaters, each of whom hears the other alone: take more agents"},
}
