package runner

import (
	"fmt"
	"strings"
	"testing"
)

// TestShardOfAJob: an index comes from the environment of a job only where it can mean one thing.
func TestShardOfAJob(t *testing.T) {
	const id, least, most, count = "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
		"SLURM_ARRAY_TASK_COUNT"
	for _, c := range []struct {
		typed, environment string
		is, says           string
	}{
		{"2/8", "", "2/8", ""},
		{"2", "", "", "must be I/N"},
		{"2/x", "", "", "must be I/N"},
		{"9/8", "", "", "shard 9/8: shards are numbered from 1 to 8"},
		{"auto", "", "", "there are 0 of them"},
		{"auto", id + "=1 JOB_COMPLETION_INDEX=1", "", "there are 2 of them"},
		{"auto", id + "=3 " + least + "=1 " + most + "=8 " + count + "=8", "3/8", ""},
		{"auto", id + "=3 " + least + "=0 " + most + "=7 " + count + "=8", "4/8", ""},
		{"auto", id + "=3 " + least + "=3 " + most + "=3 " + count + "=1", "", "an array of 1 tasks numbered 3 to 3"},
		{"auto", id + "=1 " + least + "=1 " + most + "=1 " + count + "=1", "", "an array of 1 tasks numbered 1 to 1"},
		{"auto", id + "=3 " + least + "=3 " + most + "=8 " + count + "=6", "", "an array of 6 tasks numbered 3 to 8"},
		{"auto", id + "=3 " + least + "=1 " + most + "=7 " + count + "=4", "", "an array of 4 tasks numbered 1 to 7"},
		{"auto/8", id + "=3 " + least + "=3 " + most + "=3 " + count + "=1", "3/8", ""},
		{"auto/8", id + "=0", "", "shard 0/8: shards are numbered from 1 to 8"},
		{"auto/8", id + "=x", "", id + ` is "x"`},
		{"auto", "JOB_COMPLETION_INDEX=0", "", "write auto/N"},
		{"auto/8", "JOB_COMPLETION_INDEX=0", "1/8", ""},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.typed, c.environment), func(t *testing.T) {
			for _, name := range []string{id, least, most, count, "JOB_COMPLETION_INDEX"} {
				t.Setenv(name, "")
			}
			for _, set := range strings.Fields(c.environment) {
				name, value, _ := strings.Cut(set, "=")
				t.Setenv(name, value)
			}
			var s shardFlag
			err := s.Set(c.typed)
			if c.says == "" && (err != nil || s.String() != c.is) ||
				c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("--shard %s in %s is %s (%v), want %s and the error %q (none if empty)", c.typed,
					c.environment, s.String(), err, c.is, c.says)
			}
		})
	}
}
