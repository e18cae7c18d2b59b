package report

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/rundir"
)

// Written says where a report was written, and what is in it.
type Written struct {
	// path of the page; Markdown and CSV lie beside it under the same name, contrasts and groups of questions under it
	// with -contrasts and -groups
	Page       string
	Runs       int      // of a report across runs: how many directories
	Tasks      []string // of an experiment: the tasks that were run; across runs: those that several have
	Missing    []string // of an experiment: the tasks that were not
	Debates    int
	Conditions int
	// of an experiment: the published numbers next to ours, for a terminal; "" if nothing is published
	Published string
}

// Of writes the report of a run directory, or of an experiment's directory, into a file; "" is report.html in the
// directory. The tables go beside it, in Markdown and CSV.
func Of(directory, file string, o Options) (Written, error) {
	if file == "" {
		file = filepath.Join(directory, "report.html")
	}
	if err := checkName(file); err != nil {
		return Written{}, err
	}
	if isExperiment(directory) {
		return ofExperiment(directory, file, o)
	}
	run, err := rundir.ReadRun(directory)
	if err != nil {
		return Written{}, err
	}
	s := study{Run: run, Published: o.Published}
	if s.Similarity, err = readSimilarity(directory); err != nil {
		return Written{}, err
	}
	c, err := runContents(s, o)
	if err != nil {
		return Written{}, err
	}
	return Written{Page: file, Debates: len(run.Outcomes), Conditions: len(run.Comparison.Rows)}, c.save(file)
}

// Page writes the page of a directory as it is now, and no file. script is added to it: the page of a server renews
// itself.
func Page(w io.Writer, directory string, o Options, script string) error {
	c, err := contentsOf(directory, o)
	if err != nil {
		return err
	}
	c.Live = template.JS(script)
	return c.write(w)
}

// contentsOf reads a run directory, or an experiment's.
func contentsOf(directory string, o Options) (contents, error) {
	if isExperiment(directory) {
		e, err := experiment.Load(filepath.Join(directory, experimentFile))
		if err != nil {
			return contents{}, err
		}
		studies, err := new(Written).read(directory, e)
		if err != nil {
			return contents{}, err
		}
		return experimentContents(e, studies, o)
	}
	s, err := readStudy(directory)
	if err != nil {
		return contents{}, err
	}
	s.Published = o.Published
	return runContents(s, o)
}

// checkName refuses names that the tables beside the page would take.
func checkName(file string) error {
	if ext := filepath.Ext(file); ext == ".md" || ext == ".csv" {
		return fmt.Errorf("%q: the report is an HTML page, and its tables are saved next to it with the "+
			"extension %s; name a file that ends in .html", file, ext)
	}
	return nil
}

const experimentFile = "experiment.yaml"

func isExperiment(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, experimentFile))
	return err == nil
}

func ofExperiment(directory, file string, o Options) (w Written, err error) {
	e, err := experiment.Load(filepath.Join(directory, experimentFile))
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
			"and are not in this report: %s.", listed(others)))
	}
	w.Published = c.Published.terminal()
	return w, c.save(file)
}

// strangers are run directories that belong to no task of the experiment: of its miniature, say, or of tasks that it
// had earlier.
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

func readStudy(directory string) (s study, err error) {
	if s.Run, err = rundir.ReadRun(directory); err != nil {
		return s, err
	}
	s.Similarity, err = readSimilarity(directory)
	return s, err
}

// save writes the page and, beside it, the tables. An error leaves an earlier page as it was.
func (c contents) save(path string) error {
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil { // the name in it is that of a temporary file
		return fmt.Errorf("%s cannot be written: %w; name another file with --out", path,
			cmp.Or(errors.Unwrap(err), err))
	}
	defer file.Cleanup()
	if err := c.write(file); err != nil {
		return err
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return err
	}
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	return errors.Join(renameio.WriteFile(stem+".md", []byte(c.Markdown), 0o644),
		renameio.WriteFile(stem+".csv", []byte(c.CSV), 0o644), saveIfAny(stem+"-contrasts.csv", c.ContrastsCSV),
		saveIfAny(stem+"-groups.csv", c.GroupsCSV), saveIfAny(stem+"-rounds.csv", c.RoundsCSV))
}

// saveIfAny writes a table. Without one, it removes that of an earlier report.
func saveIfAny(path, text string) error {
	if text != "" {
		return renameio.WriteFile(path, []byte(text), 0o644)
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
