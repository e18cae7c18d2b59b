package watch

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/internal/escape"
)

// lastShown is the number of ended debates in the view of a run, and least the width below which lines are cut.
const (
	lastShown = 6
	least     = 60
)

// colours are escape sequences by what they mean.
var colours = map[string]string{"title": "\x1b[1m", "right": "\x1b[32m", "wrong": "\x1b[31m", "failed": "\x1b[33m",
	"unparsed": "\x1b[33m", "soft": "\x1b[2m"}

// paint gives a text a colour.
func (m Model) paint(what, text string) string {
	if code := colours[what]; m.colour && code != "" {
		return code + text + "\x1b[0m"
	}
	return text
}

// text is the screen: as many lines as fit, from where the reader has scrolled to, and the keys below them.
func (m Model) text() string {
	lines := m.lines()
	from := max(0, min(m.scrolled, len(lines)-1))
	lines = lines[from:]
	keys := "q quits"
	if most := max(1, m.height-2); len(lines) > most || from > 0 {
		lines, keys = lines[:min(len(lines), most)], "q quits, arrows scroll"
	}
	return strings.Join(lines, "\n") + "\n\n" + m.paint("soft", keys)
}

// lines are the view without the keys, each no wider than the terminal.
func (m Model) lines() []string {
	lines := []string{m.paint("title", m.cut("parley watch "+plain(m.snapshot.Directory)))}
	if m.err != nil {
		lines = append(lines, "", m.paint("wrong", m.cut(plain(m.err.Error()))))
	}
	if len(m.snapshot.Runs) == 0 {
		return append(lines, "", "reading ...")
	}
	for _, r := range m.snapshot.Runs {
		lines = append(append(lines, ""), m.run(r)...)
	}
	return lines
}

// run is the view of one run.
func (m Model) run(r Run) (lines []string) {
	state := r.State
	if r.Process != "" {
		state += ", by " + plain(r.Process)
	}
	if r.Header == nil {
		return []string{m.paint("title", m.cut(plain(r.Name))),
			m.cut(state + ", before anything was recorded; " + r.times())}
	}
	about := plain(r.Header.TaskName()) + ", " + plain(r.Header.Model.Name)
	lines = append(lines, m.paint("title", m.cut(about)), m.cut(state), m.bar(r),
		m.cut(strings.Join(r.Count.Work(r.TokensPerSecond), ", ")))
	lines = append(append(lines, ""), m.conditions(r)...)
	last := r.Last[max(0, len(r.Last)-lastShown):]
	if len(last) > 0 {
		lines = append(lines, "", m.paint("soft", "last debates"))
	}
	shared := sharedWords(last)
	for i := len(last) - 1; i >= 0; i-- {
		lines = append(lines, m.debateLine(last[i], shared))
	}
	return lines
}

// bar draws the share of debates that are recorded, with counts and times behind it.
func (m Model) bar(r Run) string {
	share := float64(r.Count.Debates) / float64(max(1, r.Count.Expected))
	words := fmt.Sprintf(" %s, %s", r.Count.Done(), r.times())
	room := min(30, m.width-text.StringWidth(words)-2)
	if room < 5 {
		return m.cut(strings.TrimSpace(words))
	}
	full := min(room, int(share*float64(room)))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", room-full) + "]" + words
}

// conditions is the table of conditions. Names take the room that the numbers leave.
func (m Model) conditions(r Run) (lines []string) {
	const numbers = 39 // columns of the numbers
	name := 9          // columns of the names
	for _, c := range r.Conditions {
		name = max(name, text.StringWidth(plain(c.Name)))
	}
	name = max(9, min(name, max(least, m.width)-numbers))
	row := func(first, debates, accuracy, interval string) string {
		return m.cut(strings.TrimRight(fmt.Sprintf("%s %13s %9s  %s", text.Pad(text.Snip(first, name, "~"), name, ' '),
			debates, accuracy, interval), " "))
	}
	lines = append(lines, m.paint("soft", row("condition", "debates", "accuracy", "95 % interval")))
	for _, c := range r.Conditions {
		accuracy, interval := "", ""
		if c.N > 0 {
			accuracy = fmt.Sprintf("%.2f", c.Accuracy)
			interval = fmt.Sprintf("%.2f to %.2f", c.Interval.Low, c.Interval.High)
		}
		lines = append(lines, row(plain(c.Name), fmt.Sprintf("%d / %d", c.N+c.Failed, c.Expected), accuracy, interval))
	}
	return lines
}

// signs stand for scores, also without colour.
var signs = map[task.Score]string{task.Right: "+", task.Wrong: "-", task.Unparsed: "?", task.Failed: "!"}

// sharedWords is how many bytes of words all that was asked begins with: those are the prompt's. It is 0 where only one
// thing was asked.
func sharedWords(list []rundir.Finished) (n int) {
	first := ""
	for _, d := range list {
		switch {
		case d.Asked == "" || d.Asked == first:
		case first == "":
			first, n = d.Asked, len(d.Asked)
		default:
			n = min(n, len(d.Asked))
			for n > 0 && !(first[n-1] == ' ' && strings.HasPrefix(d.Asked, first[:n])) {
				n = strings.LastIndexByte(first[:n-1], ' ') + 1
			}
		}
	}
	if n == len(first) {
		return 0
	}
	return n
}

// debateLine is one debate that has ended, in a line, without the words that it shares with the others.
func (m Model) debateLine(d rundir.Finished, shared int) string {
	what := string(d.Score)
	switch {
	case d.Score == task.Failed:
		what += ": " + d.Error
	case d.Decision != "":
		what += ": " + d.Decision
	}
	line := fmt.Sprintf("%s %s, %s, %s", signs[d.Score], d.Case, d.Condition, what)
	switch {
	case d.Asked == "":
	case shared > 0:
		line += " | … " + d.Asked[shared:]
	default:
		line += " | " + d.Asked
	}
	return m.paint(string(d.Score), m.cut(plain(line)))
}

// plain is a text of strangers in one line without control characters.
func plain(s string) string { return escape.Text(strings.Join(strings.Fields(s), " ")) }

// cut shortens a line to the width of the terminal.
func (m Model) cut(line string) string { return text.Snip(line, max(1, m.width), "~") }
