package grammar

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGrammars compares grammars with expected ones that are small enough to read.
func TestGrammars(t *testing.T) {
	for _, test := range []struct {
		name  string
		value Value
		want  []string
	}{
		{"choice", Choice("yes", "no", "yes", `"a\b"`+"\n"), []string{
			`root ::= "yes" | "no" | "\"a\\b\"\x0a"`}},
		{"text", Text(5), []string{
			`root ::= [ -~\u00a0-\ud7ff\ue000-\U0010ffff]{0,5}`}},
		{"number", Number(-12, 105), []string{
			`root ::= "-" [1-9] | "-" "1" [0-2] | [0-9] | [1-9] [0-9]{1} | "1" "0" [0-5]`}},
		{"object", Object(Field{"answer", Choice("(A)", "<B>")}, Field{"sure", Number(0, 9)}, Field{"why", Text(3)}),
			[]string{
				`root ::= r5`,
				`r1 ::= "\"(A)\"" | "\"<B>\""`,
				`r2 ::= [0-9]`,
				`r3 ::= [ !#-\[\]-~\u00a0-\ud7ff\ue000-\U0010ffff] | "\\" ["\\]`,
				`r4 ::= "\"" r3{0,3} "\""`,
				`r5 ::= "{\"answer\": " r1 ", \"sure\": " r2 ", \"why\": " r4 "}"`}},
		{"lists", List(List(Choice("a"), 0, 2), 2, 3), []string{
			`root ::= r3`,
			`r1 ::= "\"a\""`,
			`r2 ::= "[" (r1 (", " r1){0,1})? "]"`,
			`r3 ::= "[" r2 (", " r2){1,2} "]"`}},
		{"points", Points(2, 2), []string{
			`root ::= "{\"0\": " r1`,
			`r1 ::= "0, \"1\": " "2}" | "1, \"1\": " "1}" | "2, \"1\": " "0}"`}},
		{"ranking", Ranking(3, 9), []string{
			`root ::= r7`,
			`r1 ::= "2"`,
			`r2 ::= "1"`,
			`r3 ::= "1 "r1|"2 "r2`,
			`r4 ::= "0"`,
			`r5 ::= "0 "r1|"2 "r4`,
			`r6 ::= "0 "r2|"1 "r4`,
			`r7 ::= "0 "r3|"1 "r5|"2 "r6`}},
		{"ranking of many", Ranking(12, 3), []string{
			`root ::= r1 (" " r1){2}`,
			`r1 ::= [0-9] | "1" [0-1]`}},
		{"approval", Object(Field{"ok", Approval(2)}), []string{
			`root ::= r3`,
			`r1 ::= "1"`,
			`r2 ::= "0" ("," r1)? | r1`,
			`r3 ::= "{\"ok\": " "\"" r2 "\"" "}"`}},
		{"a letter in parentheses", Between(" (", Letter(), ")"), []string{
			`root ::= " (" r1 ")"`,
			`r1 ::= [A-J]`}},
		{"a decimal in an object", Object(Field{"n", Between("", Decimal(), "")}), []string{
			`root ::= r3`,
			`r1 ::= "-"? ([0-9]{1,15} | [0-9]{1,3} ("," [0-9]{3}){1,4}) ("." [0-9]{1,6})?`,
			`r2 ::= "\"" r1 "\""`,
			`r3 ::= "{\"n\": " r2 "}"`}},
		{"line", Between("", Line(9), "."), []string{
			`root ::= r1 "."`,
			`r1 ::= [ -~\u00a0-\ud7ff\ue000-\U0010ffff]{1,9} "\x0a"{0,2}`}},
		{"nothing", Object(Field{"list", List(Choice(), 0, 0)}, Field{"none", Object()}), []string{
			`root ::= r1`,
			`r1 ::= "{\"list\": " "[]" ", \"none\": " "{}" "}"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Join(test.want, "\n")+"\n", test.value.String()); diff != "" {
				t.Errorf("the grammar of %s (-want +got):\n%s", test.name, diff)
			}
		})
	}
}

// TestNumbers reads the expressions for a range as a regular expression, which must match the numbers in the range and
// no others.
func TestNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		from := random.IntN(2400) - 1200
		to := from + random.IntN(1+random.IntN(2400))
		text := strings.NewReplacer(`"`, "", " ", "").Replace(strings.Join(numbersBetween(from, to), "|"))
		pattern, err := regexp.Compile("^(" + text + ")$")
		if err != nil {
			t.Fatalf("from %d to %d: want an expression, got %v", from, to, err)
		}
		for n := -1300; n < 4000; n++ {
			if got, want := pattern.MatchString(strconv.Itoa(n)), from <= n && n <= to; got != want {
				t.Fatalf("from %d to %d: %d is matched: %t, by %s; want %v", from, to, n, got, text, want)
			}
		}
	}
	if all := numbersBetween(0, math.MaxInt); len(all) < 19 {
		t.Errorf("numbers of 0 to the highest int need a rule for each of 19 lengths: got %d, %v", len(all), all)
	}
	if none := numbersBetween(3, 2); none != nil {
		t.Errorf("%v, want nil", none)
	}
}
