// Package bench measures throughput: parley bench.
package bench

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/throughput"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/outfile"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/stores"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "bench [WORKLOAD...|all]",
		Short: "Measure throughput on debate workloads, next to another server and the machine's limits",
		Long: `Runs workloads of token ids that are shaped like the papers' experiments. Prints the tokens
delivered per second, the prompt tokens requested, computed and at least needed, and the limits of
the machine's memory and arithmetic. With --peer, the same token ids go to a llama-server or any
other OpenAI-compatible server, in turns with runs of Parley; the ratio is given for pairs of runs,
with its lowest and highest value.

A run begins with an empty KV cache, after a warm-up that is not counted; --warm runs each a second
time, with its prompts in the cache. --` + strings.Join(varying[:5], ", --") + `,
--` + strings.Join(varying[5:], ", --") + ` take lists, such as 1,8,64: every workload runs with
every combination. --shape adds workloads of your own: sizes are prefix, prompt, reply, requests and
samples; those of a debate agents, rounds, questions, prompt, closing, reply and layout (exact or
shared); those of a sweep steps, solution, orders, samples, prompt, closing and reply.

Workloads:
` + listWorkloads() + `
  ppN, tgN   llama-bench's tests: a prompt of N tokens; N tokens generated, one at a time`,
		Example: `  parley models synth --shape qwen2.5-0.5b --quantization q4_0 --out synth.gguf
  parley bench --small --model synth.gguf all
  parley bench --small --model synth.gguf --peer http://127.0.0.1:8080 --peer-flags "llama-server -m synth.gguf" w1
  parley bench --parallel 1,8,64 --kv f16,q8_0 --out here pp512 tg128 w1
  parley bench --shape agents=80,rounds=2,prompt=200,reply=50
  parley bench compare before/report.json after/report.json`,
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	cmd.AddCommand(newCompare(nil))
	f := cmd.Flags()
	o.local.Register(f)
	vary(f)
	flags.Each(f, &o.shapes, "shape", "", "SIZES", nil, "workload of your own, such as "+
		"prefix=1000,prompt=200,reply=250,samples=400; can be repeated")
	flags.Text(f, &o.like, "like", "", "RUN", "", "run directory whose debates are a workload: its prompts, and "+
		"replies of the same lengths, all by one model")
	f.BoolVar(&o.warm, "warm", false, "run each workload a second time, with its prompts in the cache")
	f.BoolVar(&o.small, "small", false, "smaller workloads of the same shapes: about a minute each with a 0.5B model "+
		"on 4 cores")
	flags.Number(f, &o.repeats, "repeats", "", 5, bounds.From(1, 10_000),
		"runs of each workload, and as many of the peer")
	flags.Number(f, &o.seed, "seed", "s", 1, flags.SeedRange, "seed of the prompts' tokens")
	flags.Text(f, &o.peerURL, "peer", "", "URL", "",
		"address of a server to run the same workloads on, in turns with Parley")
	f.BoolVar(&o.expert, "peer-expert", false, "send all samples of a prompt in one request, and pin agents to slots, "+
		"instead of acting as a plain client")
	flags.Number(f, &o.inFlight, "peer-in-flight", "", 0, bounds.From(1, 10_000),
		"with --peer-expert: maximum number of requests in flight, in order (default the server's number of slots)")
	flags.Text(f, &o.peerFlags, "peer-flags", "", "TEXT", "", "command line of the server, for the report")
	flags.Text(f, &o.out, "out", "o", "DIR", "", "directory for report.json, .txt, .md, .csv and .svg")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line      command.Line
	local     engine.Flags
	small     bool
	warm      bool
	json      bool
	shapes    []string
	like      string
	expert    bool
	repeats   int
	inFlight  int
	seed      uint64
	peerURL   string
	peerFlags string
	out       string
}

// run measures the workloads.
func run(o *Options) error {
	list, err := o.workloads()
	if err != nil {
		return exit.Usage(err)
	}
	if o.out != "" {
		err := os.MkdirAll(o.out, 0o755)
		if err == nil {
			err = cmp.Or(throughput.CheckSave(o.out), outfile.Writable(filepath.Join(o.out, "report.json")))
		}
		if err != nil {
			return exit.Usage(fmt.Errorf("--out: %w", err))
		}
	}
	var outcomes []trial.Outcome
	if o.like != "" {
		run, err := rundir.ReadRun(o.like)
		if err != nil {
			return exit.Input(err)
		}
		outcomes = run.Outcomes
	}
	combinations := 0
	hashes, lists := map[string]string{}, map[string][]throughput.Workload{} // by the path of a model
	err = grid(o.line.Flags, func([]throughput.Setting) error {
		combinations++
		_, info, err := side(o.line, &o.local)
		if err != nil || lists[info.Path] != nil {
			return err
		}
		if hashes[info.Path], err = models.Hash(info.Path); err != nil {
			return err
		}
		lists[info.Path] = list
		if o.like != "" {
			w, err := o.recorded(info, outcomes)
			if err != nil {
				return err
			}
			lists[info.Path] = append(slices.Clone(list), w)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var peer throughput.System
	sides := 1
	if o.peerURL != "" {
		peer, sides = &throughput.Peer{URL: o.peerURL, Expert: o.expert, InFlight: o.inFlight}, 2
	}
	report := throughput.Report{
		Program: program.Version(), LlamaCpp: program.Build(), Machine: machine.Name(),
		Processor: machine.Here().Processor(), Load: machine.LoadAverage(),
		Command: wording.Shell(slices.Concat(strings.Fields(o.line.Path), o.line.FlagWords("out"), o.line.Args)...),
		PeerURL: o.peerURL, PeerFlags: o.peerFlags,
	}
	load := machine.Load()
	begin, end := terminal.ShowSteps(o.line.Err, (len(list)+min(1, len(o.like)))*o.repeats*sides*combinations)
	defer end()
	failed := grid(o.line.Flags, func(settings []throughput.Setting) error {
		ours, info, err := side(o.line, &o.local)
		if err != nil {
			return err
		}
		threads := o.local.Threads
		if threads == 0 {
			threads = machine.Threads()
		}
		options := throughput.Options{Small: o.small, Warm: o.warm, Repeats: o.repeats, Seed: o.seed, Model: info,
			Speed: func() llamacpp.Speed {
				if o.local.UseGPU() { // whose limits are not those of the machine's processor
					return llamacpp.Speed{}
				}
				return llamacpp.MeasureSpeed(threads)
			},
			Begin: func(workload, side string, repeat int) {
				begin(fmt.Sprintf("%s, repeat %d of %d: %s", workload, repeat+1, o.repeats, side))
			}}
		for _, w := range lists[info.Path] {
			m, err := throughput.Measure(o.line.Context, w, ours, peer, options)
			if m.Settings, m.ModelHash = settings, hashes[info.Path]; len(m.Ours) > 0 {
				report.Results = append(report.Results, m)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	end()
	if len(report.Results) > 0 {
		report.Warn(load, machine.Threads())
		failed = errors.Join(failed, present(o.line, report, o.json, o.out))
	}
	return failed
}

// recorded is the run of --like as a workload for a model.
func (o *Options) recorded(info models.Info, outcomes []trial.Outcome) (w throughput.Workload, err error) {
	v, err := inference.OpenVocabulary(info.Path, 0)
	if err != nil {
		return w, exit.Input(err)
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	w, err = throughput.Like(filepath.Base(o.like), outcomes, func(m []inference.Message) ([]int32, error) {
		return v.Render(o.line.Context, m)
	})
	return w, exit.Input(err)
}

// workloads are those that were named, and the shapes.
func (o *Options) workloads() (list []throughput.Workload, err error) {
	if len(o.line.Args) == 0 && len(o.shapes) == 0 && o.like == "" {
		return nil, errors.New("which workload? name some of those in --help, or all, or give a --shape or --like")
	}
	if o.like != "" && o.peerURL != "" {
		return nil, errors.New("--like does not go with --peer: a server would have the run's prompts in its cache " +
			"from the first repeat on")
	}
	if len(o.line.Args) > 0 {
		if list, err = throughput.FindWorkloads(o.line.Args...); err != nil {
			return nil, err
		}
	}
	for _, text := range o.shapes {
		w, err := throughput.Shape(text)
		if err != nil {
			return nil, fmt.Errorf("--shape: %w", err)
		}
		list = append(list, w)
	}
	return list, nil
}

// listWorkloads is computed once, since tests make the commands again and again.
var listWorkloads = sync.OnceValue(func() string {
	var lines []string
	for _, w := range throughput.Workloads() {
		lines = append(lines, fmt.Sprintf("  %-10s %s", w.Name, w.Title))
	}
	return strings.Join(lines, "\n")
})

// side is Parley's engine as one side of a measurement. It is opened anew for each run.
func side(cmd command.Line, f *engine.Flags) (*throughput.Local, models.Info, error) {
	path, err := stores.Resolve(f.Model)
	if err != nil {
		return nil, models.Info{}, exit.Input(err)
	}
	info, err := models.Inspect(path)
	if err != nil {
		return nil, info, exit.Input(err)
	}
	return &throughput.Local{Flags: f.String(), Open: func() (*inference.Local, error) { return f.Open(cmd) }}, info,
		nil
}

// present saves the report, and prints it. It is saved first, so that a closed pipe does not cost a measurement.
func present(cmd command.Line, r throughput.Report, asJSON bool, out string) error {
	if out != "" {
		if err := r.Save(out); err != nil {
			return err
		}
	}
	if asJSON {
		encoded, err := r.JSON()
		if err != nil {
			return err
		}
		_, err = cmd.Out.Write(encoded)
		return err
	}
	return terminal.Show(cmd.Out, r.Document())
}
