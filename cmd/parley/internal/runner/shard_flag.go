package runner

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
)

// shardFlag is the value of --shard. Its zero value is the whole run.
type shardFlag struct {
	trial.Shard
	from string // where an index that was not typed comes from; "" if it was
}

func (s *shardFlag) register(set *pflag.FlagSet) {
	set.Var(s, "shard", "compute this shard of the run alone, in the directory --out.shard-I-of-N; "+
		"auto or auto/N takes I from SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX; parley merge joins the shards")
}

// String implements pflag.Value.
func (s *shardFlag) String() string {
	if s.Of == 0 {
		return ""
	}
	return s.Shard.String()
}

// Type implements pflag.Value: what help shows in the place of the value.
func (s *shardFlag) Type() string { return "I/N" }

// Set implements pflag.Value.
func (s *shardFlag) Set(text string) (err error) {
	index, of, divided := strings.Cut(text, "/")
	*s = shardFlag{}
	if divided {
		if s.Of, err = strconv.Atoi(of); err != nil {
			return fmt.Errorf("must be I/N, such as 2/8, auto, or auto/N")
		}
	}
	switch {
	case index == "auto":
		err = s.readEnvironment(os.Getenv, divided)
	case !divided:
		err = fmt.Errorf("must be I/N, such as 2/8, auto, or auto/N")
	default:
		s.Index, err = strconv.Atoi(index)
	}
	if err != nil {
		return err
	}
	return s.Validate()
}

// readEnvironment takes the index from the environment of a job, and the number of shards too unless it is known.
func (s *shardFlag) readEnvironment(environment func(string) string, known bool) error {
	number := func(name string) (int, error) {
		n, err := strconv.Atoi(environment(name))
		if err != nil {
			return 0, fmt.Errorf("%s is %q, which is no number", name, environment(name))
		}
		return n, nil
	}
	slurm, kubernetes := environment("SLURM_ARRAY_TASK_ID") != "", environment("JOB_COMPLETION_INDEX") != ""
	switch {
	case slurm == kubernetes:
		return fmt.Errorf("auto needs either SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX in the environment; "+
			"there are %d of them", map[bool]int{true: 2}[slurm])
	case kubernetes && !known:
		return fmt.Errorf("auto cannot know the number of shards from JOB_COMPLETION_INDEX: write auto/N, where N is " +
			"the job's completions")
	case kubernetes:
		index, err := number("JOB_COMPLETION_INDEX")
		s.Index, s.from = index+1, "JOB_COMPLETION_INDEX, which counts from 0"
		return err
	}
	index, err := number("SLURM_ARRAY_TASK_ID")
	if err != nil || known {
		s.Index, s.from = index, "SLURM_ARRAY_TASK_ID"
		return err
	}
	var array [3]int
	for i, name := range []string{"SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT"} {
		if array[i], err = number(name); err != nil {
			return err
		}
	}
	first, last, count := array[0], array[1], array[2]
	if first > 1 || first < 0 || last-first+1 != count || count == 1 {
		return fmt.Errorf("auto cannot know the number of shards from an array of %d tasks numbered %d to %d, which "+
			"may be a part of one: write auto/N", count, first, last)
	}
	s.Index, s.Of, s.from = index-first+1, count, "SLURM_ARRAY_TASK_ID, _MIN and _COUNT"
	return nil
}

// part is the shard, nil for the whole run.
func (s *shardFlag) part() *trial.Shard {
	if s.Of == 0 {
		return nil
	}
	return &s.Shard
}

// divide is the shard of a run that --shard asks for, or the run itself.
func (r *Runner) divide(cmd command.Line, o bench.Options, spec Spec) (bench.Options, error) {
	if r.shard.Of == 0 {
		return o, nil
	}
	s := *cmp.Or(spec.shard, &r.shard.Shard)
	s.Host, _ = os.Hostname()
	s.Command = cmd.Again(r.out, "shard")
	o, err := o.Shard(s)
	if err == nil && r.shard.from != "" && !r.JSON {
		fmt.Fprintf(cmd.Err, "shard    %s, from %s\n", r.shard.String(), r.shard.from)
	}
	return o, err
}
