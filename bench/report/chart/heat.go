package chart

// Heat is a table of shaded cells. The texts in the cells say all that the shades do.
type Heat struct {
	XLabel  string
	Columns []string // a name may have several lines
	Rows    []Row    // from the top
}

// Row is one row of a Heat.
type Row struct {
	Name  string
	Cells []Cell // one for each column
}

// Cell is one cell. Shade is from -1, the colour of what is wrong, over 0, none, to 1, the colour of what is right.
type Cell struct {
	Text  string
	Shade float64
}

// Heat draws the cells. Rows beyond MostRows are left out.
func (f *Figure) Heat(h Heat) error {
	p := Panel{X: Axis{Label: h.XLabel, Names: h.Columns}, Y: Axis{Names: []string{}}}
	cells := Mark{Kind: Cells}
	for i, r := range h.Rows[:min(MostRows, len(h.Rows))] {
		p.Y.Names = append(p.Y.Names, r.Name)
		for j, c := range r.Cells {
			cells.Points = append(cells.Points, Point{X: float64(j), Y: float64(i), Text: c.Text, Shade: c.Shade})
		}
	}
	p.Marks = []Mark{cells}
	m := p.margins(onPage, Width-2*edge)
	return f.Render(float64(len(p.Y.Names))*RowHeight+m.top+m.bottom+2*edge, p)
}
