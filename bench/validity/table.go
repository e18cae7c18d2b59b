package validity

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/debate/answer"
)

// Named is how the replies of a condition were read.
type Named struct {
	Name string
	Reading
}

// Percent is a share in per cent, table.Absent of nothing.
func Percent(part, of int) string {
	if of == 0 {
		return table.Absent
	}
	return fmt.Sprintf("%.1f %%", 100*stat.Share(part, of))
}

// Table says how replies to the question were read, and how they ended. It has no lines if no rule tells how it reads
// and no reply was ended as it repeated itself.
func Table(rows []Named) table.Table {
	if !slices.ContainsFunc(rows, func(r Named) bool { return r.Told() > 0 || r.Looped > 0 }) {
		return table.Table{}
	}
	columns := []table.Column[Named]{
		table.Words("condition", func(r Named) string { return r.Name }),
		table.Counts("replies", func(r Named) int { return r.Answers }),
	}
	for _, how := range answer.Hows() {
		share := func(r Named) (int, int) { return r.How[how], r.Told() }
		columns = append(columns, table.Ratios(string(how), "", share))
	}
	columns = append(columns,
		table.Ratios("at the limit", "", func(r Named) (int, int) { return r.AtLimit, r.Answers }),
		table.Ratios("as a loop", "", func(r Named) (int, int) { return r.Looped, r.Answers }))
	if slices.ContainsFunc(rows, func(r Named) bool { return r.Orders > 0 }) {
		columns = append(columns,
			table.Ratios("other by order", "", func(r Named) (int, int) { return r.OtherOrders, r.Orders }))
	}
	for i, c := range columns {
		columns[i].Fields = []string{c.Name}
	}
	t := table.New(columns, rows)
	t.Title = "How answers were read"
	t.Caption = "Shares of the replies to the question. Explicit: the reply states its answer; fallback: it states " +
		"none, but only one thing can be meant; closing turn: it was asked again for its answer alone. The others " +
		"have no answer: what is stated is no option, the reply is cut or looped before it states one, or it states " +
		"nothing. " +
		"Rules of papers do not tell (–). At the limit, as a loop: how replies ended, whatever was read."
	if slices.ContainsFunc(rows, func(r Named) bool { return r.Orders > 0 }) {
		t.Caption += " Other by order: closing turns list the options in several orders and take the best on the " +
			"mean; so many of the orders alone would say another one."
	}
	return t
}
