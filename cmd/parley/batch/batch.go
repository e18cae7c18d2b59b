// Package batch answers a file of requests without a server: parley batch.
package batch

import (
	"bytes"
	"cmp"
	"errors"
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

The output appears when it is complete. Until then the answers are in FILE.partial, so that the same
command computes only what is missing after an interruption. Requests without a seed get one from
their content and from how many lines before them ask the same.`,
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

// run answers a batch. The output is closed in any case, and whole if every line has an answer, be it an error. The
// bounds that keep clients of a server from each other do not hold here, where there is one client and no network.
func run(b *Options) (err error) {
	cmd := b.line
	if err := b.CheckModels(); err != nil {
		return err
	}
	lines, err := b.read(cmd)
	if err != nil {
		return exit.Input(err)
	}
	answers, err := b.openOutput(cmd, lines)
	if err != nil {
		return exit.Input(err)
	}
	defer func() {
		complete := err == nil || errors.As(err, new(errWrongLines))
		err = cmp.Or(answers.close(complete), err)
	}()
	b.Options.MaxChoices, b.Options.MaxRemembered = int(serve.MaxChoicesRange.High), 0
	b.Options.MaxWaiting = math.MaxInt32 // no more than atOnce requests have choices that wait
	fmt.Fprintf(cmd.Err, "%s from %s\n", wording.Count(len(lines), "request"), b.in)
	return b.Serve(cmd, func(engine *inference.Local, server *serve.Server) error {
		p := newBatchProgress(cmd.Err, engine, len(lines))
		defer p.finish()
		err := batch.Run(cmd.Context, server, lines, batch.Options{AtOnce: atOnce, Known: answers.has,
			Done: func(a batch.Answer) error {
				p.update(a)
				return answers.put(a)
			}})
		fmt.Fprintln(cmd.Err, p.summary())
		if wrong := p.finish().wrong; err == nil && wrong > 0 {
			err = errWrongLines{wrong, len(lines)}
		}
		if b.out != "-" && cmd.Context.Err() != nil {
			fmt.Fprintln(cmd.Err, "the same command computes the rest")
		}
		return err
	})
}

// errWrongLines is the end of a batch that is answered, with errors in some lines.
type errWrongLines struct{ wrong, all int }

func (e errWrongLines) Error() string {
	return fmt.Sprintf("%d of %s could not be answered: their lines in the output say why", e.wrong,
		wording.Count(e.all, "request"))
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

// openOutput opens what --out names. Only a file can be resumed; a pipe gets each answer as soon as its turn comes.
func (b *Options) openOutput(cmd command.Line, lines [][]byte) (answers, error) {
	if b.out == "-" {
		return &answersPiped{to: cmd.Out, waiting: make(map[int][]byte)}, nil
	}
	return openAnswers(b.out, lines)
}
