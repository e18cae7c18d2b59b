package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/wording"
)

// States of a run.
const (
	StateRunning  = "running"  // a process has the lock
	StateFinished = "finished" // all debates are recorded
	StateEnded    = "ended"    // some are not; the command that made the run resumes it
)

// Status says how far a run is.
type Status struct {
	State       string    `json:"state"`
	Process     string    `json:"process,omitempty"` // the process that has the lock
	Header      *Header   `json:"header"`            // the last one, null if nothing is recorded yet
	Debates     int       `json:"debates"`           // recorded under the header
	Failed      int       `json:"failed"`            // of these, how many could not be held
	Expected    int       `json:"expected"`          // debates when the run is finished
	Generations int       `json:"generations"`       // how many are recorded, under all headers
	Bytes       int64     `json:"bytes"`             // the size of both journals
	Torn        int64     `json:"torn_bytes"`        // of last records that are being written or that a crash tore
	Repairs     []Repair  `json:"repairs,omitempty"`
	Session     *Session  `json:"session,omitempty"` // the last one
	Resume      string    `json:"resume,omitempty"`  // the command that goes on with it if it Lacks something
	Written     time.Time `json:"time"`              // when a journal was last written
}

// Add counts another task of the same experiment, or of the same shard of it. Together they are running if one is, and
// finished if all are. The zero Status has no task yet.
func (s *Status) Add(other Status) {
	order := []string{StateRunning, StateEnded, StateFinished, ""}
	if slices.Index(order, other.State) < slices.Index(order, s.State) {
		s.State = other.State
	}
	s.Debates, s.Failed, s.Expected = s.Debates+other.Debates, s.Failed+other.Failed, s.Expected+other.Expected
	s.Generations, s.Bytes, s.Torn = s.Generations+other.Generations, s.Bytes+other.Bytes, s.Torn+other.Torn
	if other.Written.After(s.Written) {
		s.Written = other.Written
	}
	if other.Session != nil && (s.Session == nil || other.Session.Start.After(s.Session.Start)) {
		s.Session = other.Session
	}
	s.Resume = cmp.Or(other.Resume, s.Resume)
}

// ReadStatus reads a run directory without keeping its lock, also while its run is under way.
func ReadStatus(directory string) (Status, error) {
	f := Follow(directory)
	defer f.Close()
	p, err := f.Read()
	return p.Status, err
}

// begins reports whether a directory has a journal, which may still be empty.
func begins(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, generationsFile))
	return err == nil
}

// resultDebates returns how many debates result.json counts, -1 if it cannot be read.
func resultDebates(directory string) (debates int) {
	var result struct {
		Rows []analysis.Row `json:"conditions"`
	}
	if record.ReadJSON(filepath.Join(directory, resultFile), &result) != nil {
		return -1
	}
	for _, row := range result.Rows {
		debates += row.N + row.Failed
	}
	return debates
}

// state derives the state; counted is the number of debates in the result. A run that stopped early is finished with
// fewer debates than expected, as many as its result counts.
func (s Status) state(counted int) string {
	switch {
	case s.Process != "":
		return StateRunning
	case s.Header != nil && (s.Debates >= s.Expected || s.Debates == counted):
		return StateFinished
	}
	return StateEnded
}

// Lacks reports whether the command that made the run has something left to ask: it ended early, or has debates that
// could not be held.
func (s Status) Lacks() bool {
	return s.State == StateEnded || s.State == StateFinished && s.Failed > 0
}

// readSession enters the last session, and how to go on from there. Sessions that cannot be read are left out: the
// journals say all else.
func (s *Status) readSession(directory string) {
	sessions, err := Sessions(directory)
	if err != nil || len(sessions) == 0 || sessions[len(sessions)-1].Start.IsZero() {
		return
	}
	last := sessions[len(sessions)-1]
	if s.Session = &last; s.Lacks() {
		here, _ := os.Getwd()
		s.Resume = last.Again(s.Header, directory, here)
	}
}

// read reads what was added to one journal. A run that is just beginning may not have it yet.
func (s *Status) read(journal *record.Tail, f func(line []byte) error) error {
	torn, err := journal.Read(f)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	s.Bytes, s.Torn = s.Bytes+journal.Size(), s.Torn+torn
	if at := journal.Modified(); at.After(s.Written) {
		s.Written = at.UTC()
	}
	return err
}

// Write prints the status; now is the time.
func (s Status) Write(w io.Writer, now time.Time) error {
	out := ""
	if s.Header != nil {
		out = s.Header.Headline() + "started  " + s.Header.Time + "\n"
	}
	out += "state    " + s.State
	switch {
	case s.Process != "":
		out += ", by " + s.Process
	case s.Header == nil:
		out += ", before anything was recorded"
	case s.State == StateFinished && s.Header.Stop != nil && s.Debates < s.Expected:
		out += " early, as the comparison was clear"
	}
	out += fmt.Sprintf("\ndone     %s of %s debates, %s generations, %s\n", wording.Comma(s.Debates),
		wording.Comma(s.Expected),
		wording.Comma(s.Generations), humanize.IBytes(uint64(s.Bytes)))
	if s.Failed > 0 {
		out += fmt.Sprintf("failed   %s could not be held\n", wording.Count(s.Failed, "debate"))
	}
	if !s.Written.IsZero() {
		out += fmt.Sprintf("written  %s (%s)\n", s.Written.Format(time.RFC3339),
			humanize.RelTime(s.Written, now, "ago", "from now"))
	}
	if s.Session != nil {
		out += "session  " + s.Session.String() + "\n"
	}
	if s.Torn > 0 {
		out += fmt.Sprintf("torn     %d bytes of records that are being written, or that a crash left\n", s.Torn)
	}
	for _, r := range s.Repairs {
		out += fmt.Sprintf("repaired %s: %s\n", r.Time, r)
	}
	_, err := io.WriteString(w, out)
	return err
}
