package serving

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
)

// Repair makes the journal of a server readable again: it cuts off a torn end, or rewrites the journal from its intact
// replies and keeps the damaged file under another name. What was lost is computed again when it is asked for. now is
// the time that the report gets.
func Repair(directory, now string) (done rundir.Repaired, err error) {
	lock, err := lockReplies(directory)
	if err != nil {
		return done, err
	}
	defer lock.Close()
	done.Journal = filepath.Join(directory, repliesFile)
	every := func([]byte) error { return nil }
	done.Torn, err = record.Read(done.Journal, every)
	switch {
	case err == nil && done.Torn == 0:
		return done, nil
	case err == nil:
		j, _, err := record.Continue(done.Journal, every)
		if err != nil {
			return done, err
		}
		return done, j.Close()
	case !errors.Is(err, record.ErrDamaged):
		return done, err
	}
	done.Repair = &rundir.Repair{Version: record.Version, Kind: "repair", Time: now}
	done.Backup, err = record.Rewrite(done.Journal, func(to *record.Journal) (err error) {
		done.Torn, _, err = record.Salvage(done.Journal, func(line []byte) error {
			var kept keptReply
			if err := json.Unmarshal(line, &kept); err != nil {
				return fmt.Errorf("%w: %w", record.ErrDamaged, err)
			}
			done.Repair.Kept++
			return to.Append(json.RawMessage(line))
		}, func(l record.Loss) error {
			done.Repair.Lose(l)
			return nil
		})
		return err
	})
	return done, err
}
