package task_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/internal/datatest"
)

// mixedRows are of four kinds, with choices in columns.
const mixedRows = "question,answer,A,B,C\nWhich is a planet?,B,Sirius,Mars,Vega\nWhat is 2+2?,4,,,\n" +
	"Which is a star?,A,Vega,Mars,Ceres\nIs it wet?,yes,,,\nWhat is 3+4?,7,,,\nWhere is it?,Paris,,,\n"

// TestSplit: a file that mixes kinds is a task of each, by the column that says them or else by choices and answers. A
// row that no kind takes is refused with its line, and one rule for all is obeyed.
func TestSplit(t *testing.T) {
	for name, c := range map[string]struct{ content, columns, want, says string }{
		"inferred": {mixedRows, "", "choice reader-choice-14 1 3; number reader-number-14 2 5; " +
			"yes-no reader-yes-no-14 4; words reader-words-14 6",
			"2 choice, 2 number, 1 yes-no and 1 words (inferred: some have no choices)"},
		"lists": {`{"question": "1?", "choices": ["x", "y"], "answer": "y"}` + "\n" +
			`{"question": "2?", "choices": [], "answer": "3/4"}` + "\n" + `{"question": "3?", "answer": 3}`, "",
			"choice reader-choice-14 1; quantity reader-quantity-14 2 3", "1 choice and 2 quantity (inferred"},
		"a column": {"question,answer,Kind\n1?,4,number\n2?,1984,words\n3?,5,Number\n", "",
			"number reader-number-14 1 3; words reader-words-14 2", "2 number and 1 words (by the column Kind)"},
		"a column that is named": {"q,a,sort\n1?,4,number\n2?,no,yes-no\n", "question=q,answer=a,kind=sort",
			"number reader-number-14 1; yes-no reader-yes-no-14 2", "(by the column sort)"},
		"options in the text": {"question,answer,kind\nWhich? (A) x (B) y,(B),choice\n2?,4,number\n", "",
			"choice reader-choice-14 1; number reader-number-14 2", "1 choice and 1 number"},
		"one kind":         {"question,answer,kind\n1?,4,number\n2?,5,number\n", "", " reader-number-14 1 2", ""},
		"other kinds":      {"question,answer,kind\n1?,4,easy\n2?,5,hard\n", "", " reader-number-14 1 2", ""},
		"no value of kind": {"question,answer,kind\n1?,4,number\n2?,5,numbr\n3?,x,words\n", "", `line 3): no kind "numbr"`, ""},
		"not of its kind": {"question,answer,kind\n1?,4,number\n2?,unknown,number\n3?,x,words\n", "",
			"line 3): the rule", "2 number"},
		"a row without choices": {"question,answer,A,B\n" + strings.Repeat("1?,A,x,y\n", 20) + "2?,B,,\n", "",
			"line 22): needs at least two choices", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := datatest.File(t, "t.csv", c.content)
			m := task.Mapping{}
			if c.columns != "" {
				var err error
				if m, err = task.ParseMapping(c.columns); err != nil {
					t.Fatal(err)
				}
			}
			parts, says, err := m.Split(path)
			if err != nil || !strings.Contains(says, c.says) || (says == "") != (c.says == "") {
				t.Errorf("%v, says %q, want %q", err, says, c.says)
			}
			var read []string
			for _, part := range parts {
				got, err := part.Load(path)
				if err != nil {
					read = append(read, err.Error())
					continue
				}
				text := part.Only + " " + got.Rule
				for _, q := range got.Questions {
					_, number, _ := strings.Cut(q.ID, "/")
					text += " " + number
				}
				read = append(read, text)
				// a record names the columns, and the same is read by them
				recorded := task.Mapping{Columns: *got.Columns, Rule: got.Rule, Family: task.FamilyOwn, Recorded: true}
				again, err := recorded.Load(path)
				if err != nil || cmp.Diff(got.Questions, again.Questions, cmp.Comparer(func(a, b func(string)) bool {
					return true
				})) != "" {
					t.Errorf("%s: by the columns of a record the same questions are read: got %v, %s",
						got.Columns, err, fmt.Sprint(again.Questions))
				}
			}
			if got := strings.Join(read, "; "); !strings.Contains(got, c.want) {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if _, err := m.Load(path); (err != nil) != (len(parts) > 1 || strings.Contains(c.want, "line")) {
				t.Errorf("a file of several kinds, or with a bad line, is refused as one task, another is read: "+
					"got %v of %d parts", err, len(parts))
			}
		})
	}
	if _, err := task.ParseMapping("only=choices"); err == nil || !strings.Contains(err.Error(), "mean choice") {
		t.Error(err)
	}
}
