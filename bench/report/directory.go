package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/branch"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/report/paper"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/outfile"
)

// Written says where a report was written, and what is in it.
type Written struct {
	// Page is the path of the page. Markdown and CSV lie beside it under the same name; contrasts and groups of
	// questions have that name with -contrasts and -groups.
	Page       string
	Runs       int      // how many directories a report across runs has; 0 for other reports
	Tasks      []string // in an experiment the tasks that were run; across runs the tasks that several runs share
	Missing    []string // the tasks of an experiment that were not run
	Debates    int
	Conditions int
	// Published has the published numbers of an experiment next to ours, for a terminal; it is nil if nothing is.
	Published table.Document
	// Verdict and Shown are what a terminal shows: the verdict, without how to go on, and the report without figures
	// and debates.
	Verdict, Shown table.Document
}

// Of writes the report of a run directory, or of an experiment's directory, into a file; "" is report.html in the
// directory. The tables go beside it, in Markdown and CSV.
func Of(directory, file string, o Options) (Written, error) {
	if file == "" {
		file = filepath.Join(directory, pageName)
	}
	if err := checkName(file); err != nil {
		return Written{}, err
	}
	if experiment.IsDirectory(directory) {
		return ofExperiment(directory, file, o)
	}
	s, err := readStudy(directory)
	if err != nil {
		return Written{}, err
	}
	s.Published = o.Published
	c, err := runContents(s, o)
	if err != nil {
		return Written{}, err
	}
	w := Written{Page: file, Debates: len(s.Outcomes), Conditions: len(s.Comparison.Rows)}
	return w.saved(c, o)
}

// checkName refuses names that the tables beside the page would take.
func checkName(file string) error {
	if ext := filepath.Ext(file); ext == ".md" || ext == ".csv" {
		return fmt.Errorf("%q: the report is an HTML page, and its tables are saved next to it with the "+
			"extension %s; name a file that ends in .html", file, ext)
	}
	return nil
}

// pageName is the page of a report for which no file is named.
const pageName = "report.html"

// ofExperiment writes the report of an experiment's directory. Tasks that were not run are listed, and do not stop it:
// a report is wanted most while an experiment is under way.
func ofExperiment(directory, file string, o Options) (w Written, err error) {
	e, err := experiment.Load(filepath.Join(directory, experiment.File))
	if err != nil {
		return w, err
	}
	w.Page = file
	studies, err := w.read(directory, e)
	if err != nil {
		return w, err
	}
	c, err := experimentContents(e, studies, o)
	if err != nil {
		return w, err
	}
	if others := strangers(directory, e); len(others) > 0 {
		c.Lead = append(c.Lead, fmt.Sprintf("The directory also has runs that belong to no task of this experiment "+
			"and are not in this report: %s.", wording.List(others)))
	}
	w.Published = c.Published.terminal()
	return w.saved(c, o)
}

// strangers returns the run directories that belong to no task of the experiment: of its miniature, say, or of tasks
// that it had earlier.
func strangers(directory string, e experiment.Experiment) (names []string) {
	for _, path := range rundir.Within(directory) {
		name := filepath.Base(path)
		if !slices.ContainsFunc(e.Tasks, func(t experiment.Task) bool { return t.Name == name }) {
			names = append(names, name)
		}
	}
	return names
}

// read reads the runs on all tasks, and enters which tasks were run.
func (w *Written) read(directory string, e experiment.Experiment) (studies []study, err error) {
	for _, t := range e.Tasks {
		s, err := readStudy(filepath.Join(directory, t.Name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			w.Missing = append(w.Missing, t.Name)
		case err != nil:
			return nil, fmt.Errorf("task %s: %w", t.Name, err)
		default:
			studies, w.Tasks, w.Debates = append(studies, s), append(w.Tasks, t.Name), w.Debates+len(s.Outcomes)
			w.Conditions = max(w.Conditions, len(s.Comparison.Rows))
		}
	}
	if len(studies) == 0 {
		return nil, fmt.Errorf("experiment %s in %q: none of its tasks has been run yet: %s", e.Name, directory,
			strings.Join(w.Missing, ", "))
	}
	return studies, nil
}

// readStudy reads a run with the files that commands wrote beside it. Nothing of its experiment is known yet: attach
// adds it.
func readStudy(directory string) (s study, err error) {
	if s.Run, err = rundir.ReadRun(directory); err != nil {
		return s, err
	}
	return s, s.readBeside(directory)
}

// outputs are the files of a report: the page, then its tables. A report replaces those of an earlier one and no
// others.
func outputs(page string) []outfile.File {
	stem := strings.TrimSuffix(page, filepath.Ext(page))
	names := outfile.Opening(`([a-z_]+,){0,2}(condition|contrast)(,[a-z_0-9]+){5}`) // of fields
	ours := outfile.Opening(`<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n` +
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src `)
	files := []outfile.File{
		{Kind: outfile.Kind{Name: "report of parley", Ours: ours}, Path: page},
		{Kind: outfile.Kind{Name: "table of an earlier report", Ours: outfile.Opening(`# `)}, Path: stem + ".md"},
	}
	for _, suffix := range []string{".csv", "-contrasts.csv", "-groups.csv", "-rounds.csv"} {
		files = append(files, outfile.File{Kind: outfile.Kind{Name: files[1].Name, Ours: names}, Path: stem + suffix})
	}
	files[2].Sure = outfile.Opening(`([a-z_]+,){0,2}condition,(mark|run,model,quantization,model_hash,seed),` +
		`n,questions,right,unparsed,failed,`)
	return files
}

// Check refuses a directory whose report would take the place of files that are no report's.
func Check(directory string) error {
	return outfile.Check(outputs(filepath.Join(directory, pageName))...)
}

// save writes the page and, beside it, the tables, and removes those of an earlier report that this one has not. An
// error leaves an earlier page as it was. Figures for papers, which the page links to, are written before it.
func (c contents) save(path string, o Options) error {
	files := outputs(path)
	if err := outfile.Check(files...); err != nil {
		return err
	}
	if o.Figures != "" {
		d := paper.New(o.Figures, path)
		if err := errors.Join(c.addTo(d), d.Save()); err != nil {
			return err
		}
	}
	file, err := files[0].Create()
	if err != nil {
		return fmt.Errorf("%w; name another file with --out", err)
	}
	defer file.Cleanup()
	if err := c.write(file); err != nil {
		return err
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return err
	}
	for i, text := range []string{c.Markdown, c.CSV, c.ContrastsCSV, c.GroupsCSV, c.RoundsCSV} {
		if table := files[1+i]; text != "" || i < always {
			err = errors.Join(err, table.Write([]byte(text)))
		} else {
			err = errors.Join(err, table.Remove())
		}
	}
	return err
}

// saved saves the report of w, and shows it.
func (w Written) saved(c contents, o Options) (Written, error) {
	err := c.save(w.Page, o)
	w.Verdict, w.Shown = c.verdict(false), c.terminal(o.Unfolded)
	return w, err
}

// always is how many tables each report has, Markdown and CSV, even if they are empty. save lists them first.
const always = 2

// readBeside reads what commands have written into a run directory beside the run. A file that does not exist leaves
// its field nil.
func (s *study) readBeside(directory string) (err error) {
	s.Similarity, err = readVersion(filepath.Join(directory, "similarity.json"), offline.SimilarityVersion,
		"similarity", func(s offline.Similarity) int { return s.Version })
	if err != nil {
		return err
	}
	s.Scores, err = readVersion(filepath.Join(directory, "scores.json"), offline.ScoresVersion, "score --scores",
		func(s offline.Scores) int { return s.Version })
	if err != nil {
		return err
	}
	s.Judgement, err = readVersion(filepath.Join(directory, "judge.json"), offline.JudgementVersion, "judge",
		func(j offline.Judgement) int { return j.Version })
	if err != nil {
		return err
	}
	s.Branches, err = readVersion(filepath.Join(directory, "branch.json"), branch.Version, "branch",
		func(r branch.Results) int { return r.Version })
	return err
}

// readVersion reads the file of a command, nil if there is none. Another version is an error and not a missing file:
// the report would otherwise silently lose tables that the user computed.
func readVersion[T any](path string, want int, command string, version func(T) int) (*T, error) {
	var found T
	switch err := record.ReadJSON(path, &found); {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case version(found) != want:
		return nil, fmt.Errorf("%q has version %d, and this program reads version %d; write it again with parley %s",
			path, version(found), want, command)
	}
	return &found, nil
}
