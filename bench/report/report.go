// Package report writes the report of a run, or of an experiment with one run for each of its tasks: one HTML file with
// what was asked, tables, figures, the published numbers next to ours, and all debates. The file opens from disk and
// loads nothing from the network.
//
// Lifecycle: Of reads a directory into studies, a study being a run and what its experiment says of it; each study
// becomes a section of tables and figures, pack adds the debates, and the page is saved with its tables as Markdown and
// CSV. Write does the same for a run that is already in memory, and writes only the page.
package report

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/report/browser"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/report/formula"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/escape"
)

// Options say what goes into a report besides the runs.
type Options struct {
	Title     string      // "" is the task and the model, or the name of the experiment
	Published []Published // numbers drawn into the figure of a run's accuracies; an experiment names its own
	Figures   string      // directory of figures and tables for papers; "" writes none
	Unfolded  bool        // a terminal shows what the page folds
	MaxData   int         // bytes of the page's data beyond which some debates are left out; 0 is 64 MB
}

const defaultMaxData = 64_000_000

var (
	//go:embed page/report.html
	page string
	//go:embed page/report.css
	style string
	//go:embed page/*.js
	scripts embed.FS
)

var layout = template.Must(template.Must(template.New("report").Parse(table.HTML)).Parse(page))

// contents is what the page and the Markdown show. runContents and experimentContents fill it: first the sections, one
// for each run in the order of the experiment's tasks; then finish adds what needs all runs, such as the debates, which
// share their texts.
type contents struct {
	Title      string
	Verdict    []string // in a few sentences, what was asked for and what came of it
	Lead       []string
	Notes      []string
	Meanings   []property // of conditions
	Provenance []property
	Overview   *table.Table         // accuracies on all tasks; nil if there is one task
	Across     []table.Table        // other tables over all tasks
	Drawn      []chart.Figure       // figures over all tasks
	Published  *publishedComparison // it is nil if nothing is published
	Sections   []section
	LeftOut    string // why debates or messages are left out, "" if none are
	Markdown   string
	CSV        string
	// ContrastsCSV has the contrasts, which are no conditions and so have a file of their own. It is "" if there are
	// none, as are GroupsCSV and RoundsCSV, and save then removes the file that an earlier report left.
	ContrastsCSV string
	GroupsCSV    string // accuracies by group of questions
	RoundsCSV    string // disagreement by round
	Many         bool   // an experiment or several runs, with a section for each task
	Parts        string // what debates are filtered by: "Run", or "" for the task

	Style  template.CSS
	Math   template.JS // draws formulas; "" where no text has one
	Script template.JS
	Data   pageData
}

// pageData is the data of the debates in base64, which has no character that HTML reads.
type pageData struct {
	Index           template.HTML
	Parts, Messages []template.HTML
}

// section is the results of one run. Tables[0] is the table of conditions, which every run has and which alone goes
// into CSV; all other tables and figures are added only if the run has something to show in them.
type section struct {
	Name       string
	Missing    bool // the task has not been run
	Finished   bool
	Provenance []property // what other runs of the experiment do not share
	Tables     []table.Table
	Failed     []string
	Figures    []chart.Figure
}

// Write writes the report of a run.
func Write(w io.Writer, run rundir.Run, o Options) error {
	c, err := runContents(study{Run: run, Published: o.Published}, o)
	if err != nil {
		return err
	}
	return c.write(w)
}

// runContents fills the contents for a single run. The verdict comes from the same functions as that of an experiment
// and of several runs, so that one result is never stated in two ways.
func runContents(s study, o Options) (c contents, err error) {
	h := s.Header
	says, comparable := sound(s.headlineContrasts(), []study{s})
	c = contents{Title: o.Title, Lead: []string{summary(s.Run)}, Provenance: provenance(s.Run), Notes: h.Notes,
		Verdict: slices.Concat(settled([]study{s}), says, conclude(comparable, false, s), neverApplied([]study{s}),
			publishedWithin(s.pairsByName(), 0), departed([]study{s}), warnUnended([]study{s}))}
	if c.Title == "" {
		c.Title = h.TaskName() + ", " + h.Model.Name
	}
	c.add(s)
	c.Sections[0].Name = "Results"
	c.CSV = table.CSV("", nil, c.conditions())
	c.ContrastsCSV, c.GroupsCSV = csvOf(contrastsTable(s)), groupsCSV([]study{s}, false)
	c.RoundsCSV = roundsCSV("", nil, []study{s})
	return c, c.finish([]study{s}, o)
}

// write writes the page. c is a copy, so the scripts and styles that are set here do not reach the Markdown. The
// template escapes what it inserts for HTML; escape.NewWriter then shows hidden characters as codes, which HTML would
// let through.
func (c contents) write(w io.Writer) error {
	c.Style = template.CSS(style)
	names, err := fs.Glob(scripts, "page/*.js")
	if err != nil {
		return err
	}
	for _, name := range names {
		script, err := scripts.ReadFile(name)
		if err != nil {
			return err
		}
		c.Script += template.JS(script)
	}
	shown := escape.NewWriter(w)
	return errors.Join(layout.Execute(shown, c), shown.Flush())
}

// add appends the section of a run. Its first table must be that of the conditions: see contents.conditions.
func (c *contents) add(s study) {
	figures, faults := figuresOf(s)
	tables, missing := tablesOf(s)
	part := section{Name: s.Header.Task, Finished: s.Finished, Failed: s.Comparison.Failed, Figures: figures,
		Tables: slices.Concat([]table.Table{conditionsTable(s)}, tables,
			faultsTable(slices.Concat(faults, missing, s.Comparison.Faults)))}
	for _, r := range s.Comparison.Rows {
		meaning := property{r.Condition, r.Meaning}
		if r.Meaning != "" && !slices.Contains(c.Meanings, meaning) { // tasks share most conditions
			c.Meanings = append(c.Meanings, meaning)
		}
	}
	c.Sections = append(c.Sections, part)
}

// conditions are the tables of conditions, one for each section with a run; CSV joins them, so they need the same
// fields.
func (c contents) conditions() (tables []table.Table) {
	for _, s := range c.Sections {
		if !s.Missing {
			tables = append(tables, s.Tables[0])
		}
	}
	return tables
}

// finish adds the debates and the tables as Markdown. Everything that agents wrote passes through package escape, here
// or in write, because it may be hostile.
func (c *contents) finish(studies []study, o Options) error {
	var runs []browser.Run
	for _, s := range studies {
		runs = append(runs, browser.Run{Run: s.Run, Part: s.Part})
	}
	packed, leftOut, err := browser.Pack(runs, cmp.Or(o.MaxData, defaultMaxData))
	if err != nil {
		return err
	}
	c.Data, c.LeftOut = pageData{Index: template.HTML(packed.Index)}, leftOut
	for _, part := range packed.Parts {
		c.Data.Parts = append(c.Data.Parts, template.HTML(part))
	}
	for _, part := range packed.Messages {
		c.Data.Messages = append(c.Data.Messages, template.HTML(part))
	}
	if packed.Formulas {
		c.Math = template.JS(formula.Script())
	}
	c.Markdown = escape.Text(c.text())
	return nil
}

// text returns the report in Markdown, without figures and debates.
func (c contents) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", table.MarkdownCell(c.Title))
	for _, text := range slices.Concat(c.Verdict, c.Lead) {
		fmt.Fprintf(&b, "%s\n\n", table.MarkdownCell(text))
	}
	for _, part := range c.Body() {
		part.markdown(&b)
	}
	return b.String()
}

// verdict is the verdict for a terminal. The command that has just run says itself how to go on.
func (c contents) verdict(resumes bool) (d table.Document) {
	for _, text := range c.Verdict {
		if resumes || !strings.HasPrefix(text, toGoOn) {
			d = append(d, table.Paragraph(text), table.Text("\n"))
		}
	}
	return d
}

// terminal is the report as a terminal shows it, without figures and debates.
func (c contents) terminal(unfolded bool) table.Document {
	d := append(table.Document{table.Text(c.Title + "\n\n")}, c.verdict(true)...)
	for _, text := range c.Lead {
		d = append(d, table.Paragraph(text))
	}
	body := c.Body()
	if unfolded {
		body = append([]node{{Summary: "What the conditions are", Facts: c.Meanings},
			{Summary: "What ran", Facts: c.Provenance}}, body...)
	}
	for _, part := range body {
		d = append(d, part.terminal(unfolded)...)
	}
	return d
}

// summary describes a run in one sentence.
func summary(run rundir.Run) string {
	h := run.Header
	text := fmt.Sprintf("%s of %s under %s", wording.Count(run.Comparison.Questions, "question"), h.TaskName(),
		wording.Count(len(run.Comparison.Rows), "condition"))
	if size := h.Size(); size != "" {
		text += "; debates of " + strings.Replace(size, ", ", " and ", 1)
	}
	text += "."
	if h.Repeats > 1 {
		text += fmt.Sprintf(" Each debate was held %d times with different seeds.", h.Repeats)
	}
	return text
}
