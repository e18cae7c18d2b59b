// Package serve answers OpenAI's HTTP protocol: parley serve.
package serve

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/serving"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve"
	"github.com/parley-debate/parley/inference/serve/listen"
	"github.com/parley-debate/parley/internal/plaintext"
	"github.com/parley-debate/parley/internal/unknown"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	s := &Options{Models: serving.Models{Options: serve.Defaults()}}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer OpenAI's HTTP protocol, so that other debate programs run on Parley's prefix tree",
		Long: `Prints the server's URL when it is ready, and answers until it is interrupted; replies under way are
then finished (--drain). A program that speaks OpenAI's protocol is pointed to that URL followed by
/v1, for example with OPENAI_BASE_URL. docs/serve.md lists what is answered, field by field.

The same requests get the same replies, byte for byte, in whatever order and company they come. A
request without a seed gets one from its content and from how often its session has asked the same;
the header X-Parley-Session or the field user names the session. With --journal, replies that were
finished before are given again without being computed.

The server listens on this machine alone. For another address, --api-key-file names a file with one
key a line, of which clients show one; --insecure does without. Those with different keys get equal shares of the engine, and
see nothing of each other.`,
		Example: `  parley serve
  parley serve --model qwen2.5-7b-instruct-q4_k_m.gguf --listen 127.0.0.1:9000 --journal replies
  parley serve --model small.gguf --model large.gguf --listen 0.0.0.0:8080 --api-key-file keys.txt`,
		Args: flags.NoArgs,
	}
	cmd.RunE = command.Do(s, &s.line, run, instead)
	s.Register(cmd.Flags())
	set := cmd.Flags()
	flags.Text(set, &s.listen, "listen", "", "ADDRESS", "127.0.0.1:8080",
		"address and port; port 0 is any that is free")
	flags.Text(set, &s.keys, "api-key-file", "", "FILE", "",
		"file with one API key a line, of which requests have to show one")
	set.BoolVar(&s.Options.SharePrefixes, "share-prefixes", false,
		"share cached prompts and kept replies among all API keys, whose owners can then find out what others asked")
	set.BoolVar(&s.insecure, "insecure", false, "let anybody who can reach --listen ask, without an API key")
	flags.Text(set, &s.certificate, "tls-cert", "", "FILE", "",
		"file with the certificate for TLS, in PEM; it is read again when it changes")
	flags.Text(set, &s.key, "tls-key", "", "FILE", "", "file with the certificate's key, in PEM")
	flags.Text(set, &s.log, "log", "", "FORMAT", "none",
		"log requests on standard error, without what they say, in this format: "+
			strings.Join(logFormats, ", "))
	flags.Number(set, &s.Options.MaxBody, "max-body", "", s.Options.MaxBody, serve.MaxBodyRange,
		"most bytes of a request; others get status 413")
	flags.Number(set, &s.Options.MaxInFlight, "max-in-flight", "", s.Options.MaxInFlight, serve.MaxInFlightRange,
		"most bytes of memory for all requests that are read, wait or are answered; others get status 429")
	flags.Number(set, &s.Options.MaxChoices, "max-choices", "", s.Options.MaxChoices, serve.MaxChoicesRange,
		"most replies of a request, its prompts times n; others get status 400")
	flags.Number(set, &s.Options.MaxWaiting, "max-waiting", "", s.Options.MaxWaiting, serve.MaxWaitingRange,
		"most replies of a key that wait for their turn; others get status 429")
	flags.Number(set, &s.Options.MaxConnections, "max-connections", "", s.Options.MaxConnections,
		serve.MaxConnectionsRange, "most connections at once; requests on others get status 503")
	flags.Text(set, &s.Options.ReasoningFormat, "reasoning-format", "", "FORMAT", serve.ReasoningFormats[0],
		"where the reasoning of replies stands: apart in reasoning_content (auto, deepseek), there and in content "+
			"(deepseek-legacy), or in content (none)")
	set.BoolVar(&s.Options.PromptDetails, "prompt-tokens-details", false,
		"usage tells how many tokens of the prompts came from the cache, which depends on what was asked before")
	flags.Duration(set, &s.Options.Drain, "drain", serve.DrainRange,
		"how long replies under way may take when the server is interrupted ("+serve.DrainRange.String()+" seconds)")
	return cmd
}

// logFormats are those of --log.
var logFormats = []string{"none", "text", "json"}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line command.Line
	serving.Models
	listen, keys, certificate, key, log string
	insecure                            bool
	pair                                *listen.Certificate // of certificate and key
}

// run serves until it is interrupted. The port is opened before the models, so that a wrong address is told at once;
// the URL alone goes to standard output, when requests are answered, for scripts that wait for it.
func run(s *Options) error {
	cmd := s.line
	if err := s.complete(cmd); err != nil {
		return err
	}
	l, url, err := listen.Open(s.listen, listen.Options{MaxConnections: s.Options.MaxConnections,
		Certificate: s.pair, Keys: len(s.Options.Keys) > 0, Insecure: s.insecure})
	if err != nil {
		return exit.Usage(fmt.Errorf("--listen: %w", err))
	}
	defer l.Close()
	return s.Serve(cmd, func(_ *inference.Local, server *serve.Server) error {
		if few := server.FewCells(); few != "" {
			terminal.Warn(cmd.Err, few)
		}
		if s.Options.SharePrefixes {
			fmt.Fprintln(cmd.Err, "parley: warning: --share-prefixes lets whoever has a key find out what others "+
				"asked, by guessing it and looking whether it was cached")
		}
		fmt.Fprintln(cmd.Err, "parley: the base URL of clients is", url+"/v1")
		if _, err := fmt.Fprintln(cmd.Out, url); err != nil {
			return err
		}
		return server.Serve(cmd.Context, l)
	})
}

// complete checks what the flags name.
func (s *Options) complete(cmd command.Line) (err error) {
	if err := s.CheckModels(); err != nil {
		return err
	}
	if s.pair, err = listen.Load(s.certificate, s.key); err != nil {
		return exit.Input(err)
	}
	if f := s.Options.ReasoningFormat; !slices.Contains(serve.ReasoningFormats, f) {
		return exit.Usage(fmt.Errorf("--reasoning-format: %w", unknown.Name("format", f, serve.ReasoningFormats)))
	}
	switch s.log {
	case "text":
		s.Options.Log = slog.New(slog.NewTextHandler(cmd.Err, nil))
	case "json":
		s.Options.Log = slog.New(slog.NewJSONHandler(cmd.Err, nil))
	case "none":
	default:
		return exit.Usage(fmt.Errorf("--log: %w", unknown.Name("format", s.log, logFormats)))
	}
	switch {
	case s.keys == "":
		return nil
	case s.insecure:
		return exit.Usage(errors.New("--insecure is for servers that demand no API key: leave it out, or " +
			"--api-key-file"))
	}
	text, err := plaintext.ReadFile(s.keys, 0)
	if err != nil {
		return exit.Input(fmt.Errorf("--api-key-file: %w", err))
	}
	if s.Options.Keys = strings.Fields(string(text)); len(s.Options.Keys) == 0 {
		return exit.Input(fmt.Errorf("--api-key-file: %s has no key", s.keys))
	}
	return nil
}
