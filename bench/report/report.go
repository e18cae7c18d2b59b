// Package report writes the report of a run: one HTML file with what ran, the table of conditions, figures and all debates. It opens from
// disk, and asks the network for nothing.
//
// Lifecycle: a bench.Run goes into Write, with the numbers of a paper if there are any.
package report

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"parley/bench"
)

// Options say what goes into a report besides the run.
type Options struct {
	Title     string      // "" is the task and the model
	Published []Published // drawn over the accuracies
	MaxText   int         // bytes of text beyond which messages as sent are left out; 0 is 40 MB
}

const defaultMaxText = 40_000_000

var (
	//go:embed report.html
	page string
	//go:embed report.css
	style string
	//go:embed report.js
	script string
)

var layout = template.Must(template.New("report").Funcs(template.FuncMap{"percent": percent, "comma": comma}).Parse(page))

// contents is what the page shows.
type contents struct {
	Title    string
	Style    template.CSS
	Script   template.JS
	Facts    []fact
	Summary  string
	Rows     []row
	Guess    row
	Failed   []string
	Finished bool
	Markdown string
	CSV      string
	Figures  []figure
	LeftOut  string // why messages are, if they are
	Data     template.JS
}

// fact is one line about what ran.
type fact struct{ Name, Value string }

// Write writes the report.
func Write(w io.Writer, run bench.Run, o Options) error {
	if o.MaxText == 0 {
		o.MaxText = defaultMaxText
	}
	h, c := run.Header, run.Comparison
	if o.Title == "" {
		o.Title = h.Task + ", " + h.Model.Name
	}
	figures, err := figuresOf(run, o.Published)
	if err != nil {
		return err
	}
	held, leftOut := pack(run, o.MaxText)
	data, err := json.Marshal(held) // which writes <, >, &, U+2028 and U+2029 as escapes
	if err != nil {
		return err
	}
	rows := rowsOf(c)
	return layout.Execute(w, contents{
		Title: o.Title, Style: template.CSS(style), Script: template.JS(script), Data: template.JS(data),
		Facts: facts(run), Summary: summary(run), Rows: rows, Guess: guess(c), Failed: c.Failed, Finished: run.Finished,
		Markdown: markdown(c, rows), CSV: csvOf(c), Figures: figures, LeftOut: leftOut,
	})
}

// summary is the run in one sentence.
func summary(run bench.Run) string {
	h := run.Header
	return fmt.Sprintf("%s of %s under %s; debates of %s and %s.", number(run.Comparison.Questions, "question"), h.Task,
		number(len(run.Comparison.Rows), "condition"), number(h.Agents, "agent"), number(h.Rounds, "round"))
}

func number(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return comma(n) + " " + what
}

// facts list what ran.
func facts(run bench.Run) (facts []fact) {
	h := run.Header
	embedded := ""
	if h.Model.Embedded {
		embedded = ", embedded in the program"
	}
	sampling, _ := json.Marshal(h.Sampling) // plain numbers
	model, generated := fmt.Sprintf("%s (%s, %s parameters, trained for %s tokens%s)", h.Model.Name, h.Model.Architecture,
		humanize.SIWithDigits(float64(h.Model.Parameters), 1, ""), comma(h.Model.Context), embedded), []fact{
		{"sampling", string(sampling)}, {"most tokens a reply", comma(h.MaxTokens)}, {"seed of the run", fmt.Sprint(h.Seed)},
	}
	if h.Imported != nil {
		model, generated = cmp.Or(h.Model.Name, "none")+", as the logs name it", []fact{{"imported from", h.Imported.String()}}
		if t := h.Imported.Temperature; t != nil {
			generated = append(generated, fact{"temperature", fmt.Sprint(*t)})
		}
	}
	for _, f := range slices.Concat([]fact{
		{"model", model}, {"quantization", h.Model.Quantization}, {"SHA-256 of the model", h.Model.Hash}, {"mode", h.Model.Mode},
		{"task", h.Task}, {"source", h.Source}, {"SHA-256 of the task", h.TaskHash}, {"questions", comma(run.Comparison.Questions)},
		{"answer rule", h.AnswerRule}, {"conditions", strings.Join(h.Conditions, ", ")},
		{"agents", comma(h.Agents)}, {"rounds", comma(h.Rounds)}, {"reading", h.Reading},
		{"prompts", h.Prompts}, {"origin of the prompts", h.Origin},
	}, generated, []fact{{"program", h.Parley}, {"build", h.Build}, {"started", h.Time}}) {
		if f.Value != "" {
			facts = append(facts, f)
		}
	}
	return facts
}

func comma(n int) string { return humanize.Comma(int64(n)) }

// percent is a share as a number for attributes of drawings.
func percent(share float64) string { return fmt.Sprintf("%.3f", 100*share) }
