package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/inference"
)

// sessionsFile has a Session for each program that ended in good order.
const sessionsFile = "engine.json"

// Session is what the engine did from the start of a program to the end of its run, or until it was interrupted.
type Session struct {
	Stats inference.Stats `json:"scheduler"`
	Time  analysis.Times  `json:"time"`
}

// work is how long the engine computed, and for how many tokens.
func (s Session) work() analysis.Work {
	w := analysis.WorkOf(s.Stats)
	of := func(ms float64) time.Duration { return time.Duration(max(0, ms) * float64(time.Millisecond)) }
	w.Prefill, w.Decode = of(s.Time.Prefill), of(s.Time.Decode)
	return w
}

// recordEnd records what the engine did in this session. A directory that was removed or replaced gets nothing.
func (d *Directory) recordEnd(s inference.Stats) error {
	if err := d.checkPlace(); err != nil {
		return err
	}
	session, err := json.Marshal(Session{s, analysis.Times{Prefill: wording.Milliseconds(s.PrefillDuration),
		Decode: wording.Milliseconds(s.DecodeDuration)}})
	if err != nil {
		return err
	}
	sessions, err := sessionsIn(d.Path)
	if err != nil {
		return err
	}
	return WriteJSON(d.Path, sessionsFile, append(sessions, session))
}

// TotalWork is the work of all sessions that are recorded.
func (d *Directory) TotalWork() (w analysis.Work, err error) {
	sessions, err := sessionsIn(d.Path)
	if err != nil {
		return w, err
	}
	for _, text := range sessions {
		var s Session
		if err := json.Unmarshal(text, &s); err != nil {
			return w, fmt.Errorf("%s: %w", filepath.Join(d.Path, sessionsFile), err)
		}
		w = w.Plus(s.work())
	}
	return w, nil
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

// mergeSessions adds the sessions of shards to those of the directory of their run, each once: the times tell them
// apart.
func mergeSessions(directory string, shards []MergedShard) error {
	sessions, err := sessionsIn(directory)
	if err != nil {
		return err
	}
	had := len(sessions)
	for _, shard := range shards {
		of, err := sessionsIn(shard.Path)
		if err != nil {
			return err
		}
		for _, s := range of {
			if !slices.ContainsFunc(sessions, func(o json.RawMessage) bool { return bytes.Equal(o, s) }) {
				sessions = append(sessions, s)
			}
		}
	}
	if len(sessions) == had {
		return nil
	}
	return WriteJSON(directory, sessionsFile, sessions)
}
