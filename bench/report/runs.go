package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/report/dynamics"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
)

// joint is several runs on the same questions, of one task.
type joint struct {
	Task    string
	Studies []study
}

// OfRuns writes one report across several runs, or across experiments with one run for each task. Runs on the same
// questions are compared with each other; a run whose questions no other one has is kept apart, and it is an error if
// all are. Debates on puzzles of all runs have one regression, whatever their questions. The file is an HTML page,
// beside which the tables lie in Markdown and CSV.
func OfRuns(directories []string, file string, o Options) (w Written, err error) {
	if err := checkName(file); err != nil {
		return w, err
	}
	studies, err := readRuns(directories)
	if err != nil {
		return w, err
	}
	c, together, err := runsContents(studies, o)
	if err != nil {
		return w, err
	}
	w = Written{Page: file, Runs: len(directories)}
	if len(together) == 0 {
		all := joint{Studies: studies}
		w.Conditions, w.Debates = len(all.conditions()), debatesOf(studies)
	}
	for _, j := range together {
		w.Tasks, w.Conditions = append(w.Tasks, j.Task), max(w.Conditions, len(j.conditions()))
		w.Debates += debatesOf(j.Studies)
	}
	return w.saved(c, o)
}

// debatesOf counts the debates of some runs, failed ones included, as Written does for a single run.
func debatesOf(studies []study) (debates int) {
	for _, s := range studies {
		debates += len(s.Outcomes)
	}
	return debates
}

// readRuns reads the runs in the directories, each with its label.
func readRuns(directories []string) (studies []study, err error) {
	var members [][]study // the runs of each directory, in the order of directories
	for i, directory := range directories {
		for _, before := range directories[:i] {
			if same, err := sameDirectory(before, directory); err != nil || same {
				return nil, errors.Join(err, fmt.Errorf("%q is named twice: a run cannot be compared with itself",
					directory))
			}
		}
		member, err := readMember(directory)
		if err != nil {
			return nil, err
		}
		members = append(members, member)
	}
	labels := labelsOf(members, directories)
	for i, member := range members {
		for _, s := range member {
			s.Label, s.Part = labels[i], labels[i]
			if len(member) > 1 {
				s.Part += ", " + s.Header.Task
			}
			studies = append(studies, s)
		}
	}
	return studies, nil
}

// sameDirectory reports whether two paths lead to one directory. Links are resolved first: a run that is compared with
// itself through a link would count as two independent ones.
func sameDirectory(a, b string) (bool, error) {
	first, err := filepath.EvalSymlinks(a)
	second, otherErr := filepath.EvalSymlinks(b)
	if err := errors.Join(err, otherErr); err != nil {
		return false, nil // reading it says what is wrong
	}
	first, err = filepath.Abs(first)
	second, otherErr = filepath.Abs(second)
	return first == second, errors.Join(err, otherErr)
}

// readMember reads a run, or the runs of an experiment.
func readMember(directory string) ([]study, error) {
	if !experiment.IsDirectory(directory) {
		s, err := readStudy(directory)
		return []study{s}, err
	}
	e, err := experiment.Load(filepath.Join(directory, experiment.File))
	if err != nil {
		return nil, err
	}
	studies, err := (&Written{}).read(directory, e)
	for i := range studies {
		studies[i].Fits = e.Fits()
	}
	return studies, err
}

// labelsOf names the runs by the first of these that tells them apart: their models, these with their quantization, or
// with the seed, or the names of the directories.
func labelsOf(members [][]study, directories []string) (labels []string) {
	for _, name := range []func(i int) string{
		func(i int) string { return members[i][0].Header.Model.Name },
		func(i int) string {
			m := members[i][0].Header.Model
			return strings.TrimSpace(m.Name + " " + m.Quantization)
		},
		func(i int) string {
			h := members[i][0].Header
			return fmt.Sprintf("%s, seed %d", h.Model.Name, h.Seed)
		},
		func(i int) string { return filepath.Base(directories[i]) },
		func(i int) string { return directories[i] },
	} {
		labels = labels[:0]
		for i := range members {
			labels = append(labels, name(i))
		}
		if sorted := slices.Sorted(slices.Values(labels)); len(slices.Compact(sorted)) == len(labels) &&
			!slices.Contains(labels, "") {
			break
		}
	}
	return labels
}

// together groups the runs by their questions and by what makes an answer right. apart has those without a partner.
// Each run is compared with the first of a group alone, so a group can hold runs that have no question in common with
// each other: their contrasts are then pooled over fewer questions, or not at all.
func together(studies []study) (groups []joint, apart []study) {
	for _, s := range studies {
		i := slices.IndexFunc(groups, func(j joint) bool { return j.Studies[0].asks(s) })
		if i < 0 {
			groups = append(groups, joint{s.Header.Task, []study{s}})
			continue
		}
		groups[i].Studies = append(groups[i].Studies, s)
	}
	for _, j := range groups {
		if len(j.Studies) == 1 {
			apart = append(apart, j.Studies[0])
		}
	}
	return slices.DeleteFunc(groups, func(j joint) bool { return len(j.Studies) == 1 }), apart
}

// asks reports whether two runs have questions in common, with the same right answers, and score them alike.
func (s study) asks(other study) bool {
	a, b := s.Header, other.Header
	if a.TaskHash != b.TaskHash || a.AnswerRule != b.AnswerRule || a.Columns.String() != b.Columns.String() ||
		s.Comparison.Measure != other.Comparison.Measure {
		return false
	}
	targets, common := other.targets(), 0
	for question, target := range s.targets() {
		switch theirs, has := targets[question]; {
		case has && theirs != target:
			return false
		case has:
			common++
		}
	}
	return common > 0
}

// targets returns the right answers by question. Repeats and conditions share them, so the last one is as good as any.
func (s study) targets() map[string]string {
	targets := make(map[string]string)
	for _, o := range s.Outcomes {
		targets[o.Question] = o.Target
	}
	return targets
}

// runsContents fills the contents of a report across runs. Regressions take the debates of all runs, also of those that
// are kept apart: a regression compares debates by their features and needs no common questions.
func runsContents(studies []study, o Options) (c contents, groups []joint, err error) {
	groups, apart := together(studies)
	tables, figures, err := dynamics.Regressions(casesOf(studies), fitsOf(studies))
	if err != nil {
		return c, nil, err
	}
	if len(groups) == 0 && len(tables) == 0 {
		return c, nil, fmt.Errorf("no two of these runs can be compared, because they do not have the same questions, "+
			"scored in the same way: %s", strings.Join(questionsOf(apart), "; "))
	}
	tasks := tasksOf(groups)
	var shown []study
	for _, j := range groups {
		shown = append(shown, j.Studies...)
	}
	if len(groups) == 0 { // but there are puzzles
		shown = studies
		for _, s := range studies {
			tasks = appendNew(tasks, s.Header.Task)
		}
	}
	c = contents{Title: o.Title, Many: true, Parts: "Run", Across: tables, Drawn: figures,
		Lead: []string{fmt.Sprintf("%s on %s: %s.", wording.List(labelsIn(studies)), wording.List(tasks),
			wording.Count(debatesOf(shown), "debate"))}}
	if c.Title == "" {
		c.Title = fmt.Sprintf("%s, %s", wording.List(tasks), wording.Count(len(labelsIn(studies)), "run"))
	}
	if len(tables) > 0 {
		c.Lead = append(c.Lead, fmt.Sprintf("The regressions are over the debates of all %d runs, also of those whose "+
			"questions no other one has.", len(studies)))
	}
	if len(groups) > 0 && len(apart) > 0 {
		c.Lead = append(c.Lead, "Kept apart and not shown, because no other run has the same questions, scored in "+
			"the same way: "+strings.Join(questionsOf(apart), "; ")+".")
	}
	var accuracies, contrasts []table.Table
	var contrastsOf []string // contrastsOf[i] is the task of contrasts[i]
	var first []contrasted   // the rows that the verdict speaks of
	for _, j := range groups {
		part, of, asked, err := j.section()
		if err != nil {
			return c, nil, fmt.Errorf("task %s: %w", j.Task, err)
		}
		if c.Sections = append(c.Sections, part); len(groups) > 1 {
			for i := range asked {
				asked[i].Of = j.Task + ", " + asked[i].Of
			}
		}
		first = append(first, asked...)
		accuracies = append(accuracies, j.records())
		if of != nil {
			contrasts, contrastsOf = append(contrasts, *of), append(contrastsOf, j.Task)
		}
	}
	says, comparable := sound(first, shown)
	c.Verdict = slices.Concat(says, conclude(comparable, true, shown...), neverApplied(shown), departed(shown),
		warnUnended(shown))
	c.Provenance, _ = splitProvenance(shown)
	if len(groups) > 0 {
		c.CSV = table.CSV("task", tasks, accuracies)
	}
	if len(contrasts) > 0 {
		c.ContrastsCSV = table.CSV("task", contrastsOf, contrasts)
	}
	return c, groups, c.finish(shown, o)
}

// fitsOf returns the published regressions of some runs. Runs of one experiment all bring the same ones, so each source
// is kept once.
func fitsOf(studies []study) (fits []roles.Printed) {
	for _, s := range studies {
		for _, f := range s.Fits {
			if !slices.ContainsFunc(fits, func(p roles.Printed) bool { return p.From == f.From }) {
				fits = append(fits, f)
			}
		}
	}
	return fits
}

// questionsOf describes the questions of runs by their task, its hash and the answer rule, so that a user sees what may
// keep them apart.
func questionsOf(studies []study) (says []string) {
	for _, s := range studies {
		says = append(says, fmt.Sprintf("%s has %s of %s (SHA-256 %.12s), answers by the rule %s", s.Label,
			wording.Count(s.Comparison.Questions, "question"), s.Header.Task, s.Header.TaskHash, s.Header.AnswerRule))
	}
	return says
}

// tasksOf lists the tasks of groups, in the order of the report.
func tasksOf(groups []joint) (names []string) {
	for _, j := range groups {
		names = append(names, j.Task)
	}
	return names
}

// labelsIn lists the labels of some runs, each once: the runs of one experiment share theirs.
func labelsIn(studies []study) (labels []string) {
	for _, s := range studies {
		labels = appendNew(labels, s.Label)
	}
	return labels
}
