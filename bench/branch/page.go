package branch

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"path/filepath"
	"strings"

	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/outfile"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pageFile is what the page is called in the directory of its run.
const pageFile = "branch.html"

// Page is the page of a run's branches in its directory.
func Page(directory string) outfile.File {
	ours := outfile.Opening(`<!doctype html>\s*<html lang="en">\s*<head>\s*` +
		`<meta name="generator" content="parley branch`)
	return outfile.File{Path: filepath.Join(directory, pageFile),
		Kind: outfile.Kind{Name: "page of branches", Ours: ours}}
}

// HTML is one page, which loads nothing: the text of each message, its sentences shaded by what they changed.
func (r Results) HTML() ([]byte, error) {
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, r)
	return b.Bytes(), err
}

// Shade is the colour of a sentence: of how much more often with it is what was recorded.
func (v view) Shade(s Sentence) template.CSS {
	e := v.effect(s.Effects)
	if e == nil || e.Difference == 0 {
		return "none"
	}
	side := "--holds"
	if e.Difference < 0 {
		side = "--against"
	}
	return template.CSS(fmt.Sprintf("rgb(var(%s) / %.3f)", side, 0.55*math.Abs(e.Difference)))
}

// Outcome says what came with a sentence and without it.
func (v view) Outcome(i int, s Sentence) string {
	listed := func(t Told) string {
		list := t.Decisions
		if v.own {
			list = t.Answers
		}
		var texts []string
		for _, c := range list {
			texts = append(texts, fmt.Sprintf("%s %d times", c.Answer, c.N))
		}
		return strings.Join(texts, ", ")
	}
	text := fmt.Sprintf("Sentence %d. With it, of %d branches: %s.", i+1, s.Kept.N, listed(s.Kept))
	e := v.effect(s.Effects)
	if e == nil {
		return text + fmt.Sprintf(" It came again with the same words in all %d that begin before it.", s.Anew.N)
	}
	return text + fmt.Sprintf(" With other words, of %d: %s. Difference %s, corrected p %s.", s.Without.N,
		listed(s.Without), table.Signed(e.Difference), wording.Probability(e.PHolm))
}
