package experiment

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
)

// errMissing means that task files were not found.
var errMissing = errors.New("task files are missing")

// missing is a task without a file.
type missing struct{ task, file, family, where string }

// Error implements error.
func (m missing) Error() string {
	return fmt.Sprintf("task %s: no file %s of the family %s", m.task, m.file, m.family)
}

// Missing is the error of all tasks whose files were not found. It is an errMissing.
type Missing struct {
	Tasks []string // the tasks without a file
	There []string // the tasks whose files were found
	list  []missing
	below []string // the directories that were searched
}

// Error lists the tasks, a line each, and what to do.
func (m Missing) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %d of %d tasks have none below %s:\n", errMissing, len(m.Tasks), len(m.Tasks)+len(m.There),
		strings.Join(m.below, ", "))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  task\tfile\tfamily\tavailable at")
	for _, t := range m.list {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", t.task, t.file, t.family, t.where)
	}
	w.Flush()
	b.WriteString("name their directory with --data DIR, or each file with --task NAME=FILE")
	if len(m.There) > 0 {
		fmt.Fprintf(&b, "; --only %s leaves them out", strings.Join(m.There, ","))
	}
	return b.String()
}

// Unwrap makes it an errMissing.
func (m Missing) Unwrap() error { return errMissing }
