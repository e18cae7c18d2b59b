package task

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/datatest"
)

// mapped parses columns as a flag has them; "" is no mapping.
func mapped(t *testing.T, columns string) (m Mapping) {
	t.Helper()
	if columns == "" {
		return m
	}
	m, err := ParseMapping(columns)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestOwn reads rows that belong to no benchmark, in each format and with each form of choices and answers.
func TestOwn(t *testing.T) {
	for name, test := range map[string]struct {
		content, columns string   // of the file, and as the flag names them
		read, rule       string   // the columns that were read
		targets          []string // of all questions
		text             string   // of the first one
		replies          map[string]Score
	}{
		"question and answer": {`{"question": "2+2?", "answer": "4"}` + "\n" +
			`{"question": "10/4?", "answer": 2.50}`, "",
			"question=question,answer=answer", "reader-number-14", []string{"4", "2.50"}, "2+2?",
			map[string]Score{"So it is 4.0.": Right, "5": Wrong, "no": Unparsed}},
		"prompt and gold": {"prompt,gold,id\n\"1,000 and 1?\",\"1,001\",x\n", "", "question=prompt,answer=gold",
			"reader-number-14",
			[]string{"1,001"}, "1,000 and 1?", map[string]Score{"1001": Right}},
		"TSV with BOM and CRLF": {"\ufeffPrompt\tLabel\r\nsay, what?\tParis\r\n", "", "question=Prompt,answer=Label",
			"reader-words-14",
			[]string{"Paris"}, "say, what?",
			map[string]Score{"The answer is: paris.": Right, "Rome": Wrong, "": Unparsed}},
		"named columns": {`{"q": "2+2?", "a": 4, "question": "no"}`, "question=q,answer=a", "question=q,answer=a",
			"reader-number-14",
			[]string{"4"}, "2+2?", nil},
		"one of two named": {`{"stem": "2+2?", "gold": 4}`, "question=stem", "question=stem,answer=gold",
			"reader-number-14",
			[]string{"4"}, "2+2?", nil},
		"names of the second choice": {`{"Query": "2+2?", "Expected Answer": 4}`, "",
			"question=Query,answer=Expected Answer", "reader-number-14", []string{"4"}, "2+2?", nil},
		"a reference beside an answer": {`{"question": "2+2?", "answer": 4, "reference": "a book"}`, "",
			"question=question,answer=answer", "reader-number-14", []string{"4"}, "2+2?", nil},
		"percentages": {"prompt,gold\na?,75%\nb?,3/4\nc?,2\n", "", "question=prompt,answer=gold", "reader-quantity-14",
			[]string{"75%", "3/4", "2"}, "a?", map[string]Score{"0.75": Right}},
		"boxed solutions": {`{"problem": "Half of 1?", "solution": "It is $\\boxed{\\frac12}$."}`, "",
			"question=problem,answer=solution", "reader-math-14", []string{`\frac{1}{2}`}, "Half of 1?",
			map[string]Score{`\boxed{0.5}`: Right, `\boxed{2}`: Wrong}},
		"solutions with ####": {`{"prompt": "2+2?", "solution": "2 and 2\n#### 4"}`, "",
			"question=prompt,answer=solution", "reader-number-14", []string{"4"}, "2+2?", nil},
		"exponents": {`{"prompt": "?", "gold": 1.5e3}`, "", "question=prompt,answer=gold", "reader-number-14",
			[]string{"1500"},
			"?",
			map[string]Score{"1,500": Right}},
		"truth values": {`{"prompt": "Is it?", "gold": true}`, "", "question=prompt,answer=gold", "reader-yes-no-14",
			[]string{"true"},
			"Is it?", map[string]Score{"True.": Right}},
		"BIG-bench in words": {`{"examples": [{"input": "Is it?", "target": "Yes"}]}`, "",
			"question=input,answer=target",
			"reader-yes-no-14", []string{"Yes"}, "Is it?", nil},
		"letters without choices": {"{\"prompt\": \"Which? (A) x (B) y\", \"gold\": \"(B)\"}", "",
			"question=prompt,answer=gold", "reader-choice-14", []string{"(B)"}, "Which? (A) x (B) y",
			map[string]Score{"(B)": Right, "(A)": Wrong}},

		"letters of listed options": {`{"prompt": "Which?\nA. x\nB. y\nC. z", "gold": "B"}` + "\n" +
			`{"prompt": "What? (A) x (B) y", "gold": "(B) y"}`, "", "question=prompt,answer=gold", "reader-choice-14",
			[]string{"B", "(B) y"}, "Which?\nA. x\nB. y\nC. z",
			map[string]Score{"B. y": Right, "The answer is (B) y.": Right, "A": Wrong}},
		"letters of yes and no": {"prompt,gold\nIs it?,Y\nIs he?,n\n", "", "question=prompt,answer=gold",
			"reader-yes-no-14", []string{"Y", "n"}, "Is it?",
			map[string]Score{"Yes.": Right, "y": Right, "N": Wrong, "No idea.": Unparsed}},
		"signs": {"prompt,gold\nBy how much?,+5\nAnd this?,−3\nAnd that?,1 234 567\nOr?,1'000\n", "",
			"question=prompt,answer=gold", "reader-number-14", []string{"+5", "−3", "1 234 567", "1'000"},
			"By how much?",
			map[string]Score{"5": Right, "-5": Wrong, "The answer is +5.": Right}},
		"shares": {"prompt,gold\nHow much?,12.5 %\nAnd?,-5%\nOr?,3/4\n", "", "question=prompt,answer=gold",
			"reader-quantity-14", []string{"12.5 %", "-5%", "3/4"}, "How much?",
			map[string]Score{"12.5%": Right, "0.125": Right, "5%": Wrong}},
		"words with signs": {"prompt,gold\nWhat?,x+1\nHow cold?,-40 °C\nWhich?,vitamin A\n", "",
			"question=prompt,answer=gold", "reader-words-14", []string{"x+1", "-40 °C", "vitamin A"}, "What?",
			map[string]Score{"The answer is x+1.": Right, "The answer is x-1.": Wrong}},
		"letters with the text of the choice": {`{"prompt": "Which?", "choices": ["red", "green"], "gold": "B. green"}`,
			"", "question=prompt,answer=gold,choices=choices,by=letter", "reader-choice-14", []string{"(B)"},
			"Which?\n(A) red\n(B) green", nil},

		"choices by letter": {`{"prompt": "Which?", "options": ["x", "y", 3], "gold": "b"}`, "",
			"question=prompt,answer=gold,choices=options,by=letter", "reader-choice-14", []string{"(B)"},
			"Which?\n(A) x\n(B) y\n(C) 3",
			map[string]Score{"It is (B).": Right, "(A)": Wrong, "y": Right, "(E)": Unparsed}},
		"choices by text": {`{"prompt": "Which?", "options": ["x", "y"], "gold": "y"}`, "",
			"question=prompt,answer=gold,choices=options,by=text", "reader-choice-14", []string{"(B)"},
			"Which?\n(A) x\n(B) y",
			nil},
		"choices by index": {"{\"prompt\": \"1?\", \"options\": [\"x\", \"y\"], \"gold\": 0}\n" +
			"{\"prompt\": \"2?\", \"options\": [\"x\", \"y\"], \"gold\": 1}", "",
			"question=prompt,answer=gold,choices=options,by=index", "reader-choice-14", []string{"(A)", "(B)"},
			"1?\n(A) x\n(B) y", nil},
		"choices by number": {"{\"prompt\": \"1?\", \"options\": [\"x\", \"y\"], \"gold\": 1}\n" +
			"{\"prompt\": \"2?\", \"options\": [\"x\", \"y\"], \"gold\": 2}", "",
			"question=prompt,answer=gold,choices=options,by=number", "reader-choice-14", []string{"(A)", "(B)"},
			"1?\n(A) x\n(B) y", nil},
		"choices by number, as asked for": {`{"prompt": "Which?", "options": ["x", "y"], "gold": 1}`, "by=number",
			"question=prompt,answer=gold,choices=options,by=number", "reader-choice-14", []string{"(A)"},
			"Which?\n(A) x\n(B) y", nil},
		"MMLU's names, three choices": {`{"question": "Which?", "choices": ["x", "y", "z"], "answer": "z"}`, "",
			"question=question,answer=answer,choices=choices,by=text", "reader-choice-14", []string{"(C)"},
			"Which?\n(A) x\n(B) y\n(C) z", nil},
		"columns of choices": {"question,gold,A,B,C,D\nWhich?,B.,x,y,z,w\nWhat?,(A),x,y,,\n", "",
			"question=question,answer=gold,choices=A,B,C,D,by=letter", "reader-choice-14", []string{"(B)", "(A)"},
			"Which?\n(A) x\n(B) y\n(C) z\n(D) w", nil},
		"columns of choices in small letters": {"question,a,b,c,answer\nWhich?,x,y,z,B\n", "",
			"question=question,answer=answer,choices=a,b,c,by=letter", "reader-choice-14", []string{"(B)"},
			"Which?\n(A) x\n(B) y\n(C) z", nil},
		"columns of options": {"question,option_a,Option B,answer\nWhich?,x,y,B\n", "",
			"question=question,answer=answer,choices=option_a,Option B,by=letter", "reader-choice-14", []string{"(B)"},
			"Which?\n(A) x\n(B) y", nil},
		"one letter is no choice": {"question,a,answer\nWhich?,x,7\n", "", "question=question,answer=answer",
			"reader-number-14", []string{"7"}, "Which?", nil},
		"columns that are named": {"q,right,one,two\nWhich?,y,x,y\n", "question=q,answer=right,choices=one,two",
			"question=q,answer=right,choices=one,two,by=text", "reader-choice-14", []string{"(B)"}, "Which?\n(A) " +
				"x\n(B) y", nil},
		"lists as text": {"prompt,choices,gold\nWhich?,\"['x', \"\"y's\"\"]\",y's\nWhat?,\"[1, 2]\",2\n", "",
			"question=prompt,answer=gold,choices=choices,by=text", "reader-choice-14", []string{"(B)", "(B)"},
			"Which?\n(A) x\n(B) y's", nil},
		"labels in the texts": {`{"prompt": "Which?", "options": ["B) x", "C) y", "A) z"], "gold": "A"}` + "\n" +
			`{"prompt": "What?", "options": ["A) x", "B) y"], "gold": "B"}`, "",
			"question=prompt,answer=gold,choices=options,by=letter", "reader-choice-14", []string{"(A)", "(B)"},
			"Which?\n(A) A) z\n(B) B) x\n(C) C) y", map[string]Score{"A) z": Right, "B": Wrong}},
		"numbers in the texts": {`{"prompt": "Which?", "options": ["2. x", "1. y"], "gold": 2}`, "by=number",
			"question=prompt,answer=gold,choices=options,by=number", "reader-choice-14", []string{"(B)"},
			"Which?\n(A) 1. y\n(B) 2. x", nil},
		"labels": {`{"prompt": "Which?", "choices": {"text": ["x", "y"], "label": ["1", "2"]}, "gold": "2"}`, "",
			"question=prompt,answer=gold,choices=choices,by=letter", "reader-choice-14", []string{"(B)"},
			"Which?\n(A) x\n(B) y", nil},
		"objects with labels": {`{"prompt": "?", "choices": [{"label": "K", "text": "x"}, {"label": "L", "text": "y"}], "gold": "L"}`,
			"", "question=prompt,answer=gold,choices=choices,by=letter", "reader-choice-14", []string{"(B)"},
			"?\n(A) x\n(B) y",
			nil},
		"texts by label": {`{"prompt": "?", "options": {"B": "y", "A": "x"}, "gold": "B"}`, "",
			"question=prompt,answer=gold,choices=options,by=letter", "reader-choice-14", []string{"(B)"}, "?\n(A) " +
				"x\n(B) y", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := parse("t", []byte(test.content), mapped(t, test.columns))
			if err != nil || r.Own == nil || len(r.Problems) > 0 {
				t.Errorf("%s: is read as a file of one's own without problems: own %v, %v, %v", name, r.Own, err,
					r.Problems)
				return
			}
			var targets []string
			for _, q := range r.Task.Questions {
				targets = append(targets, q.Target)
			}
			if diff := cmp.Diff([]string{FamilyOwn, test.read, test.rule, test.text}, []string{r.Task.Family,
				r.Task.Columns.String(), r.Task.Rule, r.Task.Questions[0].Text}) + cmp.Diff(test.targets,
				targets); diff != "" {
				t.Errorf("%s: family, columns, rule and text of the first row (-want +got):\n%s", name, diff)
			}
			for reply, want := range test.replies {
				if got := r.Task.Score(r.Task.Questions[0], r.Task.Reader(r.Task.Questions[0])(reply)); got != want {
					t.Errorf("%s: %q is %s, want %s", name, reply, got, want)
				}
			}
		})
	}
}

// TestOwnParquet: a table of choices with labels, as Hugging Face writes them.
func TestOwnParquet(t *testing.T) {
	type table struct {
		Prompt  string `parquet:"prompt"`
		Choices struct {
			Text  []string `parquet:"text,list"`
			Label []string `parquet:"label,list"`
		} `parquet:"choices"`
		Key string `parquet:"key"`
	}
	row := table{Prompt: "Which?", Key: "2"}
	row.Choices.Text, row.Choices.Label = []string{"x", "y"}, []string{"1", "2"}
	r, err := parse("t", written(t, []table{row}), mapped(t, "answer=key"))
	if err != nil || len(r.Problems) > 0 || r.Task.Questions[0].Target != "(B)" || len(r.Own.Unread) > 0 {
		t.Fatalf("a Parquet file of one's own is read whole, the first answer is (B): %v, problems %v, %+v", err,
			r.Problems, r)
	}
}

// TestOwnReport says what was recognised, what was not read, and why the rule is what it is.
func TestOwnReport(t *testing.T) {
	r, err := parse("t", []byte("id,prompt,gold,context\n1,a?,4,c\n2,b?,,c\n3,,5,c\n4,c?,5\n"), Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Problem{{"row 2 (line 3)", `"gold" is empty`, true}, {"row 3 (line 4)", `"prompt" is empty`, true},
		{"row 4 (line 5)", "has 3 columns, the header has 4", true}}
	if diff := cmp.Diff(want, r.Problems) + cmp.Diff(&OwnData{true, []string{"id"},
		"all answers are numbers"}, r.Own); diff != "" {
		t.Errorf("the report on the own file says this (-want +got):\n%s", diff)
	}
}

// TestOwnRefused: what cannot be read for sure is refused, with its line.
func TestOwnRefused(t *testing.T) {
	for _, c := range []struct{ content, columns, want string }{
		{`{"prompt": "q", "options": ["x", "y", "z"], "gold": 1}`, "",
			`line 1: the answer "1" is choice (B) by index and (A) by number: say which with --columns by=index or --columns by=number`},
		{"{\"prompt\": \"p\", \"options\": [\"5\", \"6\"], \"gold\": 5}\n" +
			"{\"prompt\": \"q\", \"options\": [\"2\", \"1\"], \"gold\": \"1\"}", "by=number",
			`line 1: the answer "5" is none of the 2 choices by number`},
		{"{\"prompt\": \"q\", \"options\": [\"x\", \"y\"], \"gold\": \"x\"}\n" +
			"{\"prompt\": \"r\", \"options\": [\"x\", \"y\"], \"gold\": \"y\"}\n" +
			"{\"prompt\": \"s\", \"options\": [\"x\", \"y\"], \"gold\": \"A\"}", "",
			`line 3: the answer "A" is none of the 2 choices by text`},
		{`{"prompt": "q", "options": ["x", "x"], "gold": "x"}`, "", `the answer "x" is none of the 2 choices by letter, text`},
		{`{"prompt": "q", "options": ["x", " "], "gold": "A"}`, "",
			"needs at least two choices, each with a text, and has 1"},
		{`{"prompt": "q", "options": "x or y", "gold": "A"}`, "",
			"needs at least two choices, each with a text, and has 0"},
		{`{"prompt": "q", "options": [{"label": "A", "text": "x"}, {"label": "A", "text": "y"}], "gold": "A"}`, "",
			"needs a different label for each"},
		{"prompt,gold,A,B,C\nq,A,x,,z\n", "", "needs at least two choices, each with a text, and has 2"},
		{"{\"prompt\": \"q\", \"gold\": {\"a\": 1}}", "", `line 1: the column "gold" holds a list or an object`},
		{"{\"prompt\": \"q\", \"gold\": [[1]]}", "", `line 1: the column "gold" holds a list or an object`},
		{"{\"prompt\": \"q\", \"gold\": []}", "", `line 1: the column "gold" holds a list or an object`},
		{"{\"prompt\": \"q\", \"gold\": \"1\"}\n{\"prompt\": \"r\"}", "", `line 2: has no "gold"`},
		{"{\"prompt\": \"q\", \"gold\": \"1\"}\n{\"prompt\": \"r\", \"gold\": null}", "", `line 2: "gold" is empty`},
		{`{"prompt": "q", "gold": "?"}`, "", `the rule reader-words-14 reads nothing from the answer "?"; choose another with --rule`},
		{`{"prompt": "q", "gold": "Answer: 5"}`, "", `line 1: the rule reader-words-14 reads answer 5 from the ` +
			`answer "Answer: 5", but 5 where a reply states it; correct it, or choose another rule`},
		{`{"prompt": "q", "gold": ["the answer", "value"]}`, "",
			"but nothing that can be read where a reply states it"},
		{`{"prompt": "q", "gold": "2 and 2\n#### four"}`, "", `the answer "four" is no number`},
		{`{"prompt": "q", "gold": "12,5 %"}`, "", `line 1: the number in the answer "12,5 %" has a comma`},
		{`{"prompt": "q", "gold": "1.234,5"}`, "", `line 1: the number in the answer "1.234,5" has a comma`},
		{`{"prompt": "q", "gold": "(C)"}`, "", "the answer is (C), but the question has no option (C)"},
		{`{"prompt": "q", "question": "r", "gold": 1}`, "",
			`the columns "prompt" and "question" may both hold the question: line 1 has gold, prompt, question; name the ` +
				`columns with --columns question=NAME,answer=NAME`},
		{`{"prompt": "q"}`, "", "no column is obviously the answer: line 1 has prompt; a task needs the right answer"},
		{`{"prompt": "q", "reference": 1, "expected": 1}`, "", `"expected" and "reference" may both hold the answer`},
		{`{"prompt": "q", "reply": 1}`, "", "no column is obviously the answer: line 1 has prompt, reply"},
		{`{"prompt": "q", "A": "x", "B": "y", "gold": "A"}`, "question=prompt,answer=A",
			"is one of the choices (A, B)"},
		{`{"prompt": "q", "gold": 1}`, "question=promt", `no row has the column "promt"; line 1 has gold, prompt`},
		{`{"prompt": "q", "gold": 1}`, "by=letter", "by has no effect without choices"},
		{`{"prompt": "q", "gold": 1, "gold": 2}`, "", `the key "gold" appears twice`},
		{"prompt,gold,gold\nq,1,2\n", "", `two columns are called "gold"`},
		{"prompt,gold\n\"q,1\n", "", "CSV: "},
		{"prompt,gold\n", "", "has no questions"},
		{`{"prompt": "q\u0000", "gold": "` + strings.Repeat("x", maxQuestionBytes+1) + `", "options": 1}`, "",
			"needs at least two choices"},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.content, c.columns), func(t *testing.T) {
			path := datatest.File(t, "task", c.content)
			if _, err := mapped(t, c.columns).Load(path); err == nil || !strings.Contains(err.Error(), c.want) ||
				len(err.Error()) > 800 {
				t.Errorf("%.300q, %q: %v, want %q", c.content, c.columns, err, c.want)
			}
		})
	}
}

// TestParseMapping: columns are read from a flag or a file, and what means nothing is refused.
func TestParseMapping(t *testing.T) {
	path := filepath.Join(t.TempDir(), "columns.yaml")
	for text, want := range map[string]string{
		"question: q\nanswer: a\nchoices: c\nrule: letter": "question=q,answer=a,choices=c letter",
		"choices: [A, B]\nby: text":                        "choices=A,B,by=text ",
	} {
		t.Run(text, func(t *testing.T) {
			datatest.Write(t, path, text)
			m, err := ParseMapping(path)
			if got := m.Columns.String() + " " + m.Rule; err != nil || got != want || m.Family != FamilyOwn {
				t.Errorf("%s: read as %q of the family %s, %v; want %q", text, got, m.Family, err, want)
			}
		})
	}
	for text, want := range map[string]string{
		"":                      "has no role",
		"q":                     `"q" has no role`,
		"question=":             "names no column",
		"question=a,question=b": "question is given twice",
		"text=a":                `no role "text"`,
		"question=a,answer=a":   `the column "a" is named twice`,
		"choices=A,B,A":         `the column "A" is named twice`,
		"by=guess":              "an answer names its choice by letter, text, index, number",
		"missing.yaml":          "no such file",
	} {
		t.Run(text, func(t *testing.T) {
			if _, err := ParseMapping(text); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		})
	}
	for text, want := range map[string]string{"columns: {question: q}": "unknown field",
		"rule: guess":     "no answer rule",
		"choices: {a: b}": "choices", "choices: [a, '']": "a column has no name"} {
		t.Run(text, func(t *testing.T) {
			datatest.Write(t, path, text)
			if _, err := ParseMapping(path); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		})
	}
}

// TestOwnAgrees: a file that says its answers in several ways is read alike in all of them.
func TestOwnAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "choices")
		rights := rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 8).Draw(t, "rights")
		rights = append(rights, 0, n-1) // which tell indices from numbers
		var want []string
		files := make([]bytes.Buffer, len(Ways()))
		for k, right := range rights {
			var options []string
			for i := range n {
				options = append(options, fmt.Sprintf(`"text %d"`, i))
			}
			want = append(want, answer.OptionName(right))
			for w, answer := range []string{string(rune('A' + right)), fmt.Sprint("text ", right), fmt.Sprint(right),
				fmt.Sprint(right + 1)} {
				fmt.Fprintf(&files[w], `{"prompt": "%d?", "options": [%s], "gold": "%s"}`+"\n", k,
					strings.Join(options, ", "), answer)
			}
		}
		for w, way := range Ways() {
			r, err := parse("t", files[w].Bytes(), Mapping{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, q := range r.Task.Questions {
				got = append(got, q.Target)
			}
			if !slices.Equal(want, got) || r.Task.Columns.By != way {
				t.Fatalf("%s is read as %s: %v, want %v", way, r.Task.Columns.By, got, want)
			}
		}
	})
}

// TestFacts: rows of any family can have facts in a field of that name, as a text or a list; own data in any column.
func TestFacts(t *testing.T) {
	for number, test := range []struct {
		mapping Mapping
		rows    string
		want    []string
	}{
		{Mapping{Family: "strategyqa"}, `[{"question": "q", "answer": true, "facts": ["One is.", "Two is."]},
			{"question": "r", "answer": false}]`, []string{"One is. Two is.", ""}},
		{Mapping{Family: FamilyOwn}, `[{"question": "q", "answer": "x", "Facts": " One is. "}]`,
			[]string{"One is."}},
		{Mapping{Family: FamilyOwn, Columns: Columns{Facts: "known"}}, `[{"question": "q", "answer": "x",
			"facts": "no", "known": ["It is.", "So it is."]}, {"question": "r", "answer": "y", "facts": "no", "known": ""}]`,
			[]string{"It is. So it is.", ""}},
	} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			read, err := test.mapping.Rows("x", []byte(test.rows))
			if err != nil {
				t.Fatal(err)
			}
			for i, q := range read.Questions {
				if q.Facts != test.want[i] {
					t.Errorf("%s: %q, want %q", q.ID, q.Facts, test.want[i])
				}
			}
		})
	}
	m, err := ParseMapping("question=q,answer=a,facts=known")
	if err != nil || m.Facts != "known" || m.Columns.String() != "question=q,answer=a,facts=known" {
		t.Errorf("the column of facts is known and is written with the others: got %s, %v", m.Columns.String(), err)
	}
	_, err = Mapping{Family: FamilyOwn, Columns: Columns{Facts: "known"}}.Rows("x",
		[]byte(`[{"question": "q", "answer": "x"}]`))
	if err == nil || !strings.Contains(err.Error(), `no row has the column "known"`) {
		t.Errorf("a column of facts that no row has is refused by its name, known: got %v", err)
	}
}
