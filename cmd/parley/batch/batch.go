// Package batch answers a file of requests without a server: parley batch.
package batch

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/serving"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve"
	"github.com/parley-debate/parley/inference/serve/batch"
	"github.com/parley-debate/parley/internal/outfile"
	"github.com/parley-debate/parley/internal/plaintext"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	b := &Options{Models: serving.Models{Options: serve.Defaults()}}
	cmd := &cobra.Command{
		Use:   "batch --in FILE --out FILE",
		Short: "Answer a file of requests in OpenAI's batch format, without a server",
		Long: `Reads requests, one a line: {"custom_id": NAME, "method": "POST", "url": PATH, "body": REQUEST}. PATH is
/v1/chat/completions, /v1/completions, /v1/responses or /v1/embeddings, and REQUEST what parley
serve takes there; docs/serve.md lists its fields. The answers have the bytes that the server's
would have. They are written one a line, in the order of the requests; a request that cannot be
answered has an error in its line, and the exit code is then 1.

The output appears when it is complete. Until then replies are kept in the directory FILE.partial,
or in that of --journal, so that after an interruption the same command draws only what is missing.
Requests without a seed get one from their content and from how many lines before them ask the same.`,
		Example: `  parley batch --in requests.jsonl --out answers.jsonl
  parley batch -m qwen2.5-7b-instruct-q4_k_m.gguf -i requests.jsonl -o answers.jsonl
  grep gsm requests.jsonl | parley batch >answers.jsonl`,
		Args: flags.NoArgs,
	}
	cmd.RunE = command.Do(b, &b.line, run, instead)
	b.Register(cmd.Flags())
	set := cmd.Flags()
	flags.Text(set, &b.in, "in", "i", "FILE", "-", "file of requests; - is standard input")
	flags.Text(set, &b.out, "out", "o", "FILE", "-", "file for the answers; - is standard output")
	flags.Number(set, &b.Options.MaxInFlight, "max-in-flight", "", b.Options.MaxInFlight, serve.MaxInFlightRange,
		"most bytes of memory for all requests that are read, wait or are answered; others wait for them")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line command.Line
	serving.Models
	in, out string
}

// run answers a batch. The output is whole if every line has an answer, be it an error. The bounds that keep clients of
// a server from each other do not hold here, where there is one client and no network.
func run(b *Options) error {
	cmd := b.line
	if err := b.CheckModels(); err != nil {
		return err
	}
	lines, err := b.read(cmd)
	if err != nil {
		return exit.Input(err)
	}
	answers := inOrder{to: cmd.Out, complete: func() error { return nil }, waiting: make(map[int][]byte)}
	if b.out != "-" {
		file, err := outfile.File{Kind: earlier, Path: b.out}.Create()
		if err != nil {
			return exit.Input(fmt.Errorf("--out: %w", err))
		}
		defer file.Cleanup()
		answers.to, answers.complete, b.Until = file, file.CloseAtomicallyReplace, b.out+".partial"
	}
	b.Options.MaxChoices, b.Options.MaxRemembered = int(serve.MaxChoicesRange.High), 0
	b.Options.MaxWaiting = math.MaxInt32 // no more than atOnce requests have choices that wait
	fmt.Fprintf(cmd.Err, "%s from %s\n", wording.Count(len(lines), "request"), b.in)
	wrong := 0
	err = b.Serve(cmd, func(engine *inference.Local, server *serve.Server) error {
		p := newBatchProgress(cmd.Err, engine, len(lines))
		defer p.finish()
		err := batch.Run(cmd.Context, server, lines, batch.Options{AtOnce: atOnce, Done: func(a batch.Answer) error {
			p.update(a)
			return answers.put(a)
		}})
		fmt.Fprintln(cmd.Err, p.summary())
		wrong = p.finish().wrong
		if b.out != "-" && cmd.Context.Err() != nil {
			fmt.Fprintln(cmd.Err, "the same command computes the rest")
		}
		if err == nil {
			err = answers.complete()
		}
		return err
	})
	if err == nil && wrong > 0 {
		return fmt.Errorf("%d of %s could not be answered: their lines in the output say why", wrong,
			wording.Count(len(lines), "request"))
	}
	return err
}

// earlier are the outputs of batches.
var earlier = outfile.Kind{Name: "output of an earlier batch", Ours: outfile.Opening(batch.Opening)}

// inOrder writes answers in the order of the lines, and calls complete behind the last.
type inOrder struct {
	to       io.Writer
	complete func() error
	next     int // line
	waiting  map[int][]byte
}

func (o *inOrder) put(a batch.Answer) error {
	o.waiting[a.Line] = a.Text
	for text, ok := o.waiting[o.next]; ok; text, ok = o.waiting[o.next] {
		delete(o.waiting, o.next)
		o.next++
		if _, err := o.to.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// atOnce is how many requests of a batch are under way: enough that none of the engine's places is empty while others
// are tokenized.
const atOnce = 512

// read reads all lines of the input that are not blank.
func (b *Options) read(cmd command.Line) (lines [][]byte, err error) {
	in := cmd.In
	if b.in != "-" {
		file, err := os.Open(b.in)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(in)
	if err == nil { // the letters of each line are checked with it
		text, err = plaintext.RemoveMark(text)
	}
	if err != nil {
		return nil, fmt.Errorf("--in %s: %w", b.in, err)
	}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("--in %s has no request", b.in)
	}
	return lines, nil
}
