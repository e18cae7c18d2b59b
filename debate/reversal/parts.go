package reversal

import "github.com/parley-debate/parley/debate"

// parts returns the values that settings can have in a reversal.
func parts() (all []debate.Part) {
	add := func(setting, value, meaning, source string) {
		all = append(all, debate.Part{Setting: setting, Value: value, Meaning: meaning, Source: source})
	}
	for _, o := range []struct{ name, meaning string }{
		{OrderCorrectFirst, "right solutions, then wrong ones (centre)"},
		{OrderIncorrectFirst, "wrong solutions, then right ones (centre)"},
		{orderAlternating, "right and wrong solutions in turn (centre)"},
	} {
		add("order", o.name, o.meaning, "MADC, Key Decision-Makers")
	}
	add("order", orderPlaced+":P", "one right solution, that of the holder, at place P among wrong ones (centre)", "")
	for _, o := range []struct{ name, meaning string }{
		{InitialRight, "the right answer"}, {InitialWrong, "the wrong answer that it hears"},
		{InitialOther, "a third answer"},
	} {
		add("own", o.name, o.meaning, "MADC, Key Decision-Makers")
	}
	return all
}
