package rundir

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/inference"
)

// sessionsFile has a Session for each program that began to compute a run.
const sessionsFile = "engine.json"

// Session is one program that computed a run or a part of it: what its engine did from its start until the end of the
// run, or until it was interrupted. One that was killed has no end. Older records have only what the engine did.
type Session struct {
	Stats inference.Stats `json:"scheduler"`
	Time  analysis.Times  `json:"time"`
	Line
	Host   string    `json:"host,omitempty"`
	Start  time.Time `json:"start,omitzero"`
	End    time.Time `json:"end,omitzero"`
	Reason string    `json:"reason,omitempty"` // of the end: finished, interrupted, or an error
}

// Line is the command that goes on with a run.
type Line struct {
	Command   []string `json:"command,omitempty"`   // the last word is --out=DIRECTORY; nil for another program
	Out       string   `json:"out,omitempty"`       // that directory, as seen from the run's
	Directory string   `json:"directory,omitempty"` // where the command was given
	Parley    string   `json:"parley,omitempty"`    // the version of this program
}

// Reasons of the end of a session, besides errors.
const (
	ReasonFinished    = "finished"
	ReasonInterrupted = "interrupted"
	ReasonKilled      = "no end is recorded: it was killed, or the machine stopped" // never recorded
)

// longestReason is how many bytes of an error a session keeps.
const longestReason = 2000

// Again returns the command that goes on with the run in a directory, for a shell that is in the directory from, "" for
// one that may be anywhere. It returns "" where the command is not known.
func (l Line) Again(h *Header, directory, from string) string {
	words := l.Words(h)
	if words == nil {
		return ""
	}
	out, there := filepath.Join(directory, l.Out), ""
	if l.Directory != "" && l.Directory != from {
		if absolute, err := filepath.Abs(out); err == nil {
			out = absolute
		}
		there = "cd " + wording.Shell(l.Directory) + " && "
	}
	return there + wording.Shell(append(words, "--out="+out)...)
}

// Words returns the words of the command without its --out, nil where it is not known. What is no command of this
// program is not believed: the record may come from a stranger.
func (l Line) Words(h *Header) []string {
	if len(l.Command) < 2 || l.Command[0] != "parley" || l.Out == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(l.Command[:len(l.Command)-1]), func(word string) bool {
		return strings.HasPrefix(word, "--shard=") && h != nil && h.Shard == nil // of a shard that was merged
	})
}

// String says where a session was, when, and how it ended.
func (s Session) String() string {
	text := "on " + cmp.Or(s.Host, "an unknown machine") + " from " + s.Start.Format(time.RFC3339)
	if !s.End.IsZero() {
		text += " to " + s.End.Format(time.RFC3339)
	}
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	return text
}

// work is how long the engine computed, and for how many tokens.
func (s Session) work() analysis.Work {
	w := analysis.WorkOf(s.Stats)
	of := func(ms float64) time.Duration { return time.Duration(max(0, ms) * float64(time.Millisecond)) }
	w.Prefill, w.Decode = of(s.Time.Prefill), of(s.Time.Decode)
	return w
}

// Start records that a program begins to compute the run, so that one that is killed leaves its command.
func (d *Directory) Start() (err error) {
	host, _ := os.Hostname()
	d.session = Session{Line: d.Line, Host: host, Start: now()}
	return d.recordSession(nil)
}

// now is the time as sessions have it.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// recordEnd records what the engine did in this session, and why it ended. A directory that was removed or replaced
// gets nothing.
func (d *Directory) recordEnd(did inference.Stats, failed error) (err error) {
	before, s := d.session, &d.session
	s.Stats, s.End, s.Reason = did, now(), ReasonFinished
	s.Time = analysis.Times{Prefill: wording.Milliseconds(did.PrefillDuration),
		Decode: wording.Milliseconds(did.DecodeDuration)}
	switch {
	case errors.Is(failed, context.Canceled):
		s.Reason = ReasonInterrupted
	case failed != nil:
		text := failed.Error()
		s.Reason = strings.ToValidUTF8(text[:min(len(text), longestReason)], "")
	}
	return d.recordSession(&before)
}

// recordSession records this session, in the place of what was recorded of it before.
func (d *Directory) recordSession(before *Session) error {
	if err := d.checkPlace(); err != nil {
		return err
	}
	session, err := json.Marshal(d.session)
	if err != nil {
		return err
	}
	sessions, err := sessionsIn(d.Path)
	if err != nil {
		return err
	}
	if at := slices.IndexFunc(sessions, func(text json.RawMessage) bool {
		return before != nil && sessionID(text) == before.id()
	}); at >= 0 {
		sessions[at] = session
	} else {
		sessions = append(sessions, session)
	}
	return WriteJSON(d.Path, sessionsFile, sessions)
}

// id tells the sessions of a run apart; it is "" for those of older programs.
func (s Session) id() string {
	if s.Start.IsZero() {
		return ""
	}
	return fmt.Sprint(s.Host, s.Start.UnixMilli(), s.Command)
}

// sessionID is the id of a recorded session, or, where it has none, the record.
func sessionID(text json.RawMessage) string {
	var s Session
	if json.Unmarshal(text, &s) != nil {
		return string(text)
	}
	return cmp.Or(s.id(), string(text))
}

// Sessions returns the sessions of a run directory, none if nothing was computed there. Of those without an end, only
// the last one can be under way, and only while a process has the lock; the others were killed.
func Sessions(directory string) (sessions []Session, err error) {
	texts, err := sessionsIn(directory)
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		var s Session
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(directory, sessionsFile), err)
		}
		sessions = append(sessions, s)
	}
	process, _, _ := lockHolder(directory)
	for i, s := range sessions {
		if !s.Start.IsZero() && s.End.IsZero() && (process == "" || i < len(sessions)-1) {
			sessions[i].Reason = ReasonKilled
		}
	}
	return sessions, nil
}

// TotalWork is the work of all sessions that are recorded.
func (d *Directory) TotalWork() (w analysis.Work, err error) {
	sessions, err := Sessions(d.Path)
	for _, s := range sessions {
		w = w.Plus(s.work())
	}
	return w, err
}

// sessionsIn returns the sessions that a directory has as they are recorded, each on one line. They stay JSON, so that
// fields of other versions survive when the file is written again, and mergeSessions can compare them by their bytes.
func sessionsIn(directory string) (sessions []json.RawMessage, err error) {
	if err := record.ReadJSON(filepath.Join(directory, sessionsFile), &sessions); err != nil &&
		!errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for i, s := range sessions {
		var line bytes.Buffer
		if err := json.Compact(&line, s); err != nil {
			return nil, err
		}
		sessions[i] = line.Bytes()
	}
	return sessions, nil
}

// mergeSessions adds the sessions of shards to those of the directory of their run, each once, as it is recorded last.
func mergeSessions(directory string, shards []MergedShard) error {
	sessions, err := sessionsIn(directory)
	if err != nil {
		return err
	}
	changed := false
	for _, shard := range shards {
		of, err := sessionsIn(shard.Path)
		if err != nil {
			return err
		}
		for _, text := range of {
			id := sessionID(text)
			at := slices.IndexFunc(sessions, func(o json.RawMessage) bool { return sessionID(o) == id })
			switch {
			case at < 0:
				sessions, changed = append(sessions, text), true
			case !bytes.Equal(sessions[at], text):
				sessions[at], changed = text, true
			}
		}
	}
	if !changed {
		return nil
	}
	return WriteJSON(directory, sessionsFile, sessions)
}
