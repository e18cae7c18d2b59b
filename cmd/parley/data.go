package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley/bench/task"
)

func newData() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "data [PATH...]",
		Short: "List the supported benchmark formats, or check task files",
		Long: `Without a path, lists the benchmark families that --task reads, where to download them, and their
licences. With files or directories, describes each file: family, number of questions, answer rule,
the accuracy of always giving the most frequent answer, the sample size for a margin of 5 points at
95 %, the first question, and all problems found. Files are identified by their content; in
directories, only files that end in .json, .jsonl, .csv or .parquet are checked.`,
		Example: `  parley data
  parley data test.jsonl benchmarks/`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if len(paths) == 0 {
				return listFamilies(cmd, asJSON)
			}
			return checkData(cmd, paths, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON line per family or file")
	return cmd
}

func listFamilies(cmd *cobra.Command, asJSON bool) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, f := range task.Families() {
		if asJSON {
			if err := json.NewEncoder(cmd.OutOrStdout()).Encode(f); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n\t  %s\n\t  right if %s\n", f.Name, "rule "+f.Rule, f.Licence, f.Where,
			f.Format, f.Meaning())
	}
	return w.Flush()
}

// dataFile describes a task file.
type dataFile struct {
	Path      string         `json:"path"`
	Family    string         `json:"family,omitempty"`
	Questions int            `json:"questions"`
	Rule      string         `json:"rule,omitempty"`
	Measure   string         `json:"measure,omitempty"`
	Guess     float64        `json:"guess"`
	Sample    int            `json:"sample"` // for a margin of 5 points at 95 %
	Hash      string         `json:"sha256,omitempty"`
	First     string         `json:"first,omitempty"`
	Problems  []task.Problem `json:"problems"`
	Error     string         `json:"error,omitempty"` // why nothing can be read
}

// checkData describes every file, and then fails if some cannot be used.
func checkData(cmd *cobra.Command, paths []string, asJSON bool) error {
	files, err := dataFiles(paths)
	if err != nil {
		return input(err)
	}
	bad := 0
	for _, path := range files {
		f, usable := describe(path)
		if !usable {
			bad++
		}
		if asJSON {
			if err := json.NewEncoder(cmd.OutOrStdout()).Encode(f); err != nil {
				return err
			}
			continue
		}
		fmt.Fprint(cmd.OutOrStdout(), f)
	}
	if bad > 0 {
		return input(fmt.Errorf("%d of %d files cannot be used", bad, len(files)))
	}
	return nil
}

// dataFiles are the named files, and the files below the named directories that have an extension of task files.
func dataFiles(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("task %q: %w", path, err)
		case !info.IsDir():
			files = append(files, path)
			continue
		}
		before := len(files)
		err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.Contains(".json.jsonl.csv.parquet.",
				filepath.Ext(p)+".") && filepath.Ext(p) != "" {
				files = append(files, p)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("task %q: the directory has no files that end in .json, .jsonl, .csv or .parquet",
				path)
		}
	}
	return files, nil
}

// describe reads a file. It is usable if every row is a question.
func describe(path string) (f dataFile, usable bool) {
	f = dataFile{Path: path, Problems: []task.Problem{}}
	r, err := task.Inspect(path)
	if err != nil {
		if inner := errors.Unwrap(err); inner != nil { // without the path, which is printed anyway
			err = inner
		}
		f.Error = err.Error()
		return f, false
	}
	t := r.Task
	f.Family, f.Questions, f.Rule, f.Measure, f.Guess, f.Hash = t.Family, len(t.Questions), t.Rule, t.Measure, t.Guess,
		t.Hash
	f.Sample = task.SampleSize(len(t.Questions), 0.05, 0.95)
	if len(t.Questions) > 0 {
		f.First = short(t.Questions[0].Text)
	}
	usable = len(t.Questions) > 0
	for _, p := range r.Problems {
		f.Problems = append(f.Problems, p)
		usable = usable && !p.Refused
	}
	return f, usable
}

// short is the beginning of a text on one line.
func short(text string) string {
	const letters = 100
	if line := []rune(strings.Join(strings.Fields(text), " ")); len(line) > letters {
		return string(line[:letters-1]) + "…"
	} else {
		return string(line)
	}
}

// String is a paragraph for people.
func (f dataFile) String() string {
	if f.Error != "" {
		return fmt.Sprintf("%s: %s\n", f.Path, f.Error)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %d questions, rule %s, measure %s, guess %.1f %%, sample %d\n", f.Path, f.Family,
		f.Questions, f.Rule, f.Measure, 100*f.Guess, f.Sample)
	if f.First != "" {
		fmt.Fprintf(&b, "  %s\n", f.First)
	}
	for _, p := range f.Problems {
		kind := "note"
		if p.Refused {
			kind = "refused"
		}
		fmt.Fprintf(&b, "  %s: %s\n", kind, p)
	}
	return b.String()
}
