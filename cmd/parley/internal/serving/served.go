// Package serving opens models that answer requests of OpenAI's protocol, and the journal of their replies.
package serving

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve"
	"github.com/parley-debate/parley/models"
)

// Models are models that answer requests, and the journal of their replies.
type Models struct {
	engine  engine.Flags
	Options serve.Options
	// Until is the directory that keeps replies where no journal is named, until they have been used without an error;
	// "" for none.
	Until   string
	models  []string
	journal string
	details bool
}

// Register adds the flags that say which models answer, how they run, and where their replies are kept.
func (s *Models) Register(set *pflag.FlagSet) {
	flags.Each(set, &s.models, "model", "m", "FILE", []string{models.EmbeddedName},
		"GGUF file, or a name that parley models lists; may be repeated, and requests then name one of them")
	s.engine.RegisterRunning(set)
	s.engine.RegisterPlaces(set)
	flags.Text(set, &s.journal, "journal", "", "DIR", "", "directory that keeps finished replies, and gives them again")
	set.BoolVar(&s.details, "details", false, "also print how the models are run, and why")
}

// Serve opens the journal and the models, says what they answer, and calls a function that uses them.
func (s *Models) Serve(cmd command.Line, use func(*inference.Local, *serve.Server) error) (err error) {
	if directory := cmp.Or(s.journal, s.Until); directory != "" {
		j, err := openReplies(directory, knownReplies, func(err error) {
			fmt.Fprintln(cmd.Err, "parley: warning: --journal:", err)
		})
		if err != nil {
			return exit.Input(fmt.Errorf("--journal: %w", err))
		}
		defer func() {
			if err = cmp.Or(err, j.Close()); err == nil && s.journal == "" {
				err = removeReplies(directory)
			}
		}()
		s.Options.Journal = j
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
	server, err := serve.New(engine, s.Options)
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.Err, server.Offer())
	if s.details {
		fmt.Fprintf(cmd.Err, "%s\n%s\n", engine.Plan(), server.Memory())
	}
	return use(engine, server)
}

// CheckModels checks the names of the models, by which requests name them.
func (s *Models) CheckModels() error {
	for i, name := range s.models {
		if slices.Contains(s.models[:i], name) {
			return exit.Usage(fmt.Errorf("--model %s is given twice", name))
		}
	}
	s.Options.Names, s.Options.Version = s.models, program.Version()
	return nil
}
