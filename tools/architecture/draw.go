package main

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
)

// Sizes in pixels.
const (
	rowHeight = 84
	boxHeight = 34
	gap       = 18
	letter    = 8  // mean width of a letter
	trunk     = 10 // width of a line that passes a row
	margin    = 150
)

// node is a package, or the place where the line to a package passes a row.
type node struct {
	name     string // empty for a line that passes
	x, width float64
	row      int
	up, down []*node
}

// picture has its rows from top to bottom, each from left to right.
type picture struct {
	rows   [][]*node
	floors []int // of each row
}

// layOut gives every room the row of its floor, and a place in it.
func layOut(g graph, floors map[string]int) (*picture, error) {
	p := &picture{}
	rows := make(map[int][]string) // by floor
	for _, pkg := range slices.Sorted(maps.Keys(g)) {
		floor, ok := floors[pkg]
		if !ok {
			return nil, fmt.Errorf("%s is on no floor: name it in house_test.go", pkg)
		}
		rows[floor] = append(rows[floor], pkg)
	}
	nodes := make(map[string]*node)
	for _, floor := range slices.Backward(slices.Sorted(maps.Keys(rows))) {
		var row []*node
		for _, pkg := range rows[floor] {
			nodes[pkg] = &node{name: pkg, width: float64(len(pkg)*letter + 20), row: len(p.rows)}
			row = append(row, nodes[pkg])
		}
		p.floors, p.rows = append(p.floors, floor), append(p.rows, row)
	}
	p.connect(g, nodes)
	for range 8 {
		p.order(func(n *node) []*node { return n.up })
		slices.Reverse(p.rows)
		p.order(func(n *node) []*node { return n.down })
		slices.Reverse(p.rows)
	}
	for range 40 {
		p.align()
	}
	return p, nil
}

// connect links packages with those that they import. Lines to one package share their way past rows.
func (p *picture) connect(g graph, nodes map[string]*node) {
	passing := make(map[string]*node)
	link := func(from, to *node) {
		if !slices.Contains(from.down, to) {
			from.down, to.up = append(from.down, to), append(to.up, from)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(g)) {
		for _, name := range slices.Sorted(maps.Keys(g[pkg])) {
			at, to := nodes[pkg], nodes[name]
			for row := at.row + 1; row < to.row; row++ {
				key := fmt.Sprint(name, row)
				if passing[key] == nil {
					passing[key] = &node{width: trunk, row: row}
					p.rows[row] = append(p.rows[row], passing[key])
				}
				link(at, passing[key])
				at = passing[key]
			}
			link(at, to)
		}
	}
}

// order sorts each row by the mean place of its neighbours in the row before.
func (p *picture) order(neighbours func(*node) []*node) {
	for _, row := range p.rows {
		place := make(map[*node]float64)
		for _, n := range row {
			place[n] = mean(neighbours(n), n.x)
		}
		slices.SortStableFunc(row, func(a, b *node) int { return cmp.Compare(place[a], place[b]) })
		for i, n := range row {
			n.x = (float64(i) + 0.5) / float64(len(row))
		}
	}
}

// mean is the mean position of nodes, or another number if there are none.
func mean(nodes []*node, otherwise float64) float64 {
	if len(nodes) == 0 {
		return otherwise
	}
	sum := 0.0
	for _, n := range nodes {
		sum += n.x
	}
	return sum / float64(len(nodes))
}

// align moves every node towards its neighbours as far as its row allows. It is a monotone regression: nodes that would
// overlap form a group around the mean of the positions that they would like.
func (p *picture) align() {
	type group struct {
		sum   float64
		nodes int
	}
	for _, row := range p.rows {
		offset, offsets := 0.0, make([]float64, len(row))
		var groups []group
		for i, n := range row {
			if i > 0 {
				offset += (row[i-1].width+n.width)/2 + gap
			}
			offsets[i] = offset
			groups = append(groups, group{mean(slices.Concat(n.up, n.down), n.x) - offset, 1})
			for k := len(groups) - 1; k > 0; k-- {
				last, before := groups[k], groups[k-1]
				if last.sum/float64(last.nodes) > before.sum/float64(before.nodes) {
					break
				}
				groups[k-1] = group{before.sum + last.sum, before.nodes + last.nodes}
				groups = groups[:k]
			}
		}
		i := 0
		for _, g := range groups {
			for range g.nodes {
				row[i].x = g.sum/float64(g.nodes) + offsets[i]
				i++
			}
		}
	}
}

// svg draws bands, lines and boxes, in this order.
func (p *picture) svg() string {
	left, right := p.rows[0][0].x, 0.0
	for _, row := range p.rows {
		left = min(left, row[0].x-row[0].width/2)
		right = max(right, row[len(row)-1].x+row[len(row)-1].width/2)
	}
	width, height := right-left+margin+gap, float64(len(p.rows)*rowHeight)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" `+
		`font-family="Helvetica, Arial, sans-serif" font-size="14">`+"\n", width, height, width, height)
	b.WriteString("<title>Rooms and their imports, by floor; drawn by tools/architecture</title>\n" +
		`<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">` +
		`<path d="M0 0L8 4L0 8z" fill="#667"/></marker></defs>` + "\n")
	for i := 0; i < len(p.rows); {
		end := i
		for end < len(p.rows) && p.floors[end] == p.floors[i] {
			end++
		}
		shade := []string{"#f4f5f8", "#e9ecf2"}[p.floors[i]&1]
		fmt.Fprintf(&b, `<rect y="%d" width="%.0f" height="%d" fill="%s"/><text x="14" y="%d" fill="#667">floor %d</text>`+
			"\n", i*rowHeight, width, (end-i)*rowHeight, shade, i*rowHeight+24, p.floors[i])
		i = end
	}
	for _, row := range p.rows {
		for _, n := range row {
			p.lines(&b, n, margin-left)
		}
	}
	for _, row := range p.rows {
		for _, n := range row {
			if n.name != "" {
				fmt.Fprintf(&b, `<rect x="%.0f" y="%.0f" width="%.0f" height="%d" rx="5" fill="#fff" stroke="#345"/>`+
					`<text x="%.0f" y="%.0f" text-anchor="middle" fill="#123">%s</text>`+"\n",
					n.x-n.width/2+margin-left,
					n.top(), n.width, boxHeight, n.x+margin-left, n.top()+22, html.EscapeString(n.name))
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// lines are those from a node down; one that ends at a package has an arrow.
func (p *picture) lines(b *strings.Builder, n *node, shift float64) {
	from := n.top() + boxHeight
	if n.name == "" {
		fmt.Fprintf(b, `<path d="M%.0f %.0fV%.0f" fill="none" stroke="#667"/>`+"\n", n.x+shift, n.top(), from)
	}
	for _, to := range n.down {
		arrow := ""
		if to.name != "" {
			arrow = ` marker-end="url(#a)"`
		}
		half := (from + to.top()) / 2
		fmt.Fprintf(b, `<path d="M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f" fill="none" stroke="#667"%s/>`+"\n",
			n.x+shift, from, n.x+shift, half, to.x+shift, half, to.x+shift, to.top(), arrow)
	}
}

// top is where a box begins.
func (n *node) top() float64 { return float64(n.row*rowHeight) + (rowHeight-boxHeight)/2 }
