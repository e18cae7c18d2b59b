package task

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate/answer"
)

// TestLookAlikes: files whose columns bear the names of a benchmark's, and are none of its files, are read by what is
// in them, with their passage, or refused. Each is read, or refused, in the shape in which it is published.
func TestLookAlikes(t *testing.T) {
	for name, c := range map[string]struct{ content, text, target, unread, err string }{
		"BoolQ": {content: `{"question": "is it open", ` +
			`"title": "Bridge", "answer": false, "passage": "It was closed."}`,
			text: "It was closed.\n\nis it open", target: "false", unread: "title"},
		"BoolQ with facts of its own": {content: `{"qid": 1, "facts": "f", "question": "q", "answer": true, "context": "C."}`,
			text: "C.\n\nq", target: "true", unread: "qid"},
		"RACE": {content: `{"example_id": "h1", "article": "A man went.", "answer": "B", "question": "Who went?", ` +
			`"options": ["a cat", "a man", "a dog", "an owl"]}`,
			text: "A man went.\n\nWho went?\n(A) a cat\n(B) a man\n(C) a dog\n(D) an owl", target: "(B)",
			unread: "example_id"},
		"own reading comprehension": {content: `{"subject": "bees", "passage": "Ada keeps bees.", ` +
			`"question": "What?", "choices": ["bees", "cats", "dogs", "fish"], "answer": 0}`,
			text: "Ada keeps bees.\n\nWhat?\n(A) bees\n(B) cats\n(C) dogs\n(D) fish", target: "(A)", unread: "subject"},
		"a story with choices": {content: `{"context": "C.", "question": "Who?", "choices": ["Ana", "Bo"], "answer": "Bo"}`,
			text: "C.\n\nWho?\n(A) Ana\n(B) Bo", target: "(B)"},
		"QuAIL": {content: `{"context": "C.", "question": "Q?", "answers": ["a", "b", "c", "d"], "correct_answer_id": 1}`,
			err: "no column is obviously the answer: line 1 has answers, context, correct_answer_id, question"},
		"ReClor": {content: `{"context": "C.", "question": "Q?", "answers": ["a", "b", "c", "d"], "label": 1}`,
			text: "C.\n\nQ?", target: "1", unread: "answers"},
		"CommonsenseQA": {content: `{"id": "1", "question": "Q?", "question_concept": "c", "choices": {"label": ["A", "B", "C", ` +
			`"D", "E"], "text": ["p", "q", "r", "s", "t"]}, "answerKey": "E"}`,
			text: "Q?\n(A) p\n(B) q\n(C) r\n(D) s\n(E) t", target: "(E)", unread: "id, question_concept"},
		"ARC with three choices": {content: `{"id": "1", "question": "Q?", "choices": {"text": ["p", "q", "r"], "label": ` +
			`["1", "2", "3"]}, "answerKey": "3"}`, text: "Q?\n(A) p\n(B) q\n(C) r", target: "(C)", unread: "id"},
		"HellaSwag": {content: `{"ctx": "A man", "endings": ["p", "q", "r", "s"], "label": "3"}`,
			err: "no column is obviously the question: line 1 has ctx, endings, label"},
		"PIQA": {content: `{"goal": "g", "sol1": "p", "sol2": "q", "label": 1}`,
			err: "no column is obviously the question: line 1 has goal, label, sol1, sol2"},
		"OpenBookQA": {content: `{"question_stem": "Q", "choices": {"text": ["p", "q"], "label": ["A", "B"]}, "answerKey": "A"}`,
			err: "no column is obviously the question"},
		"SciQ": {content: `{"question": "Q?", "distractor1": "p", "correct_answer": "q", "support": "S."}`,
			err: "no column is obviously the answer: line 1 has correct_answer, distractor1, question, support"},
		"TriviaQA": {content: `{"question": "Q?", "answer": {"value": "x", "aliases": ["x", "y"]}}`,
			err: `line 1: the column "answer" holds a list or an object`},
		"NQ-open": {content: `{"question": "Q?", "answer": ["Paris", "paris", "Paris, France"]}`,
			text: "Q?", target: "Paris / paris / Paris, France"},
		"DROP": {content: `{"section_id": "s", "passage": "P.", "question": "Q?", "answers_spans": {"spans": ["x"]}}`,
			err: "no column is obviously the answer: line 1 has answers_spans, passage, question, section_id"},
		"HotpotQA": {content: `{"question": "Q?", "answer": "x", "context": {"title": ["t"], "sentences": [["s"]]}}`,
			text: "Q?", target: "x", unread: "context"},
		"paragraphs": {content: `{"question": "Q?", "answer": "x", "paragraphs": ["One.", "Two."]}`,
			text: "One.\n\nTwo.\n\nQ?", target: "x"},
		"MedQA": {content: `{"question": "Q?", "answer": "q", "options": {"A": "p", "B": "q"}, "answer_idx": "B"}`,
			text: "Q?\n(A) p\n(B) q", target: "(B)", unread: "answer_idx"},
		"causal judgment": {content: `{"examples": [{"input": "Q?", "target_scores": {"Yes": 1, "No": 0}}]}`,
			err: "no column is obviously the answer"},
		"problems without mathematics": {content: `{"problem": "Capital of France?", "answer": "Paris"}`,
			text: "Capital of France?", target: "Paris"},
		"problems with numbers": {content: `{"problem": "2+2?", "answer": "4"}`, text: "2+2?", target: "4"},
		"yes or no, without reasons": {content: `{"question": "Q?", "options": ["Yes", "No"], "answer": "No"}`,
			text: "Q?\n(A) Yes\n(B) No", target: "(B)"},
		"quiz with subjects, counted from 1": {content: `{"question": "Q?", "subject": "s", "choices": ["p", "q", "r", "s"], ` +
			`"answer": 4}` + "\n" + `{"question": "R?", "subject": "s", "choices": ["p", "q", "r", "s"], "answer": 1}`,
			text: "Q?\n(A) p\n(B) q\n(C) r\n(D) s", target: "(D)", unread: "subject"},
		"the same, without the last": {content: `{"question": "Q?", "subject": "s", "choices": ["p", "q", "r", "s"], ` +
			`"answer": 2}`, err: "is choice (C) by index and (B) by number: say which with --columns by=index " +
			"or --columns by=number"},
		"digits as choices": {content: `{"question": "Q?", "choices": ["1", "2", "3", "4"], "answer": "2"}`,
			err: "is choice (B) by text and (C) by index: say which with --columns by=text or --columns by=index"},
		"digits as options": {content: `{"question": "Q?", "options": ["3", "2", "1"], "answer": 2}`,
			err: "is choice (B) by text and (C) by index"},
		"letters as choices": {content: `{"question": "Q?", "choices": ["B", "A"], "answer": "A"}`,
			err: "is choice (A) by letter and (B) by text: say which with --columns by=letter or --columns by=text"},
		"two right choices": {content: `{"question": "Q?", "choices": ["p", "q"], "answer": ["A", "B"]}`,
			err: "2 answers are right, A / B: a question with choices has one"},
		"three to five choices": {content: `{"question": "Q?", "subject": "s", "choices": ["p", "q", "r"], "answer": "C"}` + "\n" +
			`{"question": "R?", "subject": "s", "choices": ["p", "q", "r", "s", "t"], "answer": "E"}`,
			text: "Q?\n(A) p\n(B) q\n(C) r", target: "(C)", unread: "subject"},
		"two passages": {content: `{"question": "Q?", "context": "C.", "passage": "P.", "answer": "x"}`,
			err: `the columns "context" and "passage" may both hold the passage`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := parse("t", []byte(c.content), Mapping{})
			if c.err != "" {
				if err == nil {
					_, err = r.usable("t")
				}
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%s: %v, want %q", name, err, c.err)
				}
				return
			}
			if err != nil || r.Own == nil || len(r.Problems) > 0 {
				t.Errorf("%s: a look-alike of %s is read as a file of one's own: own %v, %v, %v", name, r.Family.Name,
					r.Own, err, r.Problems)
				return
			}
			q := r.Task.Questions[0]
			if diff := cmp.Diff([]string{c.text, c.target, c.unread}, []string{q.Text, q.Target,
				strings.Join(r.Own.Unread, ", ")}); diff != "" {
				t.Errorf("%s: text, target and unread columns (-want +got):\n%s", name, diff)
			}
		})
	}
}

// TestNamedFamily: where the family is named, it is enough that rows look like it; and a record is read by the columns
// alone, as it was when it was made.
func TestNamedFamily(t *testing.T) {
	const row = `[{"question": "Q?", "choices": ["1", "2", "3", "4"], "answer": "2"}]`
	tasks, err := Rows("t", "mmlu", []byte(row))
	if err != nil || tasks.Questions[0].Target != "(C)" {
		t.Fatalf("a named family decides how a row is read: got %+v, %v, want (C)", tasks.Questions, err)
	}
	if tasks, err := Rows("t", "musr", []byte(strings.Replace(row, "{", `{"context": "C.", `, 1))); err != nil ||
		tasks.Questions[0].Target != "2" {
		t.Errorf("the named family reads its own columns beside others: got %+v, %v, want the answer 2",
			tasks.Questions, err)
	}
	for _, family := range []string{"gpqa", "gsm8k"} {
		t.Run(family, func(t *testing.T) {
			if _, err := Rows("t", family, []byte(row)); err == nil {
				t.Errorf("rows that are none of %s were read as its, want an error", family)
			}
		})
	}
	r, err := parse("t", []byte(strings.Trim(row, "[]")), Mapping{Recorded: true})
	if err != nil || r.Family.Name != "mmlu" || r.Task.Questions[0].Target != "(C)" {
		t.Errorf("a record: %s %v %v, want \"mmlu\", Target \"(C)\" and no error",
			r.Family.Name, r.Task.Questions, err)
	}
}

// TestUnread: a public family names the columns from which it reads nothing, in whichever row they are.
func TestUnread(t *testing.T) {
	r, err := parse("t", []byte(`{"question": "Q?", "answer": "#### 1", "facts": "f"}`+"\n"+
		`{"question": "R?", "answer": "#### 2", "hint": "h"}`), Mapping{})
	if err != nil || r.Family.Name != "gsm8k" || strings.Join(r.Unread, ", ") != "hint" {
		t.Errorf("a row of gsm8k is recognised, and the column hint is told as unread: got %s, unread %q, %v",
			r.Family.Name, r.Unread, err)
	}
	for _, f := range Families() {
		if _, known := signs[f.Name]; !known && f.Name != FamilyOwn {
			t.Errorf("the family %s has no sign", f.Name)
		}
	}
}

// TestExceptions: a few answers of another form are named, and do not change how all others are read.
func TestExceptions(t *testing.T) {
	many := func(row string, n int, last string) string {
		return "question,answer\n" + strings.Repeat(row, n) + last
	}
	for _, c := range []struct{ content, columns, want string }{
		{many("q,1\n", 99, "q,n/a\n"), "", `99 of 100 answers are numbers, but row 100 (line 101) has "n/a": correct it, or ` +
			`say with --rule how answers are read, such as number`},
		{many("q,1\n", 2, "q,unknown\n"), "", `2 of 3 answers are numbers, but row 3 (line 4) has "unknown"`},
		{many("q,50%\n", 9, "q,1\nq,half\n"), "", `10 of 11 answers are numbers, percentages or fractions, but ` +
			`row 11 (line 12) has "half"`},
		{many("(A) or (B)?,(A)\n", 3, "(A) or (B)?,A or B\n"), "", `3 of 4 answers are letters in parentheses, but row 4`},
		{many("q,1\n", 2, "q,\"4,5\"\n"), "", `row 3 (line 4): the number in the answer "4,5" has a comma that may group`},
		{"question;answer\nq;4,5\n", "", `the number in the answer "4,5" has a comma`},
		{many("q,1\n", 1, "q,\"12,3456\"\n"), "", "has a comma"}, // and not "12,34,567", which India writes
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.content, c.columns), func(t *testing.T) {
			r, err := parse("t", []byte(c.content), mapped(t, c.columns))
			if err == nil {
				_, err = r.usable("t")
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%.60q: %v, want %q", c.content, err, c.want)
			}
		})
	}
	for content, want := range map[string]string{
		// as many of one form as of the other
		many("q,1\n", 1, "q,half\n"):                                                 "words",
		many("q,1\n", 5, "q,\"1,234\"\n"):                                            "number",
		many("q,1\n", 1, "q,\"12,34,567\"\n"):                                        "number",
		`{"question": "q", "answer": ["1", "2"]}`:                                    "number",
		`{"question": "q", "answer": ["one", "1"]}`:                                  "words",
		"question,answer\nq,\"['four', \"\"4\"\"]\"\nr,five\n":                       "words",
		`{"question": "q", "answer": [4]}` + "\n" + `{"question": "r", "answer": 5}`: "number",
	} {
		t.Run(content, func(t *testing.T) {
			r, err := parse("t", []byte(content), Mapping{})
			if err == nil {
				_, err = r.usable("t")
			}
			if err != nil || r.Task.Rule != answer.Kind(want).Reader() {
				t.Errorf("%.60q: %s %v %v, want %s", content, r.Task.Rule, r.Problems, err, want)
			}
		})
	}
	r, err := parse("t", []byte(many("q,1\n", 99, "q,n/a\n")), Mapping{Rule: "number"})
	if err != nil || len(r.Task.Questions) != 99 || !strings.Contains(fmt.Sprint(r.Problems), "row 100") {
		t.Errorf("by the rule number 99 rows are read, and row 100 is told: got %d, %v, %v",
			len(r.Task.Questions), r.Problems, err)
	}
}

// TestSeveralRight: an answer that lists several is right if one of them is given.
func TestSeveralRight(t *testing.T) {
	r, err := parse("t", []byte(`{"question": "q", "answer": ["Paris", "City of Light"]}`+"\n"+
		`{"question": "r", "answer": "Rome"}`), Mapping{})
	if err != nil || len(r.Problems) > 0 {
		t.Fatalf("a question with several right answers is read: problems %v, %v", r.Problems, err)
	}
	for reply, want := range map[string]Score{"The answer is: paris.": Right, "the answer is: City of light": Right,
		"Rome": Wrong} {
		t.Run(reply, func(t *testing.T) {
			if got := r.Task.Score(r.Task.Questions[0], r.Task.Extract(reply)); got != want {
				t.Errorf("%q is %s, want %s", reply, got, want)
			}
		})
	}
	if got := r.Task.Score(r.Task.Questions[1], r.Task.Extract("Rome")); got != Right {
		t.Errorf("the only right answer, Rome, is right: got %s", got)
	}
}

// TestDelimiters: columns may be separated by commas, tabs, semicolons or bars, and the report says by which.
func TestDelimiters(t *testing.T) {
	for content, want := range map[string]string{
		"question,answer\n\"a; b\",4\n":                     "commas",
		"question;answer\n\"a; b\";4\nx, y?;5\n":            "semicolons",
		"question\tanswer\na, b; c\t4\n":                    "tabs",
		"question|answer\r\na, b; c|4\r\n":                  "bars (|)",
		"sep=;\nquestion;answer\na?;4\n":                    "semicolons",
		"\ufeffsep=|\r\nquestion|answer\r\na?|4\r\n":        "bars (|)",
		"\"question\";\"the answer, please\"\n\"a?\";\"4\"": "semicolons",
		"a; b; c; d; e; f; g,p,q,r,s,A\n":                   "commas", // MMLU's, without a header
	} {
		t.Run(content, func(t *testing.T) {
			m := Mapping{}
			if strings.Contains(content, "please") {
				m = mapped(t, "answer=the answer;question=question")
				m.Answer, m.Question = "the answer, please", "question"
			}
			r, err := parse("t", []byte(content), m)
			if err != nil || r.Separator != want || len(r.Problems) > 0 {
				t.Errorf("%q: %q %v %v, want %s", content, r.Separator, r.Problems, err, want)
			}
		})
	}
}

// TestPassage: a column can be named as the passage, or none.
func TestPassage(t *testing.T) {
	const content = `{"question": "Q?", "answer": "x", "text": "T.", "context": "C."}` + "\n" +
		`{"question": "R?", "answer": "y", "text": " "}`
	for columns, want := range map[string]string{"": "C.\n\nQ?", "passage=text": "T.\n\nQ?", "passage=-": "Q?"} {
		t.Run(columns, func(t *testing.T) {
			r, err := parse("t", []byte(content), mapped(t, columns))
			if err != nil || r.Task.Questions[0].Text != want || r.Task.Questions[1].Text != "R?" {
				t.Errorf("%q: %+v %v, want %q", columns, r.Task.Questions, err, want)
				return
			}
			if noted := strings.Contains(fmt.Sprint(r.Problems), "line 2: has no passage in "); noted ==
				(columns == "passage=-") {
				t.Errorf("columns %q: a row without its passage is told, but where there is to be none: told %v, %v",
					columns, noted, r.Problems)
			}
		})
	}
	const object = `[{"question": "q", "answer": "x", "context": {"a": 1}}]`
	if _, err := mapped(t, "passage=context").Rows("t", []byte(object)); err == nil ||
		!strings.Contains(err.Error(), `the passage in "context" is no text; passage=NAME`) {
		t.Errorf("a passage that is no text is refused, with passage=NAME: got %v", err)
	}
}

// TestOtherFormats: files that are no text are refused by their name.
func TestOtherFormats(t *testing.T) {
	for content, want := range map[string]string{
		"PK\x03\x04\x00\x00":      "a zip archive, as spreadsheets (.xlsx) are",
		"\x1f\x8b\x08\x00\x00":    "compressed by gzip",
		"ARROW1\x00\x00":          "an Arrow (Feather) file",
		"SQLite format 3\x00":     "an SQLite database",
		"\xff\xfeq\x00u\x00":      "UTF-16 (little endian)",
		"PAREencrypted\x00\x00":   "an encrypted Parquet file",
		"question,answer\nq,\xe9": "line 2, byte 3 is 0xe9",
	} {
		t.Run(content, func(t *testing.T) {
			if _, err := parse("t", []byte(content), Mapping{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", content, err, want)
			}
		})
	}
	if _, err := parse("t", []byte("ORCHARD,answer\nq,4\n"), mapped(t, "question=ORCHARD")); err != nil {
		t.Error(err)
	}
}
