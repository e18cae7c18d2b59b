package main

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve"
	"github.com/parley-debate/parley/internal/plaintext"
	"github.com/parley-debate/parley/internal/unknown"
	"github.com/parley-debate/parley/models"
)

func newServe() *cobra.Command {
	s := &serveCommand{served: served{options: serve.Defaults()}}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer OpenAI's HTTP protocol, so that other debate programs run on Parley's prefix tree",
		Long: `Prints the server's URL when it is ready, and answers until it is interrupted; replies under way are
then finished (--drain). A program that speaks OpenAI's protocol is pointed to that URL followed by
/v1, for example with OPENAI_BASE_URL. docs/serve.md lists what is answered, field by field.

The same requests get the same replies, byte for byte, in whatever order and company they come. A
request without a seed gets one from its content and from how often its session has asked the same;
the header X-Parley-Session, the field user or the API key names the session. With --journal,
replies that were finished before are given again without being computed.

The server listens on this machine alone. For another address, --api-key-file names a file with one
key a line, of which clients show one.`,
		Example: `  parley serve
  parley serve --model qwen2.5-7b-instruct-q4_k_m.gguf --listen 127.0.0.1:9000 --journal replies
  parley serve --model small.gguf --model large.gguf --listen 0.0.0.0:8080 --api-key-file keys.txt`,
		Args: flags.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(command.Of(cmd)) },
	}
	s.register(cmd.Flags())
	set := cmd.Flags()
	set.StringVar(&s.listen, "listen", "127.0.0.1:8080", "`ADDRESS` and port; port 0 is any that is free")
	set.StringVar(&s.keys, "api-key-file", "", "`FILE` with one API key a line, of which requests have to show one")
	set.StringVar(&s.certificate, "tls-cert", "", "`FILE` with the certificate for TLS, in PEM")
	set.StringVar(&s.key, "tls-key", "", "`FILE` with the certificate's key, in PEM")
	set.StringVar(&s.log, "log", "none", "log requests on standard error, without what they say, as `FORMAT`: "+
		strings.Join(logFormats, ", "))
	flags.Number(set, &s.options.MaxBody, "max-body", "", s.options.MaxBody, serve.MaxBodyRange,
		"most bytes of a request; others get status 413")
	flags.Number(set, &s.options.MaxChoices, "max-choices", "", s.options.MaxChoices, serve.MaxChoicesRange,
		"most replies of a request, its prompts times n; others get status 400")
	flags.Number(set, &s.options.MaxWaiting, "max-waiting", "", s.options.MaxWaiting, serve.MaxWaitingRange,
		"most replies that wait for their turn; others get status 429")
	flags.Number(set, &s.options.MaxConnections, "max-connections", "", s.options.MaxConnections,
		serve.MaxConnectionsRange, "most connections at once; requests on others get status 503")
	flags.Number(set, &s.options.DrawAhead, "draw-ahead", "", 0, serve.DrawAheadRange,
		"samples that are drawn before a client asks for them which asks the same again and again, one request after "+
			"the other, while nothing else is asked")
	set.BoolVar(&s.options.PromptDetails, "prompt-tokens-details", false,
		"usage tells how many tokens of the prompts came from the cache, which depends on what was asked before")
	flags.Duration(set, &s.options.Drain, "drain", serve.DrainRange,
		"how long replies under way may take when the server is interrupted ("+serve.DrainRange.String()+" seconds)")
	return cmd
}

// logFormats are those of --log.
var logFormats = []string{"none", "text", "json"}

// serveCommand is `parley serve` with its flags.
type serveCommand struct {
	served
	listen, keys, certificate, key, log string
}

func (s *serveCommand) run(cmd command.Line) error {
	if err := s.complete(cmd); err != nil {
		return err
	}
	l, url, err := serve.Listen(s.listen, s.options)
	if err != nil {
		return exit.Usage(fmt.Errorf("--listen: %w", err))
	}
	defer l.Close()
	return s.serve(cmd, func(engine *inference.Local, server *serve.Server) error {
		fmt.Fprintln(cmd.Err, engine.Plan())
		if _, err := fmt.Fprintln(cmd.Out, url); err != nil {
			return err
		}
		return server.Serve(cmd.Context, l)
	})
}

// served are models that answer requests, and the journal of their replies.
type served struct {
	engine  engine.Flags
	options serve.Options
	models  []string
	journal string
}

func (s *served) register(set *pflag.FlagSet) {
	set.StringArrayVarP(&s.models, "model", "m", []string{models.EmbeddedName},
		"GGUF `FILE`, or a name that parley models lists; may be repeated, and requests then name one of them")
	s.engine.RegisterRunning(set)
	s.engine.RegisterPlaces(set)
	set.StringVar(&s.journal, "journal", "", "`DIR` that keeps finished replies, and gives them again")
}

// serve opens the journal and the models, and calls a function that uses them.
func (s *served) serve(cmd command.Line, use func(*inference.Local, *serve.Server) error) (err error) {
	if s.journal != "" {
		j, err := openReplies(s.journal)
		if err != nil {
			return exit.Input(fmt.Errorf("--journal: %w", err))
		}
		defer func() {
			if closed := j.Close(); err == nil {
				err = closed
			}
		}()
		s.options.Journal = j
	}
	s.engine.Model = s.models[0]
	others, err := s.engine.Also(s.models[1:])
	if err != nil {
		return err
	}
	engine, err := s.engine.Open(cmd, append(others, inference.Forget())...)
	if err != nil {
		return err
	}
	defer engine.Close()
	server, err := serve.New(engine, s.options)
	if err != nil {
		return err
	}
	return use(engine, server)
}

// checkModels checks the names of the models, by which requests name them.
func (s *served) checkModels() error {
	for i, name := range s.models {
		if slices.Contains(s.models[:i], name) {
			return exit.Usage(fmt.Errorf("--model %s is given twice", name))
		}
	}
	s.options.Names, s.options.Version = s.models, program.Version()
	return nil
}

// complete checks what the flags name.
func (s *serveCommand) complete(cmd command.Line) (err error) {
	if err := s.checkModels(); err != nil {
		return err
	}
	if s.options.Certificate, err = serve.Certificate(s.certificate, s.key); err != nil {
		return exit.Input(err)
	}
	switch s.log {
	case "text":
		s.options.Log = slog.New(slog.NewTextHandler(cmd.Err, nil))
	case "json":
		s.options.Log = slog.New(slog.NewJSONHandler(cmd.Err, nil))
	case "none":
	default:
		return exit.Usage(fmt.Errorf("--log: %w", unknown.Name("format", s.log, logFormats)))
	}
	if s.keys == "" {
		return nil
	}
	text, err := plaintext.ReadFile(s.keys, 0)
	if err != nil {
		return exit.Input(fmt.Errorf("--api-key-file: %w", err))
	}
	if s.options.Keys = strings.Fields(string(text)); len(s.options.Keys) == 0 {
		return exit.Input(fmt.Errorf("--api-key-file: %s has no key", s.keys))
	}
	return nil
}
