package report

import (
	"html"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOneOrder: the headings of the Markdown are those of the page above its debates, in the same order; the page has
// those of figures between them. A task that has not been run, or a run that has not ended, says so in both.
func TestOneOrder(t *testing.T) {
	written, err := Of(trialDirectory(t), "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
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
	const missing = "This task has not been run yet."
	if n, m := strings.Count(page, missing), strings.Count(markdown, missing); n != 2 || m != 1 {
		t.Errorf("a missing task is named %d times on the page, which has the Markdown, and %d times there", n, m)
	}
}
