package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate"
)

// Limits of a table with columns; rendering time grows faster than its size.
const (
	mostColumns = 500
	mostRows    = 500
)

const (
	mostAsked  = 12  // lines of the question
	mostSaid   = 400 // characters of a reply: its end, where its answer is
	mostLines  = 16  // of that
	longWord   = 30  // characters that are left out to begin with a whole word
	leastCell  = 24  // columns of an agent
	mostName   = 14  // columns of the name of a round
	cellBorder = 3   // columns between two cells
)

// columns prints the replies as tables that are at most width wide, agents as columns and rounds as rows. Agents that
// do not fit beside the others have a table of their own.
func columns(out io.Writer, t debate.Transcript, width int) {
	agents := 0
	for _, round := range t.Rounds {
		for _, turn := range round {
			agents = max(agents, turn.Agent+1)
		}
	}
	if agents > mostColumns || len(t.Rounds) > mostRows {
		fmt.Fprintf(out, "%d agents and %d rounds exceed the limits of a table, %d and %d; use --messages "+
			"instead\n", agents, len(t.Rounds), mostColumns, mostRows)
		return
	}
	names, name := namesOf(t)
	space := width - name - cellBorder - 1
	most := max(1, space/(leastCell+cellBorder)) // agents beside each other
	said := cellsOf(t, agents)
	for first := 0; first < agents; first += most {
		last := min(agents, first+most)
		tableOf(out, t, names, said, first, last, max(1, space/(last-first)-cellBorder))
	}
}

// namesOf are the names of the rounds, as lines of cells, and how many columns they take.
func namesOf(t debate.Transcript) (names [][]string, width int) {
	for r, round := range t.Rounds {
		name := ""
		switch {
		case r < len(t.Phases):
			name = string(t.Phases[r])
		case len(round) > 0:
			name = fmt.Sprintf("round %d", round[0].Round)
		}
		lines := terminal.Wrap(name, mostName)
		names = append(names, lines)
		for _, line := range lines {
			width = max(width, ansi.StringWidth(line))
		}
	}
	return names, width
}

// tableOf prints the columns of agents [first, last), each width wide.
func tableOf(out io.Writer, t debate.Transcript, names [][]string, said [][]string, first, last, width int) {
	g := table.Grid{Heads: []string{""}, Ruled: true}
	for i := first; i < last; i++ {
		g.Heads = append(g.Heads, strings.Join(terminal.Wrap(t.Role(i), width), "\n"))
	}
	for r, round := range t.Rounds {
		if len(round) == 0 {
			continue
		}
		row := []string{strings.Join(names[r], "\n")}
		for i := first; i < last; i++ {
			row = append(row, strings.Join(terminal.Wrap(said[r][i], width), "\n"))
		}
		g.Rows = append(g.Rows, row)
	}
	fmt.Fprint(out, table.Document{g})
}

// lastLines are the last of some lines, with a mark of those that are left out.
func lastLines(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append([]string{"…"}, lines[len(lines)-most:]...)
}
