// Package doctor examines the machine, the build and a model: parley doctor.
package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/stores"
)

// finding is one checked property of the machine, the build or the model: a line of the output.
type finding struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"` // ok, warning or failed
	Detail  string `json:"detail"`
}

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the build on this machine, and a model on a question with a known answer",
		Long: `Prints one line per check, which is ok, warning or failed: the build and the vector units of the CPU
that it uses, cores, memory and devices, with the limits of containers; the model file and whether it loads; which operations of the
model Parley computes itself, and which llama.cpp; whether --mode reproducible is available; whether a
text comes back from its tokens, and words have those that the file's merges give; and the reply to a
test question, which the embedded model has to answer correctly. With other models there is a warning if
the reply is cut, repeats itself or the question, or states no answer. If a check failed, the exit code is 1.

With --engine, it looks at servers instead: which programs they are, how they are asked, and how many
replies to equal requests with equal seeds are equal to the byte, alone and under load. --replies
keeps the replies in a file; if it exists, they are compared, so that a second call after a restart
says whether the server repeats itself across restarts.`,
		Example: `  parley doctor
  parley doctor --model qwen2.5-7b-instruct-q4_k_m.gguf
  parley doctor --engine http://localhost:8000 --replies before-restart.json`,
		Args: flags.NoArgs,
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	o.local.Register(cmd.Flags())
	o.local.RegisterRemote(cmd.Flags())
	flags.Text(cmd.Flags(), &o.replies, "replies", "", "FILE", "",
		"with --engine: keep the replies in this file, or compare with "+
			"those in it")
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON line per check")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line    command.Line
	local   engine.Flags
	json    bool
	replies string
}

// run examines what the options name.
func run(o *Options) error {
	if o.local.Address == "" && o.replies != "" {
		return exit.Usage(errors.New("--replies keeps the replies of servers: name them with --engine"))
	}
	var findings []finding
	if o.local.Address != "" {
		if err := o.local.CheckServers(o.line); err != nil {
			return exit.Usage(err)
		}
		findings = examineServers(o.line, o.local, o.replies)
	} else {
		findings = append(examineMachine(), examineModel(o.line, o.local)...)
	}
	failed := 0
	for _, f := range findings {
		if f.Verdict == "failed" {
			failed++
		}
		if o.json {
			if err := json.NewEncoder(o.line.Out).Encode(f); err != nil {
				return err
			}
		} else {
			_ = terminal.Printf(o.line.Out, "%-8s %-12s %s\n", f.Verdict, f.Check, f.Detail)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(findings))
	}
	return nil
}

// examineOperations lists who computes the operations of a step, by name and number.
func examineOperations(operations []llamacpp.Operation) (findings []finding) {
	names := make(map[string][]string)
	for _, o := range operations {
		names[o.By] = append(names[o.By], fmt.Sprintf("%d %s", o.Count, o.Name))
	}
	for _, by := range []struct{ who, verdict, text string }{
		{llamacpp.ByParley, "ok", "by our kernels: "},
		{llamacpp.ByBatch, "warning", "left to llama.cpp, and dependent on the rest of the batch: "},
		{llamacpp.ByRow, "ok", "left to llama.cpp, each row alone: "},
	} {
		if list := names[by.who]; list != nil {
			findings = append(findings, finding{"operations", by.verdict, by.text + strings.Join(list, ", ")})
		}
	}
	return findings
}

// examineInvariance reports who computes what, and whether --mode reproducible is available.
func examineInvariance(cmd command.Line, engine *inference.Local) []finding {
	found, err := engine.Invariance(cmd.Context)
	findings := examineOperations(found.Operations)
	if err == nil {
		err = found.Err()
	}
	if err != nil {
		return append(findings, finding{"mode", "warning", "fast only: " + err.Error()})
	}
	return append(findings, finding{"mode", "ok", fmt.Sprintf("reproducible is available: the %s logits of a prompt "+
		"have the same bits in %d ways to compute them", humanize.Comma(int64(found.Logits)), found.Ways+1)})
}

// examineModel stops at the first check that makes the others pointless: a file that is missing, cannot be read or does
// not load. Everything later is examined on one open engine.
func examineModel(cmd command.Line, local engine.Flags) []finding {
	path, err := stores.Resolve(local.Model)
	if err != nil {
		return []finding{{"model", "failed", err.Error()}}
	}
	info, err := models.Inspect(path)
	if err != nil {
		return []finding{{"model", "failed", err.Error()}}
	}
	findings := []finding{{"model", "ok", fmt.Sprintf("%s: %s %s, %s, trained for %d tokens", info.Name,
		info.Architecture, info.Quantization, humanize.IBytes(uint64(info.SizeBytes)), info.Context)}}
	engine, err := local.Open(cmd)
	if err != nil {
		return append(findings, finding{"load", "failed", err.Error()})
	}
	defer engine.Close()
	findings = append(findings, finding{"load", "ok", "loaded, chat template parsed; plan: " + engine.Plan()})
	findings = append(findings, examineVocabulary(engine, path))
	if !local.UseGPU() {
		findings = append(findings, examineInvariance(cmd, engine)...)
	} else {
		findings = append(findings, finding{"mode", "warning", "fast only: llama.cpp computes, in an order that may " +
			"depend on the batch; reproducible is for --gpu-layers 0"})
	}
	return append(findings, examineReply(cmd, engine, info.Embedded))
}
