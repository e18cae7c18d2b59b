package reader

import (
	"testing"

	"github.com/parley-debate/parley/debate/answer"
)

// TestCounted: a sentence that has several numbers states the one that counts what the question counts, in figures or
// in words; a reply that begins with its answer and then explains it has given it; and of two numbers the one is read
// that is said to be greater. None of these reads what is supposed, denied or given.
func TestCounted(t *testing.T) {
	const (
		races = "You want to find the fastest 3 goats in a group of 49. You can race 7 at a time. How many " +
			"races do you need?"
		boys = "In a family of 5 children, each has at least one brother. What is the minimum number of " +
			"boys in the family?"
		rs     = "How many 'r's are in the word 'strawberry'?"
		eggs   = "A hen lays 2 eggs a day. How many eggs does it lay in 4 days?"
		apples = "If you have 3 apples and you take away 2, how many do you have?"
		wait   = "If 15 shirts take 1 hour to dry in the sun, how long would 35 shirts take?"
		bigger = "Which is bigger, 9.9 or 9.11?"
		less   = "Which of these is the smaller number: 0.4 or 0.35?"
		add    = "What is 0.1 + 0.2?"
		shared = "In a room of 30 people, what is the probability that at least two do not share a birthday?"
	)
	read := 0
	for _, c := range []struct {
		kind                  answer.Kind
		question, reply, want string
	}{
		// the value of a sentence with several
		{"number", races,
			"We race all groups.\n\nTherefore, you need 8 races to find the fastest 3 goats in a group of 49.", "8"},
		{"number", races, "So, in total, we need 9 races to find the fastest 3 goats among 49 goats.", "9"},
		{"number", races, "We race.\n\nHence, a total of **8 races** is required to find the top 3.", "8"},
		{"number", races,
			"We race.\n\nYou will need at least 13 races to find the fastest 3 in a group of 49 by races of 7.", "13"},
		{"number", races, "We race.\n\nThus eight races are enough to find the fastest 3 of 49 goats.", "8"},
		{"number", races,
			"We race.\n\nThis strategy requires a total of 8 races to find the fastest 3 in the group of 49.", "8"},
		{"number", races, "We race.\n\n7 + 1 = 8 races are needed for the 49 goats.", "8"},
		{"number", races, "We race.\n\nIn 8 races you know the fastest 3 goats.", "8"},
		{"number", races, "Would 10 races be enough for the fastest 3?", ""},
		{"number", boys, "There must be at least two boys in the family, since one boy would have no brother.", "2"},
		{"number", boys, "The family has to have at least 2 boys among its 5 children.", "2"},
		{"number", eggs, "It lays 2 eggs a day.\n\nOver 4 days it lays 8 eggs.", "8"},
		// words and nothing
		{"number", rs, "The word \"strawberry\" contains three 'r's.", "3"},
		{"number", rs, "There are **3** 'r's in the word 'strawberry'.\n\nst**r**awbe**rr**y", "3"},
		{"number", rs,
			"**There are three 'r's in the word \"strawberry\".**\n\n- s, t, r: one\n- berry: two, at 8 and 9", "3"},
		{"number", rs, "There is one 'r' in the word 'strawberry'.", "1"},
		{"number", rs, "There are no 'r's in the word.", "0"},
		{"number", rs, "The word has zero 'r's.\n\nIt is spelled without them.", "0"},
		{"number", rs, "3\n\nReason: it stands at the places 3, 8 and 9.", "3"},
		{"number", "Wie viele h hat das Wort 'habicht'?",
			"Das Wort „habicht“ hat **zwei** h.\n\nEines steht am Anfang.", "2"},
		{"number", rs, "The word does not contain three 'r's.", ""},
		{"number", rs, "Do you mean that it has three 'r's?", ""},
		// an answer that is explained
		{"number", apples, "You have **2**.\n\nBecause you took them! (Though there is 1 left behind.)", "2"},
		{"number", apples,
			"You have **2 apples**.\n\nThose are the ones you took. If it asked what is left, it would be 1.", "2"},
		{"number", rs,
			"There were **3** 'r's.\n\nHere is the breakdown:\n1. Of 10 letters 3 are it.\n2. The 8th is one.", "3"},
		{"quantity", wait, "It would still take **1 hour**.\n\nAll 35 shirts dry at once.", "1"},
		{"number", add,
			"Mathematically, **0.1 + 0.2 = 0.3**.\n\nPrograms may show 0.30000000000000004 for IEEE 754.", "0.3"},
		{"number", add, "0.1 + 0.2 equals 0.3.\n\nIn binary, 64 bits cannot hold it.", "0.3"},
		{"number", add, "The sum of 0.1 and 0.2 is 0.3.", "0.3"},
		{"number", eggs,
			"A hen lays **2 eggs** a day. Let us see.\n\nIn 4 days that makes\n\nSo there are 8 eggs.", "8"},
		{"number", eggs, "To find it, take **2 eggs** a day.\n\nWe look at the days.", ""},
		// comparisons
		{"number", bigger, "9.9 is bigger than 9.11.\n\n- 9.9 = 9.90\n- 90 is more than 11", "9.9"},
		{"number", bigger, "**9.9 is bigger than 9.11.** To see why, write 9.90.", "9.9"},
		{"number", bigger, "We compare digits.\n\nSince 9 is greater than 1, 9.9 is the larger number.", "9.9"},
		{"number", bigger, "We compare digits.\n\nTherefore, **9.9** is greater than 9.11.", "9.9"},
		{"number", bigger, "The number 9.11 is bigger than 9.9.\n\nIt has more digits.", "9.11"},
		{"number", bigger, "9.11 is larger.\n\nIt has 2 decimals.", "9.11"},
		{"number", less, "0.35 is smaller than 0.4.\n\nThe first digits are 3 and 4.", "0.35"},
		{"number", less, "Look at the digits.\n\nSo 0.35 is less than 0.4.", "0.35"},
		{"number", less, "0.4 is greater than 0.35.", "0.35"},
		// a subject that denies, and replies that break off
		{"math", shared,
			"We compute.\n\nSo the probability that at least two do not share a birthday is 0.706, or 70.6%.",
			`\frac{353}{500}`},
		{"math", shared,
			"We compute.\n\nThe probability that no two of them share a birthday is about 0.29.", `\frac{29}{100}`},
		{"math", shared, "We get $x = 15$.\nFinally,", ""},
		{"number", "What is x?", "We get 15 of it.\nFinally,", ""},
	} {
		rule := ruleOf(t, c.kind.Reader(), answer.Question{Text: c.question})
		if got := rule(c.reply); got.Text != c.want {
			t.Errorf("%s\n%s\nread %q, want %q", c.question, c.reply, got.Text, c.want)
		}
		read++
	}
	if read < 43 {
		t.Errorf("%d replies were read, want at least 43", read)
	}
}
