package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
)

// contrasts returns the contrasts of a run: each condition with its reference, then those that were asked for. A name
// that is met twice is listed once, as it was asked for, which may be with a margin of its own. Conditions that are a
// copy of another one are left out, because their row repeats the test of that one.
func (s study) contrasts() (list []analysis.Contrast) {
	for _, r := range s.Comparison.Rows {
		if r.Paired != nil && r.DuplicateOf == "" {
			list = append(list, analysis.Contrast{Contrast: contrast.Between(r.Condition, r.Paired.Against),
				Paired: r.Paired})
		}
		if r.Same != nil {
			list = append(list, analysis.Contrast{Contrast: contrast.Between(r.Condition, r.Same.Against),
				Same: r.Same.Debates})
		}
	}
	for _, k := range s.Comparison.Contrasts {
		if i := slices.IndexFunc(list, func(o analysis.Contrast) bool { return o.Name == k.Name }); i >= 0 {
			list[i] = k
		} else {
			list = append(list, k)
		}
	}
	return list
}

// contrastsTable returns each contrast in each run and pooled over them, or nil if there are none. asked has the rows
// that the report begins with, see study.headlineContrasts.
//
// Rows stand in the order in which contrasts are first met, those of one contrast together: the runs in their order,
// then the row that is pooled over them. A run without the contrast has no row.
func (j joint) contrastsTable() (made *table.Table, asked []contrasted) {
	var kinds []analysis.Contrast
	for _, s := range j.Studies {
		for _, k := range s.contrasts() {
			if !slices.ContainsFunc(kinds, func(o analysis.Contrast) bool { return o.Name == k.Name }) {
				kinds = append(kinds, k)
			}
		}
	}
	if len(kinds) == 0 {
		return nil, nil
	}
	pooled, apart := j.pool(kinds)
	var rows []contrasted
	for _, k := range kinds {
		for _, s := range j.Studies {
			for _, of := range s.contrasts() {
				if of.Name == k.Name {
					rows = append(rows, contrasted{Contrast: of.Contrast, Of: s.Label, Paired: of.Paired,
						Same: of.Same})
				}
			}
		}
		for _, p := range pooled {
			if p.Name == k.Name {
				rows = append(rows, p)
			}
		}
	}
	t := table.New(contrastColumns(rows, "run"), rows)
	for i, r := range rows {
		t.Lines[i].Apart = r.Pooled
	}
	t.Title, t.Lead = "Contrasts by run", []string{"difference"}
	t.Caption = "p of a run is Holm-corrected within that run, for its comparisons with the reference or for the " +
		"contrasts that were asked for."
	if len(pooled) > 0 {
		t.Caption += " " + runsCaption(len(pooled), j.Studies[0].Comparison.Cluster)
	}
	if len(apart) > 0 {
		t.Caption += " " + strings.Join(apart, " ")
	}
	return &t, j.headlineContrasts(rows)
}

// headlineContrasts returns the rows of the contrasts that the report begins with in any of the runs, in the order in
// which it begins with them there, and for their reasons. Of those that nobody asked for, beside others, it returns the
// significant ones.
func (j joint) headlineContrasts(rows []contrasted) (list []contrasted) {
	var first []contrasted // one of each name
	for _, s := range j.Studies {
		for _, k := range s.headlineContrasts() {
			if i := slices.IndexFunc(first, func(o contrasted) bool { return o.Name == k.Name }); i < 0 {
				first = append(first, k)
			} else {
				first[i].why = min(first[i].why, k.why)
			}
		}
	}
	rows = averagedFirst(rows)
	for _, k := range first {
		for _, r := range rows {
			if r.why = k.why; r.Name == k.Name && (r.why != beside || r.significant()) {
				list = append(list, r)
			}
		}
	}
	return list
}

// pool averages contrasts over the runs that have them, where that means something; apart says where it does not. Three
// things keep something out: a run whose number of questions depends on its outcome, because the interval of an average
// holds for a fixed number; a run with clusters of its own, because one test cannot count with two kinds of units; and
// a contrast one of whose conditions is not the same protocol everywhere. The p-values of what is pooled are one
// family, which Holm corrects; those of single runs are families of their own.
func (j joint) pool(kinds []analysis.Contrast) (pooled []contrasted, apart []string) {
	var ended []study // the runs whose contrasts may be pooled
	for _, s := range j.Studies {
		switch {
		case s.Comparison.Stopped != nil:
			apart = append(apart, fmt.Sprintf("%s is in no pooled contrast, because how many questions it asked "+
				"depends on their outcome.", s.Label))
		case s.Comparison.Cluster != j.Studies[0].Comparison.Cluster:
			apart = append(apart, fmt.Sprintf("%s is in no pooled contrast, because its questions are clustered by "+
				"another field.", s.Label))
		default:
			ended = append(ended, s)
		}
	}
	unlike := j.unlike()
	var tested []*analysis.Paired
	var left []string // the contrasts that are not pooled because their conditions differ
	for _, k := range kinds {
		sides := slices.Concat(k.First, k.Second)
		if slices.ContainsFunc(sides, func(c string) bool { return slices.Contains(unlike, c) }) {
			left = append(left, k.Name)
			continue
		}
		made, untested, of := poolOver(k.Contrast, ended)
		if made != nil || untested != "" {
			pooled = append(pooled, contrasted{Contrast: k.Contrast, Of: fmt.Sprintf("pooled over %d runs", of),
				Pooled: true, Paired: made, Untested: untested})
		}
		if made != nil {
			made.Unmeasured = analysis.UnmeasuredIn(k.Contrast, findings(ended)...)
			tested = append(tested, made)
		}
	}
	adjustPooled(tested)
	if len(left) > 0 {
		apart = append(apart, fmt.Sprintf("Not pooled, because a condition is not the same protocol in all runs: %s.",
			wording.List(left)))
	}
	return pooled, apart
}

// poolOver pools a contrast over the runs that have all of its conditions; the result is nil if fewer than two do, if
// these have fewer than two questions in common, or where untested says why.
func poolOver(k contrast.Contrast, studies []study) (p *analysis.Paired, untested string, runs int) {
	var tables []*outcome.Table
	for _, s := range studies {
		if !slices.ContainsFunc(slices.Concat(k.First, k.Second), func(condition string) bool {
			_, held := s.rowOf(condition)
			return !held
		}) {
			tables = append(tables, s.Table())
		}
	}
	if len(tables) < 2 {
		return nil, "", 0
	}
	k.Margin = k.MarginIn(studies[0].Comparison.Equivalence)
	p, untested = analysis.PoolRuns(k, tables, studies[0].Comparison.Cluster)
	return p, untested, len(tables)
}

// figure draws the accuracies of all runs, condition by condition. The constant guess is drawn if all runs have the
// same one. A condition with its runs is drawn whole or not at all, and the first one always.
func (j joint) figure() (chart.Figure, error) {
	f := chart.Figure{Title: "Accuracy by condition and run", Caption: "Points with 95 % intervals, the runs of a " +
		"condition next to each other; conditions that look at the truth are grey."}
	var rows []row
	var names []string // from the top; "" is a gap between conditions
	conditions := j.conditions()
	for drawn, condition := range conditions {
		if len(names)+len(j.Studies) > chart.MostRows && drawn > 0 {
			f.Caption += fmt.Sprintf(" The first %d of %d conditions are drawn.", drawn, len(conditions))
			break
		}
		if drawn > 0 {
			rows, names = append(rows, row{}), append(names, "")
		}
		for _, s := range j.Studies {
			if r, held := s.rowOf(condition); held {
				rows = append(rows, row{Row: r, Kind: s.kindOf(condition)})
				names = append(names, condition+" · "+s.Label)
			}
		}
	}
	guess := &j.Studies[0].Comparison.Guess
	if slices.ContainsFunc(j.Studies, func(s study) bool { return s.Comparison.Guess != *guess }) {
		guess = nil
	} else {
		f.Caption += " The dashed line is the constant guess."
	}
	p := accuracyPanel(rows, names, guess)
	return f, f.Render(float64(len(rows))*0.8*chart.RowHeight+chart.Frame, p)
}
