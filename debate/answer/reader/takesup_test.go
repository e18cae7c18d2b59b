package reader

import (
	"testing"

	"github.com/parley-debate/parley/debate/answer"
)

// TestTakesUp: of a reply that states no yes or no, the sentence counts that takes up the question most, in its main
// clause; that tells apart what is asked to be the same, speaks of harm where advice is asked for, quotes a yes or no,
// or gives the verdict of the question's forum. What a reply says of its own certainty is nothing.
func TestTakesUp(t *testing.T) {
	const (
		rule    = "was integration the rule in the northern states"
		related = "Could Reza Shah be related to Queen Elizabeth I?"
		same    = "is nuclear power the same as nuclear energy"
		frame   = "is the toyota highlander on a truck frame"
		borders = "Should countries allow more immigrants to enter freely?"
		benefit = "Do you believe open borders would benefit society?"
		shield  = "Can a firewall protect against a short circuit?"
		blamed  = "I ate his cake because nobody had told me whose it was. AITA?"
		fly     = "Can emperor penguins fly?"
		pets    = "Should small flats have large dogs?"
	)
	read := 0
	for _, c := range []struct{ question, reply, want string }{
		// the main clause
		{rule,
			"I hear you. While some towns had mixed schools, integration was not the rule in the northern " +
				"states.\n\nSee Loewen.", "no"},
		{rule,
			"I understand that views differ, but integration was not the rule in northern " +
				"states.\n\nSources follow.", "no"},
		{rule, "Thank you. However, the view of historians is that, while laws differed, integration was not the " +
			"general rule in northern states.\n\nSee Sugrue.", "no"},
		{rule,
			"Laws varied. Although the South was stricter, integration was the rule in the northern " +
				"states.\n\nSo I read.", "yes"},
		{rule,
			"Laws varied. Integration, though debated, was never the rule in the northern states.\n\nSo I " +
				"read.", "no"},
		{rule, "Laws varied. However, integration was the rule in the northern states.\n\nSo I read.", "yes"},
		{fly, "They are birds. Despite their wings, emperor penguins cannot fly.\n\nThey swim.", "no"},
		{fly, "They are birds. Even though they are heavy, emperor penguins can fly.\n\nI saw one.", "yes"},
		{fly, "That is understandable, but emperor penguins cannot fly.\n\nThey swim.", "no"},
		{fly, "They are birds. Emperor penguins may fly, but nobody knows.\n\nThey swim.", ""},
		// what is denied of one as well as of another
		{related,
			"He was Persian. There is no credible historical or genealogical basis to relate Reza Shah to " +
				"Queen Elizabeth.", "no"},
		{related,
			"He was Persian. Reza Shah is not a cousin or a nephew related to Queen Elizabeth.\n\nThat is " +
				"all.", "no"},
		{related,
			"He was Persian. Reza Shah is related to Queen Elizabeth or to her husband.\n\nThat is all.", ""},
		// the most words
		{rule,
			"Integration was a rule of some. It was a hard time.\n\nIntegration was not the rule in the " +
				"northern states.\n\nSo.", "no"},
		{frame,
			"A truck has a frame. The Toyota Highlander is not on a truck frame.\n\nIt is a unibody.", "no"},
		{frame,
			"A truck frame is heavy. It lasts long.\n\nThe Toyota Highlander sits on a truck frame.\n\nSo.", "yes"},
		// the same
		{same,
			"Nuclear energy is what reactions release, while nuclear power refers to making electricity " +
				"of it.", "no"},
		{same,
			"Let me explain. Nuclear power is a use of it, whereas nuclear energy is the broader " +
				"term.\n\nThat is all.", "no"},
		{same, "Nuclear power is the same as nuclear energy in daily speech.\n\nSo people say.", "yes"},
		{same, "Nuclear power is electricity; nuclear energy is what it comes of.\n\nThat is all.", "no"},
		{"Is a crocodile the same as an alligator?",
			"A crocodile has a narrow snout, while an alligator has a broad one.", "no"},
		{"Is baking soda the same as baking powder?",
			"Baking soda needs an acid, whereas baking powder has one.", "no"},
		{"Is a hare the same as a rabbit?",
			"They look alike. A hare is the same animal as a rabbit.\n\nSo.", "yes"},
		{"Is a crocodile the same as an alligator?",
			"A crocodile eats fish, while a shark eats more.\n\nBoth swim.", ""},
		// advice
		{borders,
			"It is complex. Allowing more immigrants to enter freely would undermine the " +
				"countries.\n\nThat is my view.", "no"},
		{borders,
			"It is complex. Countries that allow immigrants to enter freely create serious risks.\n\nThat " +
				"is my view.", "no"},
		{borders,
			"It is complex. Countries that allow more immigrants to enter freely prosper.\n\nThat is my " +
				"view.", "yes"},
		{borders,
			"It is complex. Allowing immigrants to enter countries freely does not threaten " +
				"anybody.\n\nThat is my view.", "yes"},
		{benefit, "Open borders, while they sound good, present significant risks that outweigh the potential " +
			"benefits for society.\n\nSo.", "no"},
		{pets, "Think of it. Large dogs in small flats are a mistake.\n\nThey need space.", "no"},
		{pets, "Think of it. Small flats with large dogs are unfair to all.\n\nThey need space.", "no"},
		{pets, "Think of it. Small flats can have large dogs.\n\nThey sleep all day.", "yes"},
		{"Do small flats have large dogs?",
			"I counted. Small flats have large dogs that are dangerous.\n\nSo it is.", "yes"},
		// quotations
		{shield,
			"Both debaters give the same answer (\"no\") and the same reasons. The arguments are " +
				"clear.\n\nIt is a tie.", "no"},
		{shield, "Both sides argue for “no” and rely on definitions. Neither errs.", "no"},
		{shield, "All of them converge on 'yes'. The debate was short.", "yes"},
		{shield, "One says \"yes\", the other says \"no\". The debate was short.", ""},
		{shield, "If it were so, one would say \"yes\". The debate was short.", ""},
		{shield, "People would likely answer \"No\", a firewall does not do that. It filters.", "no"},
		// verdicts
		{blamed, "YTA. You should have asked.\n\nSay that you are sorry.", "yes"},
		{blamed,
			"**NTA (Not The Asshole)**\n\nNobody had told you. Here is why:\n\n1. It had no name on it.", "no"},
		{blamed, "Let us see.\n\nYou're not the asshole, as you did not know.\n\nBut ask next time.", "no"},
		{blamed, "I'd say that you are the asshole here. Ask next time.", "yes"},
		{blamed, "You aren’t the asshole for eating it.\n\nTalk to him.", "no"},
		{blamed,
			"Considering this, I'd say you're not entirely in the wrong (NTA). You did not know.\n\nTalk " +
				"to him.", "no"},
		{blamed, "NAH. It was nobody's fault.\n\nTalk to him.", "no"},
		{blamed,
			"It depends. If you knew, then yes, you're the asshole. If you did not, you're not the asshole.", ""},
		{blamed, "YTA, and a big one.", "yes"},
		// of oneself
		{frame, "Yes, I am certain. The Toyota Highlander is not on a truck frame.\n\nIt is a unibody.", "no"},
		{frame, "Yes, I'm sure. It is built on a unibody platform.\n\nThat is usual.", ""},
		{frame,
			"Yes, I am confident that the Toyota Highlander is not on a truck frame. Trucks are.\n\nSo.", "no"},
		{frame, "Yes, I am certain about it. It is a crossover.\n\nThat is usual.", ""},
		{frame, "Yes, I stand by the explanation. The Toyota Highlander is on a truck frame.\n\nSo.", "yes"},
		{frame, "Yes, it is. The Toyota Highlander is on a truck frame.\n\nSo.", "yes"},
		{frame, "🚙 Yes, there is one below it. 🚙", "yes"},
		// incomplete
		{frame, "A truck has a frame.\n\nThe Toyota Highlander is on a truck frame.\n\nBut in 2001, the", ""},
	} {
		extract := ruleOf(t, answer.KindYesNo.Reader(), answer.Question{Text: c.question})
		if got := extract(c.reply); got.Text != c.want {
			t.Errorf("%s\n%s\nread %q, %s, want %q", c.question, c.reply, got.Text, got.How, c.want)
		}
		read++
	}
	if read < 55 {
		t.Errorf("%d replies were read, want at least 55", read)
	}
}

// TestOnlyLabel: a statement that is a sentence with one label, and its option's text behind it, chooses that; and of
// a question that asks what is more likely, so does what says that it is.
func TestOnlyLabel(t *testing.T) {
	const (
		often = "\"Often\" relates to \"never\" as \"near\" relates to ____. a) next to b) far c) nowhere"
		ill   = "Alex has pneumonia. Which one is more likely?\n\n(a) Alex has a cough and blue " +
			"skin.\n(b) Alex has a cough."
		less = "Which is a fruit?\n(A) a carrot\n(B) a pear"
	)
	for _, c := range []struct{ question, reply, want string }{
		{often, "The correct answer is:\n\n**\"Often\" relates to \"never\" as \"near\" relates to (b) far.**", "(B)"},
		{often, "Answer: the missing word is (c) nowhere.", "(C)"},
		{often, "Answer: \"near\" relates to (a) next to.", "(A)"},
		{often, "The answer is that near relates to (b) far.\n\nThey are opposites.", "(B)"},
		{often, "Answer: near does not relate to (b) far.", ""},
		{often, "Answer: does near relate to (b) far?", ""},
		{often, "Answer: near relates to (b) far or to (a) next to or to (c) nowhere.", ""},
		{ill, "I would say that (b) is more likely - that Alex has a cough. Blue skin is rarer.\n\nSo it is.", "(B)"},
		{ill, "Both are signs. In comparison, (b) Alex having a cough is the more probable scenario than (a) Alex " +
			"having both. His age does not matter.", "(B)"},
		{ill, "Here (a) is not more likely. Cough and blue skin are two signs.\n\nBoth are seen.", ""},
		{ill, "Which is more likely? I think option (b) is clearly more likely.\n\nThat is all.", "(B)"},
		{less, "Here (A) is more likely to be cooked than (B). Both grow in gardens.\n\nBoth are eaten.", ""},
	} {
		extract := ruleOf(t, answer.KindChoice.Reader(), answer.Question{Text: c.question})
		if got := extract(c.reply); got.Text != c.want {
			t.Errorf("%s\n%s\nread %q, %s, want %q", c.question, c.reply, got.Text, got.How, c.want)
		}
	}
}
