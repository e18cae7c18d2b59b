package experiment

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/internal/strictyaml"
)

// Source is a publication with what it prints.
type Source struct {
	Name  string `yaml:"source" json:"source"`
	Title string `yaml:"title" json:"title"`
	// how many tables and figures it prints, each of which is in an item; it is nil if they were not counted
	Prints *Prints `yaml:"prints,omitempty" json:"prints,omitempty"`
	Items  []Item  `yaml:"items" json:"items"`
}

// Prints counts what a source prints.
type Prints struct {
	Tables  int `yaml:"tables" json:"tables"`
	Figures int `yaml:"figures" json:"figures"`
}

// Item is a table, a figure or a claim of a source.
type Item struct {
	Names []string `yaml:"item" json:"item"` // such as Table 2 and Table 3, which belong together
	Shows string   `yaml:"shows" json:"shows"`
	// the experiments that make it, each with what its report then has: the title of a table or figure,
	// "TITLE / COLUMN" for a column of a table, or "measure NAME" for one of analysis.MeasureNames
	Made    map[string][]string `yaml:"made,omitempty" json:"made,omitempty"`
	Missing string              `yaml:"missing,omitempty" json:"missing,omitempty"` // what is left out of it, and why
	// shows no result, such as the design of an experiment
	Illustration bool `yaml:"illustration,omitempty" json:"illustration,omitempty"`
}

// state is made, partial, not made or illustration.
func (i Item) state() string {
	switch {
	case i.Illustration:
		return "illustration"
	case len(i.Made) == 0:
		return "not made"
	case i.Missing != "":
		return "partial"
	default:
		return "made"
	}
}

// experiments returns the names of the experiments that make the item, sorted.
func (i Item) experiments() []string { return slices.Sorted(maps.Keys(i.Made)) }

// outputs returns what reports have of the item, each once, in the order of the experiments.
func (i Item) outputs() (outputs []string) {
	for _, name := range i.experiments() {
		for _, output := range i.Made[name] {
			if !slices.Contains(outputs, output) {
				outputs = append(outputs, output)
			}
		}
	}
	return outputs
}

//go:embed sources.yaml
var sourcesText []byte

// Sources lists what the sources print.
var Sources = sync.OnceValue(func() (sources []Source) {
	if err := strictyaml.Unmarshal(sourcesText, &sources); err != nil {
		panic(fmt.Sprintf("sources.yaml: %v", err)) // embedded, and read by tests
	}
	return sources
})

// publishedCount counts the numbers printed in the item that its experiments hold.
func (i Item) publishedCount() (numbers int) {
	for _, name := range i.experiments() {
		e, err := Load(name)
		if err != nil {
			panic(fmt.Sprintf("sources.yaml: %v", err)) // of an embedded experiment, see TestSources
		}
		for _, p := range e.Published {
			switch {
			case !slices.Contains(i.Names, p.From):
			case p.Fit != nil:
				numbers += p.Fit.numbers()
			default:
				numbers += max(1, len(p.Values))
			}
		}
	}
	return numbers
}

const sourcesHead = `# What the sources print, and what makes it here

` + "`parley experiments --sources`" + ` writes this page. An item is a table, a figure or a claim of a
source. Experiments make it, and ` + "`parley run NAME`" + ` runs them. "In the report" names the tables and
figures of their reports that show it: "TABLE / COLUMN" is a column, and a measure is a number of
each condition. "Numbers" counts the published values that reports show beside ours. If an item is
partial or not made, its row gives the reason. Tests compare the items with all tables and figures
of the five sources, and look for each output in the reports of the experiments' small versions.
`

// WriteSources writes a page in Markdown: of each source, the items and their state.
func WriteSources(out io.Writer) error {
	text := func(name string, of func(Item) string) table.Column[Item] { return table.Left(name, of) }
	columns := []table.Column[Item]{
		text("printed", func(i Item) string { return strings.Join(i.Names, ", ") }),
		text("shows", func(i Item) string { return i.Shows }),
		text("experiments", func(i Item) string { return strings.Join(i.experiments(), ", ") }),
		text("in the report", func(i Item) string { return strings.Join(i.outputs(), "; ") }),
		table.Counts("numbers", Item.publishedCount),
		text("state", Item.state),
		text("missing", func(i Item) string { return i.Missing }),
	}
	var page strings.Builder
	page.WriteString(sourcesHead)
	for _, s := range Sources() {
		fmt.Fprintf(&page, "\n## %s: %s\n\n%s", capital(s.Name), s.Title, table.New(columns, s.Items).Markdown())
	}
	_, err := io.WriteString(out, page.String())
	return err
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
