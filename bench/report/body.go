package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/report/paper"
	"github.com/parley-debate/parley/bench/table"
)

// node is a part of the report. One with nodes is a section, which has a title, or what the page folds under a summary;
// any other one is a table, figures, a text, a list or facts.
type node struct {
	ID    string // by which the page's contents lead to it, under Name; "" for parts of a section
	Name  string
	Title string
	Part  string // whose figures and tables these are, in the list of files for papers

	Nodes   []node
	Summary string // under which the page folds the nodes, a list or facts
	Open    bool   // unfolded at first
	Warns   bool

	Table   *table.Table // with its title as a heading of a level
	Level   int
	Figures []chart.Figure
	Text    string // of a table, what it shows in this run
	List    []string
	Facts   []property // which the page has alone
}

// Body is the report below its verdict and above its debates. Its order stands here: the page, the Markdown, the files
// for papers, what a terminal shows and the contents of the page are written from these nodes.
func (c contents) Body() (body []node) {
	notes := node{Summary: "What the source leaves open, and where this experiment differs", List: c.Notes}
	var across []node
	if c.Overview != nil {
		across = append(across, node{Nodes: []node{{Table: c.Overview, Level: 2}, notes}})
		notes.List = nil
	}
	if len(c.Drawn) > 0 {
		across = append(across, node{Title: "Figures over all tasks", Nodes: []node{{Figures: c.Drawn}}})
	}
	for i := range c.Across {
		across = append(across, node{Nodes: []node{{Table: &c.Across[i], Level: 2, Text: c.Across[i].Says()}}})
	}
	if across != nil {
		body = append(body, node{ID: "all-tasks", Name: "All tasks", Part: "all tasks", Nodes: across})
	}
	if c.Published != nil {
		body = append(body, c.Published.node())
	}
	for i, s := range c.Sections {
		part := s.node(notes)
		if part.ID = fmt.Sprint("task-", i); !s.Missing {
			notes.List = nil // below the first table of conditions that there is
		}
		if c.Many {
			part.Part = s.Name
		}
		body = append(body, part)
	}
	return body
}

// node has the published numbers next to ours.
func (b *publishedComparison) node() node {
	n := node{ID: "published", Name: "Published comparison", Title: "Published comparison",
		Part: "published"}
	for _, text := range b.Says {
		n.Nodes = append(n.Nodes, node{Text: text})
	}
	if len(b.Figures) > 0 {
		n.Nodes = append(n.Nodes, node{Figures: b.Figures})
	}
	if b.Same != nil {
		n.Nodes = append(n.Nodes, node{Table: b.Same, Level: 3})
	}
	if b.Others != nil {
		n.Nodes = append(n.Nodes, node{Summary: fmt.Sprintf("%d published numbers next to ours, not compared", b.N),
			Open: b.Same == nil, Nodes: []node{{Table: b.Others, Level: 3}}})
	}
	return n
}

// node has the results of one run, with what is noted below its first table.
func (s section) node(notes node) node {
	n := node{Name: s.Name, Title: s.Name}
	if s.Missing {
		n.Nodes = []node{{Text: "This task has not been run yet.", Warns: true}}
		return n
	}
	if !s.Finished {
		n.Nodes = append(n.Nodes, node{Warns: true, Text: "This run has not ended. The table counts the debates held " +
			"so far; the last questions may be missing in some conditions."})
	}
	n.Nodes = append(n.Nodes, node{Summary: "What ran here", Facts: s.Provenance})
	first := min(1, len(s.Figures))
	if first == 0 {
		n.Nodes = append(n.Nodes, node{Text: "Nothing was asked."})
	} else {
		n.Nodes = append(n.Nodes, node{Figures: s.Figures[:first]})
	}
	n.Nodes = append(n.Nodes, node{Table: &s.Tables[0], Level: 3}, notes, node{Warns: true, List: s.Failed,
		Summary: fmt.Sprintf("Failed debates: %d", len(s.Failed))})
	if rest := s.Figures[first:]; len(rest) > 0 {
		n.Nodes = append(n.Nodes, node{Summary: "What else do figures show?", Nodes: []node{{Figures: rest}}})
	}
	question := ""
	for i := 1; i < len(s.Tables); i++ {
		t := &s.Tables[i]
		told := node{Table: t, Level: 3, Text: t.Says()}
		switch last := len(n.Nodes) - 1; {
		case t.Question == "":
			n.Nodes = append(n.Nodes, told)
		case t.Question == question:
			n.Nodes[last].Nodes = append(n.Nodes[last].Nodes, told)
		default:
			n.Nodes = append(n.Nodes, node{Summary: t.Question, Nodes: []node{told}})
		}
		question = t.Question
	}
	return n
}

// Empty reports whether a list or facts of nothing are left out.
func (n node) Empty() bool {
	return n.Summary != "" && len(n.Nodes) == 0 && len(n.List) == 0 && len(n.Facts) == 0
}

// Grouped reports whether the node has sections of its own.
func (n node) Grouped() bool { return n.ID != "" && n.Title == "" }

// drawn reports whether a part has nothing but figures, which texts cannot show.
func (n node) drawn() bool {
	return n.Figures != nil || n.Nodes != nil && !slices.ContainsFunc(n.Nodes, func(n node) bool { return !n.drawn() })
}

// markdown writes a part and what is in it, without figures and facts.
func (n node) markdown(b *strings.Builder) {
	if n.Empty() {
		return
	}
	if n.Title != "" && !n.drawn() {
		fmt.Fprintf(b, "\n## %s\n", table.MarkdownCell(n.Title))
	}
	switch {
	case n.Table != nil:
		fmt.Fprintf(b, "\n%s %s\n\n", strings.Repeat("#", n.Level), table.MarkdownCell(n.Table.Title))
		if n.Text != "" {
			fmt.Fprintf(b, "%s\n\n", table.MarkdownCell(n.Text))
		}
		b.WriteString(n.Table.Markdown())
		if n.Table.Caption != "" {
			fmt.Fprintf(b, "\n%s\n", table.MarkdownCell(n.Table.Caption))
		}
	case n.Text != "":
		fmt.Fprintf(b, "\n%s\n", table.MarkdownCell(n.Text))
	case n.List != nil:
		fmt.Fprintf(b, "\n%s:\n\n", n.Summary)
		for _, item := range n.List {
			fmt.Fprintf(b, "- %s\n", table.MarkdownCell(item))
		}
	}
	for _, part := range n.Nodes {
		part.markdown(b)
	}
}

// terminal has a part and what is in it as a terminal shows it: without figures, and what the page folds without its
// content, unless it is unfolded.
func (n node) terminal(unfolded bool) (d table.Document) {
	if n.Empty() || n.drawn() {
		return nil
	}
	if n.Summary != "" && !n.Warns && !n.Open && !unfolded {
		for _, first := range n.Nodes[:min(1, len(n.Nodes))] {
			d = append(d, table.Text("\n"+n.Summary+"\n  "+first.Text))
		}
		return d
	}
	d = n.head()
	for _, item := range n.List {
		d = append(d, table.Text("-  "+item))
	}
	for _, fact := range n.Facts {
		d = append(d, table.Text("  "+fact.Name+"  "+fact.Value))
	}
	for _, part := range n.Nodes {
		d = append(d, part.terminal(unfolded)...)
	}
	return d
}

// head is what a terminal shows of a part above what is in it.
func (n node) head() table.Document {
	switch {
	case n.Table != nil:
		return n.Table.Titled(n.Text)
	case n.Text != "":
		return table.Document{table.Text("\n"), table.Paragraph(n.Text)}
	case n.Summary != "":
		return table.Document{table.Text("\n" + n.Summary)}
	case n.Title != "":
		return table.Document{table.Text("\n" + n.Title + "\n" + strings.Repeat("─", ansi.StringWidth(n.Title)))}
	}
	return nil
}

// each does something with a node and all that are in it.
func (n node) each(do func(node)) {
	do(n)
	for _, part := range n.Nodes {
		part.each(do)
	}
}

// addTo adds all tables and figures to a directory for papers, and their links to the page.
func (c contents) addTo(d *paper.Directory) (err error) {
	for _, part := range c.Body() {
		part.each(func(n node) {
			if n.Table != nil {
				d.Table(part.Part, n.Table)
			}
		})
		part.each(func(n node) {
			for i := range n.Figures {
				err = errors.Join(err, d.Figure(part.Part, &n.Figures[i]))
			}
		})
	}
	return err
}
