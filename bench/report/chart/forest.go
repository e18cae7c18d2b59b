package chart

import "slices"

// Measured is one row of a forest plot: a number of ours beside those of others for the same thing.
type Measured struct {
	Name     string
	Value    float64
	Interval *Interval // where it is nil, the point is drawn alone
	Beside   []float64 // the others' numbers, of the same thing
	Apart    []float64 // they measure something else, are not to be compared, and are drawn hollow
}

// Forest draws a row for each number, the first one on top: ours as a point with its interval, those of others in a
// colour of their own. The axis is that of shares, 0 to 1, if all are shares.
func Forest(title, label string, rows []Measured) (f Figure, err error) {
	f.Title = title
	p := Panel{X: Axis{Label: label, High: 1, Grid: true}, Y: Axis{Names: []string{}}}
	ours, beside := Mark{Kind: Dots, Colour: Better, Size: 3.5}, Mark{Kind: Diamonds, Colour: Published, Size: 4.5}
	apart := Mark{Kind: Hollow, Colour: Published, Size: 4.5}
	for i, r := range rows {
		y := float64(i)
		p.Y.Names = append(p.Y.Names, r.Name)
		ours.Points = append(ours.Points, Point{X: r.Value, Y: y, Span: r.Interval})
		for _, x := range r.Beside {
			beside.Points = append(beside.Points, Point{X: x, Y: y})
		}
		for _, x := range r.Apart {
			apart.Points = append(apart.Points, Point{X: x, Y: y})
		}
		for _, x := range slices.Concat(r.ends(), r.Beside, r.Apart) {
			p.X.Low, p.X.High = min(p.X.Low, x), max(p.X.High, x)
		}
	}
	if p.X.Low == 0 && p.X.High == 1 {
		p.X.Ticks = Shares
	}
	p.Marks = []Mark{ours, beside, apart}
	return f, f.Render(float64(len(rows))*RowHeight+Frame, p)
}

// ends are the numbers of ours that the axis has to reach.
func (r Measured) ends() []float64 {
	if r.Interval == nil {
		return []float64{r.Value}
	}
	return []float64{r.Value, r.Interval.Low, r.Interval.High}
}
