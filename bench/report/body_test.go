package report

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/internal/datatest"
)

// TestOneOrder: the headings of the Markdown are those of the page above its debates, in the same order; the page has
// those of figures between them, and a terminal those of the Markdown or, folded, the questions of the page with what
// they show. A task that has not been run, or a run that has not ended, says so in all of them.
func TestOneOrder(t *testing.T) {
	directory := trialDirectory(t)
	written, err := Of(directory, "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) string {
		return string(datatest.Read(t, path))
	}
	page, markdown := read(written.Page), read(strings.TrimSuffix(written.Page, "html")+"md")
	var shown []string
	for _, m := range regexp.MustCompile(`<h[23]>([^<]*)</h[23]>`).FindAllStringSubmatch(page, -1) {
		shown = append(shown, html.UnescapeString(m[1]))
	}
	headings := regexp.MustCompile(`(?m)^###? (.*)$`).FindAllStringSubmatch(markdown, -1)
	for _, m := range headings {
		i := slices.Index(shown, m[1])
		if i < 0 {
			t.Fatalf("the page has no %q behind the headings before it in the Markdown; left are %q", m[1], shown)
		}
		shown = shown[i+1:]
	}
	if len(headings) < 10 {
		t.Errorf("the Markdown has %d headings, want those of several tasks", len(headings))
	}
	for _, m := range regexp.MustCompile(`(?m)^### (.*)\n\n\|`).FindAllStringSubmatch(markdown, -1) {
		if m[1] != "Conditions" && !strings.HasPrefix(m[1], "Published ") {
			t.Errorf("%q begins without a sentence that says what it shows", m[1])
		}
	}
	unfolded, err := Of(directory, "", Options{Unfolded: true})
	if err != nil {
		t.Fatal(err)
	}
	lines, rest := unfolded.Shown.Layout(80), 0
	for _, m := range headings {
		i := slices.Index(lines[rest:], m[1])
		if i < 0 {
			t.Fatalf("a terminal shows no %q below line %d:\n%s", m[1], rest, strings.Join(lines, "\n"))
		}
		rest += i + 1
	}
	asked := regexp.MustCompile(`<details class="asked">\n<summary>([^<]*) <span class="says">([^<]*)</span>`).
		FindAllStringSubmatch(page, -1)
	folded := strings.Join(written.Shown.Layout(0), "\n")
	for _, m := range asked {
		told := "\n" + m[1] + "\n  " + html.UnescapeString(m[2]) + "\n"
		if !strings.Contains(folded, told) {
			t.Errorf("a terminal has the question and what is said to it, %q: got\n%s", told, folded)
		}
	}
	if len(asked) < 4 || len(folded) > len(strings.Join(lines, "\n"))/2 {
		t.Errorf("4 questions or more are folded, to half of the text or less: got %d questions, %d of %d bytes",
			len(asked), len(folded), len(strings.Join(lines, "\n")))
	}
	hash := regexp.MustCompile(`[0-9a-f]{64}$`) // a word of its own, which is never broken
	for _, line := range slices.Concat(lines, written.Shown.Layout(80)) {
		if ansi.StringWidth(line) > 80 && !hash.MatchString(line) {
			t.Errorf("%q does not fit into 80 columns", line)
		}
	}
	const missing = "This task has not been run yet."
	n, m, shownOnce := strings.Count(page, missing), strings.Count(markdown, missing), strings.Count(folded, missing)
	if n != 2 || m != 1 || shownOnce != 1 {
		t.Errorf("a missing task is named twice on the page, which has the Markdown, once there and once on a "+
			"terminal: got %d, %d and %d times", n, m, shownOnce)
	}
}
