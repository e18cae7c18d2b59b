package status

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

// shardStatus is how far a shard is, with all of its tasks.
type shardStatus struct {
	Directory   string    `json:"directory"`
	State       string    `json:"state"`
	Debates     int       `json:"debates"`
	Expected    int       `json:"expected"`
	Generations int       `json:"generations"`
	Machine     string    `json:"machine,omitempty"`
	Written     time.Time `json:"time"`
}

// notBegun is the state of a shard that has no record yet.
const notBegun = "not begun"

// readShards sums up each shard.
func readShards(shards []string) (list []shardStatus, err error) {
	for _, directory := range shards {
		s, err := readShard(directory)
		if err != nil {
			return nil, exit.Input(err)
		}
		list = append(list, s)
	}
	return list, nil
}

// followShards prints how many shards have finished, or each of them as JSON, until all have.
func (o *Options) followShards(whole string, shards []string) error {
	for {
		list, err := readShards(shards)
		if err == nil && o.json {
			err = encode(o.line.Out, list)
		} else if err == nil {
			_, err = fmt.Fprintln(o.line.Out, mergedLine(whole, list))
		}
		unfinished := func(s shardStatus) bool { return s.State != rundir.StateFinished }
		if err != nil || !slices.ContainsFunc(list, unfinished) {
			return err
		}
		select {
		case <-o.line.Context.Done():
			return o.line.Context.Err()
		case <-time.After(o.every):
		}
	}
}

func encode(out io.Writer, list []shardStatus) error {
	for _, s := range list {
		if err := json.NewEncoder(out).Encode(s); err != nil {
			return err
		}
	}
	return nil
}

// statusOfShards prints a line for each shard, and whether the run is merged.
func statusOfShards(cmd command.Line, whole string, shards []string, asJSON bool) error {
	list, err := readShards(shards)
	if err != nil {
		return err
	}
	if asJSON {
		return encode(cmd.Out, list)
	}
	return terminal.Show(cmd.Out, shardTable(list), table.Text(mergedLine(whole, list)))
}

// readShard sums up the tasks of a shard. A directory that does not exist, or has no record yet, is a shard that has
// not begun, and no error: jobs of a cluster start when they get a machine. A shard counts as finished only if all of
// its begun tasks are.
func readShard(directory string) (s shardStatus, err error) {
	s = shardStatus{Directory: directory, State: notBegun}
	if _, err := os.Stat(directory); err != nil {
		return s, nil
	}
	var all rundir.Status
	runs := rundir.Begun(directory)
	if len(runs) == 0 {
		runs = []string{directory}
	}
	for _, run := range runs {
		status, err := rundir.ReadStatus(run)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return s, err
		}
		if status.Header == nil {
			continue
		}
		all.Add(status)
		if shard := status.Header.Shard; shard != nil {
			s.Machine = shard.Host
		}
	}
	s.State = cmp.Or(all.State, notBegun)
	s.Debates, s.Expected, s.Generations, s.Written = all.Debates, all.Expected, all.Generations, all.Written
	return s, nil
}

// shardTable has a row for each shard. One that has not begun has no number of debates, since nothing says it yet.
func shardTable(list []shardStatus) table.Table {
	return table.New([]table.Column[shardStatus]{
		table.Left("shard", func(s shardStatus) string { return filepath.Base(s.Directory) }),
		table.Left("state", func(s shardStatus) string { return s.State }),
		table.Right("debates", func(s shardStatus) string {
			if s.State == notBegun {
				return ""
			}
			return wording.Comma(s.Debates) + " of " + wording.Comma(s.Expected)
		}),
		table.Right("generations", func(s shardStatus) string { return wording.Comma(s.Generations) }),
		table.Left("machine", func(s shardStatus) string { return s.Machine }),
		table.Left("written", func(s shardStatus) string {
			if s.Written.IsZero() {
				return ""
			}
			return humanize.Time(s.Written)
		}),
	}, list)
}

// mergedLine sums the shards up, and says what is left to do.
func mergedLine(whole string, list []shardStatus) string {
	finished, generations := 0, 0
	for _, s := range list {
		generations += s.Generations
		if s.State == rundir.StateFinished {
			finished++
		}
	}
	text := fmt.Sprintf("%d of %s finished, %s generations", finished, wording.Count(len(list), "shard"),
		wording.Comma(generations))
	_, result := os.Stat(filepath.Join(whole, "result.json"))
	_, report := os.Stat(filepath.Join(whole, "report.html"))
	switch {
	case result == nil || report == nil:
		return text + "; the result is in " + whole
	case finished == len(list):
		return text + "; parley merge " + wording.Shell(whole) + " joins them"
	}
	return text
}
