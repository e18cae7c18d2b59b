package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/internal/escape"
)

// unseen are characters that a reader does not see, and formulas.
var unseen = []string{"\u202e", "\u2066", "\u200b", "\u061c", "\x1b[31m", "\x1b]0;x\a", "\x00", "\x7f", "\u009b", "\r",
	"\ufeff", "=1+1", "-x", "@SUM(A1)", "[link](http://example.com)", "|", "<", "語", "a", " "}

// TestHiddenCharacters writes them everywhere that a run has room for a text: none is in the page, in what its script
// decodes or in Markdown, and no cell of CSV is a formula. A visible code stands for each.
func TestHiddenCharacters(t *testing.T) {
	run := small(t, 2, 2)
	at := slices.IndexFunc(run.Outcomes, func(o trial.Outcome) bool { return len(o.Transcript.Rounds[0]) > 1 })
	run.Outcomes, at = run.Outcomes[at:at+2], 0 // a short page is written faster
	run.Comparison.Rows = run.Comparison.Rows[:2]
	formula := regexp.MustCompile("^[=+\\-@\t\r]")
	rapid.Check(t, func(r *rapid.T) {
		draw := func(name string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(unseen), 1, 5).Draw(r, name), "")
		}
		o := &run.Outcomes[at]
		o.Question, o.Target, o.Transcript.Roles = draw("question"), draw("target"), []string{draw("role"), "b"}
		o.Transcript.Rounds[0][0].Reply.Text, o.Transcript.Decision.Reason = draw("reply"), draw("reason")
		o.Transcript.Rounds[0][1].Error, o.Transcript.Notes = draw("error"), []string{draw("note")}
		run.Header.Task, run.Header.Model.Name, run.Comparison.Rows[0].Condition = draw("task"), draw("model"),
			draw("condition")
		c, err := runContents(study{Run: run}, Options{Title: draw("title")})
		if err != nil {
			r.Fatal(err)
		}
		var page bytes.Buffer
		if err := c.write(&page); err != nil {
			r.Fatal(err)
		}
		data := dataOf(t, page.String())
		for name, text := range map[string]string{"page": page.String(), "data": fmt.Sprintf("%v %+v %v", data.Texts,
			data.Debates[at], data.Index), "Markdown": c.Markdown} {
			text = strings.ReplaceAll(text, "\r\n", "\n")
			if i := strings.IndexFunc(text, func(c rune) bool {
				return c != '\n' && c != '\t' && unicode.In(c, unicode.Cc,
					unicode.Cf)
			}); i >= 0 {
				r.Errorf("%s has a hidden character: %q", name, text[max(0, i-40):min(len(text), i+40)])
			}
		}
		reply := data.reply(at, data.Debates[at].Rounds[0][0])
		if reply != escape.Text(o.Transcript.Rounds[0][0].Reply.Text) {
			r.Errorf("the reply is shown as %q", reply)
		}
		if strings.Contains(strings.ReplaceAll(c.Markdown, `\[`, ""), "[link](") {
			r.Errorf("a link in %s", c.Markdown)
		}
		rows, err := csv.NewReader(strings.NewReader(c.CSV)).ReadAll()
		if err != nil {
			r.Fatal(err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if formula.MatchString(cell) && escape.Cell(cell) != cell {
					r.Errorf("the cell %q is a formula", cell)
				}
			}
		}
	})
}
