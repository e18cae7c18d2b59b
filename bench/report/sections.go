package report

import (
	"github.com/parley-debate/parley/bench/details"
	"github.com/parley-debate/parley/bench/report/dynamics"
	"github.com/parley-debate/parley/bench/table"
)

// sectionTables are the tables of a run's section below that of its conditions, in their order; each returns none if
// the run has nothing to show in it. To show another table, add it here; the page, Markdown and the index follow.
var sectionTables = []func(study) []table.Table{
	func(s study) []table.Table { return given(contrastsTable(s)) },
	func(s study) []table.Table { return filled(s.Comparison.Readings()) },
	func(s study) []table.Table { return filled(debatingTable(s)) },
	func(s study) []table.Table { return filled(s.Comparison.GroupsTable()) },
	func(s study) []table.Table { return filled(s.Comparison.RepeatsTable()) },
	func(s study) []table.Table { return filled(details.Facts(s.Comparison)) },
	func(s study) []table.Table { return details.AmongPeers(s.Comparison) },
	func(s study) []table.Table { return dynamics.PuzzleTables(s.Comparison) },
	func(s study) []table.Table { return filled(coverageTable(s.Comparison.Rows)) },
	sweepTables,
	positionTables,
	func(s study) []table.Table { return given(similarityTable(s.Similarity)) },
	scoreTables,
}

// filled is a table that has lines.
func filled(t table.Table) []table.Table {
	if len(t.Lines) == 0 {
		return nil
	}
	return []table.Table{t}
}

// given is a table that there is.
func given(t *table.Table) []table.Table {
	if t == nil {
		return nil
	}
	return []table.Table{*t}
}

// sweepTables are those of each swept setting.
func sweepTables(s study) (tables []table.Table) {
	for _, setting := range s.settings() {
		tables = append(tables, given(trendTable(s, setting))...)
		tables = append(tables, given(meansTable(s, setting))...)
		tables = append(tables, given(flipThresholdTable(s, setting))...)
	}
	return tables
}

// positionTables are the effects of places and holders.
func positionTables(s study) (tables []table.Table) {
	for _, p := range dynamics.Positions(s.Header.Protocols, s.Table()) {
		tables = append(tables, dynamics.PositionTable(p))
	}
	return tables
}

// scoreTables are what another program thinks of the decisions.
func scoreTables(s study) (tables []table.Table) {
	if s.Scores == nil {
		return nil
	}
	for _, m := range s.Scores.Measures {
		tables = append(tables, s.Scores.Table(m))
	}
	return tables
}
