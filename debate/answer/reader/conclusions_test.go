package reader

import (
	"testing"

	"github.com/parley-debate/parley/debate/answer"
)

// TestConclusions: a conclusion that takes up the question answers it with yes or no, without either word.
func TestConclusions(t *testing.T) {
	const (
		coin    = "A coin is heads up. Ann does not flip it. Bob flips it. Is the coin still heads up? Think."
		leopard = "Can a snow leopard eat twice its own body weight?"
		frost   = "Would it be unusual to see frost in September in Texas?"
		llama   = "Could a llama give birth twice during the War in Vietnam?"
		bones   = "Would a person with anorexia be more likely to break a bone than a regular person?"
		sofa    = "Is a sofa commonly found in a bathroom?"
		legal   = "Is it legal to own a tiger in Texas?"
		plaus   = "Is the following sentence plausible? \"Messi hit a home run.\""
		shop    = "Do the shops in Berlin open on Sunday mornings?"
	)
	read := 0
	for _, c := range []struct{ question, reply, want string }{
		{coin, "Bob turns it.\n\nFinal Answer: The coin is now tails up.", "no"},
		{coin, "Ann: heads.\nBob: heads.\n\nFinal Answer: The coin is still heads up.", "yes"},
		{coin, "Bob flips it, so the coin is tails up.", "no"},
		{coin, "It was turned once.\n\nTherefore, the coin is no longer heads up.", "no"},
		{coin, "It was turned once.\n\n**Therefore, the coin is not still heads up.**", "no"},
		{leopard, "1. It weighs 50 kg.\n2. It is not possible for a snow leopard to eat twice its own body weight.",
			"no"},
		{leopard, "It weighs 50 kg.\n\nThus, it is impossible for a snow leopard to eat twice its body weight.", "no"},
		{leopard, "It weighs 50 kg.\n\nIn conclusion, a snow leopard can eat twice its own body weight.", "yes"},
		{leopard, "It weighs 50 kg.\n\nA snow leopard is therefore unable to eat twice its own body weight.", "no"},
		{leopard, "It weighs 50 kg.\n\nIn short, no—a leopard eats less.", "no"},
		{leopard, "It weighs 50 kg and eats little at a time, **no, it cannot**. That is all we know of it.", "no"},
		{frost, "1. It is 80 °F.\n2. Since that is warm, it would be unusual to see frost in September in Texas.",
			"yes"},
		{frost, "It is cold there.\n\nIt would not be unusual to see frost in Texas in September.", "no"},
		{frost, "It is cold there.\n\nSo it would be usual to see frost in Texas in September.", "no"},
		{llama, "The war took 8 months.\n\nOverall, it is unlikely that a llama gave birth twice during the War in " +
			"Vietnam.", "no"},
		{llama, "The war took 20 years.\n\nGiven this information, it is likely that a llama could give birth twice " +
			"during the War in Vietnam. The war had no effect on llamas.", "yes"},
		{bones, "1. It weakens bones.\n2. Therefore, a person with anorexia is more likely to break a bone than a " +
			"regular person due to weak bones.", "yes"},
		{bones, "Bones are strong.\n\nThus a person with anorexia is less likely to break a bone than a regular " +
			"person.", "no"},
		{bones, "Bones are strong.\n\nThus a person with anorexia is not more likely to break a bone than a regular " +
			"person.", "no"},
		{sofa, "It is damp there.\n\nSofas are not commonly found in bathrooms.", "no"},
		{sofa, "It is damp there.\n\nTherefore, a sofa is rarely found in a bathroom.", "no"},
		{legal, "Rules differ.\n\nHence, it is illegal to own a tiger in Texas.", "no"},
		{legal, "Rules differ.\n\nHence, it is legal to own a tiger in Texas.", "yes"},
		{plaus, "Messi plays soccer, home runs are of baseball.\n\nSo the sentence is implausible.", "no"},
		{plaus, "Messi plays soccer, home runs are of baseball.\n\nTherefore, the sentence is not plausible.", "no"},
		{shop, "It is a city.\n\nThe shops in Berlin do not open on Sunday mornings.", "no"},
		{shop, "It is a city.\n\nThe shops in Berlin open on Sunday mornings. Let me know if you need more!", "yes"},
		{shop, "It is a city.\n\nTherefore, the statement that they do is false.", "no"},
		{shop, "It is a city.\n\nSo the answer would be that the shops in Berlin open on Sunday mornings.", "yes"},
		// nothing is concluded
		{shop, "It is a city.\n\nWhether the shops in Berlin open on Sunday mornings depends on the season.", ""},
		{shop, "It is a city.\n\nThe shops in Berlin may open on Sunday mornings.", ""},
		{shop, "Do the shops in Berlin open on Sunday mornings?", ""},
		{coin, "First, Ann does not flip the coin.", ""},
		{leopard, "A snow leopard weighs 50 kg.", ""},
		{sofa, "A website will have little to no sofas in a bathroom.", ""},
	} {
		rule := ruleOf(t, answer.KindYesNo.Reader(), answer.Question{Text: c.question})
		if got := rule(c.reply); got.Text != c.want {
			t.Errorf("%s\n%s\n%q, want %q", c.question, c.reply, got.Text, c.want)
		}
		read++
	}
	if read < 35 {
		t.Errorf("%d conclusions were read, want at least 35", read)
	}
}
