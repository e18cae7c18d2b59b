package reader

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/symbolic"
	"github.com/parley-debate/parley/internal/bug"
)

// TestPieces: a piece of what is said is no answer. A number is read whole, with its sign and in one unit, or not;
// words keep what makes them others; "no" before a noun is no verdict; a refusal states nothing, nor do several
// options; and letters, digits and marks of other scripts and languages are read as those of English. Each row of the
// file has replies with what may be read from them, "" being nothing.
func TestPieces(t *testing.T) { readRows(t, "pieces", 500) }

// TestEndings: what larger models end their replies with is read, in the many ways in which they write a value, a
// verdict, an option or a name, and behind it a check or an explanation.
func TestEndings(t *testing.T) { readRows(t, "endings", 750) }

// ruleOf is RuleFor. Of a reply by which it panics, it reads the text of the panic, so that the test says which one.
func ruleOf(t rapid.TB, name string, about answer.Question) answer.Extractor {
	t.Helper()
	rule, err := RuleFor(name, about)
	if err != nil {
		t.Fatal(err)
	}
	return func(reply string) (a answer.Answer) {
		if mistake := bug.Text(func() { a = rule(reply) }); mistake != "" {
			return answer.Of(mistake)
		}
		return a
	}
}

// readRows reads the replies of a file, of which there are at least so many.
func readRows(t *testing.T, file string, least int) {
	f, err := os.Open("../testdata/" + file + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		var row struct {
			Kind    answer.Kind
			Asked   string
			Options []string
			Read    []string
			Replies []string
		}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rule := ruleOf(t, row.Kind.Reader(), answer.Question{Text: row.Asked, Options: row.Options})
		for _, reply := range row.Replies {
			if got := rule(reply); !slices.ContainsFunc(row.Read, func(want string) bool {
				return got.Text == want || row.Kind == answer.KindMath && symbolic.Same(got.Text, want)
			}) {
				t.Errorf("%s %q: %q, want one of %q", row.Kind, reply, got.Text, row.Read)
			}
			n++
		}
	}
	if n < least {
		t.Errorf("%d replies were read, want at least %d", n, least)
	}
}

// golds draws right answers of a kind, as files have them.
func golds(t *rapid.T, kind answer.Kind) string {
	one := func(from ...string) string { return rapid.SampledFrom(from).Draw(t, "part") }
	digits := func() string { return rapid.StringMatching(`(0|[1-9][0-9]{0,2})`).Draw(t, "digits") }
	number := func() string {
		return one("", "-", "+", "−", "$", "-$") + one(digits(), digits()+"."+digits(), one("1", "12", "123")+",456",
			"1 234 567", "1'234", "1e5", digits()+" million", "12,34,567", "5k", "１２", "0.30000000000000004")
	}
	switch kind {
	case answer.KindNumber:
		return number()
	case answer.KindQuantity:
		return one(number(), digits()+"%", digits()+" %", "-"+digits()+".5%", "1/"+one("2", "3", "7"), "3:2", "½")
	case answer.KindYesNo:
		return one("yes", "No", "TRUE", "false", "Y", "n", "T", "F", "ja", "nein", "да", "нет")
	case answer.KindChoice:
		return one("A", "(B)", "C", "b")
	case answer.KindMath:
		return one(number(), `\frac{3}{4}`, "x+1", "x-1", `2\sqrt{3}`, "(3,5)", `\{1,2\}`, `\pi`, "x^2-1", `[0,1)`)
	case answer.KindName:
		return one("Ana", "Bob Roe", "Cy-Lee")
	}
	if kind == answer.KindText {
		return one("Er ging früh.", "He left at dawn.", "-5 °C")
	}
	return one("Paris", "x+1", "x-1", "i++", "i--", "a==b", "-40 °C", "1.5 kg", "15 kg", "vitamin A", "A", "C++", "C#",
		"O-", "O+", "10:30", "3:2", "Москва", "北京", "The United States", "well-known", "AT&T", "1.2.3", "5%", "<5",
		">5", ">=5", "+", "**", "…")
}

// TestGoldsAreReadBack: a right answer that is accepted is read as itself where a reply states it, and two that are
// written otherwise and are not the same have different texts.
func TestGoldsAreReadBack(t *testing.T) {
	people := []string{"Ana", "Bob Roe", "Cy-Lee"}
	accepted := map[answer.Kind]int{}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(answer.Kinds()).Draw(t, "kind")
		about := answer.Question{Text: "What is it that is meant here?"}
		if kind == answer.KindChoice || kind == answer.KindName {
			about.Options = people
		}
		gold := golds(t, kind)
		if Whole(kind.Reader(), gold, about) != nil {
			return
		}
		want, err := ReadTarget(kind.Reader(), gold, about)
		if err != nil || !want.Parsed {
			return
		}
		accepted[kind]++
		form := rapid.SampledFrom([]string{"The answer is %s.", "**Answer:** %s", "Final answer: %s",
			"So it follows.\n\n<answer>%s</answer>", "Die Antwort ist %s."}).Draw(t, "form")
		switch {
		case kind == answer.KindYesNo && len(gold) == 1:
			form = "%s"
		case kind == answer.KindMath:
			form = `So it is $\boxed{%s}$.`
		case kind == answer.KindText: // of which a point is a part
			form = "Answer: %s"
		}
		rule := ruleOf(t, kind.Reader(), about)
		if got := rule(strings.Replace(form, "%s", gold, 1)); got.Text != want.Text {
			t.Fatalf("%s %q in %q is read as %q, want %q", kind, gold, form, got.Text, want.Text)
		}
	})
	for _, kind := range answer.Kinds() {
		if accepted[kind] == 0 && !testing.Short() { // when rapid tries too few
			t.Errorf("no right answer of the kind %s was accepted", kind)
		}
	}
	texts := map[string]string{}
	for _, gold := range []string{"x+1", "x-1", "x*1", "x/1", "x1", "i++", "i--", "i", "a=b", "a==b", "-5 °C", "5 °C",
		"1.5 kg", "15 kg", "vitamin A", "vitamin", "C", "C++", "C#", "O+", "O-", "O", "10:30", "1030", "5%", "5",
		"<5", ">5", "3-5", "35"} {
		a, err := ReadTarget(answer.KindWords.Reader(), gold, answer.Question{})
		if other, twice := texts[a.Text]; err != nil || !a.Parsed || twice {
			t.Errorf("%q is read as %q, %v, and so is %q", gold, a.Text, err, other)
		}
		texts[a.Text] = gold
	}
}
